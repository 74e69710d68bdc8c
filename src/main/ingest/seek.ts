// Finding one's place in a transcript: is it one, where does a line begin, where is the record we know.
import type { Projected } from '../records.ts';
import { afterNewline, eachLine, isBlank, LINE_LIMITS, type ReadAt } from './lines.ts';

export type Project = (line: Uint8Array) => Projected;

/** Lines of the head that are looked at, and bytes: some hosts write 70 kB of their own near the top. */
const HEAD_LINES = 50;
const HEAD_BYTES = 4 * 1024 * 1024;
/** Lines naming a uuid that are tried before its place counts as lost: bounds what a strange file can cost. */
const CANDIDATES = 1000;

/**
 * Whether the head reads like a Claude Code transcript: one line of a known type that names its session (the
 * host's snapshots name none) is enough. `unclear`: no complete line yet.
 */
export const looksLikeTranscript = (read: ReadAt, size: number, project: Project): 'yes' | 'no' | 'unclear' => {
  let seen = 0;
  let yes = false;
  eachLine(read, 0, Math.min(size, HEAD_BYTES), (line) => {
    if (isBlank(line)) return true;
    seen += 1;
    const { type, unknown, session } = project(line);
    yes = unknown !== true && (session !== undefined || type.startsWith('file-history'));
    return !yes && seen < HEAD_LINES;
  });
  if (yes) return 'yes';
  return seen === 0 ? 'unclear' : 'no';
};

/** Where the line that holds the byte before `at` begins: behind the last newline in [0, at), or 0. */
export const lineStart = (read: ReadAt, at: number): number => {
  for (let end = at; end > 0; ) {
    const start = Math.max(0, end - LINE_LIMITS.chunk);
    const newline = readSpan(read, start, end).lastIndexOf(10);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
};

/** Position just behind the last complete line whose own uuid is `uuid`, searched from the end. */
export const afterRecord = (read: ReadAt, size: number, uuid: string, project: Project): number | undefined => {
  const needle = Buffer.from(uuid, 'utf8');
  if (needle.length === 0) return undefined;
  let end = size;
  for (let tried = 0; tried < CANDIDATES && end > 0; tried += 1) {
    const hit = lastHit(read, needle, end);
    if (hit === undefined) return undefined;
    const from = lineStart(read, hit);
    const to = afterNewline(read, hit, size);
    if (to !== undefined && to - from <= LINE_LIMITS.max_line && project(readSpan(read, from, to - 1)).uuid === uuid) return to;
    end = from; // other lines name it as their parent
  }
  return undefined;
};

/** Start of the last occurrence of `needle` that lies wholly before `before`. */
const lastHit = (read: ReadAt, needle: Buffer, before: number): number | undefined => {
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - LINE_LIMITS.chunk);
    const hit = readSpan(read, start, Math.min(before, end + needle.length - 1)).lastIndexOf(needle);
    if (hit !== -1) return start + hit;
    end = start;
  }
  return undefined;
};

/** The bytes of [from, to), fewer where the file ends. */
export const readSpan = (read: ReadAt, from: number, to: number): Buffer => {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let got = 0;
  while (got < bytes.length) {
    const more = read(bytes.subarray(got), from + got);
    if (more <= 0) break;
    got += more;
  }
  return bytes.subarray(0, got);
};
