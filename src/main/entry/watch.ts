// Wakes the monitor when a file changes: by the system's watcher where that works; where it does not, `isSound` says so.
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isCode } from '../floor/json-file.ts';

export type Watch = {
  /** Follows exactly these files from now on; of a path with a slash at its end, all that is in that folder. Folders need not exist yet. */
  readonly follow: (paths: readonly string[]) => void;
  /** This path was found changed without a word from here. Twice in a row, and its folder's watcher counts as deaf. */
  readonly found: (path: string) => void;
  /** Whether every followed path has a watcher that tells of its changes. */
  readonly isSound: () => boolean;
  readonly close: () => void;
};

type Names = Set<string>;
type Folder = { readonly watcher: FSWatcher; names: Names; missed: number };

/** In place of names: whatever is in the folder. */
const ALL = '';
/** Once may be a change whose word is still on its way. */
const MAY_MISS = 1;

/** Calls `changed` soon after a followed file changes, once for a burst. */
export const openWatch = (changed: () => void, settle_ms = 25): Watch => {
  const watchers = new Map<string, Folder>();
  const deaf = new Set<string>();
  let followed = '';
  let wanted: ReadonlyMap<string, Names> = new Map();
  let absent: readonly string[] = [];
  let covered = false;
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      changed();
    }, settle_ms);
  };
  const drop = (folder: string): void => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
    covered = false;
  };
  const open = (folder: string, names: Names): 'watched' | 'absent' | 'refused' => {
    const known = watchers.get(folder);
    if (known !== undefined) {
      known.names = names;
      return 'watched';
    }
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        const told = watchers.get(folder);
        if (told?.watcher !== watcher) return;
        told.missed = 0;
        // Perhaps one that was not there, and can be watched now.
        if (absent.some((each) => dirname(each) === folder)) covered = false;
        // Its own name: it was moved or removed, and this watcher hears no more.
        if (name === basename(folder)) drop(folder);
        else if (name !== null && !told.names.has(name) && !told.names.has(ALL)) return;
        soon();
      });
      watcher.on('error', () => drop(folder));
      watchers.set(folder, { watcher, names, missed: 0 });
      return 'watched';
    } catch (error) {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return 'absent';
      // The system is out of watchers, the folder is closed to us, or its name is none.
      if (isCode(error, 'EMFILE', 'ENFILE', 'ENOSPC', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE')) return 'refused';
      throw error;
    }
  };

  /** A watcher for each wanted folder; for one that is not there, in the folder above where it will appear. */
  const cover = (): void => {
    const above = new Map<string, Names>();
    absent = [...wanted].flatMap(([folder, names]) => (open(folder, names) === 'absent' ? [folder] : []));
    for (const folder of absent) above.set(dirname(folder), new Set([...(above.get(dirname(folder)) ?? wanted.get(dirname(folder)) ?? []), basename(folder)]));
    const above_watched = [...above].every(([folder, names]) => open(folder, names) === 'watched');
    // Made meanwhile, and nobody told.
    for (const folder of absent) open(folder, wanted.get(folder) ?? new Set());
    for (const folder of watchers.keys()) if (!wanted.has(folder) && !above.has(folder)) drop(folder);
    covered = above_watched && [...wanted.keys()].every((folder) => watchers.has(folder) || absent.includes(folder));
  };

  const watchedFor = (folder: string): string => (watchers.has(folder) ? folder : dirname(folder));

  return {
    follow: (paths) => {
      const now = paths.join('\n');
      if (now === followed && covered) return;
      followed = now;
      const next = new Map<string, Names>();
      for (const path of paths) {
        const folder = folderOf(path);
        next.set(folder, (next.get(folder) ?? new Set()).add(path.endsWith('/') ? ALL : basename(path)));
      }
      wanted = next;
      cover();
    },
    found: (path) => {
      const folder = watchedFor(folderOf(path));
      const told = watchers.get(folder);
      if (told === undefined) return;
      told.missed += 1;
      if (told.missed > MAY_MISS) deaf.add(folder);
    },
    isSound: () => covered && ![...wanted.keys()].some((folder) => deaf.has(watchedFor(folder))),
    close: () => {
      clearTimeout(timer);
      for (const folder of watchers.keys()) drop(folder);
    },
  };
};

const folderOf = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : dirname(path));
