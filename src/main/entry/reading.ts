// A whole transcript in file order, slice by slice: on this thread, or large ones in ranges by the pool (SPEC 5.1).
import { statSync } from 'node:fs';
import { isMissing } from '../floor/json-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { projectLine } from '../ingest/projection.ts';
import { cutRanges, positionAt, readForward, readSlices, type Slice } from '../ingest/transcript-file.ts';
import type { Projected } from '../records.ts';
import type { ProjectionLimits, ProjectResult, ProjectTask } from '../../workers/contract.ts';

/** What the projection is bounded by; `sealed` are globs of paths whose bodies are never shown. */
export const projectionLimits = (knobs: Pick<Knobs, 'projection'>, sealed: readonly string[]): ProjectionLimits => ({ ...knobs.projection, sealed });

/** Why a file cannot be read as a transcript, in a sentence that says what to do; undefined when it can. */
export const unreadable = (path: string, limits: ProjectionLimits): string | undefined => {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return `${path} is not a file. Give a session's .jsonl file.`;
    if (stat.size === 0) return `${path} is empty: there is nothing to watch again.`;
    const read = readForward(path, undefined, { project: (line) => projectLine(line, limits), max_bytes: 64_000, history_chars: 0, fresh: true });
    return read.how === 'not-a-transcript' ? `${path} is not a Claude Code transcript: ${read.because}.` : undefined;
  } catch (error) {
    if (isMissing(error)) return `${path} does not exist. Transcripts lie under the projects folder of the host's configuration.`;
    // A closed one, or a link in a circle: of a folder of sessions the others are still to be read.
    if (error instanceof Error && 'code' in error) return `${path} cannot be read (${String(error.code)}).`;
    throw error;
  }
};

/** What a pool is handed at once: worth a message, and taken over within a few milliseconds. */
const RANGE_BYTES = 1_000_000;
/** What is read at once on this thread: all that is held of a file, however large. */
const SLICE_BYTES = 250_000;

export type SliceOptions = {
  readonly limits: ProjectionLimits;
  /** Files over `from_bytes` are projected by it, `ahead` ranges at once, while this thread works on what has come. */
  readonly pool?: { readonly project: (task: ProjectTask) => Promise<ProjectResult>; readonly ahead: number; readonly from_bytes: number };
};

/** Every record of the file, in order; a last record without its newline counts, since nobody writes to it any more. */
export const slicesOf = async function* (path: string, { limits, pool }: SliceOptions): AsyncGenerator<Slice> {
  let from = 0;
  const { size } = statSync(path);
  if (pool !== undefined && size > pool.from_bytes) {
    const ranges = cutRanges(path, 0, size, RANGE_BYTES);
    const running: Promise<ProjectResult>[] = [];
    const start = (at: number): void => {
      const range = ranges[at];
      if (range === undefined) return;
      const result = pool.project({ kind: 'project', path, ...range, limits });
      result.catch(() => undefined); // awaited below, in order; until then it must not count as unhandled
      running.push(result);
    };
    for (let at = 0; at < Math.min(pool.ahead, ranges.length); at += 1) start(at);
    for (const [at, range] of ranges.entries()) {
      const result = await running[at];
      start(at + pool.ahead);
      if (result !== undefined) yield { ...result, done_bytes: range.to };
      delete running[at];
    }
    from = ranges.at(-1)?.to ?? 0;
  }
  yield* readSlices(path, from, SLICE_BYTES, (line) => projectLine(line, limits));
};

export type Span = { readonly from: number; readonly to: number };

/** The records of a span that ends at a line's end; of a line that `from` cuts in two nothing is told. */
export const recordsIn = async function* (path: string, { from, to }: Span, { limits, pool }: Pick<SliceOptions, 'limits'> & { readonly pool: (() => Pick<NonNullable<SliceOptions['pool']>, 'project'>) | undefined }): AsyncGenerator<readonly Projected[]> {
  for (const range of cutRanges(path, from, to, SLICE_BYTES)) {
    if (pool !== undefined) {
      yield (await pool().project({ kind: 'project', path, ...range, limits })).items;
      continue;
    }
    const position = positionAt(path, range.from, undefined);
    if (position === undefined) return;
    const read = readForward(path, position, { project: (line) => projectLine(line, limits), max_bytes: range.to - range.from, history_chars: 0 });
    if ('items' in read) yield read.items;
  }
};
