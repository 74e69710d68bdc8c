// What a report shows of one session, from what its files hold: events in order, sums, and the series behind each chart.
import { addUsage } from '../floor/usage.ts';
import type { Because, Usage } from '../records.ts';
import type { HistoryLine, Mark, PassLine, Status } from '../surfaces.ts';
import { toldOf, type Told } from './why.ts';

/** What is known of a session: its files, or a replay's. */
export type ReportSource = {
  /** Session id or file name. */
  readonly name: string;
  readonly history: readonly HistoryLine[];
  readonly passes: readonly PassLine[];
  readonly workspace?: string;
  readonly volumes?: Status['volumes'];
  /** The agent's own tokens, where they are known beyond the last pass. */
  readonly primary?: number;
  /** Lines that could not be read. */
  readonly bad?: number;
};

export type EventKind = Mark['kind'] | 'pass' | 'advice';

/** One row of the timeline and one mark in its chart. */
export type Event = { readonly at: number; readonly kind: EventKind; readonly text: string };

export type DetectorSum = { readonly detector: string; readonly runs: number; readonly advised: number; readonly failed: number; readonly usage: Usage; readonly tokens: number; readonly took_ms: number };

/** `own` and `agent` are tokens as sent and received, `weighed` by price; all grow from pass to pass. */
export type Point = { readonly at: number; readonly own: number; readonly agent: number; readonly weighed: number; readonly usd?: number; readonly fill: number; readonly compacted: boolean };

export type Funnel = { readonly generated: number; readonly passed: number; readonly said: number; readonly confirmed: number; readonly closed: number; readonly acted: number; readonly withheld: readonly (readonly [Because, number])[] };

export type Report = {
  readonly name: string;
  readonly workspace: string;
  readonly judge: string;
  readonly from: number;
  readonly to: number;
  readonly events: readonly Event[];
  /** Events that the passes' lines had no room for. */
  readonly more_events: number;
  readonly passes: readonly PassLine[];
  readonly told: readonly Told[];
  readonly points: readonly Point[];
  readonly detectors: readonly DetectorSum[];
  readonly funnel: Funnel;
  readonly volumes: Status['volumes'];
  readonly own: number;
  readonly agent: number;
  readonly weighed: number;
  readonly usd: number | undefined;
  readonly bad: number;
};

/** Everything the page needs, in order of time. Times that no session can have are left out. */
export const reportOf = (source: ReportSource): Report => {
  const passes = source.passes.filter(({ at, ended_at }) => isTime(at) && isTime(ended_at)).toSorted((a, b) => a.at - b.at);
  const told = toldOf(source.history).filter(({ advice }) => advice.kind !== 'turn-report' && isTime(advice.generated_at));
  const events = eventsOf(passes, told);
  const points = pointsOf(passes);
  const last = points.at(-1);
  const times = [...events.map(({ at }) => at), ...passes.map(({ ended_at }) => ended_at)];
  return {
    name: source.name,
    workspace: source.workspace ?? told[0]?.advice.workspace ?? '',
    judge: [...new Set(passes.map(({ provider, model }) => (provider === 'local' ? 'local (rules, no model, no network)' : [provider, model].filter((word) => word !== '').join(', '))))].slice(0, 5).join('; '),
    from: times.reduce((least, at) => Math.min(least, at), Infinity),
    to: times.reduce((most, at) => Math.max(most, at), -Infinity),
    events,
    more_events: passes.reduce((sum, { more_marks }) => sum + (more_marks ?? 0), 0),
    passes, told, points,
    detectors: detectorsOf(passes),
    funnel: funnelOf(told),
    volumes: source.volumes ?? { tools: {}, kinds: {}, unknown: {} },
    own: last?.own ?? 0,
    agent: source.primary ?? last?.agent ?? 0,
    weighed: last?.weighed ?? 0,
    usd: last?.usd,
    bad: source.bad ?? 0,
  };
};

/** From 2000 to 2100: one odd time would squeeze all others into a corner. */
const isTime = (at: number): boolean => at >= 946_684_800_000 && at < 4_102_444_800_000;

export const allTokens = ({ input, output, cache_read, cache_write_5m, cache_write_1h }: Usage): number => input + output + cache_read + cache_write_5m + cache_write_1h;

const eventsOf = (passes: readonly PassLine[], told: readonly Told[]): readonly Event[] => {
  const marks = new Map<string, Event>();
  for (const { task, marks: own } of passes) for (const { at, kind, text, n } of own) if (isTime(at)) marks.set(`${task} ${n}`, { at, kind, text });
  return [
    ...marks.values(),
    ...passes.map((pass): Event => ({ at: pass.at, kind: 'pass', text: passWords(pass) })),
    ...told.map(({ advice, lines }): Event => ({ at: lines[0]?.at ?? advice.generated_at, kind: 'advice', text: `${advice.id} ${advice.kind}: ${advice.headline}` })),
  ].sort((a, b) => a.at - b.at);
};

/** `pass 3 (volume): 5 forks, 1 advised`. */
export const passWords = ({ pass, because, forks }: PassLine): string => {
  const advised = forks.filter(({ verdict }) => verdict === 'advise').length;
  const failed = forks.filter(isFailed).length;
  return `pass ${pass} (${because}): ${forks.length} ${forks.length === 1 ? 'fork' : 'forks'}, ${advised === 0 ? 'all silent' : `${advised} advised`}${failed === 0 ? '' : `, ${failed} failed`}`;
};

export const isFailed = ({ end }: Pick<PassLine['forks'][number], 'end'>): boolean => end !== 'feedback' && end !== 'no-match';

const pointsOf = (passes: readonly PassLine[]): readonly Point[] => {
  const points: Point[] = [];
  let [own, agent, weighed, before, compactions] = [0, 0, 0, 0, 0];
  let usd: number | undefined;
  for (const pass of passes) {
    own += pass.forks.reduce((sum, { usage }) => sum + allTokens(usage), 0);
    weighed += pass.tokens;
    if (pass.usd !== undefined) usd = (usd ?? 0) + pass.usd;
    // A monitor that started anew counts from nothing again.
    const counted = allTokens(pass.primary);
    agent += counted >= before ? counted - before : counted;
    before = counted;
    const compacted = pass.window.compactions > compactions;
    compactions = pass.window.compactions;
    points.push({ at: pass.ended_at, own, agent, weighed, ...(usd === undefined ? {} : { usd }), fill: pass.window.budget_chars <= 0 ? 0 : pass.window.chars / pass.window.budget_chars, compacted });
  }
  return points.sort((a, b) => a.at - b.at);
};

const detectorsOf = (passes: readonly PassLine[]): readonly DetectorSum[] => {
  const sums = new Map<string, DetectorSum>();
  for (const fork of passes.flatMap(({ forks }) => forks)) {
    const row = sums.get(fork.detector);
    sums.set(fork.detector, {
      detector: fork.detector,
      runs: (row?.runs ?? 0) + 1,
      advised: (row?.advised ?? 0) + (fork.verdict === 'advise' ? 1 : 0),
      failed: (row?.failed ?? 0) + (isFailed(fork) ? 1 : 0),
      usage: row === undefined ? fork.usage : addUsage(row.usage, fork.usage),
      tokens: (row?.tokens ?? 0) + fork.tokens,
      took_ms: (row?.took_ms ?? 0) + fork.took_ms,
    });
  }
  return [...sums.values()].sort((a, b) => (a.detector < b.detector ? -1 : 1));
};

/** How far each advisory came, and why the others did not. */
const funnelOf = (told: readonly Told[]): Funnel => {
  const withheld = new Map<Because, number>();
  for (const { state, because } of told) if (WITHHELD.has(state) && because !== undefined) withheld.set(because, (withheld.get(because) ?? 0) + 1);
  const came = (event: HistoryLine['event']): number => told.filter(({ lines }) => lines.some((line) => line.event === event)).length;
  const verdicts = told.flatMap(({ lines }) => lines.findLast(({ event }) => event === 'outcome')?.verdict ?? []);
  return {
    generated: told.length,
    passed: came('enqueued'),
    said: told.filter(wasSaid).length,
    confirmed: came('confirmed'),
    closed: verdicts.length,
    acted: verdicts.filter((verdict) => verdict === 'adopted' || verdict === 'partially_adopted').length,
    withheld: [...withheld].sort(([, a], [, b]) => b - a),
  };
};

const WITHHELD: ReadonlySet<HistoryLine['event']> = new Set(['gated', 'expired', 'withdrawn']);

/** A hook printed it, whether or not it was seen to arrive. */
export const wasSaid = ({ lines }: Told): boolean => lines.some(({ event }) => event === 'claimed' || event === 'confirmed');
