// Bytes → whole lines. Cuts at 0x0A in bytes, so no chunk edge can fall inside a character (HAZARDS C1, C2).

/** Fills `into` with the bytes at file position `at`; returns how many there were, 0 at the end. */
export type ReadAt = (into: Uint8Array, at: number) => number;

export type LineLimits = {
  /** Bytes asked for at once. */
  readonly chunk: number;
  /** A longer line is counted and skipped. */
  readonly max_line: number;
  /** Memory to read into, for who reads on and on; without it each call takes its own. */
  readonly buffer?: Buffer;
};

/** 256 kB reads cost the same as larger ones; a 24 MB line is real, 64 MB is damage. */
export const LINE_LIMITS: LineLimits = { chunk: 256 * 1024, max_line: 64 * 1024 * 1024 };

export type Scan = {
  /** Just behind the last newline consumed, or behind where `onLine` stopped. */
  readonly offset: number;
  /** Lines over the limit. */
  readonly skipped: number;
  /** What follows `offset` without a newline, where that fits the limit. Valid until the next read. */
  readonly rest: Uint8Array | undefined;
  readonly bytes_read: number;
};

/**
 * Hands every line of [from, to) to `onLine`, without its newline, with the position just behind it. A last line
 * without newline is not consumed. The line is a view, valid only during the call; returning false stops there.
 */
export const eachLine = (
  read: ReadAt,
  from: number,
  to: number,
  onLine: (line: Uint8Array, end: number) => boolean | void,
  limits: LineLimits = LINE_LIMITS,
): Scan => {
  const buffer = limits.buffer ?? Buffer.allocUnsafe(Math.max(1, Math.min(limits.chunk, to - from)));
  let parts: Buffer[] = []; // the beginning of a line that goes on in the next chunk
  let pending = 0;
  let at = from;
  let offset = from;
  let skipped = 0;

  while (at < to) {
    const got = read(buffer.subarray(0, Math.min(buffer.length, to - at)), at);
    if (got <= 0) break;
    let start = 0;
    for (let newline = buffer.indexOf(10); newline !== -1 && newline < got; newline = buffer.indexOf(10, start)) {
      const length = pending + newline - start;
      const piece = buffer.subarray(start, newline);
      start = newline + 1;
      offset = at + start;
      if (length > limits.max_line) skipped += 1;
      const line = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
      parts = [];
      pending = 0;
      if (length <= limits.max_line && onLine(line, offset) === false) return { offset, skipped, rest: undefined, bytes_read: at + got - from };
    }
    pending += got - start;
    // Past the limit the bytes are dropped as they come; only their number is kept.
    if (pending > limits.max_line) parts = [];
    else if (start < got) parts.push(Buffer.from(buffer.subarray(start, got)));
    at += got;
  }
  return { offset, skipped, rest: pending > limits.max_line ? undefined : Buffer.concat(parts), bytes_read: at - from };
};

/** Position just behind the first newline in [from, to), or undefined. Nothing is kept. */
export const afterNewline = (read: ReadAt, from: number, to: number, chunk: number = LINE_LIMITS.chunk): number | undefined => {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunk, to - from)));
  for (let at = from; at < to; ) {
    const got = read(buffer.subarray(0, Math.min(buffer.length, to - at)), at);
    if (got <= 0) return undefined;
    const newline = buffer.subarray(0, got).indexOf(10);
    if (newline !== -1) return at + newline + 1;
    at += got;
  }
  return undefined;
};

/** Nothing but a carriage return or spaces: no record, and no damage either. */
export const isBlank = (line: Uint8Array): boolean => line.length < 64 && line.every((byte) => byte === 13 || byte === 32 || byte === 9);
