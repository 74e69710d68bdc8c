// Which task a session is at, as it goes on: goals, soft splits, and what moves along to a new task (SPEC 6).
import { branchLedger, newLedger, renderLedger, setGoal } from './memory/ledger.ts';
import { findByRecords, writeLedger } from './memory/ledger-file.ts';
import { splitsTask, taskId, taskNonce, taskTerms } from './memory/task.ts';
import { emptyWindow, number, observationBlock, withLedger } from './memory/window.ts';
import { listMail } from './speak/mailbox-file.ts';
import { appendEpisode, push, saveWindow } from './judging.ts';
import { withdraw } from './speaking.ts';
import type { Because, Ledger, Observation, Position } from './records.ts';
import type { Setup, Watching } from './watching.ts';

/** What a human prompt means for the task: its goal, or that another begins (SPEC 6). To be asked before the prompt is queued. */
export const beginTask = (w: Watching, prompt: Observation, now: number): void => {
  if (w.ledger.goal === '') {
    w.ledger = setGoal(w.ledger, untagged(prompt.text), now);
    return;
  }
  // A boundary that is missed costs some irrelevant prefix; one that comes in the middle of a compaction costs the window.
  if (w.compacting) return;
  const seen = [...w.window.observations, ...number(w.window, w.queue.waiting.map(({ observation }) => observation))];
  const { split } = splitsTask({ text: untagged(prompt.text), human: true, turn_finished: isTurnOver(seen) }, taskTerms(`${w.ledger.goal}\n${w.window.ledger_text}`, seen));
  if (!split) return;
  appendEpisode(w, w.ledger.pass, now);
  switchTask(w, untagged(prompt.text), now);
};

/** By the stream, since a signal of the next prompt may be quicker than its record. Notes of other kinds happen at any time. */
const isTurnOver = (seen: readonly Observation[]): boolean => seen.findLast(({ kind, note }) => kind !== 'note' || note === 'turn-end' || note === 'interrupt')?.note === 'turn-end';

/** A fork saw another goal: the prompt that set it and all that came of it are the new task's, as is whatever waits. */
export const turnTo = (w: Watching, goal: string, after: number, now: number): void => {
  const prompts = w.window.observations.filter(({ n, kind, human }) => n <= after && kind === 'prompt' && human === true);
  const last = prompts.at(-1);
  // People set goals, and a task's first prompt set the one it has: a model that sees another in it would split at every pass.
  if (last === undefined || (prompts.length < 2 && w.window.generation === 0)) return w.setup.log('a new goal without a new prompt: the task goes on');
  switchTask(w, goal, now, { position: w.window.position, carried: w.window.observations.filter(({ n }) => n >= last.n) });
};

/**
 * A session that was forked from another by a new process, which does not say which: its task goes on from the one whose
 * window holds prompts that were copied (SPEC 6). False when there is none. What was seen before the copies stays.
 */
export const branchOff = (w: Watching, prompts: readonly string[], now: number): boolean => {
  const { paths, session, workspace } = w.setup;
  const from = prompts.length === 0 ? undefined : findByRecords(paths, workspace, prompts);
  if (from === undefined) return false;
  const { task, nonce, spent_tokens, generation } = w.ledger;
  w.ledger = { ...branchLedger(from, { task, session, nonce }, now), spent_tokens, generation };
  w.window = withLedger(w.window, renderLedger(w.ledger));
  w.prefix = undefined;
  saveWindow(w);
  writeLedger(paths, w.ledger);
  return true;
};

type Boundary = {
  /** How far the transcript is covered by what the new task's window starts with. */
  readonly position: Position | undefined;
  readonly carried: readonly Observation[];
};

/** The old task goes dormant with all it saw; a new one starts with its own ledger and window (SPEC 6). */
export const switchTask = (w: Watching, goal: string, now: number, { position, carried }: Boundary = { position: w.position, carried: [] }): void => {
  w.pass?.cancel.abort('cancelled');
  dropAll(w, 'moved-on', now);
  writeLedger(w.setup.paths, w.ledger);
  const { since, pace } = w.ledger;
  w.ledger = { ...freshLedger(w.setup, goal, now), ...(since === undefined ? {} : { since }), ...(pace === undefined ? {} : { pace }) };
  w.window = emptyWindow({ task: w.ledger.task, nonce: w.ledger.nonce, generation: 0, ledger_text: renderLedger(w.ledger), ...(position === undefined ? {} : { position }) });
  w.prefix = undefined;
  w.warm = undefined;
  w.raised = new Map();
  saveWindow(w);
  writeLedger(w.setup.paths, w.ledger);
  const numbered = number(w.window, carried);
  if (numbered.length > 0) push(w, observationBlock('observations', numbered, { pass: 0, at: now, ...(position === undefined ? {} : { position }) }), numbered);
  w.setup.log(`a new task: ${w.ledger.task}`);
};

/** Undelivered mail that no longer belongs to what is going on. */
export const dropAll = (w: Watching, because: Because, now: number): void => {
  // A notice is about the workspace, whatever the task.
  for (const { advice } of listMail(w.setup.paths.mailbox(w.setup.session))) if (advice.kind !== 'notice') withdraw(w, advice, because, now);
};

/** An empty ledger with an id and a nonce of its own. */
export const freshLedger = (setup: Setup, goal: string, now: number): Ledger =>
  newLedger({ task: taskId(setup.entropy()), session: setup.session, workspace: setup.workspace, nonce: taskNonce(setup.entropy()), goal, now });

/** The text behind `[prompt]` and its like. */
export const untagged = (text: string): string => text.replace(/^\[\w+\] /, '');
