// Which records were read, and how they hang together: copies are told by uuid, a rewind by a prompt's parent (SPEC 5.1).
import { FIRST, openGeneration, UNKNOWN } from './generation.ts';

export type Lineage = {
  readonly seen: (uuid: string) => boolean;
  /** Whether a record that is not known must be a copy of a forgotten one: what is older than all that is known was read before, or never ours. */
  readonly isForgotten: (record: LineageRecord) => boolean;
  /**
   * Takes a record in. For a prompt that does not follow the tip: what its rewind leaves dead. Only a branch that holds a
   * prompt was rewound; parallel calls and late host records branch too.
   */
  readonly add: (record: LineageRecord) => Rewound | undefined;
  /** The file has records before the first one it was given: they count as forgotten. */
  readonly beganLate: () => void;
};

export type LineageRecord = {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly at: number | undefined;
  readonly prompt: boolean;
  /** A compaction: it has no parent, but follows the tip. */
  readonly boundary: boolean;
  /** Not part of the main conversation: known from now on, but nothing follows it. */
  readonly aside: boolean;
  /** It carries something of ours: named when it is dead. */
  readonly named: boolean;
};

/** `named`: the uuids of those that carry something of ours, oldest first. */
export type Rewound = { readonly records: number; readonly named: readonly string[] };

/** The last 65,000 records are always known, some 230 MB of transcript. 2.8 MB, taken at once. */
const CAPACITY = 131_072;
/** As many as the observer remembers of what it told. */
const NAMED = 256;
/** Records that may be looked at to judge prompts, in stock and per record read: a file of nothing but branches stays linear. */
const EFFORT = 2_000_000;
const EFFORT_PER_RECORD = 100;

const ROOT = 0;

export const createLineage = (capacity: number = CAPACITY): Lineage => {
  // Two generations: the older half is forgotten as a whole, so memory stays the same without bookkeeping per record.
  let young = openGeneration(capacity / 2);
  let old = openGeneration(capacity / 2);
  let next = FIRST;
  let tip = ROOT;
  let tip_uuid: string | undefined;
  let names: readonly (readonly [record: number, uuid: string])[] = [];
  let compacted = false;
  let partial = false;
  let effort = EFFORT;

  const find = (uuid: string): number => {
    const found = young.find(uuid);
    return found === UNKNOWN ? old.find(uuid) : found;
  };
  const halfOf = (record: number) => (record >= young.first() ? young : old);
  const parentOf = (record: number): number => {
    const parent = halfOf(record).parentOf(record);
    return parent === ROOT || parent >= old.first() ? parent : UNKNOWN;
  };
  const put = (record: LineageRecord, parent: number): number => {
    if (!young.hasRoom()) {
      [young, old] = [old, young];
      young.clear(next);
      partial = true;
    }
    young.put(record.uuid, { parent, prompt: record.prompt, at: record.at ?? 0 });
    next += 1;
    return next - 1;
  };

  const rewoundBy = (parent: string | undefined): Rewound | undefined => {
    if (tip < old.first() || parent === tip_uuid || effort <= 0) return undefined;
    const to = parent === undefined ? ROOT : find(parent);
    // No parent: to the very beginning, unless the beginning is no longer what the model sees.
    if (to === UNKNOWN || (to === ROOT && compacted)) return undefined;
    const kept = pathFrom(to, parentOf, () => false).records;
    const { records: dead, rooted } = pathFrom(tip, parentOf, (record) => kept.has(record));
    effort -= kept.size + dead.size;
    if (to === ROOT && !rooted) return undefined;
    if (![...dead].some((record) => halfOf(record).isPrompt(record))) return undefined;
    const oldest = [...dead].reduce((least, record) => Math.min(least, record), next);
    effort -= next - oldest;
    // Parents stand before their children.
    for (let record = oldest; record < next; record += 1) if (dead.has(parentOf(record))) dead.add(record);
    return { records: dead.size, named: names.flatMap(([record, uuid]) => (dead.has(record) ? [uuid] : [])) };
  };

  return {
    seen: (uuid) => find(uuid) !== UNKNOWN,
    isForgotten: ({ parent, at }) => {
      const oldest = Math.min(young.oldest(), old.oldest());
      if (!partial || at === undefined || at === 0 || oldest === Infinity || at >= oldest) return false;
      // A clock that was set back makes records look old; those hang on what is known.
      return parent === undefined || find(parent) === UNKNOWN;
    },
    add: (record) => {
      const { uuid, parent, prompt, boundary, aside, named } = record;
      effort = Math.min(EFFORT, effort + EFFORT_PER_RECORD);
      const rewound = prompt && !aside ? rewoundBy(parent) : undefined;
      const follows = boundary || parent === tip_uuid;
      const mine = put(record, follows ? tip : parent === undefined ? ROOT : find(parent));
      if (named) names = [...names, [mine, uuid] as const].slice(-NAMED);
      if (boundary) compacted = true;
      if (!aside) [tip, tip_uuid] = [mine, uuid];
      return rewound;
    },
    beganLate: () => {
      partial = true;
    },
  };
};

/** From `record` upwards until `stop`, an unknown record, or the root (`rooted`). */
const pathFrom = (record: number, parentOf: (record: number) => number, stop: (record: number) => boolean): { readonly records: Set<number>; readonly rooted: boolean } => {
  const records = new Set<number>();
  for (let at = record; at !== ROOT; at = parentOf(at)) {
    if (at === UNKNOWN || stop(at)) return { records, rooted: false };
    records.add(at);
  }
  return { records, rooted: true };
};
