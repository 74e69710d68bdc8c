// sessions/<id>/passes.jsonl: a line per pass that is over, appended by the monitor alone; the report is drawn from it.
import { appendLine, readLines } from '../floor/jsonl-file.ts';
import { isObject } from '../floor/object.ts';
import type { PassLine } from '../surfaces.ts';

export const appendPass = (path: string, line: PassLine): void => appendLine(path, line);

/** Every line that is one of ours; `bad` counts the others. A missing file has none. */
export const readPasses = (path: string): { readonly lines: readonly PassLine[]; readonly bad: number } => readLines(path, parsePassLine);

/** Throws on anything that is no line of this version. */
export const parsePassLine = (raw: unknown): PassLine => {
  if (!isObject(raw) || raw['v'] !== 1) throw new TypeError('not a line of a pass of this version');
  const whole =
    texts(raw, ['task', 'because', 'provider', 'model']) &&
    numbers(raw, ['pass', 'at', 'ended_at', 'observations', 'tokens']) &&
    isUsage(raw['primary']) &&
    isObject(raw['window']) && numbers(raw['window'], ['chars', 'budget_chars', 'compactions']) &&
    listOf(raw['marks'], (mark) => texts(mark, ['kind', 'text']) && numbers(mark, ['at', 'n'])) &&
    listOf(raw['forks'], (fork) => texts(fork, ['detector', 'verdict', 'end']) && numbers(fork, ['from_ms', 'took_ms', 'tokens']) && isUsage(fork['usage'])) &&
    listOf(raw['skipped'], (skip) => texts(skip, ['detector', 'because']));
  if (!whole) throw new TypeError('not a line of a pass');
  return raw as PassLine;
};

type Fields = Readonly<Record<string, unknown>>;

const texts = (raw: Fields, names: readonly string[]): boolean => names.every((name) => typeof raw[name] === 'string');
const numbers = (raw: Fields, names: readonly string[]): boolean => names.every((name) => Number.isFinite(raw[name]));
const isUsage = (raw: unknown): boolean => isObject(raw) && numbers(raw, ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h']);
const listOf = (raw: unknown, sound: (each: Fields) => boolean): boolean => Array.isArray(raw) && raw.every((each: unknown) => isObject(each) && sound(each));
