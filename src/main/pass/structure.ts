// What code decides before any model is asked (SPEC 7): a command that keeps failing, and a file two sessions write.
import { createHash } from 'node:crypto';
import type { Detector, Numbered, OpenAdvice, Outcome, StructuralMatch } from '../records.ts';
import type { IndexLine } from '../surfaces.ts';
import { readCommand, sameDir, type Command } from './shell.ts';

export type RepeatInput = {
  /** Number of the first observation of this pass's episode: a row that did not grow in it is an old story. */
  readonly from: number;
  /** Number of the first observation seen live; history from before the watch counts for nothing. */
  readonly since?: number;
  /** Keys already said in this task. */
  readonly told?: ReadonlySet<string>;
};

/** Commands that failed `config.min_failures` (3) times and more with no success between; the latest first. */
export const repeatFailures = (observations: readonly Numbered[], detector: Pick<Detector, 'name' | 'config'>, { from, since = 0, told }: RepeatInput): StructuralMatch[] => {
  // Reading all commands of a long window takes a while: only those of a program that failed just now are worth it.
  const calls = new Set(observations.flatMap(({ n, kind, call }) => (n >= from && kind === 'error' && call !== undefined ? [call] : [])));
  const programs = [...new Set(observations.flatMap(({ call, command }) => (call !== undefined && command !== undefined && calls.has(call) ? [programOf(readCommand(command))] : [])))];
  if (programs.length === 0) return [];
  const wanted = detector.config['min_failures'];
  const least = typeof wanted === 'number' && wanted >= 2 ? wanted : MIN_FAILURES;
  return openRows(observations.filter(({ n }) => n >= since), programs)
    .filter(({ failures }) => failures.length >= least && (failures.at(-1)?.n ?? 0) >= from)
    .sort((a, b) => (b.failures.at(-1)?.n ?? 0) - (a.failures.at(-1)?.n ?? 0))
    .map((row) => repeatMatch(detector.name, row))
    .filter(({ key }) => told?.has(key) !== true);
};

/** What became of repeat-failure advice: `adopted` once the same command went through. Without a match no fork is there to say so. */
export const repeatOutcomes = (observations: readonly Numbered[], open: readonly Pick<OpenAdvice, 'id' | 'key' | 'after'>[]): Outcome[] => {
  if (open.length === 0) return [];
  const programs = open.map(({ key }) => /^repeat-failure:([a-z0-9]+)/.exec(key)?.[1] ?? '');
  const successes = runsOf(observations, programs).filter(({ end }) => end === 'success');
  return open.flatMap(({ id, key, after }) => {
    const found = successes.find(({ at, command }) => at.n > after && keyOf(command.text) === key);
    return found === undefined ? [] : [{ advice_id: id, verdict: 'adopted', evidence: [`#${found.at.n}`] }];
  });
};

const MIN_FAILURES = 3;
const CITED = 6;

type RunOfCommand = { readonly command: Command; readonly end: 'failure' | 'success'; readonly at: Numbered };
type Row = { readonly text: string; dir: string | undefined; readonly failures: Numbered[] };

/** The failures of each command since it last succeeded. */
const openRows = (observations: readonly Numbered[], programs: readonly string[]): readonly Row[] => {
  const rows = new Map<string, Row[]>();
  for (const { command, end, at } of runsOf(observations, programs)) {
    const all = rows.get(command.text) ?? [];
    const same = all.filter(({ dir }) => sameDir(dir, command.dir));
    if (end === 'success') {
      rows.set(command.text, all.filter((row) => !same.includes(row)));
      continue;
    }
    // A shell keeps its directory between calls: without a `cd` it is the latest one.
    const row = same.at(-1) ?? { text: command.text, dir: command.dir, failures: [] };
    row.dir ??= command.dir;
    row.failures.push(at);
    rows.set(command.text, [...all.filter((each) => each !== row), row]);
  }
  return [...rows.values()].flat();
};

/** Each command that may run one of `programs` and came back, in that order. What runs on in the background has not. */
const runsOf = (observations: readonly Numbered[], programs: readonly string[]): readonly RunOfCommand[] => {
  const running = new Map<string, Numbered>();
  const runs: RunOfCommand[] = [];
  const ended = (call: Numbered, end: RunOfCommand['end'], at: Numbered): void => {
    if (call.command === undefined || at.launches !== undefined) return;
    const lowered = call.command.toLowerCase();
    if (!programs.some((program) => lowered.includes(program))) return;
    const command = readCommand(call.command);
    if (command.text !== '') runs.push({ command, end, at });
  };
  for (const seen of observations) {
    const { kind, call } = seen;
    if (kind === 'tool') {
      if (isDone(seen)) ended(seen, 'success', seen);
      else if (call !== undefined && seen.command !== undefined) running.set(call, seen);
    } else if ((kind === 'error' || kind === 'done') && call !== undefined) {
      const started = running.get(call);
      if (started !== undefined) ended(started, kind === 'error' ? 'failure' : 'success', seen);
      running.delete(call);
    }
  }
  return runs;
};

const programOf = ({ text }: Command): string => /^[^\s"]*/.exec(text)?.[0].toLowerCase() ?? '';

// The queue's mark for a call that came back without error in the same episode, at the end of a command.
const isDone = ({ text }: Numbered): boolean => / → done(?: ×\d+)?$/.test(text.slice(-40));

const repeatMatch = (detector: string, { text, failures }: Row): StructuralMatch => {
  const last = failures.at(-1);
  const shown = oneLine(text, 90);
  return {
    detector,
    key: keyOf(text),
    headline: `\`${shown}\` has failed ${failures.length} times with no success between`,
    body: `The attempts differ in looks only. The latest one ended with: ${tellingLine(last?.text ?? '')}`,
    evidence: failures.slice(-CITED).map(({ n }) => `#${n}`),
    stale_if: [`${oneLine(text, 120).replaceAll('*', ' ')}* → done`],
  };
};

/** The line of a failure's head that names the fault, else its first. */
const tellingLine = (text: string): string => {
  const lines = text.replace(/^\[error\] /, '').split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return oneLine(lines.find((line) => /error|fail|cannot|can't|not found|no such|denied|refused|missing|undefined|unexpected|invalid|exception|panic|timed out/i.test(line)) ?? lines.join(' '), 200);
};

/** Readable, and the same however a command was dressed. */
const keyOf = (text: string): string => {
  const slug = text.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 30).replace(/^-|-$/g, '');
  return `repeat-failure:${slug}:${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
};

const oneLine = (text: string, max: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max)}…`;
};

export type CollisionInput = {
  readonly detector: Pick<Detector, 'name'>;
  /** This pass's own index line: what this session has just written. */
  readonly mine: IndexLine;
  readonly written: readonly Numbered[];
  readonly others: readonly IndexLine[];
  /** File → when a collision on it was last told. */
  readonly told: ReadonlyMap<string, number>;
  readonly now: number;
};

/**
 * At most one match for all files that another live session of this repository writes too: those in the same checkout
 * go to the agent; only when there are none, those in another worktree, to the person alone. Once per file per hour.
 */
export const collisionsOf = ({ detector, mine, written, others, told, now }: CollisionInput): { readonly matches: readonly StructuralMatch[]; readonly told: ReadonlyMap<string, number> } => {
  const recent = new Map([...told].filter(([, at]) => at <= now && now - at < HOUR));
  const hits = others
    .filter(({ git_dir, task }) => git_dir === mine.git_dir && task !== mine.task)
    .flatMap((other) => other.paths.filter((path) => mine.paths.includes(path) && !recent.has(path)).map((path) => ({ path, other, here: sameCheckout(mine.cwd, other.cwd) })));
  const chosen = hits.some(({ here }) => here) ? hits.filter(({ here }) => here) : hits;
  if (chosen.length === 0) return { matches: [], told: recent };
  for (const { path } of chosen) recent.set(path, now);
  return { matches: [collisionMatch(detector.name, chosen, written)], told: recent };
};

const HOUR = 3_600_000;

type Hit = { readonly path: string; readonly other: IndexLine; readonly here: boolean };

const collisionMatch = (detector: string, hits: readonly Hit[], written: readonly Numbered[]): StructuralMatch => {
  const files = [...new Set(hits.map(({ path }) => path))].sort();
  const [first = ''] = files;
  const here = hits[0]?.here === true;
  const goals = [...new Set(hits.map(({ other }) => oneLine(other.goal, 80)).filter((goal) => goal !== ''))].slice(0, 2);
  const own = written.filter(({ writes, paths }) => writes === true && files.some((file) => paths?.[0]?.replaceAll('\\', '/').endsWith(file) === true));
  return {
    detector,
    key: `cross-task-collision:${files.length === 1 ? first.toLowerCase() : createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 12)}`,
    headline: `Another live session has just written ${files.length === 1 ? `\`${oneLine(first, 90)}\`` : `${files.length} of the same files`}${here ? ' in this checkout' : ' in another worktree of this repository'}`,
    body: `Files: ${oneLine(files.join(', '), 240)}.${goals.length === 0 ? '' : ` Its goal reads: ${goals.map((goal) => `"${goal}"`).join(', ')}.`}`,
    evidence: [...own.slice(-CITED).map(({ n }) => `#${n}`), ...files.slice(0, CITED)],
    stale_if: [],
    human_only: !here,
  };
};

/** Whether two sessions work in one working tree. A worktree below its own repository is another tree. */
const sameCheckout = (a: string, b: string): boolean => {
  const [outer = '', inner = ''] = [tidy(a), tidy(b)].sort((x, y) => x.length - y.length);
  if (outer === inner) return true;
  return inner.startsWith(`${outer}/`) && !inner.slice(outer.length).split('/').some((segment) => /^\.?worktrees?$/.test(segment));
};

const tidy = (path: string): string => path.replaceAll('\\', '/').replace(/\/$/, '');
