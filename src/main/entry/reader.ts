// Reads a session's transcript forward into its observer, beside what signals tell of it ahead of its records (SPEC 5.1).
import type { Knobs } from '../floor/knobs.ts';
import { createChain } from '../ingest/chain.ts';
import { keepEnds } from '../ingest/elision.ts';
import { projectLine } from '../ingest/projection.ts';
import { cutRanges, positionAt, readForward } from '../ingest/transcript-file.ts';
import { add, observe, observeHistory, recall } from '../observer.ts';
import { branchOff } from '../tasking.ts';
import { projectionLimits, recordsIn } from './reading.ts';
import type { Position, Projected, Signal } from '../records.ts';
import type { Watching } from '../watching.ts';
import type { LazyPools } from './lazy-pools.ts';
import type { Beginning, SessionAsk } from './restore.ts';

export type ReaderOptions = Pick<Beginning, 'tombstone' | 'since' | 'fresh'> & {
  readonly options: Pick<SessionAsk, 'session' | 'transcript' | 'source' | 'started' | 'log'> & { readonly knobs: () => Knobs; readonly pools: () => LazyPools };
  /** A fork whose origin nobody has told. */
  readonly orphan: boolean;
  /** Globs of paths whose bodies are never shown. */
  readonly sealed: () => readonly string[];
  /** Whether there is still anything to do here: asked after every wait. */
  readonly isOurs: () => boolean;
};

/** The one reader of the session's transcript; it goes on from the observer's position. */
export const openReader = (w: Watching, { options, tombstone, since, sealed, isOurs, ...begins }: ReaderOptions) => {
  const { session, transcript, log } = options;
  const chain = createChain();
  let { fresh, orphan } = begins;
  /** Whether this process knows what stands before the position. */
  let knows = w.position === undefined;
  let scanned: number | undefined;
  let problem: string | undefined;
  let last_write_at: number | undefined;

  const limits = () => projectionLimits(options.knobs(), sealed());
  const project = (line: Uint8Array): Projected => projectLine(line, limits());

  /** What was said while the workspace was not watched is none of ours. */
  const watched = (items: readonly Projected[]): readonly Projected[] => (since === undefined ? items : items.filter((item) => item.at !== undefined && item.at >= since));

  const take = (items: readonly Projected[], position: Position | undefined, history: boolean, at: number): void => {
    // What was made in this session is no history, however late we came; what a fork copies into its file is, bit by bit.
    const { started = history ? Infinity : 0, source } = options;
    const first = history || source === 'fork' ? items.findIndex((item) => item.at !== undefined && item.at >= started) : 0;
    const [before, since_start] = first === -1 ? [items, []] : [items.slice(0, first), items.slice(first)];
    if (before.length > 0) {
      if (orphan) orphan = !branchOff(w, before.flatMap(({ prompt, uuid }) => (prompt === 'human' && uuid !== undefined ? [uuid] : [])).slice(-COPIED_LOOKED_FOR), at);
      observeHistory(w, chain.fold(watched(before), 'history'), since_start.length === 0 ? position : undefined, at);
      if (since_start.length === 0) return;
    }
    const folded = chain.fold(watched(since_start), 'live');
    if (folded.observations.some(({ writes }) => writes === true)) last_write_at = at;
    observe(w, { ...folded, observations: folded.observations.filter(({ note }) => note !== 'turn-end') }, position, at);
  };

  const noteGap = (lines: number, offset: number, at: number): void =>
    add(w, [{ kind: 'note', note: 'gap', at, uuid: `gap-${offset}`, text: `[note] ${lines} damaged lines of the transcript could not be read here`, raw_chars: 0 }], at);

  /** Reads what is new. Large backlogs go through the pool; while they do, nothing else reads. */
  const read = async (at: number, ended = false): Promise<void> => {
    if (!isOurs()) return;
    const { ingest, window } = options.knobs();
    const got = readForward(transcript, w.position, {
      project, max_bytes: ingest.parallel_bytes, history_chars: window.budget_chars * window.compaction_floor, fresh, ended, ...(scanned === undefined ? {} : { scanned }),
    });
    if (got.how === 'missing') {
      fresh = options.source !== 'fork';
      return;
    }
    if (got.how === 'not-a-transcript') {
      if (problem !== got.because) log(`${transcript}: ${got.because}`);
      problem = got.because;
      return;
    }
    if (got.how !== 'forward') log(`${session}: ${got.how}, ${got.because}`);
    ({ scanned } = got);
    if (!knows && got.how === 'first-sight') chain.remember(w.window.observations);
    else if (!knows) await readAgain(got.from, at);
    if (!knows || (got.history && got.from > 0)) chain.beganLate();
    knows = true;
    if (!isOurs()) return;
    if (got.items.length > 0) take(got.items, got.position, got.history, at);
    else w.position = got.position;
    if (got.bad_lines > 0) noteGap(got.bad_lines, got.position.offset, at);
    if (got.left > ingest.parallel_bytes) await catchUp(got.position, got.left, got.history, at);
    else if (got.left > 0 && got.items.length > 0) await read(at, ended);
  };

  /** What a monitor before this one has observed: records, calls and advice that what comes now hangs on (SPEC 5.1, rewind). */
  const readAgain = async (to: number, at: number): Promise<void> => {
    const from = Math.max(to - AGAIN_BYTES, tombstone?.offset ?? 0);
    const pool = to - from > options.knobs().ingest.parallel_bytes ? options.pools : undefined;
    for await (const items of recordsIn(transcript, { from, to }, { limits: limits(), pool })) {
      if (!isOurs()) return;
      recall(w, chain.fold(watched(items), 'history'), at);
    }
    chain.remember(w.window.observations);
  };

  const catchUp = async (from: Position, left: number, history: boolean, at: number): Promise<void> => {
    let last = from.uuid;
    for (const range of cutRanges(transcript, from.offset, from.offset + left, RANGE_BYTES)) {
      const { items, bad_lines } = await options.pools().project({ kind: 'project', path: transcript, ...range, limits: limits() });
      if (!isOurs()) return;
      if (bad_lines > 0) noteGap(bad_lines, range.to, at);
      last = items.findLast(({ uuid }) => uuid !== undefined)?.uuid ?? last;
      take(items, positionAt(transcript, range.to, last), history, at);
    }
  };

  return {
    read,
    /** When a write in the tree was last read of. */
    lastWriteAt: (): number | undefined => last_write_at,
    /** Final texts come by signal first; their records are known by them. */
    hear: (signal: Signal, at: number): void => {
      const { projection } = options.knobs();
      if (signal.event === 'SubagentStop' && signal.agent_id !== undefined) {
        const said = chain.observeAgent({ id: signal.agent_id, type: signal.agent_type ?? '', text: signal.last_text ?? '', at: signal.at }, projection.subagent_final_cap);
        if (said !== undefined) add(w, [said], at);
      }
      if (signal.event === 'Stop' && signal.last_text !== undefined) {
        const final = chain.observeFinal(keepEnds(signal.last_text, projection.text_cap, projection.harvest_max), signal.at);
        if (final !== undefined) add(w, [final], at);
      }
    },
  };
};

// What the pool hands over at once holds the main loop for some milliseconds: unpacking and folding it.
const RANGE_BYTES = 250_000;
/** Read again at a restart: some thousand records, 0.1 s of computing per MB; a rewind that reaches further back is not seen. */
const AGAIN_BYTES = 4_000_000;

/** Prompts by which a fork's origin is found: the last ones, since the first may have left its window. */
const COPIED_LOOKED_FOR = 20;
