// A hook's stdin: read, then checked by hand; whatever is not as CONTRACT a says is left out.
import { read } from '../floor/disk-file.ts';
import { isCode } from '../floor/json-file.ts';
import type { BackgroundTask } from '../records.ts';
import { isFields, type Env, type HookEvent, type Payload } from './hook-call.ts';

/**
 * The JSON document on stdin; undefined when there is none, or one too large. Its own end is enough: the host has been
 * seen to leave stdin open. Read by a thread of its own, so that a deadline can pass meanwhile; a stream takes
 * longer to load than all the rest.
 */
export const readDocument = async (): Promise<unknown> => {
  const parts: Buffer[] = [];
  let size = 0;
  let tried = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(PART);
    const got = await readPart(part);
    const last = part[got - 1];
    size += got;
    if (size <= MOST) parts.push(part.subarray(0, got));
    // Parsed before the end only behind a brace or a newline, and when twice as long as last time: what is full of
    // braces must not be parsed at each.
    if (got && (size < 2 * tried || (last !== 125 && last !== 10))) continue;
    tried = size;
    const raw = size <= MOST ? parseJson(Buffer.concat(parts).toString()) : undefined;
    if (!got || raw !== undefined) return raw;
  }
};

const PART = 65_536;
const MOST = 32_000_000;

/** How many bytes came; 0 at the end. */
const readPart = (part: Buffer): Promise<number> =>
  new Promise((resolve) => {
    read(0, part, (error, got) => {
      // A pipe that does not block has nothing yet.
      if (isCode(error, 'EAGAIN')) setTimeout(() => resolve(readPart(part)), 5);
      else resolve(error ? 0 : got);
    });
  });

/** undefined for what is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // broken or partial: the caller stays silent either way
  }
};

const NAMED = ['prompt_id', 'source', 'agent_id', 'agent_type', 'permission_mode'] satisfies (keyof Payload['named'])[];

/** The payload of `event`, the event we are registered for; undefined when `raw` is none, or names another event. */
export const parsePayload = (raw: unknown, event: string, env: Env): Payload | undefined => {
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
