// The checklist of standard-questions: what a question's patterns mean, and whether the stream answers it (SPEC 8).
import type { Numbered } from '../records.ts';
import { matches, occurs } from './patterns.ts';
import { readCommand } from './shell.ts';

/**
 * A row of `config.questions`. Patterns are literals with `*`, case aside; a prefix says what they are held against:
 * `edit:` the path of a file written · `run:` the first words of a command · `tool:` a tool's name · `say:` the agent's
 * words · `prompt:` the user's words · `agent:` a subagent's conclusion · no prefix: any line. `!` in front excludes.
 */
export type Question = {
  readonly id: string;
  readonly text: string;
  /** What makes the question one: without such an observation it is never asked. */
  readonly applies_when: readonly string[];
  readonly answered_by: readonly string[];
  readonly waived_by: readonly string[];
  /** The answer goes stale with the next change. */
  readonly each_time: boolean;
  /** How sure the local judge may be that an open one matters; absent: it leaves the question to a model. */
  readonly local_confidence?: number;
};

export type QuestionState =
  | { readonly state: 'not-asked' }
  | { readonly state: 'answered' | 'waived'; readonly by: number }
  /** `changes`: numbers of the observations that raise it and are not answered. */
  | { readonly state: 'open'; readonly changes: readonly number[] };

/** The usable rows of a detector's config; anything else in it is left out. */
export const parseQuestions = (config: Readonly<Record<string, unknown>>): readonly Question[] => {
  const rows = config['questions'];
  return Array.isArray(rows) ? rows.flatMap((row: unknown) => parseQuestion(row)) : [];
};

/** Where a question stands after `stream`. */
export const standing = (question: Question, stream: readonly Numbered[]): QuestionState => {
  const undone = undoneCalls(stream);
  const took = stream.filter(({ call }) => call === undefined || !undone.has(call));
  const changes = took.filter((seen) => describes(question.applies_when, seen)).map(({ n }) => n);
  if (changes.length === 0) return { state: 'not-asked' };
  const waived = stream.find((seen) => describes(question.waived_by, seen));
  if (waived !== undefined) return { state: 'waived', by: waived.n };
  const answer = answeredAfter(question, stream, question.each_time ? (changes.at(-1) ?? 0) : 0);
  if (answer !== undefined) return { state: 'answered', by: answer };
  const last = question.each_time ? lastAnswer(question, stream) : 0;
  return { state: 'open', changes: changes.filter((n) => n > last) };
};

/** The first observation later than `after` that answers the question. A failing answer is one: the question was put. */
export const answeredAfter = (question: Question, stream: readonly Numbered[], after: number): number | undefined => stream.find((seen) => seen.n > after && describes(question.answered_by, seen))?.n;

const lastAnswer = (question: Question, stream: readonly Numbered[]): number => stream.findLast((seen) => describes(question.answered_by, seen))?.n ?? 0;

/** Whether one of `patterns` describes the observation and none of the excluding ones does. */
const describes = (patterns: readonly string[], seen: Numbered): boolean =>
  patterns.some((pattern) => !pattern.startsWith('!') && describedBy(pattern, seen)) && !patterns.some((pattern) => pattern.startsWith('!') && describedBy(pattern.slice(1), seen));

const describedBy = (pattern: string, seen: Numbered): boolean => {
  const [, scope = '', literal = ''] = /^(edit|run|tool|say|prompt|agent):(.*)$/s.exec(pattern) ?? ['', '', pattern];
  switch (scope) {
    case 'edit':
      return seen.kind === 'tool' && seen.writes === true && matches(literal, (seen.paths?.[0] ?? '').replaceAll('\\', '/'));
    case 'run':
      return seen.kind === 'tool' && seen.command !== undefined && readCommand(seen.command).parts.some((part) => matches(literal, part) || matches(`${literal} *`, part));
    case 'tool':
      return seen.kind === 'tool' && matches(literal, seen.tool ?? '');
    case 'say':
      return seen.kind === 'text' && occurs(literal, straight(seen.text));
    case 'prompt':
      return seen.kind === 'prompt' && occurs(literal, straight(seen.text));
    case 'agent':
      return seen.kind === 'agent' && occurs(literal, straight(seen.text));
    default:
      return occurs(literal, seen.text);
  }
};

// Typographic apostrophes, so that one pattern finds both spellings.
const straight = (text: string): string => text.replaceAll('’', "'");

/** Calls that were refused or failed: an edit that did not happen changes nothing. */
const undoneCalls = (stream: readonly Numbered[]): ReadonlySet<string> =>
  new Set(stream.flatMap(({ kind, call, note }) => (call !== undefined && (kind === 'error' || note === 'refusal') ? [call] : [])));

const parseQuestion = (row: unknown): readonly Question[] => {
  if (typeof row !== 'object' || row === null) return [];
  const { id, text, applies_when, answered_by, waived_by, each_time, local_confidence } = row as Partial<Record<keyof Question, unknown>>;
  if (typeof id !== 'string' || typeof text !== 'string') return [];
  return [{
    id, text, applies_when: parseTexts(applies_when), answered_by: parseTexts(answered_by), waived_by: parseTexts(waived_by), each_time: each_time === true,
    ...(typeof local_confidence === 'number' ? { local_confidence } : {}),
  }];
};

const parseTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []);
