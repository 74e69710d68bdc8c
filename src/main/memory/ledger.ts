// What outlives the window for one task (SPEC 6): how it grows, what it may hold, and how it reads at the window's head.
import { escapedLength } from '../floor/frame.ts';
import type { Knobs } from '../floor/knobs.ts';
import { headOf, shortened, shortLine } from '../floor/text.ts';
import type { AdviceRow, Ledger, Verdict } from '../records.ts';
import { FRAME_CHARS } from './framing.ts';

/** The ledger block may have this many characters, frame and escapes included (SPEC 6). */
export const LEDGER_CHARS = 6000;
const MAX_ADVICE = 200;
const MAX_SUPPRESSED = 200;
const MAX_FACT = 2000;
const MAX_GOAL = 400;
const SHOWN = 10;

export type NewLedger = Pick<Ledger, 'task' | 'session' | 'workspace' | 'nonce' | 'goal'> & { readonly now: number };

export const newLedger = ({ now, goal, ...who }: NewLedger): Ledger => ({
  v: 1,
  ...who,
  created_at: now,
  touched_at: now,
  goal: shortLine(goal, MAX_GOAL),
  facts: [],
  advice: [],
  suppressed: [],
  calibration: {},
  stragglers: {},
  pass: 0,
  generation: 0,
  spent_tokens: 0,
});

/** A fork's own copy: it knows what the other knew and goes its own way. What was spent stays with the one who spent it. */
export const branchLedger = (from: Ledger, to: Pick<Ledger, 'task' | 'session' | 'nonce'>, now: number): Ledger => {
  const { ended: _, position: __, ...rest } = from;
  return { ...rest, ...to, created_at: now, touched_at: now, generation: 0, spent_tokens: 0 };
};

export const setGoal = (ledger: Ledger, goal: string, now: number): Ledger => ({ ...ledger, goal: shortLine(goal, MAX_GOAL), touched_at: now });

/** Adds or replaces the row with this id. Over the cap the oldest adjudicated row goes, else the oldest. */
export const addAdvice = (ledger: Ledger, row: AdviceRow, now: number): Ledger => {
  const rows = [...ledger.advice.filter(({ id }) => id !== row.id), row];
  while (rows.length > MAX_ADVICE) {
    const closed = rows.findIndex(({ verdict }) => verdict !== undefined);
    rows.splice(Math.max(0, closed), 1);
  }
  return { ...ledger, advice: rows, touched_at: now };
};

/** Gives the advice its verdict. An unknown or already closed id changes nothing: the first verdict stands. */
export const closeAdvice = (ledger: Ledger, id: string, verdict: Verdict, reason: string | undefined, now: number): Ledger => {
  const row = ledger.advice.find((each) => each.id === id);
  if (row === undefined || row.verdict !== undefined) return ledger;
  const closed: AdviceRow = { ...row, verdict, ...(reason === undefined ? {} : { reason }) };
  return { ...ledger, advice: ledger.advice.map((each) => (each === row ? closed : each)), touched_at: now };
};

/** Keeps the key from being advised again in this task. */
export const suppress = (ledger: Ledger, key: string, because: string, now: number): Ledger => ({
  ...ledger,
  suppressed: [...ledger.suppressed.filter((each) => each.key !== key), { key, at: now, because }].slice(-MAX_SUPPRESSED),
  touched_at: now,
});

/** Adds a fact (a compaction's summary); a blank one changes nothing. Over the cap the oldest goes. */
export const addFact = (ledger: Ledger, text: string, now: number, limits: Knobs['ledger']): Ledger => {
  const fact = shortened(text.trim(), MAX_FACT);
  if (fact === '') return ledger;
  return { ...ledger, facts: [...ledger.facts, { at: now, text: fact }].slice(-limits.max_entries), touched_at: now };
};

/** Adds to what the task has spent (cost-weighted tokens); negative gives back what a reservation did not use. */
export const spend = (ledger: Ledger, tokens: number): Ledger => ({ ...ledger, spent_tokens: Math.max(0, ledger.spent_tokens + tokens) });

/** Paths that the facts cite, to be looked for when a task was dormant for long (SPEC 6). */
export const citedPaths = (ledger: Ledger): readonly string[] => [
  ...new Set(ledger.facts.flatMap(({ text }) => [...text.matchAll(PATH)].map(([path]) => path))),
];

// Two path segments at least, absolute as tools name files or relative; a class of its own per side of each slash keeps it linear.
const PATH = /(?<![\w.@/-])\/?(?:[\w.@-]{1,100}\/){1,30}[\w.@-]{1,100}\w/g;

/** Marks facts that cite paths which are gone; the rest of the ledger stays. */
export const markGone = (ledger: Ledger, gone: readonly string[]): Ledger => ({
  ...ledger,
  facts: ledger.facts.map((fact) => {
    const named = gone.filter((path) => fact.text.includes(path) && !fact.text.includes(goneMark(path)));
    return named.length === 0 ? fact : { ...fact, text: [fact.text, ...named.map(goneMark)].join(' ') };
  }),
});

const goneMark = (path: string): string => `[no longer there: ${path}]`;

/**
 * The ledger as text for the head of the window: goal, advice, suppressed keys, then facts, newest first, as many as fit.
 * Its characters, escaped, leave room for the frame within LEDGER_CHARS. Calibration is never rendered.
 */
export const renderLedger = (ledger: Ledger): string => {
  const open = ledger.advice.filter(({ verdict }) => verdict === undefined).slice(-SHOWN);
  const closed = ledger.advice.filter(({ verdict }) => verdict !== undefined).slice(-SHOWN);
  const head = [
    clip(`goal: ${ledger.goal === '' ? '(not known yet)' : ledger.goal}`, MAX_GOAL),
    ...section('advice still open', open.map(({ id, detector, headline }) => clip(`${id} ${detector}: ${headline}`, 140))),
    ...section('advice adjudicated', closed.map(({ id, detector, headline, verdict, reason }) =>
      clip(`${id} ${detector}: ${verdict}${reason === undefined ? '' : ` (${clip(reason, 80)})`}: ${headline}`, 200))),
    ...section('not to be advised again', ledger.suppressed.slice(-SHOWN).map(({ key, because }) => clip(`${key} (${because})`, 90))),
  ].join('\n');
  return withFacts(head, [...ledger.facts].reverse().map(({ text }) => text));
};

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];

const withFacts = (head: string, newest_first: readonly string[]): string => {
  const lines: string[] = [];
  let room = LEDGER_CHARS - FRAME_CHARS - escapedLength(head) - '\nfacts, newest first:'.length;
  for (const fact of newest_first) {
    const line = `- ${fact.replaceAll('\n', '\n  ')}`;
    const size = escapedLength(line) + 1;
    if (size > room) {
      // The oldest that fits in part is cut, the older ones go.
      if (room > 200) lines.push(clipEscaped(line, room - 1));
      break;
    }
    lines.push(line);
    room -= size;
  }
  return lines.length === 0 ? head : `${head}\nfacts, newest first:\n${lines.join('\n')}`;
};

/** One line of at most `max` characters when escaped. */
const clip = (text: string, max: number): string => clipEscaped(shortLine(text, max), max);

const clipEscaped = (text: string, max: number): string => {
  if (escapedLength(text) <= max) return text;
  let size = 1;
  let end = 0;
  for (; end < text.length; end += 1) {
    size += text[end] === '<' ? 4 : 1;
    if (size > max) break;
  }
  return `${headOf(text, end)}…`;
};
