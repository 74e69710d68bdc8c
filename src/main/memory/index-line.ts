// What one task tells the others of itself (SPEC 6, Index): which files it has just written, and what for, in one line.
import { relative, sep } from 'node:path';
import type { Knobs } from '../floor/knobs.ts';
import type { IndexLine } from '../surfaces.ts';

const MAX_GOAL = 120;
const MAX_PATH = 400;

export type Written = Omit<IndexLine, 'paths'> & { /** Working tree the paths are relative to. */ readonly root: string; /** Absolute or relative to `root`. */ readonly paths: readonly string[] };

/** The line to append, or nothing when no path lies in the repository. The latest paths win over the cap. */
export const indexLine = ({ root, goal, paths, ...who }: Written, limits: Knobs['index']): IndexLine | undefined => {
  const own = [...new Set(paths.flatMap((path) => withinRoot(root, path)))].slice(-limits.max_paths_per_entry);
  return own.length === 0 ? undefined : { ...who, goal: goal.slice(0, MAX_GOAL * 4).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_GOAL).toWellFormed(), paths: own };
};

/** With `/` between segments on every system, so that two sessions name a file alike. */
const withinRoot = (root: string, path: string): readonly string[] => {
  const inside = /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? relative(root, path) : path.replace(/^(?:\.\/)+/, '');
  const normal = inside.split(sep).join('/');
  return normal === '' || normal.length > MAX_PATH || normal.startsWith('/') || /^[A-Za-z]:/.test(normal) || normal.split('/').includes('..') ? [] : [normal];
};

/** The lines that count for a reader: not past their time, not from a clock ahead of ours, not its own task's or session's. */
export const liveLines = (lines: readonly IndexLine[], reader: { readonly task: string; readonly session: string; readonly now: number }, limits: Knobs['index']): readonly IndexLine[] =>
  lines.filter((line) => isLive(line, reader.now, limits) && line.task !== reader.task && line.session !== reader.session);

/** A minute of grace for clocks that differ. */
export const isLive = ({ at }: IndexLine, now: number, limits: Knobs['index']): boolean => now - at <= limits.ttl_s * 1000 && at <= now + 60_000;

/** Throws on anything that is no line of an index. */
export const parseIndexLine = (raw: unknown): IndexLine => {
  if (typeof raw !== 'object' || raw === null) throw new Error('not an index line');
  const line = raw as Readonly<Record<string, unknown>>;
  const { paths, at } = line;
  const texts = [line['task'], line['session'], line['cwd'], line['git_dir'], line['goal']];
  if (!texts.every((each) => typeof each === 'string') || typeof at !== 'number' || !Array.isArray(paths) || !paths.every((each: unknown) => typeof each === 'string')) {
    throw new Error('not an index line');
  }
  return raw as IndexLine;
};
