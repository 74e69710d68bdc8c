// Grep: lines of the repository that match an expression, on an engine that cannot backtrack (HAZARDS F7).
import { RE2JS } from 're2js';
import { headOf } from '../../main/floor/text.ts';
import { fileFilter } from './glob.ts';
import { findPlace, readPlace, type Jail, type Refusal } from './jail.ts';
import { textOf } from './shown.ts';
import { beginWalk, walkFiles } from './walk.ts';

export type GrepArgs = { readonly pattern: string; readonly path: string; readonly glob: string | undefined };

/**
 * Matching lines as `path:line: text`. Lines are matched as they are shown, redacted, so that no expression can feel
 * out a secret. `late` ends the search; what was left out is said in a last line.
 */
export const grepFiles = (jail: Jail, { pattern, path, glob }: GrepArgs, hide: boolean, late: () => boolean, room: number): { readonly ok: true; readonly text: string } | Refusal => {
  const expression = compile(pattern);
  if (!expression.ok) return expression;
  const filter = glob === undefined ? undefined : fileFilter(glob);
  if (glob !== undefined && filter === undefined) return { ok: false, because: 'That glob cannot be read.' };
  const start = findPlace(jail, path);
  if (!start.ok) return start;

  const walk = beginWalk();
  const rows: string[] = [];
  const skipped = { large: 0, parts: 0 };
  let bytes = 0;
  let left = room - 300;
  for (const file of start.kind === 'file' ? [start] : walkFiles(jail, start, walk, late)) {
    if (filter?.(file.rel) === false) continue;
    const read = readPlace(jail, file, MAX_FILE);
    if (!read.ok) continue;
    if (read.size > MAX_FILE) {
      skipped.large += 1;
      continue;
    }
    bytes += read.size;
    const text = textOf(read.bytes, hide);
    const found = text === undefined ? { rows: [], parts: 0, late: false } : matchLines(file.rel, text, expression, late);
    skipped.parts += found.parts;
    for (const row of found.rows) {
      left -= row.length + 1;
      if (left < 0 || rows.length >= MAX_ROWS) walk.stopped = 'there are more matches: narrow the expression, or name a folder or a glob';
      else rows.push(row);
    }
    if (found.late || late()) walk.stopped = 'time ran out: name a folder or a glob';
    else if (bytes > MAX_TOTAL) walk.stopped = `${MAX_TOTAL / 1e6} MB were searched: name a folder or a glob`;
    if (walk.stopped !== undefined) break;
  }
  const notes = [
    ...(walk.stopped === undefined ? [] : [`[${walk.stopped}]`]),
    ...(skipped.large === 0 ? [] : [`[${skipped.large} files over ${MAX_FILE / 1e6} MB were not searched]`]),
    ...(skipped.parts === 0 ? [] : [`[of ${skipped.parts} long lines only the first ${expression.line_cap} characters were searched]`]),
  ];
  return { ok: true, text: [...(rows.length === 0 ? [walk.stopped === undefined ? 'No line matches.' : 'No line matches in what was searched.'] : rows), ...notes].join('\n') };
};

const MAX_PATTERN = 300;
/** Instructions of a compiled expression: the time for a character grows with them. */
const MAX_PROGRAM = 2000;
/** Instructions times characters of one line: between two looks at the clock at most some 200 ms. */
const LINE_STEPS = 8_000_000;
const MAX_LINE = 50_000;
const MAX_FILE = 1_000_000;
const MAX_TOTAL = 64_000_000;
const MAX_ROWS = 100;
const MAX_ROWS_OF_FILE = 20;
const MAX_SHOWN = 240;

type Expression = { readonly ok: true; readonly re: RE2JS; readonly line_cap: number };

const compile = (pattern: string): Expression | Refusal => {
  if (pattern === '' || pattern.length > MAX_PATTERN) return { ok: false, because: `An expression has 1 to ${MAX_PATTERN} characters.` };
  try {
    const re = RE2JS.compile(pattern);
    const size = re.programSize();
    if (size > MAX_PROGRAM) return { ok: false, because: 'That expression repeats too much: use smaller counts.' };
    return { ok: true, re, line_cap: Math.min(MAX_LINE, Math.floor(LINE_STEPS / size)) };
  } catch (error) {
    return { ok: false, because: `That expression cannot be read (${error instanceof Error ? error.message.slice(0, 120) : 'unknown'}).` };
  }
};

const matchLines = (rel: string, text: string, { re, line_cap }: Expression, late: () => boolean): { readonly rows: readonly string[]; readonly parts: number; readonly late: boolean } => {
  const rows: string[] = [];
  let parts = 0;
  let number = 0;
  let steps = 0;
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    number += 1;
    const line = text.slice(from, Math.min(end, from + line_cap)).replace(/\r$/, '');
    if (end - from > line_cap) parts += 1;
    steps += line.length + 1;
    if (steps > line_cap) {
      steps = 0;
      if (late()) return { rows, parts, late: true };
    }
    if (re.test(line)) {
      rows.push(`${rel}:${number}: ${around(line, re)}`);
      if (rows.length === MAX_ROWS_OF_FILE) {
        rows.push(`${rel}: [more matches in this file]`);
        return { rows, parts, late: false };
      }
    }
    from = end + 1;
  }
  return { rows, parts, late: false };
};

/** The line without its indentation; of a long one the part where the match begins. */
const around = (line: string, re: RE2JS): string => {
  if (line.length <= MAX_SHOWN) return line.trim();
  const matcher = re.matcher(line);
  const start = matcher.find() ? Math.max(0, matcher.start() - 60) : 0;
  return `${start > 0 ? '… ' : ''}${headOf(line.slice(start), MAX_SHOWN).trim()}${start + MAX_SHOWN < line.length ? ' …' : ''}`;
};
