// How much went by, and how much of it was kept: what stats shows per tool and per kind of record (HAZARDS C3).
import type { Observation, Projected } from '../records.ts';
import type { Status, Volume } from '../surfaces.ts';

export type Volumes = Status['volumes'];

export const noVolumes: Volumes = { tools: {}, kinds: {}, unknown: {} };

/** Names a table may hold: they come from outside. The rest is counted under `other`. */
const NAMES = 200;

/** The counts with `items` and the observations folded from them added. Characters of transcript content and of text kept. */
export const countVolumes = (before: Volumes, items: readonly Projected[], observations: readonly Observation[]): Volumes => {
  const tools = new Map(Object.entries(before.tools));
  const kinds = new Map(Object.entries(before.kinds));
  const unknown = new Map(Object.entries(before.unknown));
  for (const item of items) {
    const kept = item.observations.reduce((chars, { text }) => chars + text.length, 0);
    add(kinds, item.type, { count: 1, raw_chars: item.raw_chars, kept_chars: kept });
    if (item.unknown === true) {
      const name = nameIn(unknown, item.type);
      unknown.set(name, (unknown.get(name) ?? 0) + 1);
    }
  }
  for (const { kind, tool, raw_chars, text } of observations) {
    // A call is one use; what comes back adds to its characters only.
    if (tool !== undefined) add(tools, tool, { count: kind === 'tool' ? 1 : 0, raw_chars, kept_chars: text.length });
  }
  return { tools: Object.fromEntries(tools), kinds: Object.fromEntries(kinds), unknown: Object.fromEntries(unknown) };
};

const add = (table: Map<string, Volume>, outside: string, more: Volume): void => {
  const name = nameIn(table, outside);
  const had = table.get(name) ?? { count: 0, raw_chars: 0, kept_chars: 0 };
  table.set(name, { count: had.count + more.count, raw_chars: had.raw_chars + more.raw_chars, kept_chars: had.kept_chars + more.kept_chars });
};

const nameIn = (table: ReadonlyMap<string, unknown>, name: string): string => (table.has(name) || table.size < NAMES ? name.slice(0, 100) : 'other');
