// A whole transcript in file order, slice by slice: small files on the main thread, large ones in ranges by the pool (SPEC 5.1).
import { statSync } from 'node:fs';
import { isMissing } from '../floor/json-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { projectLine } from '../ingest/projection.ts';
import { cutRanges, positionAt, readForward, readRange } from '../ingest/transcript-file.ts';
import type { Position, Projected } from '../records.ts';
import type { ProjectionLimits, ProjectResult, ProjectTask } from '../../workers/contract.ts';

export type Slice = { readonly items: readonly Projected[]; readonly bad_lines: number; readonly done_bytes: number };

/** What the projection is bounded by; `sealed` are globs of paths whose bodies are never shown. */
export const projectionLimits = (knobs: Pick<Knobs, 'projection'>, sealed: readonly string[]): ProjectionLimits => ({ ...knobs.projection, sealed });

/** Why a file cannot be read as a transcript, in a sentence that says what to do; undefined when it can. */
export const unreadable = (path: string, limits: ProjectionLimits): string | undefined => {
  let size: number;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return `${path} is not a file. Give a session's .jsonl file.`;
    ({ size } = stat);
  } catch (error) {
    if (isMissing(error)) return `${path} does not exist. Transcripts lie under the projects folder of the host's configuration.`;
    throw error;
  }
  if (size === 0) return `${path} is empty: there is nothing to watch again.`;
  const read = readForward(path, undefined, { project: (line) => projectLine(line, limits), max_bytes: 64_000, history_chars: 0, fresh: true });
  return read.how === 'not-a-transcript' ? `${path} is not a Claude Code transcript: ${read.because}.` : undefined;
};

// Large enough to be worth a message, small enough that neither side waits long for the other.
const RANGE_BYTES = 1_000_000;

export type SliceOptions = {
  readonly limits: ProjectionLimits;
  readonly parallel_bytes: number;
  readonly project: (task: ProjectTask) => Promise<ProjectResult>;
  /** Ranges the pool has at once. */
  readonly ahead: number;
};

/**
 * Every record of the file, in order; a last record without its newline counts, since nobody writes to it any more.
 * This thread has nothing else to do: while the range that is next is under way elsewhere, it projects ranges itself.
 */
export const slicesOf = async function* (path: string, { limits, parallel_bytes, project, ahead }: SliceOptions): AsyncGenerator<Slice> {
  const { size } = statSync(path);
  let position: Position | undefined;
  if (size > parallel_bytes) {
    const ranges = cutRanges(path, 0, size, RANGE_BYTES);
    const done = new Map<number, ProjectResult>();
    const running = new Map<number, Promise<void>>();
    let next = 0;
    const begin = (): void => {
      for (; running.size < ahead && next < ranges.length; next += 1) {
        const at = next;
        const range = ranges[at];
        if (range === undefined) continue;
        const run = async (): Promise<void> => {
          done.set(at, await project({ kind: 'project', path, ...range, limits }));
          running.delete(at);
        };
        const under_way = run();
        under_way.catch(() => undefined); // awaited below, in order; until then it must not count as unhandled
        running.set(at, under_way);
      }
    };
    for (const [at, range] of ranges.entries()) {
      while (!done.has(at)) {
        begin();
        const own = ranges[next];
        if (own === undefined || next - at > MOST_AHEAD) await running.get(at);
        else {
          const mine = next;
          next += 1;
          done.set(mine, readRange(path, own, (line) => projectLine(line, limits)));
          await new Promise((resolve) => setImmediate(resolve)); // what the pool has finished comes in
        }
      }
      const result = done.get(at);
      done.delete(at);
      begin();
      if (result !== undefined) yield { ...result, done_bytes: range.to };
    }
    position = positionAt(path, ranges.at(-1)?.to ?? 0, undefined);
  }
  for (;;) {
    const read = readForward(path, position, { project: (line) => projectLine(line, limits), max_bytes: parallel_bytes, history_chars: 0, fresh: true, ended: true });
    if (read.how === 'missing' || read.how === 'not-a-transcript') return;
    const before = position?.offset ?? 0;
    ({ position } = read);
    yield { items: read.items, bad_lines: read.bad_lines, done_bytes: position.offset };
    if (read.left <= 0 || position.offset === before) {
      // What stands behind the last newline and is no record was cut off by something.
      if (position.offset < size) yield { items: [], bad_lines: 1, done_bytes: size };
      return;
    }
  }
};

/** Projected ranges that may wait for an earlier one: what they hold is memory. */
const MOST_AHEAD = 8;
