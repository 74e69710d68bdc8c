// The one table of knobs (SPEC 13): default, type, range, unit, help and warning; everything else is derived from it.

export type Knob<T> = {
  /** `path` is empty or absolute: a relative one would mean a folder of whatever repository we run in. `switches` is a map of booleans. */
  readonly type: 'int' | 'number' | 'bool' | 'text' | 'path' | 'choice' | 'list' | 'map' | 'switches';
  readonly default: T;
  readonly min?: number;
  readonly max?: number;
  readonly unit?: string;
  readonly choices?: readonly string[];
  /** What the knob trades, in one line. */
  readonly help: string;
  readonly warn?: string;
};

const int = (value: number, min: number, max: number, unit: string, help: string, warn?: string): Knob<number> => ({
  type: 'int', default: value, min, max, unit, help, ...(warn === undefined ? {} : { warn }),
});
const num = (value: number, min: number, max: number, unit: string, help: string): Knob<number> => ({
  type: 'number', default: value, min, max, unit, help,
});
const bool = (value: boolean, help: string): Knob<boolean> => ({ type: 'bool', default: value, help });
const text = (value: string, help: string): Knob<string> => ({ type: 'text', default: value, help });
const path = (help: string): Knob<string> => ({ type: 'path', default: '', help });
const choice = <const C extends readonly string[]>(value: C[number], choices: C, help: string, warn?: string): Knob<C[number]> => ({
  type: 'choice', default: value, choices, help, ...(warn === undefined ? {} : { warn }),
});

/** Every knob. Characters and seconds unless `unit` says otherwise. */
export const KNOBS = {
  projection: {
    bash_cap: int(400, 80, 8000, 'chars', 'of a shell command kept; more carries intent, less costs less'),
    edit_new: int(200, 20, 4000, 'chars', 'of an edit’s new text kept'),
    edit_old: int(100, 0, 4000, 'chars', 'of an edit’s old text kept'),
    write_head: int(200, 20, 4000, 'chars', 'of a written file kept'),
    agent_prompt: int(400, 40, 8000, 'chars', 'of a subagent’s prompt kept'),
    default_cap: int(400, 40, 8000, 'chars', 'of any other tool’s arguments kept, locators aside'),
    heredoc_head: int(120, 0, 2000, 'chars', 'of an elided heredoc or literal kept'),
    error_head: int(400, 80, 8000, 'chars', 'of a failure’s text kept'),
    harvest_max: int(10, 0, 100, 'locators', 'harvested from what is cut'),
    text_cap: int(16000, 1000, 100000, 'chars', 'of the agent’s own text kept, head and tail'),
    user_prompt_cap: int(16000, 1000, 100000, 'chars', 'of a prompt kept, head and tail'),
    subagent_final_cap: int(1500, 100, 16000, 'chars', 'of a subagent’s conclusion kept'),
    redact: bool(true, 'replace secrets by markers before anything is stored or sent'),
  },
  ingest: {
    parallel_bytes: int(2_000_000, 64_000, 1_000_000_000, 'bytes', 'above this a backlog is projected in the pool, not on the main thread'),
  },
  loop: {
    min_interval_s: int(90, 5, 86_400, 's', 'between two passes’ starts: cost against freshness', 'lower means more passes and more money'),
    trigger_chars: int(6000, 200, 400_000, 'chars', 'of new activity before a pass'),
    max_interval_s: int(900, 30, 86_400, 's', 'after which pending activity is looked at whatever its volume'),
    salience_triggers: { type: 'list', default: ['error', 'user_prompt'] as readonly string[], choices: ['error', 'user_prompt'], help: 'events that may bring a pass forward' } as Knob<readonly string[]>,
    salience_per_hour: int(6, 0, 600, 'per hour', 'passes that salient events may bring forward'),
    turn_end_report: bool(true, 'show you the verdicts of the pass at a turn’s end'),
    backoff_on_budget: bool(true, 'stretch the floor as the hour’s budget runs down'),
    fork_deadline_s: int(20, 2, 600, 's', 'a detector is told it has'),
    fork_grace_s: int(8, 1, 120, 's', 'after the deadline before a fork is cancelled'),
    max_parallel_forks: int(8, 1, 64, 'forks', 'at once: latency against the provider’s rate limits'),
    fork_threads: int(1, 1, 8, 'threads', 'that send requests'),
    host_width: int(2, 1, 8, 'forks', 'at once with the host provider'),
    max_fork_iterations: int(6, 1, 40, 'requests', 'a detector may make in one pass'),
    demote_after_timeouts: int(2, 1, 100, 'timeouts', 'in a row before a detector is rate-limited'),
    disable_after_timeouts: int(4, 1, 100, 'timeouts', 'in a row before it is switched off for the task'),
    demote_stride: int(3, 2, 100, 'passes', 'between runs of a rate-limited detector'),
    demote_retry_s: int(1800, 10, 604_800, 's', 'before a disabled detector is tried once more'),
    episode_cap_chars: int(60_000, 2000, 1_000_000, 'chars', 'of unseen activity kept; beyond it the least salient middle is shed'),
    status_interval_s: int(30, 1, 3600, 's', 'longest age of status.json while watching'),
  },
  window: {
    budget_chars: int(400_000, 20_000, 4_000_000, 'chars', 'the window may hold: memory against the price of re-reading it'),
    compaction_threshold: num(0.85, 0.2, 1, 'of the budget', 'at which the window is compacted'),
    compaction_floor: num(0.6, 0.1, 0.95, 'of the budget', 'down to which it is compacted'),
  },
  ledger: {
    ttl_days: num(7, 0.01, 3650, 'days', 'a dormant task is kept'),
    max_per_workspace: int(50, 1, 10_000, 'ledgers', 'kept per workspace'),
    max_bytes: int(8_000_000, 100_000, 10_000_000_000, 'bytes', 'all ledgers may take'),
    sweep_interval_s: int(3600, 60, 604_800, 's', 'between sweeps'),
    max_entries: int(60, 1, 1000, 'facts', 'kept per task'),
  },
  index: {
    enabled: bool(true, 'tell your other sessions which files this one edits (files on this machine only)'),
    ttl_s: int(900, 30, 86_400, 's', 'an edit stays visible to your other sessions'),
    compact_interval_s: int(600, 30, 86_400, 's', 'between rewrites of the index'),
    max_paths_per_entry: int(40, 1, 1000, 'paths', 'per line of the index'),
  },
  gate: {
    confidence_floor: num(0.6, 0, 1, '', 'below it the agent is not told'),
    human_floor: num(0.35, 0, 1, '', 'below it nobody is told'),
    rate_per_hour: int(4, 0, 1000, 'per hour', 'advisories to the agent, and as many to you alone', 'higher makes a quiet watcher loud'),
    cooldown_s: int(300, 0, 86_400, 's', 'between two advisories'),
    body_cap: int(700, 80, 4000, 'chars', 'an advisory’s body may have'),
    headline_cap: int(160, 40, 400, 'chars', 'its headline may have'),
    dedup_threshold: num(0.6, 0.1, 1, 'similarity', 'above which two advisories are the same'),
    advice_ttl_s: int(1800, 10, 604_800, 's', 'an advisory stays true, from its making'),
    queue_timeout_s: int(600, 5, 604_800, 's', 'it waits for someone to come'),
    max_mailbox_entries: int(8, 1, 100, 'advisories', 'that may wait at once'),
  },
  calibration: {
    step: num(0.05, 0, 0.5, '', 'a detector’s floor moves by, after enough outcomes'),
    bound: num(0.2, 0, 0.6, '', 'it may move in all'),
    min_closed: int(5, 1, 1000, 'outcomes', 'before it moves'),
    mute_below: num(0.1, 0, 1, 'uptake', 'under which a detector mutes itself for the task'),
    mute_window: int(10, 2, 1000, 'outcomes', 'that decide it'),
  },
  finish_gate: {
    enabled: bool(true, 'let it continue a turn that ended with cited work undone'),
    min_interval_s: int(3600, 60, 604_800, 's', 'between two such continuations', 'lower may make an agent that does not let you go'),
    per_task_cap: int(3, 0, 100, 'times', 'per task'),
    confidence_floor: num(0.75, 0, 1, '', 'it takes'),
    background_settle_s: int(600, 0, 86_400, 's', 'an unreported background launch keeps the gate shut'),
  },
  delivery: {
    resume_digest: bool(true, 'remind agent and user of the task’s state when a session resumes'),
    wake: choice('finish_gate', ['finish_gate', 'never'] as const, 'whether it may wake an idle session', 'waking costs a turn of the agent’s'),
  },
  adjudication: {
    window_observations: int(60, 1, 10_000, 'observations', 'an outcome stays open'),
    window_seconds: int(1800, 10, 604_800, 's', 'an outcome stays open'),
  },
  budget: {
    tokens_per_task: int(2_000_000, 0, 10_000_000_000, 'tokens', 'cost-weighted, a task may spend'),
    tokens_per_hour: int(600_000, 0, 10_000_000_000, 'tokens', 'cost-weighted, an hour may spend'),
    machine_tokens_per_hour: int(0, 0, 10_000_000_000, 'tokens', 'all sessions together may spend in an hour; 0 is no ceiling'),
    host_tokens_per_hour: int(300_000, 0, 10_000_000_000, 'tokens', 'an hour may spend on the host provider'),
    max_output_tokens: int(1024, 64, 32_000, 'tokens', 'one answer may have'),
  },
  model: {
    provider: choice('auto', ['auto', 'anthropic', 'openai', 'host', 'local'] as const, 'who judges; local needs no network'),
    name: text('', 'model name; empty is the provider’s default'),
    base_url: text('', 'address of the provider; empty is its own'),
    cache_ttl: choice('auto', ['auto', '5m', '1h'] as const, 'how long the provider keeps the prefix: price of writing against misses'),
    request_timeout_s: int(120, 5, 3600, 's', 'a compaction request may take'),
    key_command: text('', 'command that prints the API key'),
    price_in: num(-1, -1, 100_000, 'USD per million', 'input price; -1 is the known price or none'),
    price_out: num(-1, -1, 100_000, 'USD per million', 'output price; -1 is the known price or none'),
    proxy: text('', 'HTTP proxy for requests'),
    ca_file: path('extra certificate authority, PEM'),
    trust_env: bool(false, 'use proxy and CA from the environment'),
    test_endpoint: bool(false, 'allow a loopback base URL from the environment, for tests'),
  },
  run: { wait_s: int(30, 1, 45, 's', '/second-brain-run waits') },
  replay: { latency_s: num(5, 0, 600, 's', 'of session time a replayed pass takes') },
  enable: {
    default: bool(true, 'watch workspaces that say nothing else'),
    workspaces: { type: 'switches', default: {} as Readonly<Record<string, boolean>>, help: 'real path → watch it or not' } as Knob<Readonly<Record<string, boolean>>>,
  },
  mute: { all: bool(false, 'no passes, no speech, no requests; observation goes on') },
  debug: {
    enabled: bool(false, 'write every pass’s prefix and forks to files'),
    path: path('where; empty is debug/ in the data directory'),
    ttl_days: num(3, 0.01, 365, 'days', 'captures are kept'),
    max_bytes: int(100_000_000, 100_000, 100_000_000_000, 'bytes', 'captures may take'),
  },
  sessions: { ttl_days: num(7, 0.01, 3650, 'days', 'a session’s files are kept') },
  run_tool: { enabled: bool(false, 'let detectors run their allowlisted commands here (workspace layer only)') },
  catalogue: { file: path('your own detectors.json, replacing ours wholesale') },
  mcp: { servers: { type: 'map', default: {} as Readonly<Record<string, unknown>>, help: 'MCP servers detectors may be granted' } as Knob<Readonly<Record<string, unknown>>> },
  detectors: { type: 'map', default: {} as Readonly<Record<string, Readonly<Record<string, unknown>>>>, help: 'per detector: any field of its catalogue row' } as Knob<
    Readonly<Record<string, Readonly<Record<string, unknown>>>>
  >,
} as const;

type Table = typeof KNOBS;
type Value<K> = K extends Knob<infer T> ? T : never;
type Group<G> = G extends Knob<infer T> ? T : { readonly [K in keyof G]: Value<G[K]> };

/** Effective values of every knob, by group. */
export type Knobs = { readonly [G in keyof Table]: Group<Table[G]> };

/** `group.knob` of every knob, `detectors` being one. */
export const isKnob = (row: unknown): row is Knob<unknown> => typeof row === 'object' && row !== null && 'help' in row && 'type' in row;

/** The built-in layer. */
export const defaultKnobs = (): Knobs => {
  const out: Record<string, unknown> = {};
  for (const [group, rows] of Object.entries(KNOBS)) {
    out[group] = isKnob(rows) ? rows.default : Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.default]));
  }
  return out as Knobs;
};
