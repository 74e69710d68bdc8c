// Lines of JSON in one file: each appended by a single O_APPEND write, so that processes need no lock (SPEC 4).
import { append, lastByteOf, readText } from './disk-file.ts';

/** Appends one line, on its own even where a full disk has torn the one before. The file is opened by path each time: whoever rotates it by rename gets no late lines. */
export const appendLine = (path: string, value: unknown): void => append(path, `${NEWLINE === (lastByteOf(path) ?? NEWLINE) ? '' : '\n'}${JSON.stringify(value)}`);

const NEWLINE = 0x0a;

/** Every line that parses; `bad` counts the others, a half-written last line included. A missing file has none. */
export const readLines = <T>(path: string, parse: (raw: unknown) => T): { readonly lines: readonly T[]; readonly bad: number } => {
  const lines: T[] = [];
  let bad = 0;
  for (const line of (readText(path) ?? '').split('\n')) {
    if (line === '') continue;
    try {
      lines.push(parse(JSON.parse(line)));
    } catch {
      bad += 1; // counted: one damaged line never hides the rest
    }
  }
  return { lines, bad };
};
