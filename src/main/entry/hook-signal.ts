// The feed: one line in the host's spool, redacted before it is written (SPEC 3).
import { append, sizeOf } from '../floor/disk-file.ts';
import { isNotification } from '../floor/marks.ts';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { Signal } from '../records.ts';
import type { Call, Env } from './hook-call.ts';

// The monitor rotates the spool far below this: a larger one has no reader.
const UNREAD_BYTES = 1_000_000;

// `projection.text_cap`'s default.
const TEXT_CAP = 16_000;

/** Reports the call, unless nobody reads the spool or it is no event of the session's. */
export const report = (call: Call, origin?: Signal['origin']): void => {
  const signal = signalOf(call, origin);
  const spool = call.paths.spool(call.host);
  if (signal && sizeOf(spool) < UNREAD_BYTES) append(spool, JSON.stringify(signal));
};

/** A signal before it is written: JSON leaves out what is undefined. */
type Draft = { readonly [K in keyof Signal]: Signal[K] | undefined };

/** The signal of a call; none for the agent that writes a compaction's summary, whose type is empty. */
const signalOf = ({ payload, env, now }: Call, origin: Signal['origin']): Draft | undefined => {
  const { event, session, transcript, cwd, prompt, last_text, stop_hook_active, background, named } = payload;
  const attended = env['CLAUDE_CODE_SESSION_ATTENDED'];
  if (event === 'PostToolUse' || (event === 'SubagentStop' && !named.agent_type)) return undefined;
  return {
    v: 1,
    event,
    at: now,
    session,
    transcript,
    cwd,
    ...named,
    origin: prompt ? (origin ?? (isNotification(prompt) ? 'notification' : 'human')) : undefined,
    last_text: last_text ? wellFormed(redact(last_text).slice(0, TEXT_CAP)) : undefined,
    ...(event.endsWith('Stop') ? { stop_hook_active, background } : {}),
    attended: attended ? attended === '1' : undefined,
    provider: option(env, 'provider'),
    model: option(env, 'model'),
  };
};

/** A plugin user option: it reaches hooks only (CONTRACT j), under a name whose case is the host's affair. */
const option = (env: Env, key: string): string | undefined =>
  (env[`CLAUDE_PLUGIN_OPTION_${key}`] || env[`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`])?.slice(0, 200) || undefined;
