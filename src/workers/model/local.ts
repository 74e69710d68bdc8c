// The judge without a network (SPEC 7.1 `local`): what rules can tell from the stream, in sentences from templates. Everything else is silent.
import { answeredAfter, parseQuestions, readStream, standing, type OpenQuestion, type Question, type QuestionState, type Stream } from '../../main/pass/questions.ts';
import { isAskedFor } from '../../main/pass/repetition.ts';
import { repeatOutcomes } from '../../main/pass/structure.ts';
import type { Feedback, Numbered, Outcome, StructuralMatch } from '../../main/records.ts';
import type { ForkTask } from '../contract.ts';
import { finish, type Finish } from './ending.ts';

type Open = NonNullable<ForkTask['open']>;

/** A detector's answer by rules: pure, and the same for the same stream. */
export const judgeLocally = ({ detector, match, stream = [], open = [], earlier = [] }: ForkTask): Feedback => {
  if (match !== undefined) return isWanted(match, stream) ? { verdict: 'silent', checked: 'asked to keep at it' } : ofMatch(match, open);
  if (detector.structural !== undefined) return withOutcomes({ verdict: 'silent' }, repeatOutcomes(stream, open));
  const questions = parseQuestions(detector.config);
  return questions.length === 0 ? { verdict: 'silent' } : ofQuestions(detector.config, questions, { stream, earlier: earlier.map((seen, at) => ({ ...seen, n: at - earlier.length })) }, open);
};

// A count of failures leaves little to doubt; what is open to doubt is whether the agent knows already.
const MATCH_CONFIDENCE = 0.85;

const ofMatch = ({ key, headline, body, evidence, stale_if }: StructuralMatch, open: Open): Feedback =>
  open.some((advice) => advice.key === key.toLowerCase())
    ? { verdict: 'still_open', dedup_key: key, headline, evidence }
    : { verdict: 'advise', headline, body, evidence, confidence: MATCH_CONFIDENCE, dedup_key: key, stale_if };

/** Whether the user asked for what was cited, again and again. */
const isWanted = ({ detector, evidence }: StructuralMatch, stream: readonly Numbered[]): boolean => {
  const cited = evidence.map((cite) => Number(cite.slice(1)));
  return detector === 'repeat-failure' && isAskedFor(stream, Math.min(...cited), Math.max(...cited));
};

/** `earlier`: the user's prompts from before the stream, numbered below its first. */
type Known = { readonly stream: readonly Numbered[]; readonly earlier: readonly Numbered[] };

const ofQuestions = (config: Readonly<Record<string, unknown>>, questions: readonly Question[], { stream, earlier }: Known, open: Open): Feedback => {
  const read = readStream(stream);
  const before = readStream(earlier);
  const outcomes = questions.flatMap((question) => closedBy(question, read, open));
  const states = questions.map((question): Standing => ({ question, now: standing(question, read, before) }));
  const raised = raisedQuestion(states, stream, finish(stream, config), turnOf(read));
  if (raised !== undefined) {
    const said = open.some(({ id, key }) => key === keyOf(raised.question) && !outcomes.some(({ advice_id }) => advice_id === id));
    return withOutcomes(said ? { verdict: 'still_open', dedup_key: keyOf(raised.question) } : raised.feedback, outcomes);
  }
  const resolved = questions.find((question) => outcomes.some(({ advice_id }) => open.some(({ id, key }) => id === advice_id && key === keyOf(question))));
  const checked = states.map(({ question, now }) => `${question.id} ${now.state}`).join(', ');
  if (resolved !== undefined) return withOutcomes({ verdict: 'resolved', dedup_key: keyOf(resolved), evidence: outcomes.flatMap(({ evidence }) => evidence), checked }, outcomes);
  return { verdict: 'silent', checked };
};

const closedBy = (question: Question, stream: Stream, open: Open): readonly Outcome[] =>
  open.filter(({ key }) => key === keyOf(question)).flatMap(({ id, after }) => {
    const by = answeredAfter(question, stream, after);
    return by === undefined ? [] : [{ advice_id: id, verdict: 'adopted' as const, evidence: [`#${by}`] }];
  });

// ── which question is worth a word? ──────────────────────────────────────────

type Standing = { readonly question: Question; readonly now: QuestionState };
type Raised = { readonly question: Question; readonly feedback: Feedback };

/** Number of the prompt that began the latest turn. */
const turnOf = (stream: Stream): number => stream.findLast(({ opens }) => opens)?.n ?? 0;

/** The open question the judge is surest of. What was left in an earlier turn is not what this one's last words are about. */
const raisedQuestion = (states: readonly Standing[], stream: readonly Numbered[], finished: Finish | undefined, turn: number): Raised | undefined => {
  if (finished === undefined) return undefined;
  const raised = states.flatMap(({ question, now }): Raised[] => {
    // A command nobody here knows may have been the answer: no accusation on a guess.
    if (question.local_confidence === undefined || now.state !== 'open' || now.perhaps !== undefined || (now.changes.at(-1) ?? 0) < turn) return [];
    const confidence = sureness(question.local_confidence, now, finished);
    return confidence < WORTH_A_WORD ? [] : [{ question, feedback: raise(question, now.changes, finished, confidence, stream) }];
  });
  return raised.sort((a, b) => (b.feedback.confidence ?? 0) - (a.feedback.confidence ?? 0))[0];
};

// One small change may not need an answer, and a turn may end with the work half done: each makes it a guess.
const ONE_CHANGE = 0.3;
/** Where the question was answered for earlier changes, one more matters nearly as much. */
const ONE_MORE_CHANGE = 0.15;
const UNDECLARED = 0.35;
/** They did without it once; perhaps they still do. */
const WAIVED_BEFORE = 0.3;
/** Below it the judge says nothing: of such guesses fewer than half were right on sessions that were new to it. */
const WORTH_A_WORD = 0.5;

const sureness = (base: number, { changes, answered_before, waived_before }: Omit<OpenQuestion, 'state'>, { declared }: Finish): number => {
  const few = changes.length >= 2 ? 0 : answered_before === true ? ONE_MORE_CHANGE : ONE_CHANGE;
  return Math.round((base - few - (waived_before === true ? WAIVED_BEFORE : 0) - (declared ? 0 : UNDECLARED)) * 100) / 100;
};

const MAX_CITED = 5;
const MAX_STALE = 12; // what the gate keeps; the catalogue lists the likeliest first

const raise = (question: Question, changes: readonly number[], { declared, shown }: Finish, confidence: number, stream: readonly Numbered[]): Feedback => {
  const files = [...new Set(changes.flatMap((n) => stream.find((seen) => seen.n === n)?.paths?.slice(0, 1) ?? []))].map((path) => path.split(/[\\/]/).slice(-2).join('/'));
  const named = files.length === 0 ? '' : ` to ${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`;
  return {
    verdict: 'advise',
    headline: question.finding,
    body: `It concerns ${changes.length === 1 ? 'one change' : `${changes.length} changes`}${named}.${declared ? ' The work is described as finished.' : ''}`,
    evidence: [...changes.slice(-MAX_CITED), ...shown].map((n) => `#${n}`),
    confidence,
    dedup_key: keyOf(question),
    stale_if: question.answered_by.filter((pattern) => pattern.startsWith('run:')).map((pattern) => pattern.slice('run:'.length)).slice(0, MAX_STALE),
    finish_gate: true,
  };
};

const keyOf = ({ id }: Question): string => `standard-questions:${id.toLowerCase()}`;

const withOutcomes = (feedback: Feedback, outcomes: readonly Outcome[]): Feedback => (outcomes.length === 0 ? feedback : { ...feedback, outcomes });
