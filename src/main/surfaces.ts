// The files in which the observer shows itself: turn.json for hooks, status.json for people.
import type { Advice, Because, Ceiling, Channel, ForkEnd, HoldReason, PassReason, SessionState, Usage, Verdict } from './records.ts';

/** sessions/<id>/turn.json: what the Stop hook must know at once (SPEC 4, 10). */
export type TurnFile = {
  readonly v: 1;
  readonly at: number;
  readonly host_pid: number;
  readonly state: SessionState;
  readonly task: string;
  /** Ids of monitors the stream shows the agent starting. */
  readonly agent_monitors: readonly string[];
  /** Launches seen and not yet reported, with the time of each. */
  readonly unreported: readonly { readonly id: string; readonly at: number }[];
  /** A continuation or wake was used and no human prompt has come since. */
  readonly wake_used: boolean;
  readonly muted: boolean;
  readonly ended: boolean;
  readonly finish_gate: {
    readonly enabled: boolean;
    readonly floor: number;
    readonly min_interval_s: number;
    readonly per_task_cap: number;
    readonly settle_s: number;
  };
  readonly advice_ttl_s: number;
  readonly queue_timeout_s: number;
};

/** What one detector's forks have come to. */
export type DetectorTally = {
  readonly runs: number;
  readonly silent: number;
  readonly advised: number;
  readonly delivered: number;
  readonly timeouts: number;
  readonly failed: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly input: number;
  readonly output: number;
  readonly took_ms: number;
  readonly uptake?: number;
  readonly closed: number;
  readonly last?: string;
};

/** One detector's row in status.json. */
export type DetectorStats = DetectorTally & {
  /** Why it does not run as often as it should, in words; absent when it does. */
  readonly stage?: string;
  readonly floor: number;
  readonly floor_source: string;
};

/** sessions/<id>/status.json: what stats, why and the status line read. */
export type Status = {
  readonly v: 1;
  readonly at: number;
  readonly version: string;
  readonly host_pid: number;
  readonly session: string;
  readonly task: string;
  readonly workspace: string;
  readonly state: SessionState;
  readonly phase: 'watching' | 'thinking' | 'muted' | 'budget-spent' | 'paused' | 'dormant';
  readonly provider: string;
  readonly model: string;
  readonly last_turn?: string;
  readonly last_pass?: { readonly at: number; readonly pass: number; readonly because: PassReason; readonly lines: readonly string[]; readonly took_ms: number };
  readonly hold?: HoldReason;
  readonly volumes: { readonly tools: Readonly<Record<string, Volume>>; readonly kinds: Readonly<Record<string, Volume>>; readonly unknown: Readonly<Record<string, number>> };
  readonly primary: Usage;
  readonly observer: Usage;
  /** Weighted tokens. `binds` is the tightest of all ceilings and `left` what it leaves; absent where nothing is paid. */
  readonly spent: { readonly task: number; readonly hour: number; readonly task_cap: number; readonly hour_cap: number; readonly binds?: Ceiling; readonly left?: number };
  readonly money?: { readonly usd: number; readonly passes: number; readonly since: number };
  readonly passes: { readonly count: number; readonly by_reason: Readonly<Record<string, number>>; readonly holds: Readonly<Record<string, number>> };
  /** Passes of the last hour beside what the floor allows; `stretch` is the factor that backoff lays on the floor. */
  readonly pace?: { readonly last_hour: number; readonly cap: number; readonly stretch: number };
  readonly detectors: Readonly<Record<string, DetectorStats>>;
  readonly advice: { readonly generated: number; readonly delivered: number; readonly gated: Readonly<Record<string, number>>; readonly last_hour: number; readonly rate_cap: number };
  /** `rebuilds`: how often the prefix was written anew, compactions aside. */
  readonly window: { readonly chars: number; readonly budget_chars: number; readonly compactions: number; readonly rebuilds?: number; readonly generation: number };
  readonly ledgers: { readonly count: number; readonly oldest_at?: number };
  readonly notices: readonly string[];
};

/** A line of a session's history.jsonl: what became of one advisory. */
export type HistoryLine = {
  readonly v: 1;
  readonly at: number;
  readonly id: string;
  readonly event: 'generated' | 'gated' | 'enqueued' | 'claimed' | 'confirmed' | 'lost' | 'returned' | 'expired' | 'withdrawn' | 'outcome';
  readonly because?: Because;
  readonly channel?: Channel;
  readonly advice?: Advice;
  readonly verdict?: Verdict;
  readonly evidence?: readonly string[];
};

/** Something that happened in the session, as the report's timeline shows it; `n` is its number in the window. */
export type Mark = { readonly at: number; readonly n: number; readonly kind: 'prompt' | 'edit' | 'error' | 'note'; readonly text: string };

/** One fork of a pass that is over. `from_ms` counts from the first fork's start; `tokens` are weighted. */
export type PassFork = {
  readonly detector: string;
  readonly pilot: boolean;
  readonly end: ForkEnd;
  readonly verdict: string;
  readonly from_ms: number;
  readonly took_ms: number;
  readonly first_event_ms?: number;
  readonly usage: Usage;
  readonly tokens: number;
  readonly headline?: string;
  readonly confidence?: number;
  readonly cause?: string;
};

/** A line of a session's passes.jsonl: what a pass saw, did and cost. `primary` and `window` are as they stood at its end. */
export type PassLine = {
  readonly v: 1;
  readonly task: string;
  readonly pass: number;
  readonly at: number;
  readonly ended_at: number;
  readonly because: PassReason;
  readonly provider: string;
  readonly model: string;
  readonly observations: number;
  readonly marks: readonly Mark[];
  /** Marks beyond what a line holds. */
  readonly more_marks?: number;
  readonly forks: readonly PassFork[];
  readonly skipped: readonly { readonly detector: string; readonly because: string }[];
  readonly tokens: number;
  readonly usd?: number;
  readonly primary: Usage;
  readonly window: { readonly chars: number; readonly budget_chars: number; readonly compactions: number };
};

/** Volume per tool or record kind: what it was, and what of it was kept. */
export type Volume = { readonly count: number; readonly raw_chars: number; readonly kept_chars: number };

/** A line of the live cross-task index (SPEC 6). `paths` are relative to the repository. */
export type IndexLine = {
  readonly task: string;
  readonly session: string;
  readonly cwd: string;
  readonly git_dir: string;
  readonly goal: string;
  readonly paths: readonly string[];
  readonly at: number;
};
