// Every shape that travels, in travel order: signal → observation → window → pass → advice → delivery.
// Times are milliseconds since the epoch unless a name ends in _s (seconds). Texts are redacted and well-formed Unicode.

// ─── 1 ingest ────────────────────────────────────────────────────────────────

/** The events our hooks report (SPEC 3). PostToolUse reports nothing: the file watch carries it. */
export type SignalEvent = 'SessionStart' | 'UserPromptSubmit' | 'PostToolUseFailure' | 'SubagentStop' | 'Stop' | 'StopFailure' | 'SessionEnd';

/** An entry of `background_tasks` or `session_crons`, as the Stop payload names it. */
export type BackgroundTask = { readonly id: string; readonly type: string };

/** One line of a host's spool, written by a hook (SPEC 3): what nobody but the payload knows. */
export type Signal = {
  readonly v: 1;
  readonly event: SignalEvent;
  readonly at: number;
  readonly session: string;
  readonly transcript: string;
  readonly cwd: string;
  /** SessionStart: startup | resume | clear | compact | fork, or whatever a later host says. */
  readonly source?: string;
  /** SessionEnd: clear | resume | prompt_input_exit | other; StopFailure: the error's kind. */
  readonly reason?: string;
  readonly prompt_id?: string;
  /** UserPromptSubmit: whose words these are. */
  readonly origin?: 'human' | 'notification' | 'bell';
  readonly agent_id?: string;
  readonly agent_type?: string;
  /** Stop, SubagentStop: the final text, redacted and capped by the hook. */
  readonly last_text?: string;
  readonly stop_hook_active?: boolean;
  readonly background?: readonly BackgroundTask[];
  readonly attended?: boolean;
  readonly permission_mode?: string;
  /** Plugin user options (contract j). */
  readonly provider?: string;
  readonly model?: string;
};

/** How far a transcript was read (SPEC 5.1). `hash` covers the bytes just before `offset`. */
export type Position = {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly offset: number;
  readonly hash: string;
  /** uuid of the last record consumed: resynchronises when the file was replaced. */
  readonly uuid?: string;
};

export type NoteKind =
  | 'compaction'
  | 'clear'
  | 'resume'
  | 'fork'
  | 'rewind'
  | 'turn-end'
  | 'interrupt'
  | 'refusal'
  | 'api-error'
  | 'background'
  | 'gap';

export type ObservationKind = 'prompt' | 'text' | 'tool' | 'done' | 'error' | 'agent' | 'note';

/**
 * A projected, redacted record (SPEC 5.3). `text` is the fixed rendering with its tag, e.g. `[tool] Bash npm test`.
 * `done` says that a call returned without error: the queue folds it into the call when both are in one episode.
 */
export type Observation = {
  readonly kind: ObservationKind;
  readonly at: number;
  /** uuid of the record it came from; copies in a fork or resume share it. */
  readonly uuid: string;
  readonly text: string;
  /** Characters of the transcript content this stands for, before projection. */
  readonly raw_chars: number;
  readonly tool?: string;
  /** tool_use id: joins a call with its error or done. */
  readonly call?: string;
  /** Shell command, redacted, at most 4,000 chars: what the structural detectors normalise. Never rendered. */
  readonly command?: string;
  /** Paths the arguments name; the first is the file acted on. */
  readonly paths?: readonly string[];
  /** The call changes `paths[0]`. */
  readonly writes?: boolean;
  /** `done` of an edit: `@L88-L94`, from structuredPatch. */
  readonly anchor?: string;
  readonly note?: NoteKind;
  /** The call started work that outlives it (background shell, agent, monitor): its id when known. */
  readonly launches?: string;
  /** note `background`: the id that was reported finished. */
  readonly settles?: string;
  /** Prompt of a human (not a slash command's body, not a notification). */
  readonly human?: boolean;
  /** note `turn-end`: why, e.g. `end_turn`, `rate_limit`; note `background`: its status. */
  readonly reason?: string;
};

/** Proof that something of ours arrived, found in a record and never observed (SPEC 1.12, 10). */
export type Proof = {
  /** The advice ids named in the record. */
  readonly ids: readonly string[];
  readonly channel: 'context' | 'message' | 'informational';
  readonly at: number;
  /** The record's, once the chain has read it: a rewind names its dead records so. */
  readonly uuid?: string;
};

/** A prompt record's life, for the session state machine and for task splits. */
export type ReadEvent =
  | { readonly kind: 'prompt'; readonly origin: 'human' | 'notification' | 'bell'; readonly at: number; readonly prompt_id?: string }
  | { readonly kind: 'response'; readonly at: number }
  | { readonly kind: 'tool-result'; readonly at: number; readonly call: string }
  | { readonly kind: 'interrupt'; readonly at: number }
  | { readonly kind: 'api-error'; readonly at: number }
  | { readonly kind: 'blocked'; readonly at: number }
  | { readonly kind: 'withdrawn'; readonly at: number; readonly text: string }
  | { readonly kind: 'turn-end'; readonly at: number; readonly reason: string }
  /** `dead`: of the records that no longer count, those that carried something of ours. */
  | { readonly kind: 'rewind'; readonly at: number; readonly dead: readonly string[] };

/** Token counts of one API message; last record of a `message.id` wins (SPEC 5.2). */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write_5m: number;
  readonly cache_write_1h: number;
};

/**
 * One transcript line, projected without any state (so that ranges can be projected in parallel): what the
 * reader's chain then folds into a Reading. Absent fields say that the line has nothing of the kind.
 */
export type Projected = {
  /** Record type with subtype, e.g. `user`, `assistant`, `system/turn_duration`, `attachment/queued_command`. */
  readonly type: string;
  /** Not one of the types we know: counted, shown in stats. */
  readonly unknown?: true;
  readonly uuid?: string;
  readonly parent?: string;
  readonly at?: number;
  readonly session?: string;
  /** Copied by a fork: the session it came from. */
  readonly forked_from?: string;
  readonly observations: readonly Observation[];
  readonly events: readonly ReadEvent[];
  readonly proofs: readonly Proof[];
  readonly usage?: { readonly message: string; readonly usage: Usage };
  /** A prompt that starts a turn (its parent tells a rewind). */
  readonly prompt?: 'human' | 'notification';
  /** Queued text, for hosts that record only the queue (contract e). */
  readonly queue?: { readonly op: 'enqueue' | 'dequeue' | 'remove' | 'popAll'; readonly text: string; readonly reason?: string };
  /** Characters of content in the line, and what it is counted under. */
  readonly raw_chars: number;
};

// ─── 2 memory ────────────────────────────────────────────────────────────────

/** An observation with its number in the task: `#12` in the window is how anything cites it. */
export type Numbered = Observation & { readonly n: number };

/** One appended block of the window: the observations of a pass, its feedback, or a note of ours. */
export type Block = {
  readonly kind: 'history' | 'observations' | 'feedback' | 'note';
  readonly pass: number;
  readonly at: number;
  /** Exactly what the model reads, before framing and escaping. */
  readonly text: string;
  /** First and last observation number in it; absent where there is none. */
  readonly from?: number;
  readonly to?: number;
  /** Where in the transcript this block's observations end. */
  readonly position?: Position;
};

export type Verdict = 'adopted' | 'partially_adopted' | 'rejected' | 'already_handled' | 'no_evidence' | 'contradicted';

/** What outlives the window for one task (SPEC 6). */
export type Ledger = {
  readonly v: 1;
  readonly task: string;
  readonly session: string;
  readonly workspace: string;
  readonly nonce: string;
  readonly created_at: number;
  readonly touched_at: number;
  readonly goal: string;
  readonly facts: readonly { readonly at: number; readonly text: string }[];
  readonly advice: readonly AdviceRow[];
  readonly suppressed: readonly { readonly key: string; readonly at: number; readonly because: string }[];
  readonly calibration: Readonly<Record<string, Calibration>>;
  readonly stragglers: Readonly<Record<string, Straggler>>;
  readonly pass: number;
  readonly generation: number;
  readonly position?: Position;
  /** Cost-weighted tokens this task has spent (SPEC 7). */
  readonly spent_tokens: number;
  /** When its last pass began, and those of the last hour that salience brought forward: a restart changes no pace. */
  readonly pace?: { readonly last_start: number; readonly salience_draws: readonly number[] };
  /** The workspace was not watched before: nothing said earlier is read, by whichever monitor. */
  readonly since?: number;
  readonly ended?: 'clear';
};

export type AdviceRow = {
  readonly id: string;
  readonly detector: string;
  readonly headline: string;
  readonly key: string;
  readonly at: number;
  readonly verdict?: Verdict;
  readonly reason?: string;
};

export type Calibration = { readonly offset: number; readonly recent: readonly Verdict[]; readonly closed: number; readonly muted: boolean };

export type Straggler = {
  readonly timeouts: number;
  readonly stage: 'none' | 'rate-limited' | 'disabled';
  readonly since: number;
  readonly retried: boolean;
  readonly because: string;
};

// ─── 3 pass ──────────────────────────────────────────────────────────────────

/** A row of the catalogue (SPEC 8). */
export type Detector = {
  readonly name: string;
  readonly enabled: boolean;
  readonly system: string;
  /** `Read`, `Grep`, `Glob`, `mcp:<server>`, `mcp:<server>/<tool>`, or exact commands. */
  readonly tools: readonly (string | { readonly exec: readonly string[] })[];
  readonly schema: 'feedback_v1';
  readonly deadline_s?: number;
  readonly cadence: 'every_pass' | `every_nth:${number}`;
  /** Literal patterns with `*`; runs only when one occurs in the episode. Empty: always. */
  readonly when: readonly string[];
  readonly confidence_floor?: number;
  readonly pilot: boolean;
  readonly structural?: 'repeat-failure' | 'cross-task-collision';
  readonly config: Readonly<Record<string, unknown>>;
};

export type PassReason = 'volume' | 'ceiling' | 'salience' | 'turn-end' | 'asked';

export type HoldReason = 'floor' | 'too-little' | 'no-activity' | 'muted' | 'budget' | 'busy' | 'own-turn' | 'not-enrolled' | 'paused';

/** What bounds spending: the task, this session's hour, the hour of all sessions, or that of the `host` provider. */
export type Ceiling = 'task' | 'hour' | 'machine' | 'host';

/** What stamps a pass's results: an old stamp is accounted to its own task and its advice dies `moved-on`. */
export type Stamp = { readonly session: string; readonly task: string; readonly generation: number; readonly pass: number };

/** A tool as the model is told of it; `input_schema` is a JSON Schema. */
export type ToolDefinition = { readonly name: string; readonly description: string; readonly input_schema: Readonly<Record<string, unknown>> };

/** What a fork's own tools may be asked (SPEC 7.2). */
export type ToolRequest = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
export type ToolReply = { readonly ok: boolean; readonly text: string };

/** An earlier advisory of the calling detector, carried in its tail so that it can close it. */
export type OpenAdvice = { readonly id: string; readonly headline: string; readonly key: string; readonly at: number; readonly after: number };

export type Outcome = { readonly advice_id: string; readonly verdict: Verdict; readonly evidence: readonly string[]; readonly reason?: string };

/** What a fork returns through `second_brain_detector_feedback` (SPEC 7). */
export type Feedback = {
  readonly verdict: 'silent' | 'advise' | 'resolved' | 'still_open';
  readonly headline?: string;
  readonly body?: string;
  readonly evidence?: readonly string[];
  readonly confidence?: number;
  readonly dedup_key?: string;
  readonly stale_if?: readonly string[];
  readonly finish_gate?: boolean;
  readonly outcomes?: readonly Outcome[];
  readonly new_goal?: string;
  readonly checked?: string;
};

/** Why a fork ended without an answer of its own, or with one. */
export type ForkEnd =
  | 'feedback'
  | 'no-match'
  | 'prose'
  | 'iterations'
  | 'deadline'
  | 'cancelled'
  | 'budget'
  | 'provider-error'
  | 'refused'
  | 'bad-reply'
  | 'crashed';

export type ForkResult = {
  readonly detector: string;
  readonly end: ForkEnd;
  readonly feedback: Feedback;
  readonly usage: Usage;
  /** Requests sent, retries included. */
  readonly requests: number;
  readonly started_at: number;
  readonly first_event_ms?: number;
  readonly took_ms: number;
  readonly model: string;
  readonly pilot: boolean;
  /** Everything its tools returned: evidence may cite it. */
  readonly tool_text: string;
  readonly usage_estimated?: boolean;
  /** It broke off where nobody was left to count: `usage` is the least it can have been. */
  readonly usage_unknown?: boolean;
  /** Money the provider itself named for it. */
  readonly usd?: number;
  readonly cause?: string;
};

/** A structural match, decided by code before any model is asked (SPEC 7). */
export type StructuralMatch = {
  readonly detector: string;
  readonly key: string;
  readonly headline: string;
  readonly body: string;
  readonly evidence: readonly string[];
  readonly stale_if: readonly string[];
  readonly human_only?: boolean;
};

// ─── 4 speak ─────────────────────────────────────────────────────────────────

/** A citation that code has found: `cite` as given, `text` what it stands for (one line). */
export type Evidence = { readonly cite: string; readonly text: string };

/** The envelope (SPEC 9): mail and history hold it whole. */
export type Advice = {
  readonly v: 1;
  readonly id: string;
  readonly task_id: string;
  readonly session_id: string;
  readonly workspace: string;
  readonly host_pid: number;
  /** The detector. `turn-report` is the user's copy of a turn-end pass. */
  readonly kind: string;
  readonly headline: string;
  readonly body: string;
  readonly confidence: number;
  readonly evidence: readonly Evidence[];
  readonly dedup_key: string;
  readonly stale_if: readonly string[];
  readonly human_only: boolean;
  readonly finish_gate: boolean;
  readonly generated_at: number;
  /** Seconds it stays true after `generated_at`. */
  readonly ttl: number;
  /** The number of the last observation it could know: later ones may answer it. */
  readonly after: number;
  readonly supersedes?: string;
  readonly enqueued_at?: number;
  readonly claimed_at?: number;
  readonly printed_at?: number;
  readonly confirmed_at?: number;
  readonly channel?: Channel;
  readonly verdict?: Verdict;
  readonly verdict_evidence?: readonly string[];
  readonly because?: Because;
};

export type Channel = 'PostToolUse' | 'PostToolUseFailure' | 'UserPromptSubmit' | 'SessionStart' | 'Stop' | 'bell' | 'report';

/** Why an advisory was not said, or not said to the agent (SPEC 1.11, 9). */
export type Because =
  | 'no-evidence'
  | 'muted'
  | 'suppressed'
  | 'duplicate'
  | 'below-human-floor'
  | 'below-agent-floor'
  | 'rate'
  | 'cooldown'
  | 'stale'
  /** Nothing sayable was left after sanitising. */
  | 'unfit'
  | 'mailbox-full'
  | 'superseded'
  | 'resolved'
  | 'expired-ttl'
  | 'expired-queue'
  | 'moved-on'
  | 'rewound'
  | 'forgotten'
  | 'lost';

export type GateDecision =
  | { readonly speak: true; readonly to: 'agent' | 'human'; readonly advice: Advice; readonly because?: Because }
  | { readonly speak: false; readonly advice: Advice; readonly because: Because };

export type SessionState = 'starting' | 'working' | 'stopping' | 'idle' | 'unknown';
