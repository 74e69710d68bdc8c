// Past its cap an episode loses the least salient of its middle, and says so where it stood (SPEC 5.4).
import { headOf } from '../floor/text.ts';
import type { Observation } from '../records.ts';

export type Waiting = {
  readonly observation: Observation;
  /** It stands for this many that read the same: `once` is the text of one. */
  readonly times?: number;
  readonly once?: string;
  /** It is the mark of a gap: how many of what it stands for; names beyond COUNTED are `other`. */
  readonly left_out?: Readonly<Record<string, number>>;
};

// The beginning says what it was about, the end what is going on: the middle is shed.
const HEAD_SHARE = 1 / 8;
const TAIL_SHARE = 1 / 2;
/** Shed down to this share, so that not every further observation sheds again. */
const TARGET_SHARE = 0.9;

/** `waiting` within `cap` characters: its middle goes rank by rank, oldest first, prompts and errors last, and leaves marks. */
export const shed = (waiting: readonly Waiting[], cap: number): readonly Waiting[] => {
  if (charsOf(waiting) <= cap) return waiting;
  const head = spanOf(waiting, cap * HEAD_SHARE);
  const tail = waiting.length - spanOf(waiting.toReversed(), cap * TAIL_SHARE);
  let excess = charsOf(waiting) - cap * TARGET_SHARE;
  const dropped = new Set<number>();
  let kept = waiting;
  for (const rank of [3, 2, 1, 0]) {
    for (let place = head; place < tail && excess > 0; place += 1) {
      const entry = waiting[place];
      if (entry === undefined || dropped.has(place) || rankOf(entry) < rank) continue;
      dropped.add(place);
      excess -= entry.observation.text.length;
    }
    kept = withGaps(waiting, dropped);
    // The marks of the gaps take room too: what they took must be shed as well.
    excess = charsOf(kept) - cap * TARGET_SHARE;
    if (charsOf(kept) <= cap) return kept;
  }
  for (let place = head; place < tail; place += 1) dropped.add(place);
  return withGaps(waiting, dropped);
};

/** 3 is shed first, 0 last. */
const rankOf = ({ observation: { kind, writes }, left_out }: Waiting): number => {
  if (left_out !== undefined) return 3;
  if (kind === 'prompt' || kind === 'error') return 0;
  if (kind === 'note' || kind === 'agent') return 1;
  return kind === 'text' || writes === true ? 2 : 3;
};

/** How many from the start fit into `chars`. */
const spanOf = (waiting: readonly Waiting[], chars: number): number => {
  let left = chars;
  const over = waiting.findIndex(({ observation }) => (left -= observation.text.length) < 0);
  return over === -1 ? waiting.length : over;
};

/** Every run of dropped entries as one mark. */
const withGaps = (waiting: readonly Waiting[], dropped: ReadonlySet<number>): readonly Waiting[] => {
  const kept: Waiting[] = [];
  let run: Waiting[] = [];
  const close = (): void => {
    const first = run[0];
    if (first !== undefined) kept.push(gapOf(first, run));
    run = [];
  };
  waiting.forEach((entry, place) => {
    if (dropped.has(place)) {
      run.push(entry);
      return;
    }
    close();
    kept.push(entry);
  });
  close();
  return kept;
};

const NAMED = 6;
/** Names come from outside: a gap is kept and added to at every shedding, so it counts no more of them than this. */
const COUNTED = 50;
const NAME_CHARS = 40;
const OTHER = 'other';

const gapOf = (first: Waiting, run: readonly Waiting[]): Waiting => {
  const counts = new Map<string, number>();
  let raw_chars = 0;
  for (const { observation, times, left_out } of run) {
    raw_chars += observation.raw_chars;
    const name = headOf((observation.tool ?? observation.kind).toLowerCase(), NAME_CHARS);
    for (const [what, count] of Object.entries(left_out ?? { [name]: times ?? 1 })) counts.set(what, (counts.get(what) ?? 0) + count);
  }
  const total = sumOf([...counts]);
  const named = [...counts].filter(([name]) => name !== OTHER).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const withOthers = (most: number): readonly Count[] => {
    const shown = named.slice(0, most);
    const others = total - sumOf(shown);
    return others === 0 ? shown : [...shown, [OTHER, others]];
  };
  return {
    left_out: Object.fromEntries(withOthers(COUNTED)),
    observation: {
      kind: 'note',
      note: 'gap',
      at: first.observation.at,
      uuid: first.observation.uuid,
      text: `[note] ${total} ${total === 1 ? 'observation' : 'observations'} left out here (${withOthers(NAMED).map(([name, count]) => `${name} ${count}`).join(', ')})`,
      raw_chars,
    },
  };
};

type Count = readonly [name: string, count: number];

const sumOf = (counts: readonly Count[]): number => counts.reduce((sum, [, count]) => sum + count, 0);

export const charsOf = (waiting: readonly Waiting[]): number => waiting.reduce((sum, { observation }) => sum + observation.text.length, 0);
