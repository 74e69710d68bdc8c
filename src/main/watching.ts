// What one observer holds while it watches one session: the only mutable thing in the loop, changed by the observer's steps alone.
import type { Knobs } from './floor/knobs.ts';
import type { Paths } from './floor/paths.ts';
import type { Folded } from './ingest/chain.ts';
import type { Queue } from './ingest/queue.ts';
import type { Session } from './ingest/session-state.ts';
import type { UsageTotal } from './ingest/usage.ts';
import type { Volumes } from './ingest/volumes.ts';
import type { RenderedPrefix } from './memory/prefix.ts';
import type { Window } from './memory/window.ts';
import type { Unseen } from './pass/budget.ts';
import type { Reservation } from './pass/budget-file.ts';
import type { Raised } from './pass/checklist.ts';
import type { McpListing } from './pass/mcp-result.ts';
import type { Run } from './pass/plan.ts';
import type { BackgroundTask, Detector, ForkResult, HoldReason, Ledger, Numbered, Observation, PassReason, Position, Stamp, ToolDefinition, ToolReply, ToolRequest, Usage } from './records.ts';
import type { DetectorTally, HistoryLine, Status } from './surfaces.ts';
import type { ForkHooks } from './pools.ts';
import type { DeliveryState } from './speak/delivery.ts';
import type { Rows, Sums } from './speak/history.ts';
import type { ForkTask, Provider, SummaryResult, SummaryTask } from '../workers/contract.ts';

/** Tokens to money for the model in use; absent where no price is known. USD per million, as the provider lists them. */
export type Price = { readonly input: number; readonly output: number };

export type Judge = {
  readonly provider: Provider;
  readonly price?: Price;
  /** Tokens a prefix must have before the provider caches it; Infinity where nothing is cached. */
  readonly min_cacheable: number;
};

/** Everything an observer is given. Functions are asked anew at each pass, so that a change takes effect there. */
export type Setup = {
  readonly paths: Paths;
  readonly session: string;
  /** Real path of the repository root, else of the working directory. */
  readonly workspace: string;
  readonly git_dir: string;
  readonly cwd: string;
  readonly host: string;
  readonly host_pid: number;
  readonly version: string;
  readonly shared_prompt: string;
  readonly knobs: () => Knobs;
  readonly catalogue: () => readonly Detector[];
  readonly judge: () => Judge;
  readonly fork: (task: ForkTask, hooks: ForkHooks, signal: AbortSignal) => Promise<ForkResult>;
  readonly summarize: (task: SummaryTask, hooks: ForkHooks, signal: AbortSignal) => Promise<SummaryResult>;
  readonly tool: (detector: Detector, request: ToolRequest) => Promise<ToolReply>;
  /** Cheap facts for a detector to start from; absent where there is no workspace to look into. Never rejects. */
  readonly lead?: (detector: Detector, ask: { readonly observations: readonly Numbered[]; readonly now: number; readonly since: number }) => Promise<string | undefined>;
  /** Definitions of the MCP tools that are granted and connected. */
  readonly mcp_tools: () => readonly McpListing[];
  readonly entropy: () => Uint8Array;
  readonly log: (line: string) => void;
  /** Where the next pass is written down, while `debug.enabled`: `write(name, text)` adds to `<name>.txt`. */
  readonly capture: (pass: number) => ((name: string, text: string) => void) | undefined;
  /** Told of everything that is decided, as it happens: replay prints it. */
  readonly told?: (what: Told) => void;
};

export type Told =
  | { readonly kind: 'pass'; readonly at: number; readonly pass: number; readonly because: PassReason; readonly observations: number }
  | { readonly kind: 'fork'; readonly at: number; readonly pass: number; readonly result: ForkResult }
  | { readonly kind: 'history'; readonly line: HistoryLine };

/** A pass under way. */
export type Pass = {
  readonly stamp: Stamp;
  readonly because: PassReason;
  readonly at: number;
  readonly runs: readonly Run[];
  readonly skipped: readonly { readonly detector: string; readonly because: string }[];
  readonly judge: Judge;
  readonly reservation?: Reservation;
  /** Of each run, in their order. */
  readonly unseen?: readonly Unseen[];
  /** Number of the last observation its forks could know. */
  readonly after: number;
  /** Why it asked nobody, though somebody would have run. */
  readonly refused?: 'budget';
  readonly cancel: AbortController;
  readonly results: Promise<readonly ForkResult[]>;
};

export type Watching = {
  readonly setup: Setup;
  /** Aborted when the session is left: nothing is asked, said or written for it any more. Its reason is why, `taken` when another monitor has it. */
  readonly left: AbortController;
  /** The pass whose branch of the conversation was rewound away under it. */
  voided: number;
  /** The window's log lacks something: the next block writes it whole. */
  unsaved: boolean;
  ledger: Ledger;
  window: Window;
  queue: Queue;
  position: Position | undefined;
  session: Session;
  attended: boolean;
  background: readonly BackgroundTask[];
  last_start: number | undefined;
  salience_draws: readonly number[];
  turn_ended: boolean;
  /** The running or ended turn was started or continued by us. */
  own_turn: boolean;
  wake_used: boolean;
  asked: boolean;
  ended: boolean;
  pass: Pass | undefined;
  /** A compaction waits for its summaries: the window must not be another one when they come. */
  compacting: boolean;
  prefix: RenderedPrefix | undefined;
  tools: readonly ToolDefinition[];
  cache_ttl: '5m' | '1h' | undefined;
  /** What the provider kept of the prefix at the last pass. */
  warm: { readonly at: number; readonly tokens: number } | undefined;
  /** What the task's work has given the checklists to ask about. */
  raised: Raised;
  starts: readonly number[];
  expected_ms: Readonly<Record<string, number>>;
  rows: Rows;
  /** Advisories of this session that no row tells of any more. */
  past: Sums;
  deliveries: DeliveryState;
  /** What was read of claims' fates and is not settled on disk yet: empty unless the disk is sick. */
  unsettled: Pick<Folded, 'proofs' | 'events'>;
  /** Record that carried an advisory to the agent → the advisory; what a rewind cuts off never reached it. */
  carriers: ReadonlyMap<string, string>;
  /** The latest prompts of the person in this session, whatever the task. */
  prompts: readonly Observation[];
  /** What was launched and not reported yet, id → time. */
  unreported: ReadonlyMap<string, number>;
  agent_monitors: readonly string[];
  /** File → when a collision on it was last told. */
  collisions: ReadonlyMap<string, number>;
  index_compacted_at: number;
  usage: UsageTotal;
  volumes: Volumes;
  observer: Usage;
  usd: number | undefined;
  since: number;
  passes: { count: number; by_reason: Record<string, number>; holds: Record<string, number> };
  hold: HoldReason | undefined;
  detectors: Record<string, DetectorTally>;
  compactions: number;
  /** How often what all forks share had to be sent whole again, compactions aside. */
  rebuilds: number;
  last_pass: Status['last_pass'];
  last_turn: string | undefined;
  notices: readonly string[];
};
