// A folder held open while a child starts in it: a link put in its place meanwhile leads the child nowhere else.
import { closeSync, constants, existsSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { unlessClosed } from './json-file.ts';

/** What `act` returns, given a path that names this folder itself; undefined when `real`, a real path, is no longer a folder's own. */
export const inFolder = <T>(real: string, act: (path: string) => T): T | undefined => {
  // Elsewhere the kernel names no open files: a last look is all there is.
  if (!existsSync('/proc/self/fd')) return unlessClosed(() => realpathSync.native(real)) === real ? act(real) : undefined;
  const fd = unlessClosed(() => openSync(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW));
  if (fd === undefined) return undefined;
  try {
    // The child's own: it has every open file of ours until its program begins.
    const path = `/proc/self/fd/${fd}`;
    return readlinkSync(path) === real ? act(path) : undefined;
  } finally {
    closeSync(fd);
  }
};
