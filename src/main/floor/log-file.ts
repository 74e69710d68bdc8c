// log/second-brain.log: decisions worth a line, capped in size: a full file becomes the old one.
import { renameSync } from 'node:fs';
import { append, sizeOf } from './disk-file.ts';

const MAX_BYTES = 1_000_000;
const MAX_LINE = 2000;

/** Appends one line with its time, inert for whoever prints the file: it may quote servers and transcripts. Never throws: a log that cannot be written must not stop what it tells of. */
export const writeLog = (path: string, line: string, now: number): void => {
  try {
    if (sizeOf(path) > MAX_BYTES) renameSync(path, `${path}.old`);
    append(path, `${new Date(now).toISOString()} ${line.slice(0, MAX_LINE).replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')}`);
  } catch {
    // disk full or read-only: nowhere to say it
  }
};
