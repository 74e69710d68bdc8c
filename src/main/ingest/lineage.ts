// Which records were read, and how they hang together: copies are told by uuid, a rewind by a prompt's parent (SPEC 5.1).

export type Lineage = {
  readonly seen: (uuid: string) => boolean;
  /**
   * Takes a record in. For a prompt that does not follow the tip: the uuids its rewind leaves dead, oldest first.
   * Only a branch that holds a prompt was rewound; parallel calls and late host records branch too.
   */
  readonly add: (record: LineageRecord) => readonly string[];
};

export type LineageRecord = {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly prompt: boolean;
  /** A compaction: it has no parent, but follows the tip. */
  readonly boundary: boolean;
  /** Not part of the main conversation: known from now on, but nothing follows it. */
  readonly aside: boolean;
};

/** About 75 bytes each: 15 MB at most, in sessions of some 700 MB. */
const CAPACITY = 200_000;
const DEAD_MAX = 20_000;
/** Records that may be looked at to judge prompts, in stock and per record read: a file of nothing but branches stays linear. */
const EFFORT = 2_000_000;
const EFFORT_PER_RECORD = 100;

export const createLineage = (capacity: number = CAPACITY): Lineage => {
  // Two generations: the older half is forgotten as a whole, so memory stays bounded without bookkeeping per record.
  let young = generation();
  let old = generation();
  let tip: string | undefined;
  let compacted = false;
  let effort = EFFORT;

  const parentOf = (uuid: string): string | undefined => young.parents.get(uuid) ?? old.parents.get(uuid);
  const isPrompt = (uuid: string): boolean => young.prompts.has(uuid) || old.prompts.has(uuid);
  const seen = (uuid: string): boolean => young.parents.has(uuid) || old.parents.has(uuid);
  const put = (uuid: string, parent: string, prompt: boolean): void => {
    if (young.parents.size >= capacity / 2) {
      old = young;
      young = generation();
    }
    young.parents.set(uuid, parent);
    if (prompt) young.prompts.add(uuid);
  };

  const deadAfter = (parent: string | undefined): readonly string[] => {
    if (tip === undefined || parent === tip || effort <= 0) return [];
    // No parent: to the very beginning, unless the beginning is no longer what the model sees.
    if (parent === undefined ? compacted : !seen(parent)) return [];
    const kept = pathFrom(parent, parentOf, () => false).uuids;
    const branch = pathFrom(tip, parentOf, (uuid) => kept.has(uuid));
    effort -= kept.size + branch.uuids.size;
    if (parent === undefined && !branch.rooted) return [];
    if (![...branch.uuids].some(isPrompt)) return [];
    effort -= 2 * (old.parents.size + young.parents.size);
    const dead = branch.uuids;
    for (const { parents } of [old, young]) {
      for (const [uuid, above] of parents) if (dead.has(above)) dead.add(uuid);
    }
    const inOrder = [old, young].flatMap(({ parents }) => [...parents.keys()].filter((uuid) => dead.has(uuid)));
    return inOrder.slice(-DEAD_MAX);
  };

  return {
    seen,
    add: ({ uuid, parent, prompt, boundary, aside }) => {
      effort = Math.min(EFFORT, effort + EFFORT_PER_RECORD);
      const dead = prompt && !aside ? deadAfter(parent) : [];
      // The tip's own string, since most records follow it: half the memory.
      const above = boundary || parent === tip ? tip : parent;
      put(uuid, above ?? '', prompt);
      if (boundary) compacted = true;
      if (!aside) tip = uuid;
      return dead;
    },
  };
};

type Generation = { readonly parents: Map<string, string>; readonly prompts: Set<string> };
const generation = (): Generation => ({ parents: new Map(), prompts: new Set() });

/** From `uuid` upwards until `stop`, an unknown record, or the root (`rooted`). */
const pathFrom = (uuid: string | undefined, parentOf: (uuid: string) => string | undefined, stop: (uuid: string) => boolean): { readonly uuids: Set<string>; readonly rooted: boolean } => {
  const uuids = new Set<string>();
  for (let at = uuid ?? ''; ; ) {
    if (at === '') return { uuids, rooted: true };
    const above = parentOf(at);
    if (above === undefined || stop(at) || uuids.has(at)) return { uuids, rooted: false };
    uuids.add(at);
    at = above;
  }
};
