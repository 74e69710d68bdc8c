// What becomes of a span that leaves the window (SPEC 6): a neutral summary by the model, else a digest made by rule.
import { redact } from '../floor/redact.ts';
import { headOf, shortened, shortLine, wellFormed } from '../floor/text.ts';
import type { Block, Numbered } from '../records.ts';
import { dataLine, frameBlock } from './framing.ts';

/** Characters a summary or digest may have; a fact of the ledger holds no more. */
export const SUMMARY_CHARS = 1600;

/** One request's span. Well below any model's window, whatever the budget is. */
const SPAN_CHARS = 200_000;

export type SummaryRequest = { readonly system: string; readonly text: string };

/** The requests that summarise the evicted blocks, in order: one, unless the span is too long for one. */
export const summaryRequests = (nonce: string, evicted: readonly Block[]): readonly SummaryRequest[] => {
  const spans: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const block of evicted.flatMap(pieces)) {
    const text = frameBlock(nonce, block);
    if (size + text.length > SPAN_CHARS) {
      spans.push([]);
      size = 0;
    }
    spans.at(-1)?.push(text);
    size += text.length;
  }
  return spans.map((texts) => ({ system: summaryPrompt(nonce), text: texts.join('\n\n') }));
};

/** A block longer than a span, in parts; `<` grows to four characters when it is framed. */
const pieces = (block: Block): readonly Block[] => {
  const parts: Block[] = [];
  const step = SPAN_CHARS / 4;
  if (block.text.length <= step) return [block];
  for (let rest = block.text; rest !== ''; rest = rest.slice(parts.at(-1)?.text.length)) parts.push({ ...block, text: headOf(rest, step) });
  return parts;
};

const summaryPrompt = (nonce: string): string =>
  [
    'You condense a span of a coding session that somebody else worked on, for a reader who will see the rest of it but not this span.',
    dataLine(nonce),
    'Say what happened, what was decided and why, what was tried and dropped, and what failed, in the order it happened.',
    'Serve no goal: do not judge, advise, rank, or leave something out because it looks settled.',
    'Keep locators exactly as written: paths with lines, commands, commits, names of tests and symbols, the text of errors.',
    'What succeeded is only known where the span says so; do not conclude it.',
    `Answer with short plain lines only, at most ${SUMMARY_CHARS} characters in all.`,
  ].join('\n');

/** The model's summary as a fact, or nothing if it said nothing of use: then the digest takes its place. */
export const acceptSummary = (text: string): string | undefined => {
  const clean = redact(wellFormed(text.slice(0, SUMMARY_CHARS * 4)).replaceAll(/[\0-\x08\x0b-\x1f\x7f]/g, '').trim());
  return clean.length < 20 ? undefined : shortened(clean, SUMMARY_CHARS);
};

/**
 * The span by rule: how long it was, then prompts, errors, files written and commands, the later of each first to be
 * kept. For when no model may or can be asked; it says what it is.
 */
export const digest = (evicted: readonly Block[], observations: readonly Numbered[], limit = SUMMARY_CHARS): string => {
  const [first, last] = [observations[0], observations.at(-1)];
  const span = first === undefined || last === undefined ? `${evicted.length} blocks` : `#${first.n} to #${last.n}`;
  const head = `Left the window unread by any model, ${span}; by rule:`;
  const groups = [
    group('prompt', 160, observations.flatMap(({ kind, text }) => (kind === 'prompt' ? [text] : []))),
    group('error', 160, observations.flatMap(({ kind, text }) => (kind === 'error' ? [text] : []))),
    group('wrote', 120, observations.flatMap(({ writes, paths }) => (writes === true ? paths?.slice(0, 1) ?? [] : []))),
    group('ran', 100, observations.flatMap(({ command }) => (command === undefined ? [] : [command]))),
    group('found', 160, evicted.flatMap(({ kind, text }) => (kind === 'feedback' ? text.split('\n').filter((line) => !/\bsilent\b/.test(line)) : []))),
  ];
  return [head, ...fill(groups, limit - head.length)].join('\n');
};

type Group = readonly string[];

/** Distinct lines, the latest first. */
const group = (name: string, max: number, texts: readonly string[]): Group => [...new Set([...texts].reverse().map((text) => `${name}: ${shortLine(text, max)}`))];

/** One line of each group in turn while there is room; given back group by group, each in the order of time. */
const fill = (groups: readonly Group[], room: number): readonly string[] => {
  const taken = groups.map((): string[] => []);
  let left = room;
  for (let row = 0; groups.some((lines) => row < lines.length); row += 1) {
    for (const [i, lines] of groups.entries()) {
      const line = lines[row];
      if (line === undefined || line.length + 1 > left) continue;
      taken[i]?.unshift(line);
      left -= line.length + 1;
    }
  }
  return taken.flat();
};
