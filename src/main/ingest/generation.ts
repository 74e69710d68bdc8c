// A fixed number of records known by uuid, each with its parent: 13 bytes and a slot, in arrays that are made once (SPEC 5.1, bounded memory).

/** No such record here. Records are numbered from FIRST in the order they come. */
export const UNKNOWN = 1;
export const FIRST = 2;


/** Room for `room` records; the numbers it gives begin at FIRST, after `clear(first)` at `first`. */
export const openGeneration = (room: number) => {
  // By hash, at most half full: a record's place + 1, 0 where there is none.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(room * 2)));
  const mask = slots.length - 1;
  const keys = new Float64Array(room);
  const parents = new Uint32Array(room);
  const prompts = new Uint8Array(room);
  let first = FIRST;
  let size = 0;
  let oldest = Infinity;

  /** The slot of `key`, else a free one for it; -1 when neither is near. */
  const slotOf = (key: number): number => {
    for (let step = 0, slot = key & mask; step < PROBES; step += 1, slot = (slot + 1) & mask) {
      const place = slots[slot] as number;
      if (place === 0 || keys[place - 1] === key) return slot;
    }
    return -1;
  };

  return {
    first: (): number => first,
    hasRoom: (): boolean => size < room,
    /** The earliest time of a record in it; Infinity when none has any. */
    oldest: (): number => oldest,
    find: (uuid: string): number => {
      const place = slots[slotOf(keyOf(uuid))] ?? 0;
      return place === 0 ? UNKNOWN : first + place - 1;
    },
    parentOf: (record: number): number => (record < first || record >= first + size ? UNKNOWN : (parents[record - first] as number)),
    isPrompt: (record: number): boolean => prompts[record - first] === 1,
    /** `at` 0: no time is known. */
    put: (uuid: string, { parent, prompt, at }: { readonly parent: number; readonly prompt: boolean; readonly at: number }): void => {
      const key = keyOf(uuid);
      const slot = slotOf(key);
      keys[size] = key;
      parents[size] = parent;
      prompts[size] = prompt ? 1 : 0;
      size += 1;
      if (slot !== -1) slots[slot] = size;
      if (at > 0) oldest = Math.min(oldest, at);
    },
    clear: (from: number): void => {
      slots.fill(0);
      first = from;
      size = 0;
      oldest = Infinity;
    },
  };
};

/** Slots looked at for one uuid: far more than chance needs, and an end to what uuids made to collide can cost. */
const PROBES = 256;

/** 52 bits of hash: of 131,072 uuids two share one once in 500,000 sessions. */
export const keyOf = (uuid: string): number => {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < uuid.length; i += 1) {
    const code = uuid.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  a ^= a >>> 15;
  return (b >>> 12) * 0x1_0000_0000 + (a >>> 0);
};
