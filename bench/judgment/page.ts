// The figures as one HTML file that needs nothing but itself: a chart in each row, its numbers beside it. Rendering only.
import { esc, fold, table, type Cell, type Column } from '../../src/main/show/html.ts';
import { shareOf, type Share } from './intervals.ts';
import type { FaultFigures, SplitFigures } from './score.ts';
import { NAMES, rate, share } from './table.ts';

export type PageInput = {
  readonly judge: string;
  readonly figures: readonly SplitFigures[];
  /** The look of the product's own report. */
  readonly style: string;
};

/** The whole document. */
export const judgmentHtml = ({ judge, figures, style }: PageInput): string => {
  const title = `How good is the advice of ${judge}?`;
  return `<!doctype html>
<html lang=en><head><meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name=viewport content="width=device-width, initial-scale=1"><meta name=color-scheme content="light dark"><meta name=referrer content=no-referrer>
<title>${esc(title)}</title><style>${style.replace(/@import[^;]*;/g, '')}${LOOKS}</style></head>
<body><a class=skip href="#main">To the figures</a>
<header><h1>${esc(title)}</h1><p>Made-up sessions played through the whole pipeline in session time. A stripe is the 95 % interval, the mark in it the figure, a thin line the goal where there is one.</p></header>
<nav aria-label=Contents><ul>${figures.flatMap(({ split }) => PARTS.map(([id, name]) => `<li><a href="#${split}-${id}">${esc(figures.length === 1 ? name : `${name}, ${split}`)}</a>`)).join('')}</ul></nav>
<main id=main tabindex=-1>${figures.map((each) => splitHtml(each)).join('\n')}</main>
<footer><p>Nothing here measures impact: it tells whether a word was due and came in time, not whether anybody’s work got better for it.</p></footer>
</body></html>
`;
};

const PARTS = [['sum', 'All faults'], ['faults', 'By fault'], ['delays', 'Delays'], ['lenses', 'By lens'], ['reasons', 'What was missed and what was flagged']] as const;

const splitHtml = (figures: SplitFigures): string => {
  const { split, k, bases, hours, faults, lenses, structural, meaning, false_per_hour, adjudication, cost } = figures;
  const part = (id: (typeof PARTS)[number][0], html: string): string => {
    const name = PARTS.find(([each]) => each === id)?.[1] ?? id;
    return `<section id="${split}-${id}" aria-labelledby="${split}-${id}-h"><h2 id="${split}-${id}-h">${esc(`${name}: ${NAMES[split]}`)}</h2>${html}</section>`;
  };
  const kinds: readonly (readonly [name: string, group: SplitFigures['structural'], goals: Goals])[] = [['structural faults', structural, GOALS], ['faults of meaning', meaning, {}]];
  return [
    part('sum', `${numbers([
      ['Structural faults found', percent(structural.detection), `${structural.detection.of} of ${structural.detection.n}`],
      ['Harmless ones flagged', percent(structural.false_alarm), `${structural.false_alarm.of} of ${structural.false_alarm.n}`],
      ['False words an hour', Number.isFinite(false_per_hour.rate) ? false_per_hour.rate.toFixed(3) : '–', `${false_per_hour.events} in ${hours.toFixed(0)} clean hours of ${bases} sessions`],
      ['Outcomes closed rightly', percent(adjudication.right), `${adjudication.right.of} of ${adjudication.right.n}`],
      ['Tokens', String(cost.tokens), cost.usd === undefined ? `${cost.passes} passes` : `${cost.passes} passes, $${cost.usd.toFixed(2)}`],
    ])}${table(`Found within ${k} records, and flagged though harmless, from 0 to 100 %`, shares('Faults'), kinds.map(([name, { detection, false_alarm }, goals]) => [name, range(detection, 'found', goals.found), share(detection), range(false_alarm, 'flagged', goals.flagged), share(false_alarm)]))}
<p>${esc(`False words per clean hour: ${rate(false_per_hour)}.`)}</p>`),
    part('faults', table(`Found within ${k} records, and clean twins and near misses flagged, from 0 to 100 %`, shares('Fault'), faults.map((fault) => {
      const flagged = harmless(fault);
      const goals: Goals = fault.structural ? GOALS : {};
      return [fault.fault, range(fault.detection, 'found', goals.found), share(fault.detection), range(flagged, 'flagged', goals.flagged), share(flagged)];
    }))),
    part('delays', `<p>${esc(`Records between the moment a fault could be known and the word on it, a dot for each one found; later than ${k}, right of the thin line, it counts as missed.`)}</p>${table(`Delays from 0 to ${LONGEST} records and more`, [{ head: 'Fault' }, { head: 'Delay' }, { head: 'Median', numeric: true }, { head: 'Slowest', numeric: true }, { head: 'Found', numeric: true }], faults.filter(({ delays }) => delays.length > 0).map(({ fault, delays, delay_records = 0 }) => [fault, dots(delays, k), `${delay_records} rec.`, `${Math.max(...delays)} rec.`, delays.length]))}`),
    part('lenses', lenses.length === 0 ? '<p>No lens said anything.</p>' : table('Precision from 0 to 100 %; how much of what is said is right depends on how many faults were put in', LENSES, lenses.map((lens) => [lens.lens, range(lens.precision, 'found'), share(lens.precision), lens.said, share(lens.duplicates), share(lens.lapsed), rate(lens.false_per_hour)]))),
    part('reasons', faults.map((fault) => fold(`${fault.fault}: ${sum(fault.missed)} missed, ${sum(fault.flagged)} flagged`, sum(fault.missed) + sum(fault.flagged) === 0 ? '<p>None.</p>' : table(`What there is of ${fault.fault}`, [{ head: 'What' }, { head: 'Missed', numeric: true }, { head: 'Flagged', numeric: true }], reasons(fault)))).join('')),
  ].join('\n');
};

/** What the rules are to reach on structural faults. */
type Goals = { readonly found?: number; readonly flagged?: number };
const GOALS: Goals = { found: 0.71, flagged: 0.05 };

const shares = (head: string): readonly Column[] => [{ head }, { head: 'Found' }, { head: 'Share found', numeric: true }, { head: 'Flagged' }, { head: 'Share flagged', numeric: true }];
const LENSES: readonly Column[] = [{ head: 'Lens' }, { head: 'Right' }, { head: 'Precision', numeric: true }, { head: 'Said', numeric: true }, { head: 'Duplicates', numeric: true }, { head: 'Lapsed', numeric: true }, { head: 'False per clean hour', numeric: true }];

const harmless = ({ clean, near }: FaultFigures): Share => shareOf(clean.of + near.of, clean.n + near.n);

const reasons = ({ missed, flagged }: FaultFigures): readonly (readonly Cell[])[] => [...new Set([...Object.keys(missed), ...Object.keys(flagged)])].sort().map((what) => [what, missed[what] ?? 0, flagged[what] ?? 0]);

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, n) => all + n, 0);

const percent = ({ n, share: value }: Share): string => (n === 0 ? '–' : `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`);

const numbers = (all: readonly (readonly [name: string, value: string, of: string])[]): string =>
  `<dl class=figures>${all.map(([name, value, of]) => `<div><dt>${esc(name)}</dt><dd><b>${esc(value)}</b>${esc(of)}</dd></div>`).join('')}</dl>`;

// ── charts, for the eye alone: the figures stand beside them ─────────────────

/** An interval on a line from 0 to 1. */
const range = ({ n, low, high, share: value }: Share, kind: 'found' | 'flagged', goal?: number): Cell =>
  ({ html: n === 0 ? '' : `<span class="range ${kind}" aria-hidden=true><i style="left:${at(low)};width:${at(high - low)}"></i>${goal === undefined ? '' : `<u style="left:${at(goal)}"></u>`}<b style="left:${at(value)}"></b></span>` });

const LONGEST = 60;

const dots = (delays: readonly number[], limit: number): Cell =>
  ({ html: `<span class="range dots" aria-hidden=true><u style="left:${at(limit / LONGEST)}"></u>${delays.map((delay) => `<b style="left:${at(Math.min(1, delay / LONGEST))}"></b>`).join('')}</span>` });

const at = (share: number): string => `${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%`;

const LOOKS = `
.range { position: relative; display: block; width: 12rem; max-width: 40vw; height: 1.1rem; margin: 0.2rem 0.5rem; border-bottom: 1px solid var(--line); }
.range i { position: absolute; top: 0.25rem; height: 0.6rem; min-width: 2px; opacity: 0.45; border-radius: 2px; background: var(--kept); }
.range b { position: absolute; top: 0; width: 4px; height: 1.1rem; margin-left: -2px; background: var(--kept); }
.range u { position: absolute; top: 0; width: 0; height: 1.1rem; border-left: 1px dashed var(--text); }
.flagged i, .flagged b { background: var(--error); }
.flagged b { border-radius: 50%; width: 0.6rem; height: 0.6rem; top: 0.25rem; margin-left: -0.3rem; }
.dots b { width: 0.5rem; height: 0.5rem; top: 0.3rem; margin-left: -0.25rem; border-radius: 50%; opacity: 0.35; background: var(--line1); }
@media (forced-colors: active) { .range i, .range b { forced-color-adjust: none; } }
@media print { .range i, .range b { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
