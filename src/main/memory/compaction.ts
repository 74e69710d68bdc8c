// When the window is compacted and what leaves it (SPEC 6): from a high-water mark down to a floor, oldest first.
import { escapedLength } from '../floor/frame.ts';
import type { Knobs } from '../floor/knobs.ts';
import type { Block, Numbered } from '../records.ts';
import { FRAME_CHARS, frameBlock, frameLedger } from './framing.ts';
import { LEDGER_CHARS } from './ledger.ts';
import type { Window } from './window.ts';

/** `evicted` then `kept` are the window's blocks in order; where one was cut in two, its halves joined by a newline are its text. */
export type CompactionPlan = {
  readonly evicted: readonly Block[];
  readonly evicted_observations: readonly Numbered[];
  readonly kept: readonly Block[];
};

/** Whether the next pass must not run before a compaction. To be asked before every pass, whoever the provider is (HAZARDS D4). */
export const needsCompaction = (window: Window, limits: Knobs['window']): boolean =>
  window.chars > limits.budget_chars * limits.compaction_threshold;

/**
 * What to evict so that the window, with a new ledger of any size, comes down to the floor. The blocks of the newest
 * pass are still unread: they stay as long as the budget holds them, and the one that does not fit is cut between
 * observations. After it the window is within its budget whatever the knobs say.
 */
export const planCompaction = (window: Window, limits: Knobs['window']): CompactionPlan => {
  const hard = limits.budget_chars - LEDGER_CHARS;
  // A floor at or above the threshold would compact again at once: hysteresis must stay.
  const soft = limits.budget_chars * Math.min(limits.compaction_floor, limits.compaction_threshold * 0.75) - LEDGER_CHARS;
  const newest = window.blocks.at(-1)?.pass;
  const kept: Block[] = [];
  let size = 0;
  let at = window.blocks.length - 1;
  let cut: Block | undefined;
  for (; at >= 0; at -= 1) {
    const block = window.blocks[at];
    if (block === undefined) break;
    const unread = block.pass === newest;
    const cost = frameBlock(window.nonce, block).length;
    if (size + cost <= (unread ? hard : soft)) {
      kept.unshift(block);
      size += cost;
      continue;
    }
    const halves = unread ? splitBlock(block, hard - size - FRAME_CHARS) : undefined;
    if (halves !== undefined) {
      kept.unshift(halves.tail);
      cut = halves.head;
    }
    break;
  }
  const whole = window.blocks.slice(0, Math.max(0, cut === undefined ? at + 1 : at));
  const from = firstNumber(kept);
  return {
    evicted: cut === undefined ? whole : [...whole, cut],
    evicted_observations: window.observations.filter(({ n }) => n < from),
    kept,
  };
};

/** The next generation: the new ledger, the blocks that were kept, the same numbering and nonce. */
export const compacted = (window: Window, ledger_text: string, kept: readonly Block[]): Window => {
  const from = firstNumber(kept);
  return {
    ...window,
    generation: window.generation + 1,
    ledger_text,
    blocks: kept,
    observations: window.observations.filter(({ n }) => n >= from),
    chars: kept.reduce((sum, block) => sum + frameBlock(window.nonce, block).length, frameLedger(window.nonce, ledger_text).length),
  };
};

const firstNumber = (blocks: readonly Block[]): number => blocks.find(({ from }) => from !== undefined)?.from ?? Number.POSITIVE_INFINITY;

/** The block in two, its tail as long as `room` characters (escaped) allow and at least one; nothing when there is no room at all. */
const splitBlock = (block: Block, room: number): { readonly head: Block; readonly tail: Block } | undefined => {
  const { text } = block;
  let cut = text.length;
  let size = 0;
  // Observations start at `\n#`: their own further lines are indented.
  for (let at = text.lastIndexOf('\n#'); at > 0; at = text.lastIndexOf('\n#', at - 1)) {
    size += escapedLength(text.slice(at, cut));
    if (size > room) break;
    cut = at;
  }
  if (cut === text.length) return splitAnywhere(block, room);
  const tail = text.slice(cut + 1);
  const n = Number(/^#(\d+) /.exec(tail)?.[1] ?? Number.NaN);
  return halves(block, text.slice(0, cut), tail, Number.isSafeInteger(n) ? n : undefined);
};

/** For a single text that is larger than the room: its end from a line on; nothing when its last line is too long. */
const splitAnywhere = (block: Block, room: number): { readonly head: Block; readonly tail: Block } | undefined => {
  const { text } = block;
  let cut = text.length;
  for (let size = 0; cut > 0; cut -= 1) {
    size += text[cut - 1] === '<' ? 4 : 1;
    if (size > room) break;
  }
  const line = text.indexOf('\n', cut);
  if (line === -1 || line + 1 >= text.length) return undefined;
  return halves(block, text.slice(0, line), text.slice(line + 1), block.to);
};

/** `n` is the first number whose text is at least partly in the tail. */
const halves = (block: Block, head: string, tail: string, n: number | undefined): { readonly head: Block; readonly tail: Block } => {
  const { position: _, ...rest } = block;
  const numbered = n !== undefined && block.from !== undefined;
  return {
    // The position belongs to where the block ends.
    head: { ...rest, text: head, ...(numbered ? { to: Math.max(block.from, n - 1) } : {}) },
    tail: { ...block, text: tail, ...(numbered ? { from: n } : {}) },
  };
};
