// What a fork hands back: the tool it answers through, a tolerant reader of the answer, and the lines the window keeps.
import * as z from 'zod';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { Feedback, ForkResult } from '../records.ts';

export type ParsedFeedback = { readonly ok: true; readonly feedback: Feedback } | { readonly ok: false; readonly why: string };

export type ToolDefinition = { readonly description: string; readonly input_schema: Readonly<Record<string, unknown>>; readonly name: string };

export const FEEDBACK_NAME = 'second_brain_detector_feedback';

/**
 * A model's answer as Feedback. Repairs what cheap models do (JSON in a string, numbers as text, one string for a
 * list, nulls); an optional field that cannot be read is dropped, and only a missing verdict or finding is a problem.
 */
export const parseFeedback = (raw: unknown): ParsedFeedback => {
  const read = Answer.safeParse(typeof raw === 'string' ? fromText(raw) : raw);
  if (!read.success) return { ok: false, why: whyOf(read.error) };
  const feedback = parsePresent(read.data);
  if (feedback.verdict !== 'advise') return { ok: true, feedback };
  const headline = feedback.headline ?? feedback.body?.split('\n', 1)[0]?.slice(0, MAX_HEADLINE);
  if (headline === undefined) return { ok: false, why: 'headline: an advise verdict without a finding' };
  return { ok: true, feedback: { ...feedback, headline } };
};

/** Lines for the window, in the detectors' name order whatever order they ended in; `at` is shown in UTC. */
export const feedbackLines = (results: readonly ForkResult[], pass: number, at: number): string[] => {
  const time = new Date(at).toISOString().slice(11, 16);
  return [...results].sort((a, b) => (a.detector < b.detector ? -1 : 1)).map((result) => `[pass ${pass}, ${time}] ${result.detector} → ${saidBy(result)}`);
};

const saidBy = ({ end, feedback }: ForkResult): string => {
  if (end === 'no-match') return 'silent (no match)';
  if (end !== 'feedback') return `silent (${end})`;
  const { verdict, headline, confidence, dedup_key, checked, outcomes } = feedback;
  const notes = [
    ...(confidence === undefined || verdict === 'silent' ? [] : [confidence.toFixed(2)]),
    ...(dedup_key === undefined || verdict === 'silent' ? [] : [`key ${line(dedup_key, 120)}`]),
    ...(checked === undefined ? [] : [`checked: ${line(checked, 160)}`]),
    ...(outcomes ?? []).map(({ advice_id, verdict, evidence }) => `${line(advice_id, 40)} ${verdict} ${evidence.map((cite) => line(cite, 40)).join(' ')}`.trimEnd()),
  ];
  const finding = headline === undefined || verdict === 'silent' ? '' : ` "${line(headline, 160)}"`;
  return `${verdict}${finding}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
};

const line = (text: string, max: number): string => wellFormed(text.replace(/[\s\p{Cc}]+/gu, ' ').trim().slice(0, max)).replaceAll('"', "'");

// Caps against a reply that never ends; the gate has its own, much smaller ones for what is said.
const MAX_TEXT = 50_000;
const MAX_HEADLINE = 400;
const MAX_BODY = 6000;
const MAX_ITEM = 400;
const MAX_ITEMS = 20;

const fromText = (raw: string): unknown => {
  if (raw.trim() === '') return {};
  try {
    return JSON.parse(raw);
  } catch {
    return raw; // not JSON: the schema below names the fault
  }
};

/** Redacted before it is cut: a model may repeat a secret in words that nobody recognised on its way in. */
const textOf = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.string().transform((text) => wellFormed(redact(text.trim().slice(0, MAX_TEXT)).slice(0, max))).pipe(z.string().min(1)),
  );
const optionalText = (max: number) => textOf(max).optional().catch(undefined);

// A bad item costs itself, not the list.
const listOf = <T>(item: z.ZodType<T>) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]),
    z.array(z.unknown()).transform((items) => items.slice(0, MAX_ITEMS).flatMap((each) => {
      const read = item.safeParse(each);
      return read.success ? [read.data] : [];
    })),
  );

const confidence = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  const share = value.trim().endsWith('%');
  const number = Number.parseFloat(value);
  return share ? number / 100 : number;
}, z.number().min(0).transform((value) => (value > 1 ? value / 100 : value)).pipe(z.number().max(1)));

const word = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase().replaceAll(/[\s-]/g, '_') : value);

const Outcomes = z.object({
  advice_id: textOf(100),
  verdict: z.preprocess(word, z.enum(['adopted', 'partially_adopted', 'rejected', 'already_handled', 'no_evidence', 'contradicted'])),
  evidence: listOf(textOf(MAX_ITEM)),
  reason: optionalText(MAX_ITEM),
});

const Answer = z.object({
  verdict: z.preprocess(word, z.enum(['silent', 'advise', 'resolved', 'still_open'])),
  headline: optionalText(MAX_HEADLINE),
  body: optionalText(MAX_BODY),
  evidence: listOf(textOf(MAX_ITEM)),
  confidence: confidence.optional().catch(undefined),
  dedup_key: optionalText(MAX_ITEM),
  stale_if: listOf(textOf(MAX_ITEM)),
  finish_gate: z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean()).optional().catch(undefined),
  outcomes: listOf(Outcomes),
  new_goal: optionalText(MAX_ITEM),
  checked: optionalText(MAX_ITEM),
});

// Absent and empty are the same answer; absent is the shorter one.
const parsePresent = ({ verdict, outcomes, ...rest }: z.output<typeof Answer>): Feedback => {
  const closed = outcomes.map(({ reason, ...outcome }) => ({ ...outcome, ...(reason === undefined ? {} : { reason }) }));
  const filled = Object.entries(rest).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0));
  return { ...(Object.fromEntries(filled) as Partial<Feedback>), verdict, ...(closed.length === 0 ? {} : { outcomes: closed }) };
};

const whyOf = (error: z.ZodError): string => {
  const issue = error.issues[0];
  if (issue === undefined) return 'unreadable';
  const field = issue.path.join('.');
  return `${field === '' ? 'feedback' : field}: ${issue.message}`;
};

const text = (description: string) => ({ description, type: 'string' });
const texts = (description: string) => ({ description, items: { type: 'string' }, type: 'array' });

/** The tool every fork ends with. Keys stand in alphabetical order: these bytes lead the cached prefix. */
export const FEEDBACK_TOOL: ToolDefinition = {
  description: 'Ends your look and reports it. Call it exactly once. `silent` is the usual verdict and needs no other field.',
  input_schema: {
    additionalProperties: false,
    properties: {
      body: text('advise: what was observed and why it matters, as observation, not as an order.'),
      checked: text('One line: what you looked at. Worth giving with silent too.'),
      confidence: { description: 'advise: how sure you are, 0 to 1.', maximum: 1, minimum: 0, type: 'number' },
      dedup_key: text('advise, resolved, still_open: a short stable name of the finding, e.g. tests-not-run:services/api.'),
      evidence: texts('advise: citations that occur in the data: #12, a path, path:line, a commit, a command, or words quoted exactly.'),
      finish_gate: { description: 'advise: cited work is unfinished and worth going on for after the agent has stopped.', type: 'boolean' },
      headline: text('advise: the finding in one sentence.'),
      new_goal: text('Only when the session has plainly turned to another task: its goal in one line.'),
      outcomes: {
        description: 'Verdicts on your own earlier advisories listed below your instructions.',
        items: {
          additionalProperties: false,
          properties: {
            advice_id: text('Its id.'),
            evidence: texts('The later observations that show it, as #n.'),
            reason: text('One line.'),
            verdict: { enum: ['adopted', 'already_handled', 'contradicted', 'no_evidence', 'partially_adopted', 'rejected'], type: 'string' },
          },
          required: ['advice_id', 'verdict', 'evidence'],
          type: 'object',
        },
        type: 'array',
      },
      stale_if: texts('advise: literal texts (with * as wildcard) which, once observed later, show that it was handled.'),
      verdict: { enum: ['advise', 'resolved', 'silent', 'still_open'], type: 'string' },
    },
    required: ['verdict'],
    type: 'object',
  },
  name: FEEDBACK_NAME,
};
