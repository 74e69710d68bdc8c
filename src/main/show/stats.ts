// /second-brain-stats: what it saw, thought, said and cost, from status.json alone (SPEC 12).
import type { Ceiling, Usage } from '../records.ts';
import type { Status, Volume } from '../surfaces.ts';
import { age, columns, count, fit, line, percent, usd, wrap } from './plain.ts';

export type StatsInput = {
  readonly status: Status | undefined;
  readonly now: number;
  /** Version of the code on disk, to be told beside the one that runs. */
  readonly installed: string;
  readonly monitor: 'alive' | 'gone' | 'never-seen';
  readonly session: string;
  readonly width: number;
  /** How a shell calls us. */
  readonly program: string;
  /** Why there is a status that could not be read. */
  readonly trouble?: string;
};

/** The whole text of stats. */
export const statsText = ({ status, now, installed, monitor, session, width, program, trouble }: StatsInput): string => {
  if (status === undefined) {
    const nothing = session === '' ? 'no session has been watched here yet' : `nothing watched yet in session ${line(session, 40)}`;
    return [`Second Brain ${installed}: ${nothing}.`, ...(trouble === undefined ? [] : [trouble]), monitorWords(monitor), `If this stays so, run ${program} doctor`].map((text) => wrap(text, width)).join('\n');
  }
  const parts = [
    head(status, now, installed, monitor),
    seen(status),
    thought(status, now),
    detectors(status, width),
    said(status),
    cost(status, now),
    ...(status.notices.length === 0 ? [] : [['Notices', ...status.notices.map((notice) => `  ${line(notice, width - 2)}`)].join('\n')]),
  ];
  return fit(parts.join('\n\n'), width);
};

const monitorWords = (monitor: StatsInput['monitor']): string =>
  monitor === 'alive' ? 'Its monitor runs.' : monitor === 'gone' ? 'Its monitor has ended; a new session starts it again.' : 'No monitor has been seen for this session.';

const head = (status: Status, now: number, installed: string, monitor: StatsInput['monitor']): string => {
  const version = status.version === installed ? status.version : `${status.version} runs, ${installed} is installed: start a new session to use it`;
  const model = status.model === '' || status.provider === 'local' ? status.provider : `${status.provider}, ${status.model}`;
  return [
    `Second Brain ${version} · ${status.phase.replace('-', ' ')} · judged by ${line(model, 60)}${status.provider === 'local' ? ' (rules, no model)' : ''}`,
    `Task ${status.task} · session ${status.state} · as of ${age(now - status.at)} ago${monitor === 'alive' ? '' : ` · ${monitorWords(monitor)}`}`,
  ].join('\n');
};

const volumeRows = (volumes: Readonly<Record<string, Volume>>): (string | number)[][] =>
  Object.entries(volumes)
    .sort(([, a], [, b]) => b.raw_chars - a.raw_chars)
    .slice(0, 12)
    .map(([name, { count: n, raw_chars, kept_chars }]) => [line(name, 24), String(n), count(raw_chars), count(kept_chars), percent(kept_chars, raw_chars)]);

const seen = ({ volumes, window }: Status): string => {
  const raw = Object.values(volumes.kinds).reduce((sum, { raw_chars }) => sum + raw_chars, 0);
  const kept = Object.values(volumes.kinds).reduce((sum, { kept_chars }) => sum + kept_chars, 0);
  const unknown = Object.entries(volumes.unknown);
  return [
    `Seen: ${count(kept)} of ${count(raw)} characters kept (${percent(kept, raw)})`,
    columns([['record', 'n', 'raw', 'kept', ''], ...volumeRows(volumes.kinds)]),
    ...(Object.keys(volumes.tools).length === 0 ? [] : [columns([['tool', 'n', 'raw', 'kept', ''], ...volumeRows(volumes.tools)])]),
    ...(unknown.length === 0 ? [] : [`  unknown record types, not read: ${unknown.map(([type, n]) => `${line(type, 30)} ${n}`).join(', ')}`]),
    `  window ${count(window.chars)} of ${count(window.budget_chars)} characters (${percent(window.chars, window.budget_chars)}), compacted ${window.compactions}×${(window.rebuilds ?? 0) === 0 ? '' : `, written anew ${window.rebuilds}×`}`,
  ].join('\n');
};

const tally = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

const thought = ({ passes, pace, last_pass, hold, last_turn }: Status, now: number): string =>
  [
    `Passes: ${passes.count}${passes.count === 0 ? '' : ` (${tally(passes.by_reason)})`}`,
    ...(pace === undefined ? [] : [`  ${pace.last_hour} in the last hour, the floor allows ${Math.round(pace.cap)}${pace.stretch > 1 ? `; backoff stretches the floor ${pace.stretch.toFixed(1)}×` : ''}`]),
    ...(last_pass === undefined ? [] : [`  last ${age(now - last_pass.at)} ago, because of ${last_pass.because}, took ${(last_pass.took_ms / 1000).toFixed(1)} s`, ...last_pass.lines.map((each) => `    ${line(each, 160)}`)]),
    ...(Object.keys(passes.holds).length === 0 ? [] : [`  held: ${tally(passes.holds)}`]),
    ...(hold === undefined ? [] : [`  no pass now: ${hold}`]),
    ...(last_turn === undefined ? [] : [`  last turn: ${line(last_turn, 100)}`]),
  ].join('\n');

const detectors = ({ detectors: all }: Status, width: number): string => {
  const head = ['runs', 'silent', 'advised', 'said', 'uptake', 'read', 'written', 'mean', 'late'];
  const rows = Object.entries(all).map(([name, row]) => [
    line(name, width < ROOMY ? 20 : 24),
    String(row.runs),
    String(row.silent),
    String(row.advised),
    String(row.delivered),
    row.closed === 0 ? '–' : percent(row.uptake ?? 0, 1),
    count(row.cache_read),
    count(row.cache_write),
    row.runs === 0 ? '–' : `${(row.took_ms / row.runs / 1000).toFixed(1)}s`,
    String(row.timeouts),
  ]);
  const cut = (from: number, to: number): string => columns([['', ...head.slice(from, to)], ...rows.map(([name = '', ...cells]) => [name, ...cells.slice(from, to)])]);
  return [
    'Detectors (uptake: advice acted on, which is not whether it helped; read, written: cached tokens)',
    ...(rows.length === 0 ? ['  none has run yet'] : width < ROOMY ? [cut(0, 5), cut(5, 9)] : [cut(0, 9)]),
    ...Object.entries(all).flatMap(([name, { stage }]) => (stage === undefined || stage === 'none' ? [] : [`  ${line(name, 24)} is held back: ${line(stage, 120)}`])),
  ].join('\n');
};

/** Narrower than this, the table of detectors is two. */
const ROOMY = 90;

const said = ({ advice }: Status): string => {
  const gated = Object.values(advice.gated).reduce((sum, n) => sum + n, 0);
  return [
    `Advice: ${advice.generated} generated, ${gated} withheld, ${advice.delivered} delivered; ${advice.last_hour} in the last hour of at most ${advice.rate_cap}`,
    ...(gated === 0 ? [] : [`  withheld: ${tally(advice.gated)}`]),
  ].join('\n');
};

const total = (usage: Usage): number => usage.input + usage.output + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;

const CEILINGS: Readonly<Record<Ceiling, string>> = { task: 'the task’s', hour: 'the hour’s', machine: 'all your sessions’', host: 'your own login’s' };

const cost = ({ observer, primary, spent, money, passes, provider, ledgers }: Status, now: number): string => {
  const rate = money === undefined || passes.count < 2 ? undefined : (money.usd * 3_600_000) / Math.max(60_000, now - money.since);
  return [
    `Cost: ${count(total(observer))} tokens of its own against ${count(total(primary))} of the agent’s (${percent(total(observer), total(primary))})`,
    `  budget, cost-weighted: task ${count(spent.task)} of ${count(spent.task_cap)}, hour ${count(spent.hour)} of ${count(spent.hour_cap)}${spent.binds === undefined ? '' : `; ${CEILINGS[spent.binds] ?? line(spent.binds, 20)} ceiling binds, ${count(spent.left ?? 0)} left`}`,
    money === undefined ? `  money: ${provider === 'local' ? 'none, nothing is sent' : 'unknown, no price for this model'}` : `  money: ${usd(money.usd)}${rate === undefined ? ' (no rate from so few passes)' : `, about ${usd(rate)} an hour`}`,
    `  ledgers: ${ledgers.count}${ledgers.oldest_at === undefined ? '' : `, oldest ${age(now - ledgers.oldest_at)}`}`,
  ].join('\n');
};
