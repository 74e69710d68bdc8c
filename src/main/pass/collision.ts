// A file that two live sessions write: found by code, before any model is asked (SPEC 7, 8).
import { createHash } from 'node:crypto';
import type { Detector, Numbered, StructuralMatch } from '../records.ts';
import type { IndexLine } from '../surfaces.ts';
import { oneLine } from './one-line.ts';

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
const MAX_CITED = 6;

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
    evidence: [...own.slice(-MAX_CITED).map(({ n }) => `#${n}`), ...files.slice(0, MAX_CITED)],
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
