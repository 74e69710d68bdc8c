// The checklist of standard-questions: what a question's patterns mean, and whether the stream answers it (SPEC 8).
import type { Numbered } from '../records.ts';
import { isWhole, isWithin, readPattern, type Pattern } from './patterns.ts';
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
  /** What to say of an open one, as a statement; a model finds its own words. */
  readonly finding: string;
  /** The answer goes stale with the next change. */
  readonly each_time: boolean;
  /** How sure the local judge may be that an open one matters; absent: it leaves the question to a model. */
  readonly local_confidence?: number;
};

export type QuestionState =
  | { readonly state: 'not-asked' }
  | { readonly state: 'answered' | 'waived'; readonly by: number }
  /** `changes`: numbers of the observations that raise it and are not answered. */
  | OpenQuestion;

/** `answered_before`: earlier changes were answered for, so it can be done and matters. `waived_before`: by the user, in an earlier turn. */
export type OpenQuestion = { readonly state: 'open'; readonly changes: readonly number[]; readonly answered_before?: true; readonly waived_before?: true };

/** The usable rows of a detector's config; anything else in it is left out. */
export const parseQuestions = (config: Readonly<Record<string, unknown>>): readonly Question[] => {
  const rows = config['questions'];
  return Array.isArray(rows) ? rows.flatMap((row: unknown) => parseQuestion(row)) : [];
};

/** A stream made ready for many patterns: what they look at, taken out once. */
export type Stream = readonly Seen[];
type Seen = {
  readonly n: number;
  readonly scope: Scope | undefined;
  /** Lower-cased, as the scope looks at it: a path, a tool's name, words; for commands each simple command. */
  readonly texts: readonly string[];
  readonly line: string;
  readonly tool: string;
  readonly undone: boolean;
  /** A prompt that begins a turn, not one typed into a running one. */
  readonly opens: boolean;
};

export const readStream = (observations: readonly Numbered[]): Stream => {
  const undone = undoneCalls(observations);
  let idle = true;
  return observations.map((seen): Seen => {
    const { kind, n, text, tool = '', call, command, writes, paths, note } = seen;
    const rest = { n, line: straight(text), tool: kind === 'tool' ? tool.toLowerCase() : '', undone: call !== undefined && undone.has(call), opens: idle && kind === 'prompt' };
    if (kind !== 'note' && kind !== 'done') idle = false;
    else if (note === 'turn-end' || note === 'interrupt') idle = true;
    if (kind === 'tool' && writes === true) return { ...rest, scope: 'edit', texts: [(paths?.[0] ?? '').replaceAll('\\', '/').toLowerCase()] };
    if (kind === 'tool' && command !== undefined) return { ...rest, scope: 'run', texts: readCommand(command).parts.map((part) => part.toLowerCase()) };
    const scope = kind === 'text' ? 'say' : kind === 'prompt' || kind === 'agent' ? kind : undefined;
    return { ...rest, scope, texts: [rest.line] };
  });
};

/** Where a question stands after `stream`. */
export const standing = (question: Question, stream: Stream): QuestionState => {
  const raises = reader(question.applies_when);
  const changes = stream.filter((seen) => !seen.undone && raises(seen)).map(({ n }) => n);
  const last = changes.at(-1);
  if (last === undefined) return { state: 'not-asked' };
  const waivers = stream.filter(reader(question.waived_by));
  const waived = waivers.at(-1)?.n;
  const answer = stream.findLast(reader(question.answered_by))?.n;
  if (!question.each_time) {
    if (waived !== undefined) return { state: 'waived', by: waived };
    return answer === undefined ? { state: 'open', changes } : { state: 'answered', by: answer };
  }
  if (answer !== undefined && answer > last) return { state: 'answered', by: answer };
  const before = answer === undefined ? {} : { answered_before: true as const };
  if (waived === undefined) return { state: 'open', changes: changes.filter((n) => n > (answer ?? 0)), ...before };
  // A waiver is good for what was done until then; the user's also for the rest of its turn. The next task is another question.
  const by_user = waivers.findLast(({ scope }) => scope !== 'say')?.n;
  const next = by_user === undefined ? 0 : (stream.find(({ n, opens }) => opens && n > by_user)?.n ?? Infinity);
  const asked = changes.filter((n) => n > next && n > waived && n > (answer ?? 0));
  return asked.length === 0 ? { state: 'waived', by: waived } : { state: 'open', changes: asked, ...before, waived_before: true };
};

/** The first observation later than `after` that answers the question. A failing answer is one: the question was put. */
export const answeredAfter = (question: Question, stream: Stream, after: number): number | undefined => {
  const answers = reader(question.answered_by);
  return stream.find((seen) => seen.n > after && answers(seen))?.n;
};

type Scope = 'edit' | 'run' | 'say' | 'prompt' | 'agent';
type Scoped = { readonly scope: Scope | 'tool' | undefined; readonly pattern: Pattern; readonly longer?: Pattern };

/** Tells whether one of `patterns` describes an observation, or one simple command of it, and none of the excluding ones does. */
const reader = (patterns: readonly string[]): ((seen: Seen) => boolean) => {
  const including = patterns.filter((pattern) => !pattern.startsWith('!')).map(readScoped);
  const excluding = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => readScoped(pattern.slice(1)));
  return (seen) =>
    (seen.texts.length === 0 ? [''] : seen.texts).some((text) => including.some((scoped) => describes(scoped, seen, text)) && !excluding.some((scoped) => describes(scoped, seen, text)));
};

const readScoped = (pattern: string): Scoped => {
  const [, scope, literal = ''] = /^(edit|run|tool|say|prompt|agent):(.*)$/s.exec(pattern) ?? [];
  if (scope === undefined) return { scope: undefined, pattern: readPattern(pattern) };
  return { scope: scope as Scope | 'tool', pattern: readPattern(literal), ...(scope === 'run' ? { longer: readPattern(`${literal} *`) } : {}) };
};

const describes = ({ scope, pattern, longer }: Scoped, seen: Seen, text: string): boolean => {
  if (scope === undefined) return isWithin(pattern, seen.line);
  if (scope === 'tool') return seen.tool !== '' && isWhole(pattern, seen.tool);
  if (scope !== seen.scope) return false;
  if (scope === 'edit') return isWhole(pattern, text);
  if (scope === 'run') return isWhole(pattern, text) || (longer !== undefined && isWhole(longer, text));
  return isWithin(pattern, text);
};

// Typographic apostrophes, so that one pattern finds both spellings.
const straight = (text: string): string => text.replaceAll('’', "'").toLowerCase();

/** Calls that were refused or failed: an edit that did not happen changes nothing. */
const undoneCalls = (stream: readonly Numbered[]): ReadonlySet<string> =>
  new Set(stream.flatMap(({ kind, call, note }) => (call !== undefined && (kind === 'error' || note === 'refusal') ? [call] : [])));

const parseQuestion = (row: unknown): readonly Question[] => {
  if (typeof row !== 'object' || row === null) return [];
  const { id, text, finding, applies_when, answered_by, waived_by, each_time, local_confidence } = row as Partial<Record<keyof Question, unknown>>;
  if (typeof id !== 'string' || typeof text !== 'string') return [];
  return [{
    id, text, finding: typeof finding === 'string' ? finding : `Unanswered: ${text}`, applies_when: parseTexts(applies_when), answered_by: parseTexts(answered_by), waived_by: parseTexts(waived_by), each_time: each_time === true,
    ...(typeof local_confidence === 'number' ? { local_confidence } : {}),
  }];
};

const parseTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []);
