// What the runner and the stand-in host say to each other, and what the host notes down for the checker.

/** Everything a stand-in host is told at its start; its process gets the path of this as JSON. */
export type HostSpec = {
  readonly session: string;
  readonly source: 'startup' | 'resume' | 'clear';
  readonly transcript: string;
  readonly project: string;
  readonly plugin: string;
  readonly data: string;
  readonly journal: string;
  readonly env: Readonly<Record<string, string>>;
  /** Copies of the plugin that the host has loaded: each brings a monitor. */
  readonly monitors: number;
  /** Records reach the transcript in pieces. */
  readonly dribble?: boolean;
};

/** When a hook is killed: so many ms after its start, or as soon as it has claimed mail and may not have printed it. */
export type HookKill = number | 'claimed';

/** What the agent does next. `pause_ms` before it; `kill_hook`: the hook it causes is killed. */
export type Step =
  | { readonly kind: 'say'; readonly text: string; readonly pause_ms: number }
  | { readonly kind: 'call'; readonly command: string; readonly fails?: string; readonly pause_ms: number; readonly kill_hook?: HookKill; /** The host runs each hook twice. */ readonly twice?: boolean };

export type Order =
  | { readonly kind: 'turn'; readonly prompt: string; readonly steps: readonly Step[]; readonly final: string; /** The final words reach the file behind the Stop hook's start. */ readonly late?: boolean; readonly kill_prompt?: HookKill; readonly kill_stop?: HookKill }
  /** Ends as a host does: the monitor is told, SessionEnd hooks run. */
  | { readonly kind: 'leave' };

export type HostWord =
  | { readonly kind: 'ready'; readonly monitors: readonly number[] }
  | { readonly kind: 'turn-done' }
  | { readonly kind: 'monitor-gone'; readonly pid: number };

/** A line of journal.jsonl. A hook is noted when it is asked and when it has ended, if its host outlived it. */
export type JournalLine =
  | { readonly kind: 'host' | 'monitor'; readonly pid: number; readonly at: number; readonly session: string }
  | { readonly kind: 'gone'; readonly what: 'host' | 'monitor'; readonly pid: number; readonly at: number }
  | { readonly kind: 'asked'; readonly event: string; readonly at: number; readonly input: string }
  | { readonly kind: 'hook'; readonly event: string; readonly host: number; readonly session: string; readonly at: number; readonly ended_at: number; readonly code: number | null; readonly killed: boolean; readonly stdout: string; readonly input: string };
