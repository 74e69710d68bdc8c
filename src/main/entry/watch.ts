// Wakes the monitor when a file grows: the system's watcher where it works, a look every second in any case.
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isCode } from '../floor/json-file.ts';

export type Watch = {
  /** Follows exactly these files from now on; their folders need not exist yet. */
  readonly follow: (paths: readonly string[]) => void;
  readonly close: () => void;
};

/** Calls `changed` soon after a followed file changes, once for a burst. A folder that cannot be watched is left to the ticks. */
export const openWatch = (changed: () => void, settle_ms = 25): Watch => {
  const watchers = new Map<string, { readonly watcher: FSWatcher; names: Set<string> }>();
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
  };
  const open = (folder: string, names: Set<string>): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || watchers.get(folder)?.names.has(name) === true) soon();
      });
      watcher.on('error', () => drop(folder));
      watchers.set(folder, { watcher, names });
    } catch (error) {
      // Not there yet, or the system is out of watchers: the ticks do.
      if (!isCode(error, 'ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE', 'ENOSPC', 'EACCES', 'EPERM')) throw error;
    }
  };
  return {
    follow: (paths) => {
      const wanted = new Map<string, Set<string>>();
      for (const path of paths) wanted.set(dirname(path), (wanted.get(dirname(path)) ?? new Set()).add(basename(path)));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const [folder, names] of wanted) {
        const known = watchers.get(folder);
        if (known === undefined) open(folder, names);
        else known.names = names;
      }
    },
    close: () => {
      clearTimeout(timer);
      for (const folder of watchers.keys()) drop(folder);
    },
  };
};
