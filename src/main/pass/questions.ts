// The checklist of standard-questions: what a question's patterns mean, and whether the stream answers it (SPEC 8).
import type { Numbered } from '../records.ts';
import { isCommentOnly } from './comments.ts';
import { isWhole, isWithin, readPattern, type Pattern } from './patterns.ts';
import { readCommand } from './shell.ts';

/**
 * A row of `config.questions`. Patterns are literals with `*`, case aside; a prefix says what they are held against:
 * `edit:` the path of a file written · `run:` the first words of a command, with `$` behind it all of them · `tool:` a tool's name · `say:` the agent's
 * words · `prompt:` the user's words · `agent:` a subagent's conclusion · no prefix: any line. `!` in front excludes.
 */
export type Question = {
  readonly id: string;
  readonly text: string;
  /** What makes the question one: without such an observation it is never asked. */
  readonly applies_when: readonly string[];
  readonly answered_by: readonly string[];
  readonly waived_by: readonly string[];
  /** What makes a waiver of the user hold for later turns as well, said in the same sentence. */
  readonly lasting_by: readonly string[];
  /** What may have answered it, for all that is known: seen after the last change, it keeps the local judge from speaking. */
  readonly perhaps_by: readonly string[];
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

/** `answered_before`: earlier changes were answered for, so it can be done and matters. `waived_before`: by the user, in an earlier turn. `perhaps`: what may have been the answer. */
export type OpenQuestion = { readonly state: 'open'; readonly changes: readonly number[]; readonly answered_before?: true; readonly waived_before?: true; readonly perhaps?: number };

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
  /** Lower-cased, as the scope looks at it: a path, words; of commands each simple command, of a prompt each sentence. */
  readonly texts: readonly string[];
  readonly line: string;
  readonly tool: string;
  /** It was refused or failed, or it changes no more than a comment. */
  readonly undone: boolean;
  /** What it was to run is not there. */
  readonly absent: boolean;
  /** It goes on in the background and runs again after each change. */
  readonly watches: boolean;
  /** A prompt that begins a turn, not one typed into a running one. */
  readonly opens: boolean;
};

export const readStream = (observations: readonly Numbered[]): Stream => {
  const undone = undoneCalls(observations);
  const taken_back = takenBack(observations);
  const absent = absentRuns(observations);
  let idle = true;
  return observations.map((seen, at): Seen => {
    const { kind, n, text, tool = '', call, command, writes, paths, note } = seen;
    const rest = { n, line: straight(text), tool: kind === 'tool' ? tool.toLowerCase() : '', undone: call !== undefined && undone.has(call), absent: call !== undefined && absent.has(call), watches: command !== undefined && WATCHES.test(command) && text.includes(IN_BACKGROUND), opens: idle && kind === 'prompt' };
    if (kind !== 'note' && kind !== 'done') idle = false;
    else if (note === 'turn-end' || note === 'interrupt') idle = true;
    if (kind === 'tool' && writes === true) {
      const path = (paths?.[0] ?? '').replaceAll('\\', '/').toLowerCase();
      return { ...rest, scope: 'edit', texts: [path], undone: rest.undone || isCommentOnly(text, path) || taken_back.some(({ n: back, file }) => back > n && (path === file || path.endsWith(`/${file}`))) };
    }
    if (kind === 'tool' && command !== undefined) return { ...rest, scope: 'run', texts: [...readCommand(command).parts.map((part) => part.toLowerCase()), ...hooksOf(seen, observations[at + 1])] };
    const scope = kind === 'text' ? 'say' : kind === 'prompt' || kind === 'agent' ? kind : undefined;
    return { ...rest, scope, texts: kind === 'prompt' ? sentencesOf(rest.line) : [rest.line] };
  });
};

/** Where a question stands after `stream`. `earlier`: the user's prompts from before it, of which some hold still. */
export const standing = (question: Question, stream: Stream, earlier: Stream = []): QuestionState => {
  const raises = reader(question.applies_when);
  const changes = stream.filter((seen) => !seen.undone && raises(seen)).map(({ n }) => n);
  const last = changes.at(-1);
  if (last === undefined) return { state: 'not-asked' };
  const mayAnswer = reader(question.perhaps_by);
  const waivers = stream.filter(reader(question.waived_by));
  const waived = waivers.at(-1)?.n;
  const answers = reader(question.answered_by);
  const answering = stream.filter((seen) => !seen.absent && answers(seen));
  const watcher = answering.find(({ watches }) => watches)?.n;
  if (watcher !== undefined) return { state: 'answered', by: watcher };
  const answer = answering.at(-1)?.n;
  const guess = stream.findLast((seen) => seen.n > last && !seen.absent && mayAnswer(seen))?.n;
  const perhaps = guess === undefined ? {} : { perhaps: guess };
  if (!question.each_time) {
    if (waived !== undefined) return { state: 'waived', by: waived };
    return answer === undefined ? { state: 'open', changes, ...perhaps } : { state: 'answered', by: answer };
  }
  if (answer !== undefined && answer > last) return { state: 'answered', by: answer };
  const lasting = lastingWaiver(question, [...earlier, ...stream]);
  if (lasting !== undefined && lasting > (answer ?? -Infinity)) return { state: 'waived', by: lasting };
  const before = { ...perhaps, ...(answer === undefined ? {} : { answered_before: true as const }) };
  if (waived === undefined) return { state: 'open', changes: changes.filter((n) => n > (answer ?? 0)), ...before };
  // Any other waiver is good for what was done until then; the user's also for the rest of its turn. The next task is another question.
  const by_user = waivers.findLast(({ scope }) => scope !== 'say')?.n;
  const next = by_user === undefined ? 0 : (stream.find(({ n, opens }) => opens && n > by_user)?.n ?? Infinity);
  const asked = changes.filter((n) => n > next && n > waived && n > (answer ?? 0));
  if (asked.length === 0) return { state: 'waived', by: waived };
  // Once it was done after all, the waiver is history.
  return { state: 'open', changes: asked, ...before, ...(answer !== undefined && answer > waived ? {} : { waived_before: true as const }) };
};

/** The user's waiver for this turn and the next ones, unless a later prompt asks for it after all. */
const lastingWaiver = ({ waived_by, lasting_by }: Question, stream: Stream): number | undefined => {
  const prompts = stream.filter(({ scope }) => scope === 'prompt');
  const waives = textReader(waived_by);
  const speaksOf = textReader(waived_by.filter((pattern) => !pattern.startsWith('!')));
  const lasts = textReader(lasting_by);
  const waived = prompts.findLast((seen) => seen.texts.some((text) => waives(seen, text) && lasts(seen, text)));
  const asked = prompts.findLast((seen) => seen.texts.some((text) => speaksOf(seen, text) && !waives(seen, text)));
  return waived === undefined || (asked !== undefined && asked.n > waived.n) ? undefined : waived.n;
};

/** The first observation later than `after` that answers the question. A failing answer is one: the question was put. */
export const answeredAfter = (question: Question, stream: Stream, after: number): number | undefined => {
  const answers = reader(question.answered_by);
  return stream.find((seen) => seen.n > after && !seen.absent && answers(seen))?.n;
};

type Scope = 'edit' | 'run' | 'say' | 'prompt' | 'agent';
type Scoped = { readonly scope: Scope | 'tool' | undefined; readonly pattern: Pattern; readonly longer?: Pattern };

/** Tells whether one of `patterns` describes an observation, or one part of it, and none of the excluding ones does. */
const reader = (patterns: readonly string[]): ((seen: Seen) => boolean) => {
  const describesText = textReader(patterns);
  return (seen) => (seen.texts.length === 0 ? [''] : seen.texts).some((text) => describesText(seen, text));
};

const textReader = (patterns: readonly string[]): ((seen: Seen, text: string) => boolean) => {
  const including = patterns.filter((pattern) => !pattern.startsWith('!')).map(readScoped);
  const excluding = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => readScoped(pattern.slice(1)));
  return (seen, text) => including.some((scoped) => describes(scoped, seen, text)) && !excluding.some((scoped) => describes(scoped, seen, text));
};

const readScoped = (pattern: string): Scoped => {
  const [, scope, literal = ''] = /^(edit|run|tool|say|prompt|agent):(.*)$/s.exec(pattern) ?? [];
  if (scope === undefined) return { scope: undefined, pattern: readPattern(pattern) };
  const whole = scope === 'run' && literal.endsWith('$');
  return { scope: scope as Scope | 'tool', pattern: readPattern(whole ? literal.slice(0, -1) : literal), ...(scope === 'run' && !whole ? { longer: readPattern(`${literal} *`) } : {}) };
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

/** What is asked in one sentence and let off in another are two things; each stands between bars, so that a pattern can tell where it begins. */
const sentencesOf = (words: string): readonly string[] =>
  words.split(/(?<=[.!?;])\s+|[。！？；\n]+|\s(?:but|aber|mais|pero|mas|ma|maar)\s/).map((sentence) => sentence.replace(/^\[prompt\]/, '').trim()).filter((sentence) => sentence !== '').map((sentence) => `| ${sentence} |`);

/** Calls that were refused or failed: an edit that did not happen changes nothing. */
const undoneCalls = (stream: readonly Numbered[]): ReadonlySet<string> =>
  new Set(stream.flatMap(({ kind, call, note }) => (call !== undefined && (kind === 'error' || note === 'refusal') ? [call] : [])));

/** Calls whose program or script does not exist: they have run nothing. */
const absentRuns = (stream: readonly Numbered[]): ReadonlySet<string> =>
  new Set(stream.flatMap(({ kind, call, text }) => (kind === 'error' && call !== undefined && text.length < 400 && ABSENT.test(text) ? [call] : [])));

const WATCHES = /\b(?:watchexec|entr|nodemon)\b|--watch\b|:watch\b|\bwatch\b/;
// As the projection marks a call that was sent there.
const IN_BACKGROUND = '(in background)';

/** Files given back to the last commit, and when. */
const takenBack = (stream: readonly Numbered[]): readonly { readonly n: number; readonly file: string }[] =>
  stream.flatMap(({ n, kind, command }) =>
    kind !== 'tool' || command === undefined || !/\bgit (?:checkout|restore)\b/.test(command) ? [] : readCommand(command).parts.flatMap((part) => /^git (?:checkout(?: HEAD)? -- |restore )(?!-)(.+)$/i.exec(part)?.[1]?.split(' ').map((file) => ({ n, file: file.replace(/^\.\//, '').toLowerCase() })) ?? []),
  );

const ABSENT = /exit code 12[67]\b|command not found|is not recognized as|missing script|unknown command|no such task/i;

/** A commit or a push takes little time by itself: what takes this long are its hooks, which answer as `git-hooks`. */
const HOOKS_TAKE_MS = 30_000;

const hooksOf = ({ command = '', at }: Numbered, next: Numbered | undefined): readonly string[] =>
  next !== undefined && next.at - at >= HOOKS_TAKE_MS && /\bgit (?:commit|push)\b(?!.*(?:--no-verify|\s-n\b))/.test(command.slice(0, 500)) ? ['git-hooks'] : [];

const parseQuestion = (row: unknown): readonly Question[] => {
  if (typeof row !== 'object' || row === null) return [];
  const { id, text, finding, applies_when, answered_by, waived_by, lasting_by, perhaps_by, each_time, local_confidence } = row as Partial<Record<keyof Question, unknown>>;
  if (typeof id !== 'string' || typeof text !== 'string') return [];
  return [{
    id, text, finding: typeof finding === 'string' ? finding : `Unanswered: ${text}`, applies_when: parseTexts(applies_when), answered_by: parseTexts(answered_by), waived_by: parseTexts(waived_by), lasting_by: parseTexts(lasting_by), perhaps_by: parseTexts(perhaps_by), each_time: each_time === true,
    ...(typeof local_confidence === 'number' ? { local_confidence } : {}),
  }];
};

const parseTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []);
