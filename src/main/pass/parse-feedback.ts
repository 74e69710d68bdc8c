// A tolerant reader of what a fork hands back. Forks need it, the monitor does not: its schemas take a while to load.
import * as z from 'zod';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { Feedback } from '../records.ts';

export type ParsedFeedback = { readonly ok: true; readonly feedback: Feedback } | { readonly ok: false; readonly why: string };

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
