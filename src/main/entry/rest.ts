// The time between two cycles: it ends when a followed file changes, when something is due, when the caller has reason to.
import { openWatch } from './watch.ts';

export const TICK_MS = 1000;
/** Some things no file tells, the end of the host among them. */
const LOOK_UP_MS = 2000;

export const openRest = () => {
  /** A followed file has changed, and no cycle has begun since; `heard`: one had when this cycle began. */
  let news = false;
  let heard = false;
  let wake: (() => void) | undefined;
  const watcher = openWatch(() => {
    news = true;
    wake?.();
  });

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    /** The files whose changes end a rest. */
    follow: (paths: readonly string[]): void => watcher.follow(paths),
    /** A cycle begins: what changes from here on is for the next. */
    over: (): void => {
      heard = news;
      news = false;
    },
    /** This file was found changed; nobody had told. */
    found: (path: string): void => {
      if (!heard) watcher.found(path);
    },
    /** Until a followed file changes, at most `ms`, and no longer than a tick where changes are not told. `isOver` is asked every two seconds. */
    rest: async (ms: number, isOver: () => boolean): Promise<void> => {
      const length = watcher.isSound() ? ms : Math.min(ms, TICK_MS);
      const end = performance.now() + length;
      for (let left = length; ; left = end - performance.now()) {
        if (left > 0 && !news) await pause(Math.min(left, LOOK_UP_MS));
        if (isOver() || news || left <= LOOK_UP_MS) return;
      }
    },
    close: (): void => watcher.close(),
  };
};
