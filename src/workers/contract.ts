// What crosses a thread, and the one codec for it (SPEC 3): msgpack in exact-size buffers, moved, never pooled slices.
import { Packr } from 'msgpackr';
import type { Detector, ForkEnd, ForkResult, Numbered, Observation, Projected, StructuralMatch, ToolReply, Usage } from '../main/records.ts';

/** Where and how a fork's requests go. The key lives in memory only and is never logged or written. */
export type Provider = {
  readonly kind: 'anthropic' | 'openai' | 'host' | 'local';
  readonly base_url: string;
  readonly model: string;
  readonly key: string;
  readonly cache_ttl: '5m' | '1h';
  readonly proxy?: string;
  readonly ca?: string;
  /** The endpoint refused a forced tool_choice: ask with `auto` (remembered per endpoint). */
  readonly auto_choice: boolean;
  /** Whether reasoning_content goes back within a loop; absent until the endpoint has told. */
  readonly reasoning?: 'send' | 'drop';
};

export type ForkLimits = {
  readonly deadline_ms: number;
  readonly grace_ms: number;
  readonly iterations: number;
  readonly max_output_tokens: number;
  /** Cost-weighted tokens this fork may spend. */
  readonly token_budget: number;
  readonly body_cap: number;
};

/**
 * One detector's run. `prefix` is the JSON request body from its first byte to just behind the block that
 * carries the cache mark (anthropic, host: inside the first user message's content array; openai: behind the
 * first user message); the worker appends the tail and closes the body. A port is transferred beside it.
 */
export type ForkTask = {
  readonly kind: 'fork';
  readonly id: string;
  readonly provider: Provider;
  readonly prefix: Uint8Array;
  readonly tail: string;
  readonly nonce: string;
  readonly detector: Detector;
  /** Wire names of the tools this detector may call, the feedback tool aside. */
  readonly grant: readonly string[];
  readonly limits: ForkLimits;
  readonly pilot: boolean;
  /** Sockets to open by small GETs while this (pilot) fork runs. */
  readonly warm: number;
  readonly match?: StructuralMatch;
  readonly trace?: true;
  /** `local` only: the window's observations, since it reads no prefix. */
  readonly stream?: readonly Numbered[];
  /** `local` only: what the user typed in this session and the window does not hold, for another task or before it was compacted; oldest first. */
  readonly earlier?: readonly Observation[];
  /** `local` only: which of its own advisories are open, so that it can close them by patterns. */
  readonly open?: readonly { readonly id: string; readonly key: string; readonly after: number }[];
};

/** A neutral summary of an evicted span (SPEC 6). */
export type SummaryTask = {
  readonly kind: 'summary';
  readonly id: string;
  readonly provider: Provider;
  readonly system: string;
  readonly text: string;
  readonly timeout_ms: number;
  readonly max_output_tokens: number;
};
export type SummaryResult = { readonly text: string; readonly usage: Usage; readonly usage_unknown?: boolean; readonly cause?: string };

export type ForksTask = ForkTask | SummaryTask;

/** A task as it is moved to a thread: encoded, with its port. A fork's prefix lies beside it, or is the `held` one: the last this thread was given. */
export type ForksPayload<Port> = { readonly bytes: Uint8Array; readonly prefix?: Uint8Array | 'held'; readonly port: Port };

/** Over a fork's port, worker to main. */
export type FromFork =
  | { readonly kind: 'first-event' }
  | { readonly kind: 'usage'; readonly usage: Usage; readonly estimated: boolean }
  | { readonly kind: 'tool'; readonly seq: number; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'learnt'; readonly auto_choice?: boolean; readonly reasoning?: 'send' | 'drop' }
  | { readonly kind: 'log'; readonly line: string }
  /** Only when the task asks: a reply or a tool result, for `debug.enabled`. */
  | { readonly kind: 'trace'; readonly text: string }
  /** `host` provider: one user message for the child that main supervises. */
  | { readonly kind: 'host-send'; readonly seq: number; readonly content: readonly unknown[] };

/** Over a fork's port, main to worker. */
export type ToFork =
  | { readonly kind: 'cancel'; readonly because: ForkEnd }
  | { readonly kind: 'tool-reply'; readonly seq: number; readonly reply: ToolReply }
  | { readonly kind: 'host-event'; readonly seq: number; readonly line: string }
  | { readonly kind: 'host-end'; readonly seq: number; readonly cause?: string };

export type { ForkResult };

/** A byte range of a transcript, cut at newlines: [from, to). */
export type ProjectTask = {
  readonly kind: 'project';
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly limits: ProjectionLimits;
};
export type ProjectResult = { readonly items: readonly Projected[]; readonly bad_lines: number };

/** Everything projection is bounded by; times and paths play no part in it. */
export type ProjectionLimits = {
  readonly bash_cap: number;
  readonly edit_new: number;
  readonly edit_old: number;
  readonly write_head: number;
  readonly agent_prompt: number;
  readonly default_cap: number;
  readonly heredoc_head: number;
  readonly error_head: number;
  readonly harvest_max: number;
  readonly text_cap: number;
  readonly user_prompt_cap: number;
  readonly subagent_final_cap: number;
  readonly redact: boolean;
  /** Glob patterns of paths whose bodies are elided whole: the host's deny rules and `.env`-like names. */
  readonly sealed: readonly string[];
};

/** A file tool's call on the compute pool; `root` is the jail. */
export type FileToolTask = {
  readonly kind: 'file-tool';
  readonly tool: 'Read' | 'Grep' | 'Glob';
  readonly args: Readonly<Record<string, unknown>>;
  readonly root: string;
  readonly denied: readonly string[];
  readonly deadline_ms: number;
  readonly redact: boolean;
};

export type ComputeTask = ProjectTask | FileToolTask;

// Records off: plain maps, so that either side may be a version behind.
const packr = new Packr({ useRecords: false });

/** `value` as msgpack in a buffer of exactly its size, safe to transfer: `pack` alone returns a view of a shared pool. */
export const encode = (value: unknown): Uint8Array<ArrayBuffer> => new Uint8Array(packr.pack(value));

/** The value in `bytes`; typed by the caller, since both ends are this program. */
export const decode = <T>(bytes: Uint8Array): T => packr.unpack(bytes) as T;
