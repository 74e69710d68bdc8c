// Seeded chance: the same seed draws the same everywhere.

export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number from `low` to `high`, both included. */
  readonly int: (low: number, high: number) => number;
  readonly chance: (share: number) => boolean;
  /** One of `items`, which must not be empty. */
  readonly pick: <T>(items: readonly T[]) => T;
  /** `count` different ones of `items`, or all in a new order. */
  readonly some: <T>(items: readonly T[], count: number) => readonly T[];
};

/** Draws that depend on `seed` alone. */
export const makeRandom = (seed: string): Random => {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[int(0, items.length - 1)] as T;
  };
  const some = <T>(items: readonly T[], count: number): readonly T[] => {
    const left = [...items];
    const out: T[] = [];
    while (out.length < count && left.length > 0) out.push(...left.splice(int(0, left.length - 1), 1));
    return out;
  };
  return { next, int, chance: (share) => next() < share, pick, some };
};

/** FNV-1a, then mixed: near seeds start far apart. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
};
