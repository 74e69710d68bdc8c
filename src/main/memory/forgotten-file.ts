// Tombstones of /second-brain-forget, forgotten.jsonl (SPEC 12): what was forgotten must not be read or written again.
import { appendLine, readLines } from '../floor/jsonl-file.ts';
import { isObject } from '../floor/object.ts';
import type { Paths } from '../floor/paths.ts';
import type { Position } from '../records.ts';

/** `positions`: how far each transcript was when it was forgotten; nothing before that is read again. */
export type Tombstone = {
  readonly v: 1;
  readonly at: number;
  readonly scope: 'task' | 'workspace' | 'all';
  /** The task's id or the workspace's root; absent for `all`. */
  readonly of?: string;
  readonly positions: readonly Position[];
};

export const addTombstone = (paths: Paths, tombstone: Tombstone): void => appendLine(paths.forgotten, tombstone);

export const readTombstones = (paths: Paths): readonly Tombstone[] => readLines(paths.forgotten, parseTombstone).lines;

/** Whether memory of this task made at `since` (its ledger's `created_at`) was forgotten later: a monitor then drops it and writes nothing back. */
export const isForgotten = (
  { task, workspace, since }: { readonly task: string; readonly workspace: string; readonly since: number },
  tombstones: readonly Tombstone[],
): boolean =>
  tombstones.some(({ at, scope, of }) => at >= since && (scope === 'all' || (scope === 'task' ? of === task : of === workspace)));

/** Until when everything of this workspace was forgotten; 0 where nothing was. A task's own tombstone says nothing of other sessions. */
export const forgottenUntil = (workspace: string, tombstones: readonly Tombstone[]): number =>
  Math.max(0, ...tombstones.flatMap(({ at, scope, of }) => (scope === 'all' || (scope === 'workspace' && of === workspace) ? [at] : [])));

/** The furthest forgotten position in this transcript file; reading starts behind it. */
export const forgottenUpTo = (path: string, tombstones: readonly Tombstone[]): Position | undefined =>
  tombstones
    .flatMap(({ positions }) => positions)
    .filter((position) => position.path === path)
    .sort((a, b) => b.offset - a.offset)[0];

const parseTombstone = (raw: unknown): Tombstone => {
  if (!isObject(raw) || raw['v'] !== 1 || typeof raw['at'] !== 'number' || !['task', 'workspace', 'all'].includes(String(raw['scope']))) throw new Error('not a tombstone');
  const positions = raw['positions'];
  const sound = Array.isArray(positions) && positions.every((each: unknown) => isObject(each) && typeof each['path'] === 'string' && typeof each['offset'] === 'number');
  if (!sound) throw new Error('not a tombstone');
  return raw as Tombstone;
};
