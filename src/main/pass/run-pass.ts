// Runs a planned pass: the pilot alone until the provider answers it, then the rest, never more than `width` at once (SPEC 7 Warm-up).
import { messageOf } from '../floor/failure.ts';
import { NO_USAGE } from '../floor/usage.ts';
import type { Detector, ForkResult } from '../records.ts';
import type { Run } from './plan.ts';

export type PassInput = {
  /** The plan's order: pilot first, then longest expected first. */
  readonly runs: readonly Run[];
  readonly width: number;
  /** Whether the prefix can be cached at all; when not, waiting for a pilot would buy nothing. */
  readonly serialise: boolean;
  /** Runs one detector; settles by its deadline and grace whatever happens. */
  readonly fork: (run: Run, hooks: { readonly firstEvent: () => void }) => Promise<ForkResult>;
};

/** Every fork's result, in detector-name order. A fork that throws costs itself: it ends as silent with the cause. */
export const runPass = ({ runs, width, serialise, fork }: PassInput): Promise<ForkResult[]> =>
  new Promise((resolve) => {
    const results: ForkResult[] = [];
    let next = 0;
    let running = 0;
    let warm = !serialise;

    const reach = (): number => (warm ? runs.length : Math.min(1, runs.length));
    const fill = (): void => {
      while (next < reach() && running < Math.max(1, width)) {
        const run = runs[next];
        next += 1;
        if (run !== undefined) start(run);
      }
      if (results.length === runs.length) resolve(results.sort((a, b) => (a.detector < b.detector ? -1 : 1)));
    };
    // An end without a first event opens the gate too: a pilot that failed must not hold up the pass.
    const open = (): void => {
      if (warm) return;
      warm = true;
      fill();
    };
    const start = (run: Run): void => {
      running += 1;
      const end = (result: ForkResult): void => {
        running -= 1;
        results.push(result);
        warm = true;
        fill();
      };
      attempt(() => fork(run, { firstEvent: open })).then(end, (error: unknown) => end(crashed(run.detector, run.pilot, error)));
    };
    fill();
  });

/** What stands for a fork that ended without a result of its own. */
export const crashed = ({ name }: Pick<Detector, 'name'>, pilot: boolean, error: unknown): ForkResult => ({
  detector: name,
  end: 'crashed',
  feedback: { verdict: 'silent' },
  usage: NO_USAGE,
  requests: 0,
  started_at: 0,
  took_ms: 0,
  model: '',
  pilot,
  tool_text: '',
  usage_unknown: true,
  cause: messageOf(error),
});

const attempt = async <T>(work: () => Promise<T>): Promise<T> => work();
