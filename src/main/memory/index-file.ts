// The live cross-task index, index/<repo>.jsonl (SPEC 4, 6). Appending and reading take no lock; only rewriting does.
import { closeSync, fstatSync, openSync, readFileSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../floor/disk-file.ts';
import { unlessClosed, writeWhole } from '../floor/json-file.ts';
import { appendLine, readLines } from '../floor/jsonl-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { releaseLock, takeLock } from '../floor/lock-file.ts';
import type { Paths } from '../floor/paths.ts';
import type { IndexLine } from '../surfaces.ts';
import { isLive, liveLines, parseIndexLine } from './index-line.ts';

export const appendIndex = (paths: Paths, line: IndexLine): void => appendLine(paths.index(line.git_dir), versioned(line));

/** What other live tasks in the repository have written lately. */
export const readIndex = (paths: Paths, git_dir: string, reader: { readonly task: string; readonly session: string; readonly now: number }, limits: Knobs['index']): readonly IndexLine[] =>
  liveLines(readLines(paths.index(git_dir), parseVersioned).lines, reader, limits);

/** Rewrites every index without expired lines; false when another process is at it, which does as well. */
export const compactIndexes = (paths: Paths, now: number, limits: Knobs['index']): boolean => rewriteAll(paths, (line) => isLive(line, now, limits));

/** Removes a task's lines from every index, or with no task all lines; false when another process is rewriting just now. */
export const forgetIndex = (paths: Paths, task?: string): boolean => rewriteAll(paths, (line) => task !== undefined && line.task !== task);

const rewriteAll = (paths: Paths, keep: (line: IndexLine) => boolean): boolean => {
  const lock = join(paths.indexes, 'lock');
  if (!takeLock(lock)) return false;
  try {
    for (const name of namesIn(paths.indexes)) if (name.endsWith('.jsonl')) unlessClosed(() => rewrite(join(paths.indexes, name), keep));
  } finally {
    releaseLock(lock);
  }
  return true;
};

/**
 * A writer may have opened the old file just before the new one takes its name: what reached the old one meanwhile is
 * carried over. A line that comes later still is lost, which costs one warning.
 */
const rewrite = (path: string, keep: (line: IndexLine) => boolean): void => {
  const old = openSync(path, 'r');
  try {
    const bytes = readFileSync(old);
    const lines = parsed(bytes);
    const kept = lines.filter(keep);
    if (kept.length === lines.length) return;
    if (kept.length > 0) writeWhole(path, kept.map((line) => `${JSON.stringify(versioned(line))}\n`).join(''));
    else unlinkSync(path);
    const late = Buffer.alloc(Math.max(0, fstatSync(old).size - bytes.length));
    const size = readSync(old, late, 0, late.length, bytes.length);
    for (const line of parsed(late.subarray(0, size))) appendLine(path, versioned(line));
  } finally {
    closeSync(old);
  }
};

const versioned = (line: IndexLine): object => ({ v: 1, ...line });

const parseVersioned = (raw: unknown): IndexLine => {
  const { v, ...line } = parseIndexLine(raw) as IndexLine & { readonly v?: unknown };
  if (v !== 1) throw new Error('an index line of another version');
  return line;
};

const parsed = (bytes: Buffer): readonly IndexLine[] =>
  bytes.toString('utf8').split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [parseVersioned(JSON.parse(line))];
    } catch {
      return []; // a damaged line goes with the expired ones
    }
  });
