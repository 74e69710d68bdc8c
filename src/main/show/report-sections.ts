// The parts of a report about one session: timeline, advice, passes, window, cost, detectors, gate, volume. Each chart has its table.
import type { PassLine } from '../surfaces.ts';
import { bar, esc, escCut, fold, scriptJson, table, type Cell } from './html.ts';
import { age, clock, count, percent, usd } from './plain.ts';
import { chartData } from './report-chart.ts';
import { allTokens, isFailed, passWords, wasSaid, type Event, type Report } from './report-model.ts';
import { EXPLAINED, type Told } from './why.ts';

/** Where a session stands on the page, and how much of it there is room for. */
export type Frame = {
  /** Prefix of the ids of this session's elements. */
  readonly id: string;
  /** 2 where the session is the page, 3 within an overview. */
  readonly level: 2 | 3;
  /** Minutes east of UTC. */
  readonly offset_min: number;
  /** Its part of the page, at most 1. */
  readonly share: number;
  /** Characters of an event's text. */
  readonly text: number;
};

// What a page of three megabytes has room for, whatever went on; sessions share it, and each gets a little.
export const roomFor = (share: number) => {
  const part = (whole: number, least: number): number => Math.max(least, Math.floor(whole * share));
  return { rows: part(12_000, 40), forks: part(2500, 24), points: part(2000, 30), advice: part(150, 4), tools: part(200, 12), chart: { events: part(30_000, 200), bars: part(6000, 60), points: part(4000, 60) } };
};

/** Every part, in the order in which a person asks. */
export const sessionHtml = (report: Report, frame: Frame): string => {
  if (report.events.length === 0) return '<p>No pass has ended and nothing was said: there is nothing to draw yet.</p>';
  const data = `<script type="application/json" id="${frame.id}-data">${scriptJson(chartData(report, frame.offset_min, roomFor(frame.share).chart))}</script>`;
  return `<div data-session="${frame.id}">${data}${[figures, timeline, advice, passes, windowFill, tokens, cost, detectors, gate, volume].map((part) => part(report, frame)).join('\n')}</div>`;
};

/** When something was: with the day where the session has more than one. */
export const stamp = (report: Pick<Report, 'from' | 'to'>, offset_min: number): ((at: number) => string) => {
  const day = (at: number): string => new Date(at + offset_min * 60_000).toISOString().slice(0, 10);
  const several = day(report.from) !== day(report.to);
  return (at) => (several ? `${day(at).slice(5)} ${clock(at, offset_min)}` : clock(at, offset_min));
};

const section = ({ id, level }: Frame, name: string, title: string, html: string): string =>
  `<section id="${id}-${name}" aria-labelledby="${id}-${name}-h"><h${level} id="${id}-${name}-h">${title}</h${level}>${html}</section>`;

const chart = (kind: string, label: string): string => `<div class=chart data-chart=${kind} role=img aria-label="${esc(label)}"></div><p class=readout data-for=${kind} aria-hidden=true></p>`;

const figures = (report: Report): string => {
  const { funnel, own, agent, weighed, usd: money, volumes } = report;
  const raw = Object.values(volumes.kinds).reduce((sum, { raw_chars }) => sum + raw_chars, 0);
  const kept = Object.values(volumes.kinds).reduce((sum, { kept_chars }) => sum + kept_chars, 0);
  const rows: readonly (readonly [string, string, string])[] = [
    ['Watched', age(report.to - report.from), `${report.passes.length} passes`],
    ['Said', String(funnel.said), `of ${funnel.generated} generated`],
    ['Acted on', String(funnel.acted), `of ${funnel.closed} with an outcome`],
    ['Own tokens', count(own), own === 0 ? 'nothing is sent' : `${percent(own, agent)} of the agent’s ${count(agent)}`],
    ['Money', money === undefined ? '–' : usd(money), money === undefined ? (own === 0 ? 'none' : 'no price is known') : `${count(weighed)} tokens by price`],
    ...(raw === 0 ? [] : [['Kept', percent(kept, raw), `of ${count(raw)} characters`] as const]),
  ];
  return `<dl class=figures>${rows.map(([name, value, more]) => `<div><dt>${name}</dt><dd><b>${esc(value)}</b> ${esc(more)}</dd></div>`).join('')}</dl>`;
};

const KIND: Readonly<Record<Event['kind'], string>> = { prompt: 'prompt', edit: 'edit', error: 'error', note: 'note', pass: 'pass', advice: 'advice' };

const timeline = (report: Report, frame: Frame): string => {
  const at = stamp(report, frame.offset_min);
  const shown = report.events.slice(-roomFor(frame.share).rows);
  const left = report.events.length - shown.length;
  const missing = [...(left === 0 ? [] : [`${left} earlier events stand in the chart alone.`]), ...(report.more_events === 0 ? [] : [`${report.more_events} edits and errors of busy passes are left out.`])];
  const tally = (Object.keys(KIND) as Event['kind'][]).map((kind) => [kind, report.events.filter((event) => event.kind === kind).length] as const).filter(([, n]) => n > 0);
  const label = `Timeline from ${at(report.from)} to ${at(report.to)}: ${tally.map(([kind, n]) => `${n} × ${KIND[kind]}`).join(', ')}. The table below lists them.`;
  return section(
    frame,
    'timeline',
    'Timeline',
    `<div class=tools role=group aria-label="Part of the timeline that all charts show"><button type=button data-zoom=in>Closer</button><button type=button data-zoom=out>Wider</button><button type=button data-zoom=earlier>Earlier</button><button type=button data-zoom=later>Later</button><button type=button data-zoom=all>All</button><span class=fate>or drag across a chart</span></div>
${chart('timeline', label)}
<p class=legend><span><i class="key silent"></i>fork, silent</span><span><i class="key advised"></i>fork, advised</span><span><i class="key failed"></i>fork without an answer</span><span><i class="key pilot"></i>pilot: runs first and warms the cache</span></p>
${fold(`All events as a table (${shown.length})`, `${missing.length === 0 ? '' : `<p>${missing.join(' ')}</p>`}${table('Events in order of time', [{ head: 'Time' }, { head: 'What' }, { head: 'Text' }], shown.map((event) => [at(event.at), KIND[event.kind], { html: escCut(event.text, frame.text) }]))}`)}`,
  );
};

const advice = (report: Report, frame: Frame): string => {
  const shown = report.told.slice(-roomFor(frame.share).advice);
  const html =
    shown.length === 0
      ? '<p>It found nothing to say, which is the normal result.</p>'
      : `${shown.length < report.told.length ? `<p>The newest ${shown.length} of ${report.told.length}.</p>` : ''}<ol class=advice>${shown.map((told) => adviceHtml(told, stamp(report, frame.offset_min))).join('\n')}</ol>`;
  return section(frame, 'advice', 'Advice and its outcome', html);
};

const adviceHtml = (told: Told, at: (at: number) => string): string => {
  const { advice: said, lines } = told;
  const outcome = lines.findLast(({ event }) => event === 'outcome');
  return `<li class="${wasSaid(told) ? 'said' : 'unsaid'}"><p class=headline>${escCut(said.headline, 400)}</p>${said.body === '' ? '' : `<p>${escCut(said.body, 1500)}</p>`}${
    said.evidence.length === 0 ? '' : `<ul>${said.evidence.slice(0, 6).map(({ cite, text }) => `<li>seen: ${escCut(cite === text ? cite : `${cite} ${text}`, 300)}`).join('')}</ul>`
  }<p class=fate>${escCut(`${at(lines[0]?.at ?? said.generated_at)} · ${said.kind} · ${said.id} · confidence ${said.confidence.toFixed(2)} · ${fateOf(told)}${outcome === undefined ? '' : ` · outcome: ${(outcome.verdict ?? 'no_evidence').replaceAll('_', ' ')}${(outcome.evidence ?? []).slice(0, 3).map((text) => ` (${text.slice(0, 200)})`).join('')}`}`, 900)}</p></li>`;
};

/** What became of it, in words. */
export const fateOf = (told: Told): string => {
  const { advice: said, lines, because, state } = told;
  const claimed = lines.findLast(({ event }) => event === 'claimed');
  const to = said.human_only ? 'to the user alone' : 'to the agent and the user';
  if (wasSaid(told)) return `said ${to}${claimed?.channel === undefined ? '' : ` by ${claimed.channel}`}${lines.some(({ event }) => event === 'confirmed') ? ', seen to arrive' : lines.some(({ event }) => event === 'lost') ? ', lost' : ''}`;
  if (state === 'enqueued' || state === 'returned') return 'waits to be said';
  return `withheld: ${because === undefined ? 'no reason recorded' : (EXPLAINED[because] ?? because)}`;
};

const passes = (report: Report, frame: Frame): string => {
  const shown = newest(report.passes, roomFor(frame.share).forks);
  const at = stamp(report, frame.offset_min);
  const left = report.passes.length - shown.length;
  const each = shown.map((pass) => passHtml(pass, at));
  const earlier = each.slice(0, -OPEN_PASSES);
  const html = `${left === 0 ? '' : `<p>The newest ${shown.length}; ${left} earlier ones stand in the timeline.</p>`}${earlier.length === 0 ? '' : fold(`${earlier.length} earlier passes`, earlier.join('\n'))}${each.slice(-OPEN_PASSES).join('\n')}`;
  return section(frame, 'passes', 'Passes, fork by fork', shown.length === 0 ? '<p>None has ended yet.</p>' : html);
};

/** Listed at once; those before them unfold. */
const OPEN_PASSES = 12;

/** As many of the newest as have `most` forks together, and at least one. */
const newest = (all: readonly PassLine[], most: number): readonly PassLine[] => {
  let forks = 0;
  const from = all.findLastIndex((pass) => (forks += Math.max(1, pass.forks.length)) > most);
  return all.slice(Math.min(from + 1, all.length - 1));
};

const passHtml = (pass: PassLine, at: (at: number) => string): string => {
  const whole = Math.max(1, ...pass.forks.map(({ from_ms, took_ms }) => from_ms + took_ms));
  const rows = pass.forks.map((fork): readonly Cell[] => [
    { html: `${escCut(fork.detector, 80)}${fork.pilot ? ' (pilot)' : ''}` },
    bar([{ kind: `${isFailed(fork) ? 'failed' : fork.verdict === 'advise' ? 'advised' : 'silent'}${fork.pilot ? ' pilot' : ''}`, from: (100 * fork.from_ms) / whole, percent: (100 * fork.took_ms) / whole }]),
    { html: escCut(`${fork.verdict}${fork.end === 'feedback' ? '' : ` (${fork.end}${fork.cause === undefined ? '' : `: ${fork.cause}`})`}${fork.headline === undefined ? '' : ` “${fork.headline}”`}`, 300) },
    took(fork.took_ms),
    count(fork.tokens),
  ]);
  const skipped = pass.skipped.length === 0 ? '' : `<p class=fate>Did not run: ${escCut(pass.skipped.map(({ detector, because }) => `${detector} (${because})`).join(', '), 300)}.</p>`;
  const inside = `${rows.length === 0 ? '' : table(`Forks of pass ${pass.pass}`, [{ head: 'Detector' }, { head: 'When' }, { head: 'Answer' }, { head: 'Took', numeric: true }, { head: 'Tokens by price', numeric: true }], rows)}${skipped}`;
  return fold(`${at(pass.at)} · ${passWords(pass)} · saw ${pass.observations} · ${took(whole)}${pass.tokens === 0 ? '' : ` · ${count(pass.tokens)} tokens`}`, inside);
};

const took = (ms: number): string => (ms < 100 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** One row a pass; of very many the newest. */
const perPass = (report: Report, frame: Frame, caption: string, heads: readonly string[], cells: (point: Report['points'][number]) => readonly string[]): string => {
  const at = stamp(report, frame.offset_min);
  const points = report.points.slice(-roomFor(frame.share).points);
  return fold(`${caption} as a table (${points.length})`, table(`${caption} after each pass`, [{ head: 'Time' }, ...heads.map((head) => ({ head, numeric: true }))], points.map((point) => [at(point.at), ...cells(point)])));
};

const windowFill = (report: Report, frame: Frame): string => {
  const compactions = report.points.filter(({ compacted }) => compacted).length;
  const last = report.points.at(-1);
  const label = `Fill of the window from pass to pass, now ${percent(last?.fill ?? 0, 1)}, compacted ${compactions} times. The table below has the values.`;
  return section(frame, 'window', 'Window', `${chart('window', label)}<p class=legend><span><i class="key line1"></i>percent of its budget</span><span><i class="key mark"></i>compaction (${compactions})</span></p>${perPass(report, frame, 'Window', ['Filled', 'Compacted'], ({ fill, compacted }) => [percent(fill, 1), compacted ? 'yes' : ''])}`);
};

const tokens = (report: Report, frame: Frame): string => {
  const label = `Tokens from pass to pass: its own reach ${count(report.own)}, the agent’s ${count(report.points.at(-1)?.agent ?? 0)}. The table below has the values.`;
  return section(frame, 'tokens', 'Tokens', `${chart('tokens', label)}<p class=legend><span><i class="key line1"></i>its own</span><span><i class="key line2"></i>the agent’s</span></p>${perPass(report, frame, 'Tokens', ['Its own', 'The agent’s'], ({ own, agent }) => [count(own), count(agent)])}`);
};

const cost = (report: Report, frame: Frame): string => {
  const money = report.usd;
  const label = `${money === undefined ? '' : `Money from pass to pass, ${usd(money)} in all. `}Tokens weighted by price reach ${count(report.weighed)}. The table below has the values.`;
  const key = `<p class=legend><span><i class="key line1"></i>${money === undefined ? 'tokens by price: one fresh input token is one' : 'US dollars'}</span></p>`;
  return section(frame, 'cost', 'Cost', report.weighed === 0 ? '<p>Nothing is sent anywhere, so nothing is paid.</p>' : `${chart(money === undefined ? 'weighed' : 'money', label)}${key}${perPass(report, frame, 'Cost', ['Tokens by price', 'Money'], ({ weighed, usd: at }) => [count(weighed), at === undefined ? '–' : `$${at.toFixed(4)}`])}`);
};

const MOST_DETECTORS = 100;

const detectors = ({ detectors: sums }: Report, frame: Frame): string => {
  const most = Math.max(1, ...sums.map(({ usage }) => allTokens(usage)));
  const rows = sums.slice(0, MOST_DETECTORS).map(({ detector, runs, advised, failed, usage, tokens: own, took_ms }): readonly Cell[] => {
    const written = usage.cache_write_5m + usage.cache_write_1h;
    const share = (part: number): number => (100 * part) / most;
    return [{ html: escCut(detector, 80) }, bar([{ kind: 'read', percent: share(usage.cache_read) }, { kind: 'written', percent: share(written) }, { kind: 'fresh', percent: share(usage.input) }, { kind: 'out', percent: share(usage.output) }]), count(usage.cache_read), count(written), count(usage.input), count(usage.output), count(own), runs, advised, failed, runs === 0 ? '–' : took(took_ms / runs)];
  });
  const heads = ['Cache read', 'Cache written', 'Fresh', 'Output', 'By price', 'Runs', 'Advised', 'Failed', 'Mean'];
  return section(
    frame,
    'detectors',
    'Cache per detector',
    rows.length === 0 ? '<p>No detector has run yet.</p>' : `<p class=legend><span><i class="key read"></i>read from the cache</span><span><i class="key written"></i>written to it</span><span><i class="key fresh"></i>fresh input</span><span><i class="key out"></i>output</span></p>${table('Tokens per detector', [{ head: 'Detector' }, { head: 'Share' }, ...heads.map((head) => ({ head, numeric: true }))], rows)}`,
  );
};

const gate = ({ funnel }: Report, frame: Frame): string => {
  const steps: readonly (readonly [string, number])[] = [['Generated', funnel.generated], ['Passed the gate', funnel.passed], ['Said', funnel.said], ['Seen to arrive', funnel.confirmed], ['With an outcome', funnel.closed], ['Acted on', funnel.acted]];
  const whole = Math.max(1, funnel.generated);
  const rows = steps.map(([name, n]): readonly Cell[] => [name, bar([{ kind: 'advised', percent: (100 * n) / whole }]), n, percent(n, funnel.generated)]);
  const reasons = funnel.withheld.length === 0 ? '' : table('Withheld, and why', [{ head: 'Reason' }, { head: 'In words' }, { head: 'Number', numeric: true }], funnel.withheld.map(([because, n]) => [because, EXPLAINED[because] ?? because, n]));
  return section(frame, 'gate', 'Gate', funnel.generated === 0 ? '<p>Nothing came before the gate.</p>' : `${table('How far advice came', [{ head: 'Step' }, { head: 'Share' }, { head: 'Number', numeric: true }, { head: 'Of all', numeric: true }], rows)}${reasons}`);
};

const volume = ({ volumes }: Report, frame: Frame): string => {
  const tools = Object.entries(volumes.tools).sort(([, a], [, b]) => b.raw_chars - a.raw_chars).slice(0, roomFor(frame.share).tools);
  const most = Math.max(1, ...tools.map(([, { raw_chars }]) => raw_chars));
  const rows = tools.map(([name, { count: calls, raw_chars, kept_chars }]): readonly Cell[] => [
    { html: escCut(name, 100) },
    bar([{ kind: 'kept', percent: (100 * Math.min(kept_chars, raw_chars)) / most }, { kind: 'dropped', percent: (100 * Math.max(0, raw_chars - kept_chars)) / most }]),
    calls, count(raw_chars), count(kept_chars), percent(kept_chars, raw_chars),
  ]);
  const unknown = Object.entries(volumes.unknown).slice(0, 20);
  const html = rows.length === 0 ? '<p>No tool was used, or the volume is not on record.</p>' : `<p class=legend><span><i class="key kept"></i>kept</span><span><i class="key dropped"></i>left out</span></p>${table('Characters per tool', [{ head: 'Tool' }, { head: 'Share' }, ...['Calls', 'Characters', 'Kept', 'Part'].map((head) => ({ head, numeric: true }))], rows)}`;
  return section(frame, 'volume', 'Volume per tool', `${html}${unknown.length === 0 ? '' : `<p>Records of unknown type, not read: ${escCut(unknown.map(([type, n]) => `${type} ${n}`).join(', '), 800)}.</p>`}`);
};
