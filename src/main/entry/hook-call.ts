// What a hook call is made of: the checked payload and its surroundings.
import type { HookPaths } from '../floor/paths.ts';
import type { BackgroundTask, Signal } from '../records.ts';

export type HookEvent = Signal['event'] | 'PostToolUse';

/** The fields of CONTRACT a that we use; absent where the host's payload has none or another type. */
export type Payload = {
  readonly event: HookEvent;
  readonly session: string;
  readonly transcript: string;
  readonly cwd: string;
  readonly prompt: string;
  readonly last_text: string;
  /** What the payload shows the agent doing or being asked. */
  readonly text: string;
  readonly stop_hook_active: boolean;
  readonly background: readonly BackgroundTask[];
  readonly tool_use_id: string;
  /** Fields that a signal carries as they are. */
  readonly named: { readonly [K in 'prompt_id' | 'source' | 'reason' | 'agent_id' | 'agent_type' | 'permission_mode']?: string | undefined };
};

export type Env = Readonly<Record<string, string | undefined>>;

export type Call = {
  readonly payload: Payload;
  readonly paths: HookPaths;
  /** Name of the host's folder, and its pid; 0 where the host does not tell it (CONTRACT l). */
  readonly host: string;
  readonly host_pid: number;
  readonly env: Env;
  readonly now: number;
};

/** What our config says about this workspace. */
export type Scope = { readonly enrolled: boolean; readonly muted: boolean };

export type Block = {
  readonly decision: 'block';
  readonly reason: string;
  readonly hookSpecificOutput: { readonly hookEventName: 'UserPromptSubmit'; readonly suppressOriginalPrompt: true };
};

/** Prints `reason` to the user; no turn, and nothing enters the conversation (CONTRACT d, f). */
export const block = (reason: string): Block => ({ decision: 'block', reason, hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } });

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null;
