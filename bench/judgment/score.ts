// The scorer: from labelled sessions and what a judge said of them to figures with intervals. Pure.
import { median, rateOf, shareOf, type Rate, type Share } from './intervals.ts';
import type { Split } from './steps.ts';

/** An advisory that reached somebody. */
export type Said = {
  readonly id: string;
  readonly lens: string;
  readonly at: number;
  /** Index of the last record that was there when it was said. */
  readonly record: number;
  readonly confidence: number;
  readonly to: 'agent' | 'human';
  readonly headline: string;
  /** Citations as the judge gave them, and those that code found. */
  readonly given: number;
  readonly kept: number;
  /** One of them names an observation that shows the fault. */
  readonly on_mark: boolean;
  /** It expired or went stale before anybody was there to be told. */
  readonly lapsed?: true;
};

/** What a lens wanted to say and how sure it was, whether the gate let it pass or not. */
export type Score = { readonly lens: string; readonly at: number; readonly record: number; readonly confidence: number };

/** One played session with its label. */
export type Case = {
  readonly id: string;
  readonly split: Split;
  readonly kind: 'base' | 'fault' | 'clean' | 'near' | 'open' | 'aftermath';
  /** Of which fault it is a twin. */
  readonly fault?: string;
  readonly structural?: boolean;
  readonly what?: string;
  readonly lenses: readonly string[];
  /** Fault: the first record that shows it and the one at which it can be known. */
  readonly shows?: number;
  readonly onset?: number;
  readonly end: { readonly record: number; readonly at: number };
  readonly hours: number;
  readonly said: readonly Said[];
  readonly scores: readonly Score[];
  readonly passes: number;
  readonly tokens: number;
  readonly usd?: number;
  /** Aftermath: what became of the fault, and how the advisory on it was closed (absent: nothing was said). */
  readonly expected?: string;
  readonly closed?: string;
};

export type FaultFigures = {
  readonly fault: string;
  readonly structural: boolean;
  /** Found within `k` records of the moment it could be known; and ever. */
  readonly detection: Share;
  readonly ever: Share;
  /** Medians over those found: records until it was said; records and seconds left in the session by then. */
  readonly delay_records?: number;
  /** Records of each one found, ever, in rising order. */
  readonly delays: readonly number[];
  readonly lead_records?: number;
  readonly lead_seconds?: number;
  readonly clean: Share;
  readonly near: Share;
  /** Spoken where people would differ. */
  readonly open: Share;
  /** Near misses that were flagged, by what they are. */
  readonly flagged: Readonly<Record<string, number>>;
  readonly missed: Readonly<Record<string, number>>;
};

export type LensFigures = {
  readonly lens: string;
  readonly said: number;
  readonly precision: Share;
  /** Right, and told before: what lapsed unheard may be said again. */
  readonly duplicates: Share;
  readonly lapsed: Share;
  readonly false_per_hour: Rate;
  /** Citations that code could find among those given; advisories on a fault that cite it. */
  readonly citations: Share;
  readonly on_mark: Share;
};

export type SplitFigures = {
  readonly split: Split;
  readonly k: number;
  readonly bases: number;
  readonly hours: number;
  readonly faults: readonly FaultFigures[];
  readonly lenses: readonly LensFigures[];
  readonly structural: { readonly detection: Share; readonly false_alarm: Share; readonly at_five: FixedPoint };
  readonly meaning: { readonly detection: Share; readonly false_alarm: Share; readonly at_five: FixedPoint };
  readonly false_per_hour: Rate;
  readonly adjudication: { readonly right: Share; readonly table: Readonly<Record<string, Readonly<Record<string, number>>>> };
  readonly cost: { readonly passes: number; readonly tokens: number; readonly usd?: number; readonly tokens_per_hour: number; readonly usd_per_hour?: number };
};

/** Detection where at most 5 % of harmless sessions are flagged, by the judge's own confidence. */
export type FixedPoint = { readonly threshold: number; readonly detection: Share; readonly false_alarm: Share };

/** Records an advisory may come late and still count. */
export const WITHIN = 30;

/** All figures of one split. */
export const scoreSplit = (all: readonly Case[], split: Split, k: number = WITHIN): SplitFigures => {
  const cases = all.filter((each) => each.split === split);
  const bases = cases.filter(({ kind }) => kind === 'base');
  const hours = bases.reduce((sum, each) => sum + each.hours, 0);
  const twins = cases.filter(({ fault, kind }) => fault !== undefined && kind !== 'aftermath');
  const names = [...new Set(twins.flatMap(({ fault }) => fault ?? []))];
  const group = (structural: boolean): SplitFigures['structural'] => {
    const own = twins.filter((each) => each.structural === structural);
    const faults = own.filter(({ kind }) => kind === 'fault');
    const harmless = own.filter(({ kind }) => kind === 'clean' || kind === 'near');
    return { detection: shareOf(faults.filter((each) => isFound(each, k)).length, faults.length), false_alarm: shareOf(harmless.filter(({ said }) => said.length > 0).length, harmless.length), at_five: atFive(faults, harmless) };
  };
  const judged = cases.filter(({ kind }) => kind !== 'aftermath' && kind !== 'open');
  const tokens = judged.reduce((sum, each) => sum + each.tokens, 0);
  const judged_hours = judged.reduce((sum, each) => sum + each.hours, 0);
  const usd = judged.some((each) => each.usd !== undefined) ? judged.reduce((sum, each) => sum + (each.usd ?? 0), 0) : undefined;
  return {
    split, k, bases: bases.length, hours,
    faults: names.map((name) => scoreFault(name, twins.filter(({ fault }) => fault === name), k)),
    lenses: scoreLenses(judged, bases, hours),
    structural: group(true),
    meaning: group(false),
    false_per_hour: rateOf(bases.reduce((sum, { said }) => sum + said.length, 0), hours),
    adjudication: adjudicate(cases.filter(({ kind }) => kind === 'aftermath')),
    cost: { passes: judged.reduce((sum, { passes }) => sum + passes, 0), tokens, tokens_per_hour: judged_hours === 0 ? 0 : tokens / judged_hours, ...(usd === undefined ? {} : { usd, usd_per_hour: usd / judged_hours }) },
  };
};

/** The first word on the fault: from a lens that is meant, not before the fault shows. */
const hitOf = ({ said, lenses, shows = 0 }: Case): Said | undefined => said.find(({ lens, record }) => lenses.includes(lens) && record >= shows);

const isFound = (each: Case, k: number): boolean => {
  const hit = hitOf(each);
  return hit !== undefined && hit.record - (each.onset ?? 0) <= k;
};

const scoreFault = (fault: string, twins: readonly Case[], k: number): FaultFigures => {
  const faults = twins.filter(({ kind }) => kind === 'fault');
  const hits = faults.flatMap((each) => {
    const hit = hitOf(each);
    return hit === undefined ? [] : [{ each, hit }];
  });
  const delays = hits.map(({ each, hit }) => Math.max(0, hit.record - (each.onset ?? 0))).sort((a, b) => a - b);
  const flagged = (kind: 'clean' | 'near' | 'open'): readonly Case[] => twins.filter((each) => each.kind === kind && each.said.length > 0);
  const optional = <K extends string>(name: K, value: number | undefined) => (value === undefined ? {} : ({ [name]: value } as Record<K, number>));
  return {
    fault,
    structural: twins.some(({ structural }) => structural === true),
    detection: shareOf(faults.filter((each) => isFound(each, k)).length, faults.length),
    ever: shareOf(hits.length, faults.length),
    ...optional('delay_records', median(delays)),
    delays,
    ...optional('lead_records', median(hits.map(({ each, hit }) => each.end.record - hit.record))),
    ...optional('lead_seconds', median(hits.map(({ each, hit }) => Math.max(0, each.end.at - hit.at) / 1000))),
    clean: shareOf(flagged('clean').length, twins.filter(({ kind }) => kind === 'clean').length),
    near: shareOf(flagged('near').length, twins.filter(({ kind }) => kind === 'near').length),
    open: shareOf(flagged('open').length, twins.filter(({ kind }) => kind === 'open').length),
    flagged: countBy([...flagged('clean'), ...flagged('near')], ({ what }) => what ?? ''),
    missed: countBy(faults.filter((each) => !isFound(each, k)), ({ what }) => what ?? ''),
  };
};

const countBy = <T>(items: readonly T[], nameOf: (item: T) => string): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
};

type Told = { readonly said: Said; readonly right: boolean; readonly again: boolean };

const scoreLenses = (cases: readonly Case[], bases: readonly Case[], hours: number): readonly LensFigures[] => {
  const told = cases.flatMap((each): readonly Told[] => {
    const right = each.said.map(({ lens, record }) => each.kind === 'fault' && each.lenses.includes(lens) && record >= (each.shows ?? 0));
    return each.said.map((said, at) => ({ said, right: right[at] ?? false, again: (right[at] ?? false) && each.said.some((before, index) => index < at && right[index] === true && before.lapsed !== true) }));
  });
  const names = [...new Set(told.map(({ said }) => said.lens))].sort();
  return [...names, ...(names.length > 1 ? ['all'] : [])].map((lens) => {
    const own = told.filter(({ said }) => lens === 'all' || said.lens === lens);
    const right = own.filter((each) => each.right);
    const given = own.reduce((sum, { said }) => sum + said.given, 0);
    return {
      lens,
      said: own.length,
      precision: shareOf(right.length, own.length),
      duplicates: shareOf(own.filter(({ again }) => again).length, own.length),
      lapsed: shareOf(own.filter(({ said }) => said.lapsed === true).length, own.length),
      false_per_hour: rateOf(bases.flatMap(({ said }) => said).filter((said) => lens === 'all' || said.lens === lens).length, hours),
      citations: shareOf(Math.min(given, own.reduce((sum, { said }) => sum + said.kept, 0)), given),
      on_mark: shareOf(right.filter(({ said }) => said.on_mark).length, right.length),
    };
  });
};

/** A session's score is its surest wish to speak; in a fault, of a lens that is meant and once the fault shows. */
const atFive = (faults: readonly Case[], harmless: readonly Case[]): FixedPoint => {
  const surest = (scores: readonly Score[]): number => Math.max(0, ...scores.map(({ confidence }) => confidence));
  const of_faults = faults.map(({ scores, lenses, shows = 0 }) => surest(scores.filter(({ lens, record }) => lenses.includes(lens) && record >= shows)));
  const of_harmless = harmless.map(({ scores }) => surest(scores));
  const over = (values: readonly number[], threshold: number): number => values.filter((value) => value >= threshold).length;
  const candidates = [...new Set([...of_faults, ...of_harmless])].filter((value) => value > 0).sort((a, b) => a - b);
  const threshold = candidates.find((value) => over(of_harmless, value) <= 0.05 * of_harmless.length) ?? Infinity;
  return { threshold, detection: shareOf(over(of_faults, threshold), faults.length), false_alarm: shareOf(over(of_harmless, threshold), harmless.length) };
};

/** Whether what was said was closed as it should be; where nothing was said there is nothing to close. */
const adjudicate = (cases: readonly Case[]): SplitFigures['adjudication'] => {
  const table: Record<string, Record<string, number>> = {};
  const closed = cases.filter((each) => each.closed !== undefined);
  for (const { expected = '', closed: got = '' } of closed) (table[expected] ??= {})[got] = (table[expected]?.[got] ?? 0) + 1;
  return { right: shareOf(closed.filter((each) => each.closed === each.expected).length, closed.length), table };
};
