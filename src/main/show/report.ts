// The report: one HTML file that needs nothing but itself (SPEC 12). A session by itself, or several under an overview.
import { esc, escCut, fold, scriptCode, table, type Cell } from './html.ts';
import { count, usd } from './plain.ts';
import { reportOf, wasSaid, type Report, type ReportSource } from './report-model.ts';
import { fateOf, roomFor, sessionHtml, stamp, type Frame } from './report-sections.ts';

export type ReportInput = {
  readonly sessions: readonly ReportSource[];
  /** What was looked at: a session watched live, or recorded ones that went by again. */
  readonly kind: 'live' | 'replay';
  readonly now: number;
  /** Minutes east of UTC in which times are told. */
  readonly offset_min: number;
  readonly version: string;
  /** The page's own code and looks, ours. */
  readonly assets: { readonly script: string; readonly style: string };
};

// Characters of all events' texts together.
const TEXT_CHARS = 900_000;
const MOST_SESSIONS = 20;
const MOST_LISTED = 500;

/** The whole document. */
export const reportHtml = ({ sessions, kind, now, offset_min, version, assets }: ReportInput): string => {
  const reports = sessions.map(reportOf).sort((a, b) => a.from - b.from);
  const shown = reports.slice(-MOST_SESSIONS);
  // The overview takes its part too.
  const share = shown.length < 2 ? 1 : 0.5 / shown.length;
  const listed = shown.reduce((sum, { events }) => sum + Math.min(roomFor(share).rows, events.length), 0);
  const frameOf = (at: number): Frame => ({
    id: `s${at}`,
    level: reports.length === 1 ? 2 : 3,
    offset_min, share,
    text: Math.min(200, Math.max(40, Math.floor(TEXT_CHARS / Math.max(1, listed)))),
  });
  const [only] = reports;
  const single = reports.length === 1 && only !== undefined;
  const title = single ? `Second Brain on ${only.name}` : `Second Brain on ${reports.length} sessions`;
  const main = single ? sessionHtml(only, frameOf(0)) : `${overview(reports, offset_min)}${several(shown, frameOf)}`;
  return `<!doctype html>
<html lang=en><head><meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name=viewport content="width=device-width, initial-scale=1"><meta name=color-scheme content="light dark"><meta name=referrer content=no-referrer>
<title>${esc(title)}</title><style>${assets.style}</style></head>
<body><a class=skip href="#main">To the report</a>
<header><h1>${esc(title)}</h1>${single ? about(only, offset_min) : ''}<p class=fate>${esc(`${kind === 'live' ? 'As watched' : 'What it would have said and cost'}, written ${dayAndTime(now, offset_min)} (UTC${zoneOf(offset_min)}) by ${version}. Everything on this page is in this file.`)}</p></header>
<nav aria-label=Contents><ul>${contents(single, shown)}</ul></nav>
<main id=main tabindex=-1>${main}</main>
<footer><p>Uptake and outcomes tell what the agent did after an advisory, not whether it helped.${reports.some(({ bad }) => bad > 0) ? ` ${badLines(reports.reduce((sum, { bad }) => sum + bad, 0))} could not be read.` : ''}</p></footer>
<script>${scriptCode(assets.script)}</script></body></html>
`;
};

const dayAndTime = (at: number, offset_min: number): string => new Date(at + offset_min * 60_000).toISOString().slice(0, 16).replace('T', ' ');

const zoneOf = (offset_min: number): string => {
  const minutes = Math.abs(offset_min);
  return `${offset_min < 0 ? '−' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
};

const about = (report: Report, offset_min: number): string => {
  const when = Number.isFinite(report.from) ? `${dayAndTime(report.from, offset_min)} to ${dayAndTime(report.to, offset_min)}` : '';
  return `<p>${esc([when, report.workspace, report.judge === '' ? '' : `judged by ${report.judge}`].filter((word) => word !== '').join(' · '))}</p>`;
};

const badLines = (n: number): string => `${n} damaged line${n === 1 ? '' : 's'}`;

const PARTS: readonly (readonly [string, string])[] = [
  ['timeline', 'Timeline'], ['advice', 'Advice'], ['passes', 'Passes'], ['window', 'Window'], ['tokens', 'Tokens'], ['cost', 'Cost'], ['detectors', 'Cache'], ['gate', 'Gate'], ['volume', 'Volume'],
];

const contents = (single: boolean, shown: readonly Report[]): string => {
  const links = single
    ? (shown[0]?.events.length ?? 0) === 0 ? [] : PARTS.map(([name, title]) => [`s0-${name}`, title] as const)
    : [['overview', 'Sessions'], ['said', 'All advice'], ['each', 'Each session']] as const;
  return links.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('');
};

/** What it comes to over all sessions: one row each, and everything it said or withheld. */
const overview = (reports: readonly Report[], offset_min: number): string => {
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const money = reports.some(({ usd: own }) => own !== undefined) ? usd(sum(({ usd: own }) => own ?? 0)) : '–';
  const row = ({ name, from, passes, funnel, own, agent, usd: price }: Report): readonly Cell[] => [{ html: escCut(name, 80) }, Number.isFinite(from) ? dayAndTime(from, offset_min) : '–', passes.length, funnel.generated, funnel.said, count(own), count(agent), price === undefined ? '–' : usd(price)];
  const total: readonly Cell[] = ['All', '', sum(({ passes }) => passes.length), sum(({ funnel }) => funnel.generated), sum(({ funnel }) => funnel.said), count(sum(({ own }) => own)), count(sum(({ agent }) => agent)), money];
  const heads = ['Passes', 'Generated', 'Said', 'Own tokens', 'The agent’s', 'Money'].map((head) => ({ head, numeric: true }));
  const told = reports.flatMap((report) => report.told.map((each) => ({ each, report }))).sort((a, b) => a.each.advice.generated_at - b.each.advice.generated_at);
  const list = told.slice(-MOST_LISTED).map(({ each, report }): readonly Cell[] => [`${dayAndTime(each.advice.generated_at, offset_min)}`, { html: escCut(report.name, 80) }, { html: escCut(each.advice.kind, 80) }, { html: escCut(each.advice.headline, 240) }, fateOf(each)]);
  return `<section id=overview aria-labelledby=overview-h><h2 id=overview-h>Sessions</h2>${table('Sessions, oldest first', [{ head: 'Session' }, { head: 'Began' }, ...heads], [...reports.slice(-MOST_LISTED).map(row), total])}</section>
<section id=said aria-labelledby=said-h><h2 id=said-h>All advice</h2>${told.length === 0 ? '<p>It would have stayed silent throughout, which is the normal result.</p>' : `<p>${told.filter(({ each }) => wasSaid(each)).length} said of ${told.length} generated.</p>${table('Advice, oldest first', ['Time', 'Session', 'Detector', 'Headline', 'What became of it'].map((head) => ({ head })), list)}`}</section>`;
};

const several = (shown: readonly Report[], frameOf: (at: number) => Frame): string =>
  `<section id=each aria-labelledby=each-h><h2 id=each-h>Each session</h2>${shown.length === 0 ? '<p>There is none.</p>' : shown.map((report, at) => {
    const when = Number.isFinite(report.from) ? stamp(report, frameOf(at).offset_min)(report.from) : 'nothing watched';
    return fold(`${report.name} · ${when} · ${report.passes.length} passes · ${report.funnel.said} said`, sessionHtml(report, frameOf(at)));
  }).join('\n')}</section>`;
