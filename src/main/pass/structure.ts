// What code decides before any model is asked (SPEC 7): an attempt that keeps failing, alone or in turns with another.
import { createHash } from 'node:crypto';
import type { Detector, Numbered, OpenAdvice, Outcome, StructuralMatch } from '../records.ts';
import { failedSince, slugOf, stepsOf, type Attempt, type Step } from './attempts.ts';
import { complaintOf, openKin } from './kin.ts';
import { oneLine } from './one-line.ts';
import { sameDir } from './shell.ts';

export type RepeatInput = {
  /** Number of the first observation of this pass's episode: a row that did not grow in it is an old story. */
  readonly from: number;
  /** Number of the first observation seen live; history from before the watch counts for nothing. */
  readonly since?: number;
  /** Keys already said in this task. */
  readonly told?: ReadonlySet<string>;
};

/**
 * Attempts that failed `config.min_failures` (3) times and more with no success and no progress between, and two tools
 * or commands that fail in turns; the latest first. An attempt that pauses before it asks gets twice as many.
 */
export const repeatFailures = (observations: readonly Numbered[], detector: Pick<Detector, 'name' | 'config'>, { from, since = 0, told = new Set() }: RepeatInput): StructuralMatch[] => {
  // Of two tools in turns, a pass may see one only.
  const wanted = failedSince(observations, from, LOOK_BACK);
  if (wanted.programs.length + wanted.tools.length === 0) return [];
  const asked = detector.config['min_failures'];
  const least = typeof asked === 'number' && asked >= 2 ? asked : MIN_FAILURES;
  const steps = stepsOf(observations.filter(({ n }) => n >= since), wanted);
  const known = new Set([...told].flatMap(partsOf));
  const fresh = (failures: readonly Attempt[]): boolean => lastOf(failures) >= from && !failures.some(({ id }) => known.has(hashOf(id)));
  const rows = openRows(steps).map(({ failures }) => failures).filter((failures) => failures.length >= neededOf(failures, least) && fresh(failures));
  const loop = openLoop(steps, least) ?? openTurns(steps, least);
  // The rows that a loop is made of are the same story, and so is the loop itself once one of them was told.
  const others = rows.filter((failures) => !failures.some(({ id }) => loop?.some((each) => each.id === id) === true));
  const told_once = loop === undefined || !fresh(loop) ? others : [loop, ...others];
  return told_once.sort((a, b) => lastOf(b) - lastOf(a)).map((failures) => (failures === loop ? loopMatch(detector.name, failures) : repeatMatch(detector.name, failures)));
};

/** What became of repeat-failure advice: `adopted` once the same attempt went through. Without a match no fork is there to say so. */
export const repeatOutcomes = (observations: readonly Numbered[], open: readonly Pick<OpenAdvice, 'id' | 'key' | 'after'>[]): Outcome[] => {
  if (open.length === 0) return [];
  const names = [...new Set(open.flatMap(({ key }) => namesIn(key)))];
  const successes = stepsOf(observations, { programs: names, tools: names }).filter((step): step is Attempt => step.end === 'success');
  return open.flatMap(({ id, key, after }) => {
    const parts = new Set(partsOf(key));
    const found = successes.find((success) => success.at.n > after && parts.has(hashOf(success.id)));
    return found === undefined ? [] : [{ advice_id: id, verdict: 'adopted', evidence: [`#${found.at.n}`] }];
  });
};

const MIN_FAILURES = 3;
const CITED = 6;

const lastOf = (failures: readonly Attempt[]): number => failures.at(-1)?.at.n ?? 0;

/** Who waits for something asks more than once on purpose. */
const neededOf = (failures: readonly Attempt[], least: number): number => (failures.filter(({ waited }) => waited).length * 2 > failures.length ? least * 2 : least);

// ── one attempt, again and again ─────────────────────────────────────────────

type Row = { dir: string | undefined; failures: Attempt[]; changed: boolean };

/** The failures of each attempt since it last succeeded or got on: failed in another way after something was changed. */
const openRows = (steps: readonly Step[]): readonly Row[] => {
  const rows = new Map<string, Row[]>();
  const kin = openKin();
  for (const step of steps) {
    if (step.end === 'moved') rows.clear();
    else if (step.end === 'changed') for (const row of [...rows.values()].flat()) row.changed = true;
    else {
      const key = kin.keyOf(step);
      const all = rows.get(key) ?? [];
      const same = all.filter(({ dir }) => sameDir(dir, step.dir));
      if (step.end === 'success') {
        rows.set(key, all.filter((row) => !same.includes(row)));
        continue;
      }
      // A shell keeps its directory between calls: without a `cd` it is the latest one.
      const row = same.at(-1) ?? { dir: step.dir, failures: [], changed: false };
      row.dir ??= step.dir;
      // A tool without a target, say a query, is the same attempt only while it fails alike.
      const other = row.failures.at(-1)?.signature !== step.signature;
      row.failures = other && (row.changed || step.id === step.tool) ? [step] : [...row.failures, step];
      row.changed = false;
      rows.set(key, [...all.filter((each) => each !== row), row]);
    }
  }
  return [...rows.values()].flat();
};

// ── two tools in turns ───────────────────────────────────────────────────────

// Longer ago is another story.
const LOOK_BACK = 30;

/** Two tools that took turns at the same thing. */
const openLoop = (steps: readonly Step[], least: number): readonly Attempt[] | undefined => {
  const failures = openFailures(steps);
  const last = failures.at(-1);
  if (last === undefined) return undefined;
  const alike = (one: Attempt) => (each: Attempt): boolean => each.tool === one.tool && (each.id === one.id || haveInCommon(each, one));
  const own = failures.filter(alike(last));
  const other = failures.findLast((each) => each.tool !== last.tool && haveInCommon(each, last));
  if (other === undefined) return undefined;
  const others = failures.filter(alike(other));
  const both = failures.filter((each) => own.includes(each) || others.includes(each));
  const turns = both.filter((each, at) => at > 0 && both[at - 1]?.tool !== each.tool).length;
  return own.length >= MIN_OWN && others.length >= MIN_OWN && both.length > least && turns >= MIN_TURNS ? both : undefined;
};

const MIN_TURNS = 3;

/** The latest failures of what has not gone through since, with nothing changed between. */
const openFailures = (steps: readonly Step[]): readonly Attempt[] => {
  let failures: Attempt[] = [];
  for (const step of steps) {
    if (step.end === 'failure') failures = [...failures, step].slice(-LOOK_BACK);
    else failures = step.end === 'success' ? failures.filter(({ id }) => id !== step.id) : [];
  }
  return failures;
};

/** Two commands of one shell, this one, that one and both once more, each refused in the very words of its first time. */
const openTurns = (steps: readonly Step[], least: number): readonly Attempt[] | undefined => {
  const failures = openFailures(steps);
  const latest = failures.slice(-2 * MIN_OWN);
  const [a, b, c, d] = latest;
  if (a === undefined || b === undefined || c === undefined || d === undefined || latest.length <= least) return undefined;
  const again = (one: Attempt, other: Attempt): boolean => one.id === other.id && one.signature === other.signature && sameDir(one.dir, other.dir);
  const in_turns = a.id !== b.id && again(a, c) && again(b, d) && latest.every(({ tool, waited }) => tool === 'Bash' && !waited);
  return in_turns ? failures.filter((each) => latest.some((one) => again(one, each))) : undefined;
};

const MIN_OWN = 2;

/** They fail with the same words, or name the same path, address or quoted thing. */
const haveInCommon = (a: Attempt, b: Attempt): boolean => {
  if (a.signature === b.signature) return true;
  const words = tellingWords(a.words);
  // A path may be given from the root or from the project.
  return tellingWords(b.words).some((word) => words.some((each) => each === word || each.endsWith(`/${word}`) || word.endsWith(`/${each}`)));
};

const tellingWords = (text: string): readonly string[] => [
  ...[...text.matchAll(/"([^"\n]{3,80})"|`([^`\n]{3,80})`/g)].map((match) => (match[1] ?? match[2] ?? '').toLowerCase()),
  ...text.toLowerCase().split(/[\s"'`(){}[\],;=<>]+/).map((word) => word.replace(/[:.]+$/, '')).filter((word) => word.length >= 5 && /[/\\.]|^[a-z]+[-_#]\d+$/.test(word)),
];

// ── what is said of it ───────────────────────────────────────────────────────

const repeatMatch = (detector: string, failures: readonly Attempt[]): StructuralMatch => {
  const last = failures.at(-1);
  const shown = last?.shown ?? '';
  return {
    detector,
    key: keyOf([...new Set(failures.map(({ id }) => id).reverse())].slice(0, MAX_PARTS), slugOf(shown)),
    headline: `\`${oneLine(shown, 90)}\` has failed ${failures.length} times with no success between`,
    body: `The attempts differ in ${failures.every(({ id }) => id === last?.id) ? 'looks only' : 'details only, and fail with the same words'}. The latest one ended with: ${tellingLine(last?.at.text ?? '')}`,
    evidence: failures.slice(-CITED).map(({ at }) => `#${at.n}`),
    stale_if: [`${oneLine(shown, 120).replaceAll('*', ' ')}* → done`],
  };
};

const loopMatch = (detector: string, failures: readonly Attempt[]): StructuralMatch => {
  // Of two tools each has its latest spelling; of one shell both commands.
  const shown = [...new Map(failures.map((each) => [new Set(failures.map(({ tool }) => tool)).size === 1 ? each.id : each.tool, each.shown])).values()];
  const ids = [...new Set(failures.map(({ id }) => id))].slice(-MAX_PARTS);
  return {
    detector,
    key: keyOf(ids, shown.map((each) => slugOf(each.split(' ')[0] ?? '')).join('-')),
    headline: `${shown.map((each) => `\`${oneLine(each, 60)}\``).join(' and ')} have failed in turns, ${failures.length} times in all`,
    body: `Nothing was changed between the attempts. The latest one ended with: ${tellingLine(failures.at(-1)?.at.text ?? '')}`,
    evidence: failures.slice(-CITED).map(({ at }) => `#${at.n}`),
    stale_if: shown.map((each) => `${oneLine(each, 120).replaceAll('*', ' ')}* → done`),
  };
};

/** The line of a failure's head that names the fault, else its first. */
const tellingLine = (text: string): string => {
  const [first = text.replace(/^\[error\] /, '')] = complaintOf(text);
  return oneLine(first, 200);
};

// ── keys ─────────────────────────────────────────────────────────────────────

const MAX_PARTS = 6;

/** Readable, and the same however a command was dressed: `repeat-failure:npm-test:1f0c33aa`; of a loop with a part for each attempt. */
const keyOf = (ids: readonly string[], slug: string): string => `repeat-failure:${slug}:${ids.map(hashOf).join('.')}`;

const partsOf = (key: string): readonly string[] => /^repeat-failure:[^:]*:([0-9a-f.]+)$/.exec(key)?.[1]?.split('.') ?? [];

/** Programs and tools a key may be about. */
const namesIn = (key: string): readonly string[] => {
  const slug = /^repeat-failure:([^:]*):/.exec(key)?.[1] ?? '';
  return [slug, ...slug.split('-')].filter((name) => name !== '');
};

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 8);
