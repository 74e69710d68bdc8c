// sessions/<id>/history.jsonl: what became of each advisory, appended by the monitor alone.
import { appendLine, readLines } from '../floor/jsonl-file.ts';
import { isObject } from '../floor/object.ts';
import type { HistoryLine } from '../surfaces.ts';

export const appendHistory = (path: string, line: HistoryLine): void => appendLine(path, line);

/** Every line that is one of ours; `bad` counts the others. A missing file has none. */
export const readHistory = (path: string): { readonly lines: readonly HistoryLine[]; readonly bad: number } => readLines(path, parseHistoryLine);

const EVENTS: ReadonlySet<string> = new Set(['generated', 'gated', 'enqueued', 'claimed', 'confirmed', 'lost', 'returned', 'expired', 'withdrawn', 'outcome']);

/** Throws on anything that is no line of this version. */
export const parseHistoryLine = (raw: unknown): HistoryLine => {
  if (!isObject(raw) || raw['v'] !== 1) throw new TypeError('not a history line of this version');
  const { at, id, event, advice, evidence } = raw;
  if (typeof at !== 'number' || typeof id !== 'string' || typeof event !== 'string' || !EVENTS.has(event)) throw new TypeError('not a history line');
  if (advice !== undefined && !looksLikeAdvice(advice, id)) throw new TypeError('no advisory in a history line');
  if (evidence !== undefined && !isTexts(evidence)) throw new TypeError('no evidence in a history line');
  if (WORDS.some((name) => raw[name] !== undefined && typeof raw[name] !== 'string')) throw new TypeError('not a history line');
  return raw as HistoryLine;
};

const WORDS = ['because', 'verdict', 'channel'] as const;

const isTexts = (raw: unknown): boolean => Array.isArray(raw) && raw.every((one) => typeof one === 'string');

const looksLikeAdvice = (raw: unknown, id: string): boolean =>
  isObject(raw) &&
  raw['v'] === 1 &&
  raw['id'] === id &&
  ['task_id', 'session_id', 'kind', 'headline', 'body', 'dedup_key'].every((name) => typeof raw[name] === 'string') &&
  ['confidence', 'generated_at', 'ttl', 'after'].every((name) => typeof raw[name] === 'number') &&
  Array.isArray(raw['evidence']) &&
  raw['evidence'].every((one) => isObject(one) && typeof one['cite'] === 'string' && typeof one['text'] === 'string') &&
  isTexts(raw['stale_if']) &&
  typeof raw['human_only'] === 'boolean' &&
  typeof raw['finish_gate'] === 'boolean';
