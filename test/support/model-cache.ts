// A provider's prompt cache as a model: what a request reads, what it writes, and when others can see it.
import { createHash } from 'node:crypto';

export type CacheLimits = {
  /** Tokens below which nothing is kept. */
  readonly min_tokens: number;
  /** Blocks behind a mark in which an earlier entry is still found. */
  readonly look_back: number;
  readonly ttl_5m_ms: number;
  readonly ttl_1h_ms: number;
};

export const CACHE_LIMITS: CacheLimits = { min_tokens: 1024, look_back: 20, ttl_5m_ms: 300_000, ttl_1h_ms: 3_600_000 };

export type Charge = { readonly input: number; readonly read: number; readonly write_5m: number; readonly write_1h: number };

type Mark = { readonly at: number; readonly ttl: '5m' | '1h'; readonly blocks: number };
type Entry = { readonly hash: string; readonly length: number; readonly blocks: number; readonly settings: string; readonly ttl_ms: number; touched: number };

const tokens = (bytes: number): number => Math.ceil(bytes / 4);
const MARK = /,?"cache_control":\{[^{}]*\}/g;

/** The body without its marks (they are no part of a key), and where they stood. JSON strings cannot hold an unescaped key. */
export const stripMarks = (raw: Buffer): { readonly bytes: Buffer; readonly marks: readonly Mark[] } => {
  const text = raw.toString('latin1'); // one character per byte
  const marks: Mark[] = [];
  let bare = '';
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    bare += text.slice(from, match.index);
    from = match.index + match[0].length;
    marks.push({ at: bare.length, ttl: match[0].includes('"1h"') ? '1h' : '5m', blocks: blocksIn(bare) });
  }
  return { bytes: Buffer.from(bare + text.slice(from), 'latin1'), marks };
};

const blocksIn = (text: string): number => text.split(/"type":"(?:text|tool_use|tool_result)"|"input_schema":/).length - 1;

/** Why a real endpoint would refuse the marks, if it would. */
export const refuseMarks = (marks: readonly Mark[]): string | undefined => {
  if (marks.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  const firstShort = marks.findIndex(({ ttl }) => ttl === '5m');
  return firstShort !== -1 && marks.slice(firstShort).some(({ ttl }) => ttl === '1h') ? 'a ttl=1h cache_control block must not come after a ttl=5m one' : undefined;
};

/** Marked prefixes. `commit` makes a request's writes visible: the server calls it with the first event. */
export const openCache = (limits: CacheLimits) => {
  const entries: Entry[] = [];
  const lookUp = (raw: Buffer, settings: string, now: number): { readonly charge: Charge; readonly commit: () => void } => {
    const { bytes, marks } = stripMarks(raw);
    const hash = (length: number): string => createHash('sha256').update(bytes.subarray(0, length)).digest('hex');
    const total = tokens(bytes.length);
    let best: Entry | undefined;
    for (const entry of entries) {
      if (entry.settings !== settings || now - entry.touched > entry.ttl_ms || entry.length > bytes.length) continue;
      const near = marks.some((mark) => entry.length <= mark.at && mark.blocks - entry.blocks <= limits.look_back);
      if (near && (best === undefined || entry.length > best.length) && hash(entry.length) === entry.hash) best = entry;
    }
    const read = best === undefined ? 0 : tokens(best.length);
    if (best !== undefined) best.touched = now;
    const last = marks.findLast(({ at }) => tokens(at) >= limits.min_tokens);
    const written = last === undefined ? 0 : Math.max(0, tokens(last.at) - read);
    const charge = { input: total - read - written, read, write_5m: last?.ttl === '5m' ? written : 0, write_1h: last?.ttl === '1h' ? written : 0 };
    const commit = (): void => {
      for (const { at, ttl, blocks } of marks) {
        if (tokens(at) < limits.min_tokens || entries.some((entry) => entry.length === at && entry.settings === settings && entry.hash === hash(at))) continue;
        entries.push({ hash: hash(at), length: at, blocks, settings, ttl_ms: ttl === '1h' ? limits.ttl_1h_ms : limits.ttl_5m_ms, touched: now });
      }
    };
    return { charge, commit };
  };
  return { lookUp };
};

/** The unmarked kind: the longest common beginning with a recent body, in steps of 128 tokens from 1,024 on. */
export const openPrefixCache = (limits: CacheLimits) => {
  const bodies: { readonly bytes: Buffer; readonly settings: string; readonly at: number }[] = [];
  const lookUp = (raw: Buffer, settings: string, now: number): { readonly charge: Charge; readonly commit: () => void } => {
    let common = 0;
    for (const body of bodies) {
      if (body.settings === settings && now - body.at <= limits.ttl_5m_ms) common = Math.max(common, commonLength(body.bytes, raw));
    }
    const read = common / 4 < limits.min_tokens ? 0 : Math.floor(common / 4 / 128) * 128;
    return {
      charge: { input: tokens(raw.length) - read, read, write_5m: 0, write_1h: 0 },
      commit: () => {
        bodies.push({ bytes: raw, settings, at: now });
        if (bodies.length > 32) bodies.shift();
      },
    };
  };
  return { lookUp };
};

const commonLength = (a: Buffer, b: Buffer): number => {
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (a.subarray(low, middle).equals(b.subarray(low, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
};
