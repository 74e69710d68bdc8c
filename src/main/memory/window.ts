// The append-only list the model sees (SPEC 6). Nothing in it is ever rewritten; compaction makes a new generation.
import type { Block, Numbered, Observation, Position } from '../records.ts';
import { frameBlock, frameLedger } from './framing.ts';

/**
 * `observations` are those of `blocks`, ascending by number. `chars` counts what the model reads: ledger and blocks,
 * framed and escaped. `next_n` is the number the next observation gets; numbers belong to the task and never come twice.
 */
export type Window = {
  readonly task: string;
  readonly nonce: string;
  readonly generation: number;
  readonly ledger_text: string;
  readonly blocks: readonly Block[];
  readonly observations: readonly Numbered[];
  readonly chars: number;
  readonly next_n: number;
  /** How far the transcript is covered: the latest position any block brought. */
  readonly position?: Position;
};

export type NewWindow = Pick<Window, 'task' | 'nonce' | 'generation' | 'ledger_text'> & { readonly next_n?: number; readonly position?: Position };

/** A window that holds its ledger block only. */
export const emptyWindow = ({ next_n = 1, ...start }: NewWindow): Window => ({
  ...start,
  blocks: [],
  observations: [],
  chars: frameLedger(start.nonce, start.ledger_text).length,
  next_n,
});

/** The same window under another ledger block: for a task that turns out to go on from another. */
export const withLedger = (window: Window, ledger_text: string): Window => ({
  ...window,
  ledger_text,
  chars: window.chars - frameLedger(window.nonce, window.ledger_text).length + frameLedger(window.nonce, ledger_text).length,
});

/** The observations with the numbers they will have once appended. */
export const number = (window: Window, observations: readonly Observation[]): readonly Numbered[] =>
  observations.map((observation, i) => ({ ...observation, n: window.next_n + i }));

/** `#12 [tool] …`, a line each; further lines of one observation are indented, so that none can pose as another. */
export const renderObservations = (numbered: readonly Numbered[]): string =>
  numbered.map(({ n, text }) => `#${n} ${text.replaceAll(LINE_ENDS, '\n  ')}`).join('\n');

// All that a reader might take for the end of a line, not only \n.
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu;

/** Observations from before the watch began, introduced as such. */
export const renderHistory = (numbered: readonly Numbered[]): string =>
  `What was done before you began to watch, for context only:\n${renderObservations(numbered)}`;

/** The block of one pass's observations, or of history; `pass` is the pass that is about to read it. */
export const observationBlock = (
  kind: 'observations' | 'history',
  numbered: readonly Numbered[],
  { pass, at, position }: { readonly pass: number; readonly at: number; readonly position?: Position },
): Block => {
  const [first, last] = [numbered[0], numbered.at(-1)];
  return {
    kind,
    pass,
    at,
    text: kind === 'history' ? renderHistory(numbered) : renderObservations(numbered),
    ...(first === undefined || last === undefined ? {} : { from: first.n, to: last.n }),
    ...(position === undefined ? {} : { position }),
  };
};

/** The window with `block` at its end. Copies references and looks at no text but the block's. */
export const append = (window: Window, block: Block, numbered: readonly Numbered[] = []): Window => {
  const last = numbered.at(-1);
  const position = block.position ?? window.position;
  return {
    ...window,
    blocks: [...window.blocks, block],
    observations: last === undefined ? window.observations : [...window.observations, ...numbered],
    chars: window.chars + frameBlock(window.nonce, block).length,
    next_n: last === undefined ? window.next_n : Math.max(window.next_n, last.n + 1),
    ...(position === undefined ? {} : { position }),
  };
};

/** The observation `#n`, if the window still holds it. */
export const findObservation = (window: Window, n: number): Numbered | undefined => {
  let low = 0;
  let high = window.observations.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = window.observations[middle];
    if (found === undefined || found.n === n) return found;
    if (found.n < n) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
};

/** Everything in the window as plain text, for the search of evidence: not framed, not escaped. */
export const windowText = (window: Window): string => [window.ledger_text, ...window.blocks.map(({ text }) => text)].join('\n');
