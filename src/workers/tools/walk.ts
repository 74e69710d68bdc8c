// The files below a folder of the jail, in order of their names, without what git ignores; no link is followed.
import { isIgnored, parseIgnore, type Ignore } from './ignore.ts';
import { listPlace, readPlace, type Jail, type Place } from './jail.ts';

export type Walk = {
  /** Entries looked at so far; the walk stops at `MAX_ENTRIES`. */
  entries: number;
  /** Why files are missing, in words for the model. */
  stopped: string | undefined;
};

export const beginWalk = (): Walk => ({ entries: 0, stopped: undefined });

/** Files below `start`, which is given even where it is ignored itself. `late` ends the walk. */
export function* walkFiles(jail: Jail, start: Place, walk: Walk, late: () => boolean): Generator<Pick<Place, 'path' | 'rel'>> {
  const above: Ignore[] = [];
  const parts = start.rel === '' ? [] : start.rel.split('/');
  for (let n = 0; n < parts.length; n += 1) above.push(...ignoreIn(jail, parts.slice(0, n).join('/')));
  yield* below(jail, start, above, walk, late, 0);
}

const MAX_ENTRIES = 50_000;
const MAX_IN_FOLDER = 10_000;
const MAX_DEPTH = 40;
const MAX_IGNORE_FILE = 32_000;

function* below(jail: Jail, folder: Pick<Place, 'path' | 'rel'>, above: readonly Ignore[], walk: Walk, late: () => boolean, depth: number): Generator<Pick<Place, 'path' | 'rel'>> {
  const listed = listPlace(jail, folder.path, MAX_IN_FOLDER);
  if (listed === undefined) return;
  if (listed.cut) walk.stopped = `${folder.rel === '' ? 'the root' : folder.rel} holds more than ${MAX_IN_FOLDER} entries`;
  const ignores = listed.entries.some(({ name }) => name === '.gitignore') ? [...above, ...ignoreIn(jail, folder.rel)] : above;
  for (const { name, kind } of listed.entries) {
    walk.entries += 1;
    if (walk.entries > MAX_ENTRIES) walk.stopped = `more than ${MAX_ENTRIES} entries: name a folder`;
    else if (late()) walk.stopped = 'time ran out: name a folder or a narrower pattern';
    if (walk.entries > MAX_ENTRIES || late()) return;
    const rel = folder.rel === '' ? name : `${folder.rel}/${name}`;
    if (name === '.git' || isIgnored(ignores, rel, kind === 'folder')) continue;
    const entry = { path: `${folder.path.replace(/[\\/]$/, '')}/${name}`, rel };
    if (kind === 'file') yield entry;
    else if (depth < MAX_DEPTH) yield* below(jail, entry, ignores, walk, late, depth + 1);
    if (walk.entries > MAX_ENTRIES) return;
  }
}

const ignoreIn = (jail: Jail, rel: string): readonly Ignore[] => {
  const at = rel === '' ? '.gitignore' : `${rel}/.gitignore`;
  const read = readPlace(jail, { path: `${jail.root.replace(/[\\/]$/, '')}/${at}`, rel: at }, MAX_IGNORE_FILE);
  return read.ok ? [parseIgnore(rel === '' ? '' : `${rel}/`, read.bytes.toString('utf8'))] : [];
};
