// A session's advice as its history tells it: every line folded into one row per advisory, and what the gate asks of the rows.
import type { Advice, AdviceRow, Because, Channel, Verdict } from '../records.ts';
import type { HistoryLine } from '../surfaces.ts';
import { TURN_REPORT } from './advice.ts';
import { adviceTokens, type Said, type Spoken } from './gate.ts';

export type HistoryRow = {
  readonly advice: Advice;
  readonly state: 'generated' | 'dropped' | 'waiting' | 'claimed' | 'confirmed' | 'lost' | 'gone';
  /** When the first line was written. */
  readonly at: number;
  readonly enqueued_at?: number;
  readonly claimed_at?: number;
  readonly confirmed_at?: number;
  readonly closed_at?: number;
  readonly channel?: Channel;
  readonly because?: Because;
  readonly verdict?: Verdict;
  readonly evidence?: readonly string[];
  /** It was lost once and went back to new/. */
  readonly returned: boolean;
};

export type Rows = ReadonlyMap<string, HistoryRow>;

/** Current state of each advisory, in order of appearance. Lines of an advisory that no earlier line carries are left out. */
export const rowsOf = (lines: readonly HistoryLine[]): Rows => {
  const rows = new Map<string, HistoryRow>();
  for (const line of lines) put(rows, line);
  return rows;
};

/** The rows after one more line. */
export const withLine = (rows: Rows, line: HistoryLine): Rows => {
  const next = new Map(rows);
  put(next, line);
  return next;
};

/** Sums over advisories, turn reports left out. */
export type Sums = { readonly generated: number; readonly delivered: number; readonly gated: Readonly<Record<string, number>> };

export const noSums: Sums = { generated: 0, delivered: 0, gated: {} };

/** `before` and the rows, in sums. */
export const sumsOf = (rows: Iterable<HistoryRow>, before: Sums = noSums): Sums => {
  let { generated, delivered } = before;
  const gated = { ...before.gated };
  for (const { advice, state, because, claimed_at } of rows) {
    if (advice.kind === TURN_REPORT) continue;
    generated += 1;
    if (claimed_at !== undefined) delivered += 1;
    if ((state === 'dropped' || state === 'gone') && because !== undefined) gated[because] = (gated[because] ?? 0) + 1;
  }
  return { generated, delivered, gated };
};

/** Ten hours of the noisiest sessions, many more than an hour's rate asks for; what was delivered also stands in the ledger. */
const KEPT = 250;

/** A long session's rows without the oldest that are over, which only `past` counts from then on. */
export const bounded = (rows: Rows, past: Sums, kept = KEPT): { readonly rows: Rows; readonly past: Sums } => {
  if (rows.size <= kept * 1.2) return { rows, past };
  const out = [...rows.values()].filter(isOver).slice(0, rows.size - kept);
  const ids = new Set(out.map(({ advice }) => advice.id));
  return { rows: new Map([...rows].filter(([id]) => !ids.has(id))), past: sumsOf(out, past) };
};

/** Nothing will be written of it any more: not waiting, not claimed, not lost for the first time, and answered where an answer counts. */
const isOver = ({ advice, state, returned, closed_at }: HistoryRow): boolean =>
  state === 'dropped' || state === 'gone' || state === 'generated' || (state === 'lost' && returned) || (state === 'confirmed' && (closed_at !== undefined || advice.human_only));

const put = (rows: Map<string, HistoryRow>, line: HistoryLine): void => {
  const old = rows.get(line.id);
  const advice = line.advice ?? old?.advice;
  if (advice === undefined) return;
  rows.set(line.id, stepped(old ?? { advice, state: 'generated', at: line.at, returned: false }, { ...line, advice }));
};

const stepped = (row: HistoryRow, line: HistoryLine & { readonly advice: Advice }): HistoryRow => {
  const next: HistoryRow = {
    ...row,
    advice: line.advice,
    ...(line.channel === undefined ? {} : { channel: line.channel }),
    ...(line.because === undefined ? {} : { because: line.because }),
  };
  switch (line.event) {
    case 'generated':
      return next;
    case 'gated':
      return line.because === undefined || line.because === 'below-agent-floor' ? next : { ...next, state: 'dropped' };
    case 'enqueued':
      return { ...next, state: 'waiting', enqueued_at: line.at };
    case 'claimed':
      return { ...next, state: 'claimed', claimed_at: line.at };
    case 'confirmed':
      return { ...next, state: 'confirmed', confirmed_at: line.at, claimed_at: row.claimed_at ?? line.at };
    case 'lost':
      return { ...next, state: 'lost' };
    case 'returned': {
      const { claimed_at: _claimed, channel: _channel, ...rest } = next;
      return { ...rest, state: 'waiting', returned: true };
    }
    case 'expired':
    case 'withdrawn':
      return { ...next, state: 'gone' };
    case 'outcome':
      return {
        ...next,
        closed_at: line.at,
        ...(line.verdict === undefined ? {} : { verdict: line.verdict }),
        ...(line.evidence === undefined ? {} : { evidence: line.evidence }),
      };
  }
};

/** What the gate must know of the past: `said` of this task (earlier sessions' by its ledger), `spoken` of the whole session. */
export const factsOf = (rows: Rows, task: string, earlier: readonly AdviceRow[]): { readonly said: readonly Said[]; readonly spoken: readonly Spoken[]; readonly waiting: readonly Advice[] } => {
  const all = [...rows.values()];
  return {
    said: [
      ...earlier.filter(({ id }) => !rows.has(id)).map((row) => ({ id: row.id, kind: row.detector, key: row.key, tokens: adviceTokens(row) })),
      ...all
        .filter((row) => row.advice.task_id === task && holdsKey(row))
        .map(({ advice }) => ({ id: advice.id, kind: advice.kind, key: advice.dedup_key, tokens: adviceTokens(advice) })),
    ],
    spoken: all.filter(holdsSlot).map((row) => ({
      id: row.advice.id,
      to: row.advice.human_only ? 'human' : 'agent',
      at: row.enqueued_at ?? row.at,
      ...(row.claimed_at === undefined ? {} : { delivered_at: row.claimed_at }),
    })),
    waiting: all.filter(({ state }) => state === 'waiting').map(({ advice }) => advice),
  };
};

// Not said, and not judged unworthy: the same finding may come again.
const KEY_BACK: ReadonlySet<Because> = new Set<Because>([
  'rate', 'cooldown', 'expired-ttl', 'expired-queue', 'superseded', 'moved-on', 'rewound', 'forgotten', 'muted', 'no-evidence', 'unfit',
]);

const holdsKey = (row: HistoryRow): boolean => {
  if (row.advice.kind === TURN_REPORT || row.state === 'generated' || row.state === 'waiting') return false;
  if (row.because === undefined || (row.state !== 'dropped' && row.state !== 'gone')) return true;
  return !KEY_BACK.has(row.because) || (row.claimed_at !== undefined && row.because !== 'rewound'); // printed: somebody may have read it
};

/** A claim takes the slot for good; waiting mail has it as long as it waits. */
const holdsSlot = (row: HistoryRow): boolean => row.advice.kind !== TURN_REPORT && (row.state === 'waiting' || row.claimed_at !== undefined);
