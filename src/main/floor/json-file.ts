// One JSON document in one file: read whole, written by temp file, fsync and rename (SPEC 4).
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { messageOf } from './failure.ts';

export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** No such file or folder: the normal answer to a question about something not made yet. */
export const isMissing = (error: unknown): boolean => isCode(error, 'ENOENT', 'ENOTDIR');

/** A disk that is full, read-only, not ours or broken: it may be well again later. */
export const isDiskTrouble = (error: unknown): boolean => isCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE');

/** What `act` returns; undefined when what it asks for is not there. Other errors throw. */
export const unlessMissing = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** What `act` returns; undefined where a path from outside is missing, closed to us, circular, too long or none at all. Other errors throw. */
export const unlessClosed = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch (error) {
    if (isMissing(error) || isCode(error, 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EISDIR', 'ERR_INVALID_ARG_VALUE')) return undefined;
    throw error;
  }
};

export type Loaded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly because: 'missing' }
  | { readonly ok: false; readonly because: 'corrupt'; readonly why: string };

/** The document at `path`, a byte order mark aside, after `parse` has looked at it; a parse that throws makes it corrupt, and so does what is no file of ours to read. Other I/O errors throw. */
export const readJson = <T>(path: string, parse: (raw: unknown) => T): Loaded<T> => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { ok: false, because: 'missing' };
    if (isCode(error, 'EISDIR', 'ELOOP', 'EACCES')) return { ok: false, because: 'corrupt', why: error instanceof Error ? error.message : '' };
    throw error;
  }
  try {
    return { ok: true, value: parse(JSON.parse(text.trim())) };
  } catch (error) {
    return { ok: false, because: 'corrupt', why: messageOf(error) };
  }
};

/** Writes `text` so that a reader sees the old file or the new one, never a part. Mode 0600, folders 0700. */
export const writeWhole = (path: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temp = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const fd = openSync(temp, 'wx', 0o600);
  try {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(temp);
    throw error;
  }
  closeSync(fd);
  replace(temp, path);
};

/** Renames over a file that others may be reading: Windows refuses while one has it open, for a moment as a rule. */
export const replace = (from: string, to: string, rename: (from: string, to: string) => void = renameSync): void => {
  for (let tries = 1; ; tries += 1) {
    try {
      return rename(from, to);
    } catch (error) {
      if (tries >= REPLACE_TRIES || !isCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tries * 5);
    }
  }
};

/** Waits of 5, 10, … ms, 140 ms in all. */
const REPLACE_TRIES = 8;

export const writeJson = (path: string, value: unknown): void => writeWhole(path, `${JSON.stringify(value)}\n`);

/** Moves a file we cannot read out of the way, keeping it for a person to look at. Returns where it went. */
export const setAside = (path: string): string => {
  const bad = `${path}.bad`;
  try {
    // What was set aside before makes room, also where one of the two is a folder.
    rmSync(bad, { recursive: true, force: true });
    renameSync(path, bad);
  } catch (error) {
    if (!isMissing(error)) throw error; // another process set it aside first
  }
  return bad;
};
