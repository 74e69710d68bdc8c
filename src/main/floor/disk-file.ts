// The few things hooks and monitor do with small files: each is one system call whose absence of a file is an answer.
import { appendFileSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, read, readFileSync, readSync, readdirSync, realpathSync, renameSync, statSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isCode, unlessMissing } from './json-file.ts';

// A hook's few bytes are counted: one import of each serves it.
export { dirname, existsSync, read, realpathSync, writeSync };

/** The file's text; undefined when there is none. */
export const readText = (path: string): string | undefined => unlessMissing(() => readFileSync(path, 'utf8'));

/** Names in a folder, in order; none when there is no folder. */
export const namesIn = (folder: string): readonly string[] => (unlessMissing(() => readdirSync(folder)) ?? []).toSorted();

/** Bytes in a file; 0 when there is none. */
export const sizeOf = (path: string): number => unlessMissing(() => statSync(path).size) ?? 0;

/** The last byte of a file; undefined when there is none. */
export const lastByteOf = (path: string): number | undefined =>
  unlessMissing(() => {
    const file = openSync(path, 'r');
    try {
      const last = Buffer.alloc(1);
      return readSync(file, last, 0, 1, Math.max(0, fstatSync(file).size - 1)) === 0 ? undefined : last[0];
    } finally {
      closeSync(file);
    }
  });

/** Removes a file; false when it had gone. */
export const remove = (path: string): boolean => unlessMissing(() => (unlinkSync(path), true)) ?? false;

/** One rename, into a folder that is made if need be; false when the source has gone. */
export const move = (from: string, to: string): boolean =>
  unlessMissing(() => {
    try {
      renameSync(from, to);
    } catch {
      makeFolderOf(to); // whatever else it was, the second try says so
      renameSync(from, to);
    }
    return true;
  }) ?? false;

/** Makes a file; false when it is there already. Of any number of callers one makes it. */
export const createOnce = (path: string, text: string): boolean => {
  makeFolderOf(path);
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/** One line by one O_APPEND write. The file is opened by path each time: whoever rotates it gets no late lines. */
export const append = (path: string, line: string): void => {
  makeFolderOf(path);
  appendFileSync(path, `${line}\n`, { mode: 0o600 });
};

/** The folder and those above it, unless they are there. */
export const makeFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });

const makeFolderOf = (path: string): void => makeFolder(dirname(path));
