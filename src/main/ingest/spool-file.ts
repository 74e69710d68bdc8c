// hosts/<host>/events.jsonl, the monitor's side: signals are read forward, the file is renamed away before it grows large.
import { closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';
import { remove } from '../floor/disk-file.ts';
import { isMissing } from '../floor/json-file.ts';
import type { Signal } from '../records.ts';
import { eachLine, isBlank, LINE_LIMITS } from './lines.ts';
import { parseSignal } from './signal.ts';

/** How far both files were read. `retired_at`: when the old file was renamed away. */
export type SpoolPosition = { readonly offset: number; readonly old_offset: number; readonly retired_at?: number };

export type SpoolRead = {
  readonly signals: readonly Signal[];
  readonly position: SpoolPosition;
  /** Lines that are no signal. */
  readonly bad: number;
  /** Lines from before the host's start: another process's with the same pid. */
  readonly stale: number;
  readonly rotated: boolean;
};

export const spoolStart: SpoolPosition = { offset: 0, old_offset: 0 };

const ROTATE_BYTES = 256 * 1024;
/** A hook that had opened the file before it was renamed writes within its own timeout of 5 s. */
const DRAIN_MS = 15_000;
const MAX_LINE = 1024 * 1024;

/** Signals behind `position`, oldest file first. `since`: the host's start, ms. SPEC 3; throws on I/O errors only. */
export const readSpool = (path: string, position: SpoolPosition, since: number, now: number): SpoolRead => {
  const oldPath = `${path}.old`;
  const signals: Signal[] = [];
  let bad = 0;
  let stale = 0;
  const drain = (file: string, from: number): { readonly end: number; readonly size: number } | undefined => {
    const read = readFrom(file, from, (line) => {
      const signal = parseLine(line);
      if (signal === undefined) bad += 1;
      else if (signal.at < since) stale += 1;
      else signals.push(signal);
    });
    bad += read?.skipped ?? 0;
    return read;
  };

  const old = drain(oldPath, position.old_offset);
  const current = drain(path, position.offset);
  let { retired_at } = position;
  let old_offset = old?.end ?? 0;
  let offset = current?.end ?? 0;
  if (old !== undefined && retired_at === undefined) retired_at = now; // left by a monitor before us
  if (old !== undefined && retired_at !== undefined && now - retired_at >= DRAIN_MS) {
    remove(oldPath);
    retired_at = undefined;
    old_offset = 0;
  }
  const rotated = retired_at === undefined && current !== undefined && current.size >= ROTATE_BYTES;
  if (rotated) {
    renameSync(path, oldPath);
    old_offset = offset;
    offset = 0;
    retired_at = now;
  }
  return { signals, position: { offset, old_offset, ...(retired_at === undefined ? {} : { retired_at }) }, bad, stale, rotated };
};

const readFrom = (path: string, position: number, onLine: (line: Uint8Array) => void): { readonly end: number; readonly size: number; readonly skipped: number } | undefined => {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const from = position <= size ? position : 0; // another file than the one we knew
    const scan = eachLine(
      (into, at) => readSync(fd, into, 0, into.length, at),
      from,
      size,
      (line) => {
        if (!isBlank(line)) onLine(line);
      },
      { ...LINE_LIMITS, max_line: MAX_LINE },
    );
    return { end: scan.offset, size, skipped: scan.skipped };
  } finally {
    closeSync(fd);
  }
};

const parseLine = (line: Uint8Array): Signal | undefined => {
  try {
    return parseSignal(JSON.parse(Buffer.from(line).toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
};
