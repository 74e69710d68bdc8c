// The jail of the file tools (SPEC 7.2, HAZARDS F4–F6): a path counts as the file system resolves it, before and after opening.
import { closeSync, constants, existsSync, fstatSync, lstatSync, opendirSync, openSync, readlinkSync, readSync, realpathSync, type BigIntStats, type Dir } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isSealed } from '../../main/ingest/sealed.ts';

/** `root` is a real path; `denied` are patterns as `isSealed` takes them, folded; `kernelPaths`: the kernel names the path of an open file. */
export type Jail = { readonly root: string; readonly denied: readonly string[]; readonly kernelPaths: boolean };

export type Refusal = { readonly ok: false; readonly because: string };
/** `path` is real; `rel` is relative to the root with `/`, '' for the root itself. */
export type Place = { readonly ok: true; readonly path: string; readonly rel: string; readonly kind: 'file' | 'folder' };

/**
 * The jail at a folder named by its real path; undefined when it is none, or has become a link to elsewhere since it was
 * resolved. Only where the kernel names paths: other systems spell one folder in several ways.
 */
export const openJail = (root: string, denied: readonly string[]): Jail | undefined => {
  const real = realPath(root);
  const kernelPaths = existsSync('/proc/self/fd');
  if (real === undefined || (kernelPaths && real !== root) || statOf(real)?.isDirectory() !== true) return undefined;
  return { root: real, denied: denied.map(folded), kernelPaths };
};

/**
 * What `asked` (relative to the root, or absolute) names. What is missing and what lies outside get one and the same
 * answer: a refusal must not tell what exists elsewhere.
 */
export const findPlace = (jail: Jail, asked: string): Place | Refusal => {
  if (asked.length > MAX_PATH || asked.includes('\0')) return refusal('That is not a path.');
  const path = resolve(jail.root, asked);
  if (isClosed(jail, path)) return closed(asked);
  const real = realPath(path);
  if (real === undefined || !isWithin(jail.root, real)) return absent(asked);
  if (isClosed(jail, real)) return closed(asked);
  const stat = statOf(real);
  const kind = stat?.isFile() === true ? 'file' : stat?.isDirectory() === true ? 'folder' : undefined;
  return kind === undefined ? absent(asked) : { ok: true, path: real, rel: relOf(jail, real), kind };
};

export type Bytes = { readonly ok: true; readonly bytes: Buffer; /** Bytes of the whole file. */ readonly size: number };

/** At most `max` first bytes of a file that was found. What was opened must be what lies at that place. */
export const readPlace = (jail: Jail, { path, rel }: Pick<Place, 'path' | 'rel'>, max: number): Bytes | Refusal => {
  const fd = openAt(path);
  if (fd === undefined) return absent(rel);
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile() || !isAt(jail, path, fd)) return absent(rel);
    const buffer = Buffer.allocUnsafe(Math.min(max, Number(stat.size)));
    let done = 0;
    while (done < buffer.length) {
      const got = readSync(fd, buffer, done, buffer.length - done, done);
      if (got === 0) break;
      done += got;
    }
    return { ok: true, bytes: buffer.subarray(0, done), size: Number(stat.size) };
  } finally {
    closeSync(fd);
  }
};

export type Entry = { readonly name: string; readonly kind: 'file' | 'folder' };

/** Files and folders in a folder of the jail, sorted, links and closed names left out; `undefined` when it is no longer that folder. */
export const listPlace = (jail: Jail, path: string, max: number): { readonly entries: readonly Entry[]; readonly cut: boolean } | undefined => {
  const fd = openAt(path);
  if (fd === undefined) return undefined;
  try {
    if (!isAt(jail, path, fd)) return undefined;
    const folder = attempt(() => opendirSync(jail.kernelPaths ? kernelPath(fd) : path, { bufferSize: 256 }));
    if (folder === undefined) return undefined;
    const listed = entriesOf(jail, path, folder, max);
    return jail.kernelPaths || isAt(jail, path, fd) ? listed : undefined;
  } finally {
    closeSync(fd);
  }
};

const entriesOf = (jail: Jail, path: string, folder: Dir, max: number) => {
  const entries: Entry[] = [];
  let cut = false;
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length >= max) {
        cut = true;
        break;
      }
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : undefined;
      if (kind !== undefined && !isSealed(folded(`${path}/${entry.name}`), jail.denied)) entries.push({ name: entry.name, kind });
    }
  } finally {
    folder.closeSync();
  }
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), cut };
};

/** Whether `path` is `root` or below it, by segments: `/proj-secret` is not in `/proj`. */
export const isWithin = (root: string, path: string): boolean => {
  if (!path.startsWith(root) || SPECIAL.test(path)) return false;
  if (path.length === root.length || root.endsWith(sep)) return true;
  // A colon below the root would name another stream of a file on Windows.
  return path.charAt(root.length) === sep && !(sep === '\\' && path.includes(':', root.length));
};

const MAX_PATH = 4096;
/** Even where the root is `/`, what the kernel makes up is no file of a repository. */
const SPECIAL = /^\/(?:proc|sys|dev)(?:\/|$)/;

/** The path or a folder on the way to it is closed, whatever the case and normal form it is spelled in. */
const isClosed = ({ root, denied }: Jail, path: string): boolean => {
  for (let at = path; ; at = dirname(at)) {
    if (at === root) return false;
    if (isSealed(folded(at), denied)) return true;
    // Of a path outside only itself: its ancestors are not ours to judge.
    if (!isWithin(root, at) || dirname(at) === at) return false;
  }
};

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

// Without NONBLOCK opening a pipe would wait for its writer for ever.
const openAt = (path: string): number | undefined =>
  attempt(() => openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)));

/**
 * Whether what was opened lies at that place. The kernel knows where an open file is, whoever swaps folders for links
 * meanwhile. Where it cannot be asked, two looks at the path can each fall on another side of a swap, so both are repeated.
 */
const isAt = (jail: Jail, path: string, fd: number): boolean => {
  if (!isWithin(jail.root, path)) return false;
  if (jail.kernelPaths) return attempt(() => readlinkSync(kernelPath(fd))) === path;
  const { dev, ino } = fstatSync(fd, { bigint: true });
  for (let look = 0; look < LOOKS; look += 1) {
    const now = realPath(path) === path ? statOf(path) : undefined;
    if (now?.dev !== dev || now.ino !== ino) return false;
  }
  return true;
};

const kernelPath = (fd: number): string => `/proc/self/fd/${fd}`;
/** A swapper that wins every other look by chance wins all of them once in 4^16. */
const LOOKS = 16;

const relOf = ({ root }: Jail, path: string): string => relative(root, path).split(sep).join('/');

const realPath = (path: string): string | undefined => attempt(() => realpathSync.native(path));
const statOf = (path: string): BigIntStats | undefined => attempt(() => lstatSync(path, { bigint: true }));

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENXIO', 'ENODEV', 'EINVAL', 'EISDIR', 'EMLINK', 'EBUSY', 'UNKNOWN']);

/** undefined where the file system says no, in whichever words. */
const attempt = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.has(String(error.code))) return undefined;
    throw error;
  }
};

const refusal = (because: string): Refusal => ({ ok: false, because });
const absent = (asked: string): Refusal => refusal(`The repository has no such file: ${asked.slice(0, 200)}`);
const closed = (asked: string): Refusal => refusal(`Closed by the user's rules: ${asked.slice(0, 200)}`);
