// Which waiting mail a hook may take, and the one answer both sides get (SPEC 9, 10).
import type { Advice } from '../records.ts';
import type { TurnFile } from '../surfaces.ts';
import type { Mail } from './envelope.ts';
import { occurs } from './stale.ts';

/** Hook events whose answer reaches someone. A bell is a UserPromptSubmit. */
export type SpeakingEvent = 'PostToolUse' | 'PostToolUseFailure' | 'UserPromptSubmit' | 'SessionStart' | 'Stop';

/** What a hook was called for. */
export type Occasion = {
  readonly event: SpeakingEvent;
  readonly session: string;
  readonly agent_id?: string | undefined;
  readonly prompt_id?: string | undefined;
  /** What the payload itself shows the agent doing or being told; it may answer an advisory. */
  readonly text: string;
};

/** What the hook knows beside the payload. `host_pid` is 0 on hosts that do not tell theirs. */
export type ClaimFacts = {
  readonly host_pid: number;
  readonly turn: TurnFile | undefined;
  readonly prompts_seen: readonly string[];
  readonly muted: boolean;
  readonly now: number;
};

export type NoClaim = 'subagent' | 'muted' | 'ended' | 'running-turn' | 'other-session' | 'other-host' | 'expired-ttl' | 'expired-queue' | 'stale' | 'not-here';

/** Mail for a drain: surest first, then oldest, as much as fits into one answer; the rest waits for the next. */
export const select = (mail: readonly Mail[], occasion: Occasion, facts: ClaimFacts): { readonly take: readonly Mail[] } => {
  const take: Mail[] = [];
  for (const item of mail.toSorted(bySureness)) {
    if (!refusal(item.advice, occasion, facts) && fits(occasion.event, [...take, item])) take.push(item);
  }
  return { take };
};

/** Why this occasion may not take this advisory; undefined when it may. */
export const refusal = (advice: Advice, occasion: Occasion, facts: ClaimFacts): NoClaim | undefined => {
  const { event, agent_id, prompt_id } = occasion;
  const { turn } = facts;
  if (agent_id) return 'subagent';
  if (facts.muted || turn?.muted) return 'muted';
  if (turn?.ended) return 'ended';
  // Stop is the finish gate's; a session that has only started has no turn for the agent's copy to ride on.
  if (event === 'Stop' || (event === 'SessionStart' && !advice.human_only)) return 'not-here';
  if (event === 'UserPromptSubmit') {
    // Typed into a running turn: the answer would wait for the prompt and die with it (CONTRACT m).
    const running = prompt_id ? facts.prompts_seen.includes(prompt_id) : turn && turn.state !== 'idle' && turn.state !== 'starting';
    if (running) return 'running-turn';
  }
  return unfit(advice, occasion, facts);
};

/** Why an advisory is no longer true, or no longer wanted here, whatever the channel. */
export const unfit = (advice: Advice, { session, text }: Pick<Occasion, 'session' | 'text'>, { host_pid, turn, now }: Pick<ClaimFacts, 'host_pid' | 'turn' | 'now'>): NoClaim | undefined => {
  if (advice.session_id !== session) return 'other-session';
  if (advice.host_pid !== host_pid) return 'other-host';
  return expiredBecause(advice, now, turn ?? NO_TURN) ?? (occurs(advice.stale_if, text) ? 'stale' : undefined);
};

/** Which of the two clocks an advisory has outlived: its truth from its making, its wait from its entry into the mailbox. */
export const expiredBecause = (advice: Advice, now: number, limits: { readonly queue_timeout_s: number }): 'expired-ttl' | 'expired-queue' | undefined => {
  if (now >= advice.generated_at + advice.ttl * 1000) return 'expired-ttl';
  return now >= (advice.enqueued_at ?? advice.generated_at) + limits.queue_timeout_s * 1000 ? 'expired-queue' : undefined;
};

/** What is to be said at one event, to each side. */
export type Words = { readonly agent: readonly string[]; readonly user: readonly string[] };

/** The words of claimed mail: agent-addressed to both sides, the rest to the user. At Stop the host shows the context itself. */
export const wordsOf = (event: SpeakingEvent | 'bell', mail: readonly Mail[]): Words => ({
  agent: mail.filter(({ advice }) => !advice.human_only).map(({ said }) => said.agent),
  user: event === 'Stop' ? [] : mail.map(({ said }) => said.user),
});

/** What a hook prints beside a block: nothing else is ever printed (CONTRACT b). */
export type HookAnswer = {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: SpeakingEvent; readonly additionalContext: string };
};

/** The one answer to `event` that says all of `words`; undefined when there are none. */
export const answer = (event: SpeakingEvent, words: readonly Words[]): HookAnswer | undefined => {
  const agent = words.flatMap((part) => part.agent).join('\n\n');
  const user = words.flatMap((part) => part.user).join('\n\n');
  const message = user ? { systemMessage: user } : undefined;
  return agent ? { ...message, hookSpecificOutput: { hookEventName: event, additionalContext: agent } } : message;
};

// The host replaces a context of more than 10,000 characters by a file's name. Both sides and their encoding are counted.
const ANSWER_CAP = 7000;

// The knob's default, for mail whose monitor has left no turn.json.
const NO_TURN = { queue_timeout_s: 600 };

const fits = (event: SpeakingEvent, mail: readonly Mail[]): boolean => JSON.stringify(answer(event, [wordsOf(event, mail)]) ?? '').length <= ANSWER_CAP;

/** Order in which mail is said. */
export const bySureness = (a: Mail, b: Mail): number => b.advice.confidence - a.advice.confidence || a.advice.generated_at - b.advice.generated_at;
