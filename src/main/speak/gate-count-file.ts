// tasks/<task>.gate.<n>: one file per firing of the finish gate, made before anything is said, so that Stop hook,
// bell and restarts share one count (SPEC 10).
import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { isCode, unlessMissing } from '../floor/json-file.ts';
import type { HookPaths } from '../floor/paths.ts';
import type { Firing } from './finish-gate.ts';

// `finish_gate.per_task_cap` is at most 100.
const MOST = 100;

/** Every firing of a task, oldest first. One being written counts as of now: its content is not there yet. */
export const firingsOf = (paths: HookPaths, task: string, now: number): readonly Firing[] => {
  const fired: Firing[] = [];
  for (let n = 1; n <= MOST; n += 1) {
    const text = unlessMissing(() => readFileSync(paths.gateCount(task, n), 'utf8'));
    if (text === undefined) break;
    fired.push({ n, at: Number(text) || now });
  }
  return fired;
};

/** Counts the firing that follows `fired`; false when the other half, or another hook, was first. */
export const countFiring = (paths: HookPaths, task: string, fired: readonly Firing[], now: number): boolean => {
  mkdirSync(paths.tasks, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.gateCount(task, fired.length + 1), String(now), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** Takes back the firing just counted, for which nothing was said after all. */
export const uncountFiring = (paths: HookPaths, task: string, fired: readonly Firing[]): void => unlinkSync(paths.gateCount(task, fired.length + 1));
