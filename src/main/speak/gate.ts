// Whether an advisory is said, to whom, and if not, why: most of them end here (SPEC 9).
import type { Advice, Because, Feedback, GateDecision, Observation } from '../records.ts';
import type { Knobs } from '../floor/knobs.ts';
import { adviceProblems, agentText, keyOf, TURN_REPORT } from './advice.ts';
import type { Floor } from './floors.ts';
import { similarity, tokensOf } from './similar.ts';
import { isStale } from './stale.ts';

/** An advisory of this task that counts against saying the same again: delivered, or dropped for good. */
export type Said = { readonly id: string; readonly kind: string; readonly key: string; readonly tokens: readonly string[] };

/** A slot taken in a bucket, across the session's tasks: still waiting, or delivered. */
export type Spoken = { readonly id: string; readonly to: 'agent' | 'human'; readonly at: number; readonly delivered_at?: number };

/** What the gate must know besides the advisory; `factsOf` in history.ts gathers said, spoken and waiting. */
export type GateState = {
  /** `mute.all`, or the detector muted itself. */
  readonly muted: boolean;
  readonly suppressed: readonly string[];
  readonly said: readonly Said[];
  readonly spoken: readonly Spoken[];
  /** Advisories in new/. */
  readonly waiting: readonly Advice[];
  /** Observations numbered after `advice.after`. */
  readonly later: readonly Pick<Observation, 'kind' | 'text' | 'command'>[];
  readonly floor: Pick<Floor, 'value'>;
};

export type GateLimits = Pick<Knobs['gate'], 'human_floor' | 'rate_per_hour' | 'cooldown_s' | 'dedup_threshold' | 'max_mailbox_entries'>;

/** The decision on one advisory, its checks in a fixed order (SPEC 9). A later one of the same key or detector replaces waiting mail. */
export const judge = (advice: Advice, state: GateState, now: number, limits: GateLimits): GateDecision => {
  if (advice.evidence.length === 0) return drop(advice, 'no-evidence');
  if (state.muted) return drop(advice, 'muted');
  if (state.suppressed.includes(advice.dedup_key)) return drop(advice, 'suppressed');
  const replaced = state.waiting.filter((mail) => isReplacedBy(mail, advice));
  if (saidBefore(advice, state, replaced, limits.dedup_threshold)) return drop(advice, 'duplicate');
  if (advice.confidence < limits.human_floor) return drop(advice, 'below-human-floor');
  const below = !advice.human_only && advice.confidence < state.floor.value;
  const to = advice.human_only || below ? 'human' : 'agent';
  const full = tooMuch(state.spoken.filter((one) => one.to === to && !replaced.some(({ id }) => id === one.id)), now, limits);
  if (full !== undefined) return drop(advice, full);
  if (isStale(advice.stale_if, state.later)) return drop(advice, 'stale');
  if (advice.headline === '' || adviceProblems(agentText(advice)).length > 0) return drop(advice, 'unfit');
  return speak(advice, to, replaced[0]?.id, below ? 'below-agent-floor' : undefined);
};

const drop = (advice: Advice, because: Because): GateDecision => ({ speak: false, advice: { ...advice, because }, because });

const speak = (advice: Advice, to: 'agent' | 'human', supersedes: string | undefined, because: Because | undefined): GateDecision => {
  const reason = because === undefined ? {} : { because };
  const said: Advice = {
    ...advice,
    human_only: to === 'human',
    finish_gate: advice.finish_gate && to === 'agent',
    ...(supersedes === undefined ? {} : { supersedes }),
    ...reason,
  };
  return { speak: true, to, advice: said, ...reason };
};

const isReplacedBy = (mail: Advice, advice: Advice): boolean =>
  mail.task_id === advice.task_id && (mail.kind === advice.kind || mail.dedup_key === advice.dedup_key);

const saidBefore = (advice: Advice, state: GateState, replaced: readonly Advice[], threshold: number): boolean => {
  const tokens = adviceTokens(advice);
  const same = (key: string, others: readonly string[]): boolean => key === advice.dedup_key || similarity(tokens, others) >= threshold;
  return (
    state.said.some((one) => same(one.key, one.tokens)) ||
    state.waiting.some((mail) => mail.kind !== TURN_REPORT && !replaced.includes(mail) && same(mail.dedup_key, adviceTokens(mail)))
  );
};

/** What an advisory is compared by: its headline, which states the finding; the body argues in ever new words. */
export const adviceTokens = (advice: Pick<Advice, 'headline'>): readonly string[] => tokensOf(advice.headline);

const HOUR_MS = 3_600_000;

/**
 * Waiting mail holds its slot whenever it was put there, since it may be delivered at any moment: so no hour ever sees
 * more deliveries than `rate_per_hour`, however late they are drained.
 */
const tooMuch = (spoken: readonly Spoken[], now: number, limits: GateLimits): Because | undefined => {
  const held = spoken.filter(({ delivered_at }) => delivered_at === undefined || within(now, delivered_at, HOUR_MS));
  if (held.length >= limits.rate_per_hour) return 'rate';
  return held.some(({ at, delivered_at }) => within(now, delivered_at ?? at, limits.cooldown_s * 1000)) ? 'cooldown' : undefined;
};

// A clock that was set back leaves stamps of a time to come: those far ahead say nothing.
const within = (now: number, at: number, ms: number): boolean => Math.abs(now - at) < ms;

export type Ousted = { readonly advice: Advice; readonly because: Extract<Because, 'superseded' | 'mailbox-full' | 'resolved'> };

/** The mailbox with a newly spoken advisory in it, and what had to leave: replaced mail, then the least sure, then the oldest. */
export const admit = (waiting: readonly Advice[], advice: Advice, limits: Pick<GateLimits, 'max_mailbox_entries'>): { readonly keep: readonly Advice[]; readonly out: readonly Ousted[] } => {
  const superseded = waiting.filter((mail) => isReplacedBy(mail, advice));
  let keep = [...waiting.filter((mail) => !superseded.includes(mail)), advice];
  const out: Ousted[] = superseded.map((mail) => ({ advice: mail, because: 'superseded' }));
  for (let entries = keep.filter(countsAsEntry); entries.length > limits.max_mailbox_entries; entries = keep.filter(countsAsEntry)) {
    const least = entries.reduce((a, b) => (b.confidence < a.confidence || (b.confidence === a.confidence && b.generated_at < a.generated_at) ? b : a));
    keep = keep.filter((mail) => mail !== least);
    out.push({ advice: least, because: 'mailbox-full' });
  }
  return { keep, out };
};

/** The user's turn report is no advisory: newer ones replace it, and it takes no place. */
const countsAsEntry = (mail: Advice): boolean => mail.kind !== TURN_REPORT;

/** Waiting mail that its detector takes back by `resolved`: of the key it names, else all of its own. */
export const resolvedMail = (waiting: readonly Advice[], detector: string, feedback: Pick<Feedback, 'verdict' | 'dedup_key'>): readonly Ousted[] => {
  if (feedback.verdict !== 'resolved') return [];
  const key = feedback.dedup_key === undefined ? undefined : keyOf(feedback.dedup_key);
  return waiting.filter((mail) => mail.kind === detector && (key === undefined || mail.dedup_key === key)).map((advice) => ({ advice, because: 'resolved' }));
};
