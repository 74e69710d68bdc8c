// Which of some files have changed since they were last asked about, by time, size and identity.
import { statSync } from 'node:fs';
import { isCode } from '../floor/json-file.ts';

export const openStamps = () => {
  let last: ReadonlyMap<string, string> = new Map();
  return {
    /** Whether one of `paths` was not asked about at the last call, or has changed since; the latter are told to `seen`. */
    changed: (paths: readonly string[], seen: (path: string) => void): boolean => {
      const before = last;
      last = new Map(paths.map((path) => [path, stampOf(path)]));
      const news = paths.filter((path) => before.get(path) !== last.get(path));
      for (const path of news) if (before.has(path)) seen(path);
      return news.length > 0;
    },
    /** All count as changed at the next call. */
    forget: (): void => {
      last = new Map();
    },
  };
};

const stampOf = (path: string): string => {
  try {
    const stat = path === '' ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.mtimeMs}.${stat.size}.${stat.ino}`;
  } catch (error) {
    // A configured path may be closed to us, or none at all: whoever reads the file says so.
    if (isCode(error, 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE')) return '?';
    throw error;
  }
};
