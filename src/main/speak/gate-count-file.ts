// tasks/<task>.gate.<n>: one file per firing of the finish gate, made before anything is said, so that Stop hook,
// bell and restarts share one count (SPEC 10).
import { createOnce, readText, remove } from '../floor/disk-file.ts';
import type { HookPaths } from '../floor/paths.ts';
import type { Firing } from './finish-gate.ts';

// `finish_gate.per_task_cap` is at most 100.
const MOST = 100;

/** Every firing of a task, oldest first. One being written counts as of now: its content is not there yet. */
export const firingsOf = (paths: HookPaths, task: string, now: number): readonly Firing[] => {
  const fired: Firing[] = [];
  for (let n = 1; n <= MOST; n += 1) {
    const at = readText(paths.gateCount(task, n));
    if (at === undefined) break;
    fired.push({ n, at: Number(at) || now });
  }
  return fired;
};

/** Counts the firing that follows `fired`; false when the other half, or another hook, was first. */
export const countFiring = (paths: HookPaths, task: string, fired: readonly Firing[], now: number): boolean => createOnce(paths.gateCount(task, fired.length + 1), String(now));

/** Takes back the firing just counted, for which nothing was said after all. */
export const uncountFiring = (paths: HookPaths, task: string, fired: readonly Firing[]): boolean => remove(paths.gateCount(task, fired.length + 1));
