// The host's transcript, opened only to read: what is new behind a position, and whether the position still holds.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createHash } from 'node:crypto';
import type { Position, Projected } from '../records.ts';
import { isCode, isMissing } from '../floor/json-file.ts';
import { afterNewline, eachLine, isBlank, LINE_LIMITS, type ReadAt } from './lines.ts';
import { afterRecord, lineStart, looksLikeTranscript, readSpan, type Project } from './seek.ts';

export type ReadOptions = {
  readonly project: Project;
  /** Bytes one call may handle (`ingest.parallel_bytes`); one line is always let through whole. */
  readonly max_bytes: number;
  /** Observed characters a first sight is worth (`budget_chars × compaction_floor`). */
  readonly history_chars: number;
  /** The session began under our eyes: a file seen for the first time is activity from its first byte. */
  readonly fresh?: boolean;
  /** Nothing more will be written: a complete last record counts without its newline. */
  readonly ended?: boolean;
  /** `scanned` of the read before: spares reading a growing line again and again (HAZARDS C9). */
  readonly scanned?: number;
};

export type Read =
  | { readonly how: 'missing'; readonly because: string; readonly position: Position }
  | { readonly how: 'not-a-transcript'; readonly because: string }
  | {
      readonly how: 'forward' | 'first-sight' | 'resynced';
      readonly because: string;
      /** The items are history: no trigger, no salience, no structural match. */
      readonly history: boolean;
      readonly items: readonly Projected[];
      /** Lines that are no record, and lines too long to be read. */
      readonly bad_lines: number;
      /** Where this call began to read. */
      readonly from: number;
      readonly position: Position;
      /** Bytes behind the position that this call did not look at: for the pool, or for the next call. */
      readonly left: number;
      readonly scanned: number;
      readonly bytes_read: number;
    };

/** Raw bytes read back for one observed character: what is dropped outweighs what is kept about so much. */
const BYTES_PER_CHAR = 8;
const HASHED_BYTES = 4096;

/** What stands behind `position`, at most `max_bytes` of it, projected in file order. SPEC 5.1; throws on I/O errors only. */
export const readForward = (path: string, position: Position | undefined, options: ReadOptions): Read => {
  const file = openTranscript(path);
  if (file === undefined) return { how: 'missing', because: 'no file yet', position: position ?? { path, dev: 0, ino: 0, offset: 0, hash: hashOf(Buffer.alloc(0)) } };
  if ('because' in file) return { how: 'not-a-transcript', because: file.because };
  try {
    return readOpen(path, file, position, options);
  } finally {
    closeSync(file.fd);
  }
};

type Open = { readonly fd: number; readonly size: number; readonly dev: number; readonly ino: number; readonly read: ReadAt; readonly counted: { bytes: number } };

const readOpen = (path: string, file: Open, position: Position | undefined, options: ReadOptions): Read => {
  const { read, size } = file;
  const start = locate(file, position, options);
  if (start.how === 'not-a-transcript') return start;
  const items: Projected[] = [];
  let bad = 0;
  const take = (line: Uint8Array): void => {
    if (isBlank(line)) return;
    const item = options.project(line);
    if (item.type === 'bad-line') bad += 1;
    items.push(item);
  };
  const done = (offset: number, scanned: number): Read => {
    const uuid = items.findLast((item) => item.uuid !== undefined)?.uuid ?? position?.uuid;
    return { ...start, items, bad_lines: bad, position: positionIn(path, file, offset, uuid), left: size - scanned, scanned, bytes_read: file.counted.bytes };
  };

  const { from } = start;
  // Bytes known to hold no newline are not read again until one has come.
  const known = start.how === 'forward' && options.scanned !== undefined && options.scanned > from && options.scanned <= size ? options.scanned : from;
  const firstEnd = afterNewline(read, known, size);
  if (firstEnd === undefined && options.ended !== true) return done(from, size);

  const cut = from + options.max_bytes < size ? lineStart(read, from + options.max_bytes) : size;
  const to = cut > from ? cut : (firstEnd ?? size);
  const scan = eachLine(read, from, to, take);
  bad += scan.skipped;
  const last = options.ended === true && to === size ? scan.rest : undefined;
  if (last !== undefined && !isBlank(last)) {
    const item = options.project(last);
    if (item.type !== 'bad-line') {
      items.push(item);
      return done(size, size);
    }
  }
  return done(scan.offset, to === size ? size : scan.offset);
};

type Start = { readonly how: 'forward' | 'first-sight' | 'resynced'; readonly because: string; readonly history: boolean; readonly from: number };

const locate = (file: Open, position: Position | undefined, options: ReadOptions): Start | { readonly how: 'not-a-transcript'; readonly because: string } => {
  const { read, size } = file;
  const broken = position === undefined ? 'new' : mismatch(file, position);
  if (broken === undefined && position !== undefined && position.offset > 0) return { how: 'forward', because: 'position holds', history: false, from: position.offset };
  if (looksLikeTranscript(read, size, options.project) === 'no') return { how: 'not-a-transcript', because: 'no line near its head is a record of Claude Code' };
  if (broken === undefined) return { how: 'forward', because: 'from its first byte', history: false, from: 0 };
  if (position === undefined && options.fresh === true) return { how: 'forward', because: 'began under our eyes', history: false, from: 0 };
  const found = position?.uuid === undefined ? undefined : afterRecord(read, size, position.uuid, options.project);
  if (found !== undefined) return { how: 'resynced', because: broken, history: false, from: found };
  return { how: 'first-sight', because: position === undefined ? broken : `position lost: ${broken}`, history: true, from: historyStart(file, options) };
};

/** Why a position does not hold for the file as it is; undefined when it does. */
const mismatch = (file: Open, position: Position): string | undefined => {
  if (position.offset === 0) return undefined;
  if (file.dev !== position.dev || file.ino !== position.ino) return 'replaced';
  if (file.size < position.offset) return 'truncated';
  return hashBefore(file.read, position.offset) === position.hash ? undefined : 'rewritten';
};

/** The first line start in the last bytes that history may have; behind a last line that fills them all. */
const historyStart = ({ read, size }: Open, options: ReadOptions): number => {
  const bytes = Math.min(options.history_chars * BYTES_PER_CHAR, options.max_bytes);
  if (size <= bytes) return 0;
  return afterNewline(read, size - bytes - 1, size) ?? lineStart(read, size);
};

export type Slice = { readonly items: readonly Projected[]; readonly bad_lines: number; readonly done_bytes: number };

/**
 * Every line behind `from` of a file that nobody writes to any more, in order, about `bytes` at a time. A last record without
 * its newline counts; what else stands there is a bad line.
 */
export function* readSlices(path: string, from: number, bytes: number, project: Project): Generator<Slice> {
  const file = openTranscript(path);
  if (file === undefined || 'because' in file) return;
  const { fd, size, read } = file;
  try {
    let span = bytes;
    const limits = { ...LINE_LIMITS, buffer: Buffer.allocUnsafe(LINE_LIMITS.chunk) };
    for (let at = from; at < size; ) {
      const items: Projected[] = [];
      let bad = 0;
      const to = Math.min(at + span, size);
      const scan = eachLine(read, at, to, (line) => {
        if (isBlank(line)) return;
        const item = project(line);
        items.push(item);
        if (item.type === 'bad-line') bad += 1;
      }, limits);
      if (to === size && scan.offset < size && (scan.rest === undefined || !isBlank(scan.rest))) {
        const last = scan.rest === undefined ? undefined : project(scan.rest);
        if (last === undefined || last.type === 'bad-line') bad += 1;
        else items.push(last);
      }
      yield { items, bad_lines: bad + scan.skipped, done_bytes: to === size ? size : scan.offset };
      // A line that did not fit is read again with twice the room.
      span = scan.offset === at ? span * 2 : bytes;
      at = to === size ? size : scan.offset;
    }
  } finally {
    closeSync(fd);
  }
}

/** Ranges of about `bytes`, cut at newlines, that cover [from, the last newline before `to`). For the compute pool. */
export const cutRanges = (path: string, from: number, to: number, bytes: number): readonly { readonly from: number; readonly to: number }[] => {
  const file = openTranscript(path);
  if (file === undefined || 'because' in file) return [];
  try {
    const end = lineStart(file.read, Math.min(to, file.size));
    const ranges: { from: number; to: number }[] = [];
    for (let at = from; at < end; ) {
      const cut = at + bytes >= end ? end : (afterNewline(file.read, at + bytes - 1, end) ?? end);
      ranges.push({ from: at, to: cut });
      at = cut;
    }
    return ranges;
  } finally {
    closeSync(file.fd);
  }
};

/** The position at `offset` once ranges up to there were projected elsewhere; undefined when the file is gone or shorter. */
export const positionAt = (path: string, offset: number, uuid: string | undefined): Position | undefined => {
  const file = openTranscript(path);
  if (file === undefined || 'because' in file) return undefined;
  try {
    return file.size < offset ? undefined : positionIn(path, file, offset, uuid);
  } finally {
    closeSync(file.fd);
  }
};

const positionIn = (path: string, { dev, ino, read }: Open, offset: number, uuid: string | undefined): Position => ({
  path,
  dev,
  ino,
  offset,
  hash: hashBefore(read, offset),
  ...(uuid === undefined ? {} : { uuid }),
});

const hashBefore = (read: ReadAt, offset: number): string => hashOf(readSpan(read, Math.max(0, offset - HASHED_BYTES), offset));

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** undefined: not there. O_NONBLOCK, since opening a FIFO would wait for its writer. */
const openTranscript = (path: string): Open | { readonly because: string } | undefined => {
  if (path.includes('\0')) return { because: 'no file name' };
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isCode(error, 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO')) return { because: 'cannot be opened' };
    throw error;
  }
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    return { because: 'not a regular file' };
  }
  const counted = { bytes: 0 };
  const read: ReadAt = (into, at) => {
    const got = readSync(fd, into, 0, into.length, at);
    counted.bytes += got;
    return got;
  };
  return { fd, size: stat.size, dev: stat.dev, ino: stat.ino, read, counted };
};
