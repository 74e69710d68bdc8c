// log/second-brain.log: decisions worth a line, capped in size: a full file becomes the old one.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissing } from './json-file.ts';

const MAX_BYTES = 1_000_000;
const MAX_LINE = 2000;

/** Appends one line with its time. Never throws: a log that cannot be written must not stop what it tells of. */
export const writeLog = (path: string, line: string, now: number): void => {
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(path, `${path}.old`);
    append(path, `${new Date(now).toISOString()} ${line.slice(0, MAX_LINE).replace(/\s+/g, ' ')}\n`);
  } catch {
    // disk full or read-only: nowhere to say it
  }
};

const append = (path: string, text: string): void => {
  try {
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, text, { mode: 0o600 });
  }
};
