// The figures as a table for a terminal, as Markdown, and as the one line other programs read. Rendering only.
import type { Rate, Share } from './intervals.ts';
import type { FixedPoint, SplitFigures } from './score.ts';
import type { Split } from './steps.ts';

/** The newest split; `docs/judgment.md` says what the rules have learnt from it. */
export const UNTUNED: Split = 'unseen';

/** What a program wants to know: of the newest split, or of the last one played. */
export const lastLine = (all: readonly SplitFigures[], judge: string) => {
  const figures = all.find(({ split }) => split === UNTUNED) ?? all.at(-1);
  if (figures === undefined) throw new Error('nothing was played');
  const { structural, meaning, false_per_hour, split, hours, k, adjudication, cost, bases } = figures;
  return {
    judge, split, within_records: k, bases, cleanHours: round(hours, 1),
    structural: summary(structural), meaning: summary(meaning),
    falsePerCleanHour: round(false_per_hour.rate, 4), falsePerCleanHourHigh: round(false_per_hour.high, 4),
    adjudication: round(adjudication.right.share, 3), tokens: cost.tokens, ...(cost.usd === undefined ? {} : { usd: round(cost.usd, 4) }),
  };
};

const summary = ({ detection, false_alarm, at_five }: SplitFigures['structural']) => ({
  detection: round(detection.share, 3), detectionLow: round(detection.low, 3), detectionHigh: round(detection.high, 3), faults: detection.n,
  falseAlarm: round(false_alarm.share, 4), falseAlarmLow: round(false_alarm.low, 4), falseAlarmHigh: round(false_alarm.high, 4), harmless: false_alarm.n,
  detectionAtFivePercent: round(at_five.detection.share, 3),
});

const round = (value: number, digits: number): number | null => (Number.isFinite(value) ? Math.round(value * 10 ** digits) / 10 ** digits : null);

export const terminal = (all: readonly SplitFigures[], judge: string): string => all.map((figures) => sections(figures, judge).map(({ title, rows, notes }) => [title, '', aligned(rows), ...notes].join('\n')).join('\n\n')).join('\n\n\n');

export const markdown = (all: readonly SplitFigures[], judge: string): string =>
  `${all.map((figures) => sections(figures, judge).map(({ title, rows, notes }) => [`### ${title}`, '', ...piped(rows), ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)])].join('\n')).join('\n\n')).join('\n\n')}\n`;

type Section = { readonly title: string; readonly rows: readonly (readonly string[])[]; readonly notes: readonly string[] };

/** What a split is, for people. */
export const NAMES: Readonly<Record<SplitFigures['split'], string>> = { train: 'tuned on (train)', test: 'by the author of the rules (test)', fresh: 'by another author (fresh)', later: 'by one who knew the rules (later)', blind: 'by a third author (blind)', unseen: 'the newest (unseen)' };

const sections = (figures: SplitFigures, judge: string): readonly Section[] => {
  const { split, k, bases, hours, faults, lenses, structural, meaning, false_per_hour, adjudication, cost } = figures;
  return [
    {
      title: `${judge}, split ${NAMES[split]}: ${bases} clean sessions, ${hours.toFixed(1)} clean hours`,
      rows: [
        ['', `found within ${k} records`, 'harmless ones flagged', 'found at 5 % false alarms'],
        ['structural faults', share(structural.detection), share(structural.false_alarm), fixed(structural.at_five)],
        ['faults of meaning', share(meaning.detection), share(meaning.false_alarm), fixed(meaning.at_five)],
      ],
      notes: [
        `False advisories per clean hour: ${rate(false_per_hour)}.`,
        `Outcomes closed as labelled: ${share(adjudication.right)}${Object.entries(adjudication.table).map(([expected, got]) => `; ${expected}: ${Object.entries(got).map(([verdict, n]) => `${n} ${verdict}`).join(', ')}`).join('')}.`,
        `${cost.passes} passes, ${cost.tokens} tokens (${Math.round(cost.tokens_per_hour)} an hour)${cost.usd === undefined ? '' : `, $${cost.usd.toFixed(2)} ($${(cost.usd_per_hour ?? 0).toFixed(3)} an hour)`}.`,
      ],
    },
    {
      title: `By fault (${split})`,
      rows: [
        ['fault', 'kind', 'found', 'ever', 'delay', 'lead', 'clean twins flagged', 'near misses flagged'],
        ...faults.map((fault) => [
          fault.fault, fault.structural ? 'structural' : 'meaning', share(fault.detection), share(fault.ever), fault.delay_records === undefined ? '–' : `${fault.delay_records} rec.`,
          fault.lead_records === undefined ? '–' : `${fault.lead_records} rec., ${Math.round((fault.lead_seconds ?? 0) / 60)} min`, share(fault.clean), share(fault.near),
        ]),
      ],
      notes: faults.flatMap(({ fault, flagged, missed, detection, open }) => [
        ...(open.n === 0 ? [] : [`${fault}: spoken in ${share(open)} sessions in which people would differ; they count for nothing`]),
        ...Object.entries(flagged).map(([what, n]) => `${fault}: flagged though harmless ${n} ×: ${what}`),
        ...(detection.of === 0 ? [] : Object.entries(missed).map(([what, n]) => `${fault}: missed ${n} ×: ${what}`)),
      ]),
    },
    {
      title: `By lens (${split})`,
      rows: [
        ['lens', 'said', 'precision', 'duplicates', 'lapsed unheard', 'false per clean hour', 'citations that hold', 'citing the fault'],
        ...lenses.map((lens) => [lens.lens, String(lens.said), share(lens.precision), share(lens.duplicates), share(lens.lapsed), rate(lens.false_per_hour), share(lens.citations), share(lens.on_mark)]),
      ],
      notes: [],
    },
  ];
};

const percent = (value: number): string => (value * 100 >= 10 || value === 0 ? (value * 100).toFixed(0) : (value * 100).toFixed(1));
export const share = ({ of, n, share: value, low, high }: Share): string => (n === 0 ? '–' : `${percent(value)} % [${percent(low)}–${percent(high)}] ${of}/${n}`);
export const rate = ({ events, hours, rate: value, low, high }: Rate): string => (hours === 0 ? '–' : `${value.toFixed(3)} [${low.toFixed(3)}–${high.toFixed(3)}] ${events} in ${hours.toFixed(0)} h`);
const fixed = ({ threshold, detection, false_alarm }: FixedPoint): string => (Number.isFinite(threshold) ? `${share(detection)} at ≥ ${threshold.toFixed(2)} (${percent(false_alarm.share)} % flagged)` : '–');

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
};

const piped = (rows: readonly (readonly string[])[]): readonly string[] => {
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return [lines[0] ?? '', `|${(rows[0] ?? []).map(() => '---').join('|')}|`, ...lines.slice(1)];
};
