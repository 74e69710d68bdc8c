// When a pass starts (SPEC 7 Trigger): one decision from what is pending, the clock and the limits, with its reason.
import type { Knobs } from '../floor/knobs.ts';
import type { HoldReason, PassReason } from '../records.ts';

export type TriggerState = {
  /** Start of the task's last pass. */
  readonly last_start?: number;
  readonly pending_chars: number;
  /** When the oldest pending observation was made. */
  readonly oldest_at?: number;
  /** Something the agent or the user did is pending, not only notes of ours. */
  readonly activity: boolean;
  readonly salient: readonly ('error' | 'user_prompt')[];
  /** Starts of passes that salience brought forward; see `drawn`. */
  readonly salience_draws: readonly number[];
  readonly turn_ended?: boolean;
  /** The turn that ended was started or continued by us. */
  readonly own_turn?: boolean;
  readonly asked?: boolean;
};

export type TriggerFacts = {
  readonly muted: boolean;
  readonly budget_spent: boolean;
  /** Factor on the floor, 1 and up. */
  readonly backoff: number;
  readonly busy: boolean;
  readonly enrolled: boolean;
  readonly paused: boolean;
};

export type TriggerDecision =
  | { readonly go: true; readonly because: PassReason }
  /** `again_at`: when time alone may change the answer; absent when only an event can. */
  | { readonly go: false; readonly because: HoldReason; readonly again_at?: number };

/**
 * Whether a pass starts now. What always binds comes first; a person who asks and a turn's end pass floor and volume;
 * then volume and ceiling, both behind the floor; then salience, which passes the floor at the price of a token.
 */
export const decide = (t: TriggerState, now: number, limits: Knobs['loop'], facts: TriggerFacts): TriggerDecision => {
  const bound = whatBinds(facts, t.activity);
  if (bound !== undefined) return { go: false, because: bound };
  if (t.asked === true) return { go: true, because: 'asked' };
  if (t.turn_ended === true && t.own_turn !== true) return { go: true, because: 'turn-end' };

  const floor_until = floorEnd(t.last_start, now, limits.min_interval_s * Math.max(1, facts.backoff));
  const ceiling_at = (t.oldest_at ?? now) + limits.max_interval_s * SECOND;
  const enough = t.pending_chars >= limits.trigger_chars;
  if (floor_until <= now && enough) return { go: true, because: 'volume' };
  if (floor_until <= now && ceiling_at <= now) return { go: true, because: 'ceiling' };

  const token_at = t.salient.some((kind) => limits.salience_triggers.includes(kind)) ? nextToken(t.salience_draws, now, limits.salience_per_hour) : undefined;
  if (token_at !== undefined && token_at <= now) return { go: true, because: 'salience' };

  const due = enough ? floor_until : Math.max(floor_until, ceiling_at);
  const again_at = Math.min(due, token_at ?? due);
  if (t.turn_ended === true) return { go: false, because: 'own-turn', again_at };
  return { go: false, because: enough || ceiling_at <= now ? 'floor' : 'too-little', again_at };
};

/** The draws to remember once a pass with this reason has started at `now`: those of the last hour, oldest first. */
export const drawn = (draws: readonly number[], because: PassReason, now: number): number[] => [
  ...draws.filter((at) => isRecent(at, now)),
  ...(because === 'salience' ? [now] : []),
];

const whatBinds = (facts: TriggerFacts, activity: boolean): HoldReason | undefined => {
  if (!facts.enrolled) return 'not-enrolled';
  if (facts.muted) return 'muted';
  if (facts.paused) return 'paused';
  if (!activity) return 'no-activity';
  if (facts.budget_spent) return 'budget';
  return facts.busy ? 'busy' : undefined;
};

// A last start in the future means that the clock was set back: waiting for it could take hours, so it binds nothing.
const floorEnd = (last_start: number | undefined, now: number, seconds: number): number =>
  last_start === undefined || last_start > now ? now : last_start + seconds * SECOND;

const nextToken = (draws: readonly number[], now: number, per_hour: number): number | undefined => {
  if (per_hour === 0) return undefined;
  const recent = draws.filter((at) => isRecent(at, now)).sort((a, b) => a - b);
  const freed = recent.at(-per_hour);
  return freed === undefined ? now : freed + HOUR;
};

const isRecent = (at: number, now: number): boolean => at <= now && now - at < HOUR;

const SECOND = 1000;
const HOUR = 3600 * SECOND;
