// A hook's stdin: read, then checked by hand; whatever is not as CONTRACT a says is left out.
import { readFileSync } from 'node:fs';
import type { BackgroundTask } from '../records.ts';
import { isFields, type Env, type HookEvent, type Payload } from './hook-call.ts';

// SessionEnd is given 1.5 s in all, and its stdin has been seen to stay open after `/clear`.
const OPEN_STDIN_MS = 500;

/** All of stdin, read in place where that can be: a stream takes longer to load than all the rest. */
export const readStdin = (event: string): string | Promise<string> => {
  try {
    if (event !== 'SessionEnd') return readFileSync(0, 'utf8');
  } catch {
    // A pipe that does not block has nothing yet: it is waited for.
  }
  return new Promise((resolve) => {
    let text = '';
    const finish = (): void => resolve(text);
    process.stdin.setEncoding('utf8').on('end', finish).on('error', finish).on('data', (chunk: string) => {
      text += chunk;
      // The document's end is enough.
      if (parseJson(text)) finish();
    });
    setTimeout(finish, OPEN_STDIN_MS);
  });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // broken or partial: the caller stays silent either way
  }
};

const NAMED = ['prompt_id', 'source', 'agent_id', 'agent_type', 'permission_mode'] satisfies (keyof Payload['named'])[];

/** The payload of `event`, the event we are registered for; undefined when it is none, or names another event. */
export const parsePayload = (text: string, event: string, env: Env): Payload | undefined => {
  const raw = parseJson(text);
  if (!isFields(raw) || raw['hook_event_name'] !== event) return undefined;
  const word = (name: string): string => (typeof raw[name] === 'string' ? raw[name] : '');
  const session = word('session_id') || env['CLAUDE_CODE_SESSION_ID'];
  const prompt = word('prompt');
  if (!session) return undefined;
  return {
    event: event as HookEvent,
    session,
    transcript: word('transcript_path'),
    cwd: word('cwd'),
    prompt,
    last_text: word('last_assistant_message'),
    text: (prompt || shownIn(raw['tool_input'], word('tool_name'))).slice(0, SHOWN),
    stop_hook_active: raw['stop_hook_active'] === true,
    background: [...tasksIn(raw['background_tasks'], 'unknown'), ...tasksIn(raw['session_crons'], 'cron')],
    tool_use_id: word('tool_use_id'),
    // Of a failed tool `error` is output; of a failed turn it is a kind.
    named: { ...Object.fromEntries(NAMED.map((name) => [name, word(name) || undefined])), reason: word(event === 'StopFailure' ? 'error' : 'reason') || undefined },
  };
};

// Patterns of what makes an advisory stale are looked for in this much.
const SHOWN = 20_000;

/** The call's own words: the tool and its texts, never what it returned. */
const shownIn = (input: unknown, tool: string): string =>
  isFields(input) ? [tool, ...Object.values(input).filter((value) => typeof value === 'string')].join('\n') : tool;

const MOST_TASKS = 100;

/** Entries of a list of running work; what we cannot name still counts as work. */
const tasksIn = (list: unknown, otherwise: string): readonly BackgroundTask[] =>
  (Array.isArray(list) ? list : []).slice(0, MOST_TASKS).map((item: { readonly id?: unknown; readonly type?: unknown } | null) => ({ id: String(item?.id ?? ''), type: String(item?.type ?? otherwise) }));
