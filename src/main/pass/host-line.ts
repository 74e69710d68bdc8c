// One output line of a print-mode child: what the worker must see, what money it names, what asks us to keep still. Pure.
import { isObject } from '../floor/object.ts';
import type { Usage } from '../records.ts';

export type HostResult = { readonly kind: 'result'; readonly usage: Usage; readonly usd?: number; readonly limited: boolean };
/** `refused`: the endpoint has already said 429 and the child would ask again. */
export type HostLine = { readonly kind: 'stream' } | HostResult | { readonly kind: 'limit'; readonly until?: number; readonly refused?: true } | { readonly kind: 'other' };

/** Reads a line. Lines we do not know, and broken ones, are `other`. */
export const parseHostLine = (text: string): HostLine => {
  // The many small stream lines need no parse here; the worker reads them.
  if (text.startsWith('{"type":"stream_event"')) return { kind: 'stream' };
  const value = parse(text);
  if (!isObject(value)) return { kind: 'other' };
  switch (value['type']) {
    case 'stream_event':
      return { kind: 'stream' };
    case 'system':
      return value['subtype'] === 'api_retry' && (value['error_status'] === 429 || value['error'] === 'rate_limit') ? { kind: 'limit', refused: true } : { kind: 'other' };
    case 'rate_limit_event':
      return limitOf(value['rate_limit_info']);
    case 'result': {
      const usd = value['total_cost_usd'];
      const failed = value['is_error'] === true;
      return {
        kind: 'result',
        usage: usageOf(value['usage']),
        ...(typeof usd === 'number' && Number.isFinite(usd) && usd >= 0 ? { usd } : {}),
        limited: failed && (value['api_error_status'] === 429 || (typeof value['result'] === 'string' && /rate.?limit|usage limit|limit reached/i.test(value['result'].slice(0, 2000)))),
      };
    }
    default:
      return { kind: 'other' };
  }
};

/** Anything but `allowed` is a sign, a warning too: the limits are the user's own. `resetsAt` is in seconds. */
const limitOf = (info: unknown): HostLine => {
  if (!isObject(info) || info['status'] === 'allowed') return { kind: 'other' };
  const at = info['resetsAt'];
  return typeof at === 'number' && Number.isFinite(at) && at > 0 ? { kind: 'limit', until: at * 1000 } : { kind: 'limit' };
};

const usageOf = (raw: unknown): Usage => {
  const counts = isObject(raw) ? raw : {};
  const count = (name: string): number => {
    const value = counts[name];
    return typeof value === 'number' && value >= 0 && value <= 1e9 ? Math.floor(value) : 0; // more is no count
  };
  const split = isObject(counts['cache_creation']) ? counts['cache_creation'] : {};
  const hour = split['ephemeral_1h_input_tokens'];
  const cache_write_1h = typeof hour === 'number' && hour > 0 && hour <= 1e9 ? Math.floor(hour) : 0;
  return {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cache_read: count('cache_read_input_tokens'),
    cache_write_5m: Math.max(0, count('cache_creation_input_tokens') - cache_write_1h),
    cache_write_1h,
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not a line of the protocol
  }
};
