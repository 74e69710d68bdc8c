// Prompts typed while a turn runs, as hosts without `queued_command` record them: by the queue alone (SPEC 5.2).
import type { Projected } from '../records.ts';

export type QueuedPrompt = { readonly text: string; readonly at: number };

export type PromptQueue = {
  /** A queue record; returns the prompts it says were taken back. */
  readonly operate: (operation: NonNullable<Projected['queue']>, at: number) => readonly string[];
  /** A `queued_command` attachment was read. */
  readonly attached: () => void;
  /** The model answered: what was absorbed before and has no attachment is a prompt. */
  readonly due: () => readonly QueuedPrompt[];
};

const KEPT = 100;
const ABSORBED = 'absorbed_mid_turn';

export const createPromptQueue = (): PromptQueue => {
  let waiting: readonly string[] = [];
  /** Taken up by the turn, and not yet seen as an attachment. */
  let absorbed: readonly QueuedPrompt[] = [];
  /** This host records what it takes up as an attachment: the queue then says nothing new. */
  let attaches = false;

  const leave = (text: string): void => {
    const index = text === '' ? 0 : waiting.indexOf(text);
    if (index !== -1) waiting = waiting.toSpliced(index, 1);
  };

  const operate: PromptQueue['operate'] = ({ op, text, reason }, at) => {
    if (op === 'enqueue') waiting = [...waiting, text].slice(-KEPT);
    if (op === 'dequeue') leave(text); // it opens a turn of its own, with a record of its own
    if (op === 'popAll') {
      const taken = text === '' ? waiting : [text];
      waiting = [];
      return taken.filter(isTyped);
    }
    if (op !== 'remove') return [];
    leave(text);
    if (reason === ABSORBED) {
      if (!attaches && isTyped(text)) absorbed = [...absorbed, { text, at }].slice(-KEPT);
      return [];
    }
    // Without a reason nobody knows whether the turn took it up: neither a prompt nor withdrawn.
    return reason !== undefined && isTyped(text) ? [text] : [];
  };

  return {
    operate,
    attached: () => {
      attaches = true;
      absorbed = [];
    },
    due: () => {
      const due = absorbed;
      absorbed = [];
      return due;
    },
  };
};

const isTyped = (text: string): boolean => text !== '' && !text.trimStart().startsWith('<task-notification>');
