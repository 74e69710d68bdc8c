// What was seen since the last pass, waiting for the next: folded, and shed in the middle past its cap (SPEC 5.4).
import type { Observation } from '../records.ts';
import { charsOf, shed, type Waiting } from './shed.ts';

export type Queue = {
  readonly waiting: readonly Waiting[];
  readonly chars: number;
  /** Time of the first observation that waits and has one. */
  readonly oldest_at?: number;
  readonly salient: readonly Salient[];
  /** Anything of the agent's or the user's, not only notes. */
  readonly activity: boolean;
};
export type Salient = 'error' | 'user_prompt';

export const emptyQueue: Queue = { waiting: [], chars: 0, salient: [], activity: false };

/** The queue with `observations` behind it: a `done` goes into its waiting call, and at most `episode_cap_chars` stay. */
export const enqueue = (queue: Queue, observations: readonly Observation[], limits: { readonly episode_cap_chars: number }): Queue => {
  if (observations.length === 0) return queue;
  const waiting = [...queue.waiting];
  const places = new Map<string, number>();
  waiting.forEach(({ observation: { kind, call } }, place) => {
    if (kind === 'tool' && call !== undefined) places.set(call, place);
  });
  for (const observation of observations) {
    const { kind, call } = observation;
    const place = call === undefined ? undefined : places.get(call);
    const open = place === undefined ? undefined : waiting[place];
    if (kind === 'done' && place !== undefined && open !== undefined) {
      waiting[place] = { observation: withDone(open.observation, observation) };
      places.delete(call ?? '');
      continue;
    }
    if (kind === 'tool' && call !== undefined) places.set(call, waiting.length);
    waiting.push({ observation });
  }
  const kept = charsOf(waiting) <= limits.episode_cap_chars ? waiting : shed(foldRepeats(waiting), limits.episode_cap_chars);
  const salient = new Set(queue.salient);
  for (const { kind, human } of observations) {
    if (kind === 'error') salient.add('error');
    if (kind === 'prompt' && human === true) salient.add('user_prompt');
  }
  // 0 is no time at all: it would bring the next pass forward as if the wait were over.
  const oldest_at = queue.oldest_at ?? observations.find(({ at }) => at > 0)?.at;
  return {
    waiting: kept,
    chars: charsOf(kept),
    ...(oldest_at === undefined ? {} : { oldest_at }),
    salient: [...salient],
    activity: queue.activity || observations.some(({ kind, human }) => kind !== 'note' && (kind !== 'prompt' || human === true)),
  };
};

/** Everything that waits, repeats folded, and the queue without it. */
export const take = (queue: Queue): { readonly episode: readonly Observation[]; readonly queue: Queue } => ({
  episode: foldRepeats(queue.waiting).map(({ observation }) => observation),
  queue: emptyQueue,
});

/** The most recent of `observations` that are worth at most `chars`: what history brings into a window. */
export const lastChars = (observations: readonly Observation[], chars: number): readonly Observation[] => {
  let left = chars;
  const first = observations.findLastIndex(({ text }) => (left -= text.length) < 0);
  return observations.slice(first + 1);
};

const DONE = ' → done';
/** The call came back, its work goes on. */
const STARTED = ' → started';

/** An edit's anchor goes behind its path and the mark on its first line; a command is marked at its end. */
const withDone = (call: Observation, done: Observation): Observation => {
  const { anchor, launches } = done;
  const end = call.writes === true || anchor !== undefined ? firstLineEnd(call.text) : call.text.length;
  const line = call.text.slice(0, end);
  return {
    ...call,
    text: `${anchor === undefined ? line : anchored(line, call.paths?.[0], anchor)}${launches === undefined ? DONE : STARTED}${call.text.slice(end)}`,
    raw_chars: call.raw_chars + done.raw_chars,
    ...(anchor === undefined ? {} : { anchor }),
    ...(launches === undefined ? {} : { launches }),
  };
};

const anchored = (line: string, path: string | undefined, anchor: string): string => {
  const at = path === undefined ? -1 : line.indexOf(path);
  if (path === undefined || at === -1) return `${line} ${anchor}`;
  const behind = at + path.length;
  return `${line.slice(0, behind)} ${anchor}${line.slice(behind)}`;
};

const firstLineEnd = (text: string): number => (text.includes('\n') ? text.indexOf('\n') : text.length);

/**
 * Neighbours that read the same become one with ` ×N`. Prompts and errors stay single (they are counted), and so
 * does a call without its result: what comes back must find it.
 */
const foldRepeats = (waiting: readonly Waiting[]): readonly Waiting[] => {
  const folded: Waiting[] = [];
  for (const entry of waiting) {
    const before = folded.at(-1);
    const text = entry.once ?? entry.observation.text;
    if (before === undefined || !folds(entry) || before.observation.kind !== entry.observation.kind || (before.once ?? before.observation.text) !== text) {
      folded.push(entry);
      continue;
    }
    const times = (before.times ?? 1) + (entry.times ?? 1);
    const raw_chars = before.observation.raw_chars + entry.observation.raw_chars;
    folded[folded.length - 1] = { observation: { ...before.observation, raw_chars, text: `${text} ×${times}` }, once: text, times };
  }
  return folded;
};

const folds = ({ observation: { kind, text }, left_out }: Waiting): boolean =>
  left_out === undefined && kind !== 'prompt' && kind !== 'error' && (kind !== 'tool' || text.includes(DONE));
