// One made-up session through the whole pipeline in session time, and what a judge said of it, placed among the records.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replay, type ReplayInput } from '../../src/main/command/replay.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { createChain } from '../../src/main/ingest/chain.ts';
import { projectLine } from '../../src/main/ingest/projection.ts';
import { appendIndex } from '../../src/main/memory/index-file.ts';
import type { Projected } from '../../src/main/records.ts';
import type { ReplayEvent } from '../../src/main/show/replay.ts';
import type { ForkTask } from '../../src/workers/contract.ts';
import type { Neighbour } from './twin.ts';
import type { Said, Score } from './score.ts';
import type { Transcript } from './transcript.ts';

export type Pipeline = Pick<ReplayInput, 'knobs' | 'catalogue' | 'shared_prompt' | 'judge' | 'fork' | 'summarize'>;

export type Played = {
  readonly said: readonly Said[];
  readonly scores: readonly Score[];
  /** Advice id → verdict it was closed with. */
  readonly outcomes: ReadonlyMap<string, string>;
  readonly passes: number;
  readonly tokens: number;
  readonly usd?: number;
};

export type Piece = {
  readonly id: string;
  readonly root: string;
  readonly written: Transcript;
  /** Keys of the steps that show the fault. */
  readonly evidence?: readonly string[];
  readonly neighbours?: readonly Neighbour[];
};

/** Plays `piece`; everything written goes to a temporary folder that is gone afterwards. */
export const play = async (piece: Piece, pipeline: Pipeline): Promise<Played> => {
  const { written } = piece;
  // In memory where there is such a folder: a replay writes many small files and waits for each.
  const data = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'judgment-'));
  try {
    plantNeighbours(data, piece);
    const limits = { ...pipeline.knobs.projection, sealed: [] };
    const items = written.lines.map((line) => projectLine(Buffer.from(line), limits));
    const listener = listen(written, marksOf(piece, items));
    const summary = await replay({
      ...pipeline,
      // The neighbours' lines are planted before their time: a rewrite of the index in between would drop them.
      knobs: { ...pipeline.knobs, index: { ...pipeline.knobs.index, compact_interval_s: Number.MAX_SAFE_INTEGER } },
      file: piece.id, data, workspace: piece.root, version: 'bench',
      slices: once(items),
      fork: async (task, hooks, signal) => {
        const result = await pipeline.fork(task, hooks, signal);
        listener.judged(task, [...(result.feedback.evidence ?? []), ...(task.match?.evidence ?? [])]);
        return result;
      },
      tool: () => Promise.resolve({ ok: false, text: 'A replayed session has no workspace to look into.' }),
      emit: listener.hear,
      log: () => undefined,
    });
    const { usage, usd, passes } = summary;
    return { ...listener.heard(), passes, tokens: usage.input + usage.output, ...(usd === undefined ? {} : { usd }) };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
};

const once = async function* (items: readonly Projected[]): AsyncGenerator<{ items: readonly Projected[]; bad_lines: number; done_bytes: number }> {
  yield await Promise.resolve({ items, bad_lines: 0, done_bytes: 0 });
};

/** What the other session of the repository has told of itself. */
const plantNeighbours = (data: string, { neighbours = [], written }: Piece): void => {
  const paths = pathsUnder(data);
  if (neighbours.length > 0) mkdirSync(paths.indexes, { recursive: true });
  for (const { before, seconds, path, cwd, git_dir } of neighbours) {
    const at = (written.places.get(before)?.at ?? 0) - seconds * 1000;
    appendIndex(paths, { task: 't-neighbour', session: 'neighbour', cwd, git_dir, goal: 'another piece of work', paths: [path], at });
  }
};

/** First words of the observations that show the fault: citations are held against them. */
const marksOf = ({ evidence = [], written }: Piece, items: readonly Projected[]): readonly string[] => {
  const uuids = new Set(evidence.flatMap((key) => written.places.get(key)?.uuids ?? []));
  return createChain().fold(items, 'history').observations.flatMap(({ uuid, text }) => (uuids.has(uuid) ? [headOf(text)] : []));
};

const HEAD = 60;
const headOf = (text: string): string => text.replace(/\s+/g, ' ').slice(0, HEAD);

const listen = (written: Transcript, marks: readonly string[]) => {
  const said: Said[] = [];
  const scores: Score[] = [];
  const outcomes = new Map<string, string>();
  const lapsed = new Set<string>();
  const last = new Map<string, { readonly task: ForkTask; readonly cites: readonly string[] }>();
  const recordAt = (at: number): number => {
    const later = written.times.findIndex((time) => time > at);
    return (later === -1 ? written.times.length : later) - 1;
  };
  const isOnMark = (task: ForkTask | undefined, cite: string): boolean => {
    const text = task === undefined ? undefined : cited(task, cite);
    return marks.some((mark) => (text !== undefined && headOf(text).startsWith(mark.slice(0, 40))) || (!cite.startsWith('#') && mark.includes(cite)));
  };
  const hear = (event: ReplayEvent): void => {
    if (event.type === 'fork' && event.verdict === 'advise') scores.push({ lens: event.detector, at: event.at, record: recordAt(event.at), confidence: event.confidence ?? 0 });
    if (event.type === 'dropped') lapsed.add(event.id);
    if (event.type === 'outcome') outcomes.set(event.id, event.verdict);
    if (event.type !== 'advice' || event.to === 'nobody') return;
    const { id, detector, at, confidence, to, evidence, headline } = event;
    const from = last.get(detector);
    said.push({
      id, lens: detector, at, record: recordAt(at), confidence, to, headline,
      given: new Set(from?.cites ?? evidence).size, kept: evidence.length, on_mark: evidence.some((cite) => isOnMark(from?.task, cite)),
    });
  };
  return {
    hear,
    judged: (task: ForkTask, cites: readonly string[]): void => void last.set(task.detector.name, { task, cites }),
    heard: () => ({ said: said.map((each) => (lapsed.has(each.id) ? { ...each, lapsed: true as const } : each)), scores, outcomes }),
  };
};

/** The text behind `#12`: from the stream the local judge is given, else from the request's prefix. */
const cited = (task: ForkTask, cite: string): string | undefined => {
  const n = /^#(\d+)/.exec(cite)?.[1];
  if (n === undefined) return undefined;
  if (task.stream !== undefined) return task.stream.find((seen) => seen.n === Number(n))?.text;
  const prefix = Buffer.from(task.prefix).toString('utf8');
  const at = prefix.search(new RegExp(`(?:\\\\n|")#${n} `));
  return at === -1 ? undefined : prefix.slice(prefix.indexOf(' ', at) + 1, at + 400).replaceAll('\\n  ', ' ').split('\\n')[0]?.replaceAll('\\"', '"');
};
