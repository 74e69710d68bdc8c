// What every provider's adapter gives the fork loop: turns, calls, usage, and the tolerant reading of arguments. Pure.
import { isDeep } from '../../main/floor/depth.ts';
import { isObject } from '../../main/floor/object.ts';
import type { ForkEnd, Usage } from '../../main/records.ts';

/** One tool call of the model. Arguments that could not be read carry why. */
export type Call = {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly ok: true; readonly value: Readonly<Record<string, unknown>> } | { readonly ok: false; readonly why: string };
};

/** One answer of the model; `echo` is the assistant's message in its own wire form, to be sent back in a loop. */
export type Said = { readonly calls: readonly Call[]; readonly text: string; readonly echo: unknown };

export type CallResult = { readonly id: string; readonly name: string; readonly ok: boolean; readonly text: string };

/** One finished round of a fork: what was said and what its calls returned. */
export type Round = { readonly said: Said; readonly results: readonly CallResult[] };

export type Answer = { readonly ok: true; readonly said: Said } | { readonly ok: false; readonly end: ForkEnd; readonly cause: string };

/** What an adapter reports while it works. Usage comes as increments: the sum of all is what the fork spent. */
export type Watch = {
  readonly sent: () => void;
  readonly firstEvent: () => void;
  readonly usage: (usage: Usage, estimated: boolean) => void;
  readonly learnt: (what: { readonly auto_choice?: boolean; readonly reasoning?: 'send' | 'drop' }) => void;
  readonly log: (line: string) => void;
};

/** A model for one fork: asked with the rounds so far, retrying only before `until` (ms since the epoch). Never rejects. */
export type Model = (rounds: readonly Round[], until: number, watch: Watch, signal: AbortSignal) => Promise<Answer>;

/** Time as the loop sees it; `wait` resolves early when the signal fires. */
export type Clock = { readonly now: () => number; readonly wait: (ms: number, signal: AbortSignal) => Promise<void> };

/** What `now` has more than `before`; never negative, since endpoints are known to take counts back. */
export const moreUsage = (now: Usage, before: Usage): Usage => ({
  input: Math.max(0, now.input - before.input),
  output: Math.max(0, now.output - before.output),
  cache_read: Math.max(0, now.cache_read - before.cache_read),
  cache_write_5m: Math.max(0, now.cache_write_5m - before.cache_write_5m),
  cache_write_1h: Math.max(0, now.cache_write_1h - before.cache_write_1h),
});

export const isNoUsage = (usage: Usage): boolean => Object.values(usage).every((count) => count === 0);

/** Tokens of so many bytes or characters, where the endpoint does not say: a quarter, rounded up. */
export const tokensOf = (chars: number): number => Math.ceil(chars / 4);

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A count from outside: a number from 0 to a billion; anything else is none, and estimated where it matters. */
export const asCount = (value: unknown): number | undefined => (typeof value === 'number' && value >= 0 && value <= 1e9 ? Math.floor(value) : undefined);

/** JSON or nothing: `undefined` for text that is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Tool arguments as endpoints really send them: a JSON string, an object, empty, null; empty means `{}` (HAZARDS E8). */
export const parseArgs = (raw: unknown): Call['args'] => {
  if (raw === undefined || raw === null) return { ok: true, value: {} };
  if (isObject(raw)) return shallow(raw);
  if (typeof raw !== 'string') return { ok: false, why: `arguments are ${Array.isArray(raw) ? 'a list' : `a ${typeof raw}`}` };
  const text = raw.trim();
  if (text === '' || text === 'null' || text === 'None') return { ok: true, value: {} };
  const value = parseJson(text);
  // Some endpoints encode twice: a JSON string that holds the JSON object.
  const inner = typeof value === 'string' ? parseJson(value) : value;
  if (inner === null) return { ok: true, value: {} };
  return isObject(inner) ? shallow(inner) : { ok: false, why: 'arguments are not a JSON object' };
};

const shallow = (value: Readonly<Record<string, unknown>>): Call['args'] => (isDeep(value) ? { ok: false, why: 'arguments are nested too deep' } : { ok: true, value });

const encoder = new TextEncoder();

/** `prefix` and the JSON text behind it as one buffer: the prefix's bytes go out untouched. */
export const joinBody = (prefix: Uint8Array, rest: string): Uint8Array<ArrayBuffer> => {
  const tail = encoder.encode(rest);
  const body = new Uint8Array(prefix.byteLength + tail.byteLength);
  body.set(prefix, 0);
  body.set(tail, prefix.byteLength);
  return body;
};

/** A well-formed word of an error body that may be shown: types and codes, never messages, which can quote keys or prompts. */
export const errorWord = (value: unknown): string => {
  const text = asText(value);
  return /^[A-Za-z0-9_.-]{1,60}$/.test(text) ? text : '';
};
