// A spool line, checked by hand: it was written by a hook, but anybody may write into that folder.
import type { BackgroundTask, Signal, SignalEvent } from '../records.ts';

const EVENTS: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'] satisfies readonly SignalEvent[]);
const ORIGINS: ReadonlySet<string> = new Set(['human', 'notification', 'bell'] satisfies readonly Signal['origin'][]);

const ID_CHARS = 300;
const PATH_CHARS = 8000;
const TEXT_CHARS = 200_000;
const TASKS = 200;

/** The signal in `raw`; throws a TypeError that names what is missing. Optional fields of a wrong type are left out. */
export const parseSignal = (raw: unknown): Signal => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new TypeError('not an object');
  const row: Readonly<Record<string, unknown>> = { ...raw };
  if (row['v'] !== 1) throw new TypeError('v');
  const { event, at } = row;
  if (typeof event !== 'string' || !EVENTS.has(event)) throw new TypeError('event');
  if (typeof at !== 'number' || !Number.isFinite(at)) throw new TypeError('at');
  const session = text(row['session'], ID_CHARS);
  const transcript = text(row['transcript'], PATH_CHARS);
  const cwd = text(row['cwd'], PATH_CHARS);
  if (session === undefined || session === '') throw new TypeError('session');
  if (transcript === undefined) throw new TypeError('transcript');
  if (cwd === undefined) throw new TypeError('cwd');
  const { origin } = row;
  return {
    v: 1,
    event: event as SignalEvent,
    at,
    session,
    transcript,
    cwd,
    ...present('source', text(row['source'], ID_CHARS)),
    ...present('reason', text(row['reason'], ID_CHARS)),
    ...present('prompt_id', text(row['prompt_id'], ID_CHARS)),
    ...present('origin', typeof origin === 'string' && ORIGINS.has(origin) ? (origin as NonNullable<Signal['origin']>) : undefined),
    ...present('agent_id', text(row['agent_id'], ID_CHARS)),
    ...present('agent_type', text(row['agent_type'], ID_CHARS)),
    ...present('last_text', text(row['last_text'], TEXT_CHARS)),
    ...present('stop_hook_active', flag(row['stop_hook_active'])),
    ...present('background', tasks(row['background'])),
    ...present('attended', flag(row['attended'])),
    ...present('permission_mode', text(row['permission_mode'], ID_CHARS)),
    ...present('provider', text(row['provider'], ID_CHARS)),
    ...present('model', text(row['model'], ID_CHARS)),
  };
};

const present = <K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: V });

/** Longer than any real one is no value of ours: left out rather than cut. */
const text = (value: unknown, max: number): string | undefined => (typeof value === 'string' && value.length <= max ? value.toWellFormed() : undefined);

const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const tasks = (value: unknown): readonly BackgroundTask[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, TASKS).map((entry: unknown) => {
    const row: Readonly<Record<string, unknown>> = typeof entry === 'object' && entry !== null ? { ...entry } : {};
    // An entry we cannot read still counts as outstanding work.
    return { id: text(row['id'], ID_CHARS) ?? '', type: text(row['type'], ID_CHARS) ?? 'unknown' };
  });
};
