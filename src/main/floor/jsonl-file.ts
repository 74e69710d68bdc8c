// Lines of JSON in one file: each appended by a single O_APPEND write, so that processes need no lock (SPEC 4).
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissing } from './json-file.ts';

/** Appends one line. The file is opened by path each time: whoever rotates it by rename gets no late lines. */
export const appendLine = (path: string, value: unknown): void => {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`, 'utf8');
  let fd: number;
  try {
    fd = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY, 0o600);
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fd = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY, 0o600);
  }
  try {
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
};

/** Every line that parses; `bad` counts the others, a half-written last line included. A missing file has none. */
export const readLines = <T>(path: string, parse: (raw: unknown) => T): { readonly lines: readonly T[]; readonly bad: number } => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { lines: [], bad: 0 };
    throw error;
  }
  const lines: T[] = [];
  let bad = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      lines.push(parse(JSON.parse(line)));
    } catch {
      bad += 1; // counted: one damaged line never hides the rest
    }
  }
  return { lines, bad };
};
