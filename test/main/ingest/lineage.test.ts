import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/main/ingest/generation.ts';
import { createLineage } from '../../../src/main/ingest/lineage.ts';
import { cpuMs } from '../../support/cpu.ts';

const link = (uuid: string, parent?: string, prompt = false) => ({ uuid, parent, at: undefined, prompt, boundary: false, aside: false, named: true });

test('the oldest records are forgotten, the recent ones known', () => {
  const lineage = createLineage(100);
  for (let i = 0; i < 1000; i += 1) lineage.add(link(`u${i}`, i === 0 ? undefined : `u${i - 1}`));
  expect(lineage.seen('u999')).toBe(true);
  expect(lineage.seen('u951')).toBe(true);
  expect(lineage.seen('u0')).toBe(false);
});

test('a prompt whose branch point was forgotten is no rewind', () => {
  const lineage = createLineage(100);
  for (let i = 0; i < 1000; i += 1) lineage.add(link(`u${i}`, i === 0 ? undefined : `u${i - 1}`, i % 10 === 0));
  expect(lineage.add(link('p', 'u5', true))).toBeUndefined();
  expect(lineage.add(link('q', undefined, true))).toBeUndefined();
});

test('records aside of the main conversation are known and followed by nothing', () => {
  const lineage = createLineage();
  lineage.add(link('p1', undefined, true));
  lineage.add(link('p2', 'p1', true));
  lineage.add({ ...link('side', undefined, true), aside: true });
  expect(lineage.seen('side')).toBe(true);
  expect(lineage.add(link('p3', 'p2', true))).toBeUndefined();
  expect(lineage.add(link('p4', 'p1', true))).toEqual({ records: 2, named: ['p2', 'p3'] });
});

test('of a dead branch only what carries something of ours is named, from before the last hundreds too', () => {
  const lineage = createLineage();
  lineage.add({ ...link('root', undefined, true), named: false });
  for (let i = 0; i < 5000; i += 1) lineage.add({ ...link(`u${i}`, i === 0 ? 'root' : `u${i - 1}`, i % 10 === 0), named: i % 1000 === 7 });
  expect(lineage.add({ ...link('p', 'u1500', true), named: false })).toEqual({ records: 3499, named: ['u2007', 'u3007', 'u4007'] });
});

describe('copies of what was forgotten', () => {
  const at = (n: number) => ({ at: 1_000_000 + n * 1000 });
  /** A thousand records a second apart, of which the last fifty to a hundred are known. */
  const long = () => {
    const lineage = createLineage(100);
    for (let i = 0; i < 1000; i += 1) lineage.add({ ...link(`u${i}`, i === 0 ? undefined : `u${i - 1}`, i % 10 === 0), ...at(i) });
    return lineage;
  };
  /** What of a replay of the first `n` records would count again. */
  const counted = (lineage: ReturnType<typeof createLineage>, n: number): number => {
    let again = 0;
    for (let i = 0; i < n; i += 1) {
      const copy = { ...link(`u${i}`, i === 0 ? undefined : `u${i - 1}`, i % 10 === 0), ...at(i) };
      if (lineage.seen(copy.uuid) || lineage.isForgotten(copy)) continue;
      lineage.add(copy);
      again += 1;
    }
    return again;
  };

  test('are told by their age: a replay of everything counts nothing again', () => {
    expect(counted(long(), 1000)).toBe(0);
  });

  test('are told where the file was begun late as well, and not where nothing is known yet', () => {
    const lineage = createLineage();
    lineage.beganLate();
    expect(lineage.isForgotten({ ...link('first', 'before'), ...at(500) })).toBe(false);
    lineage.add({ ...link('first', 'before'), ...at(500) });
    expect(counted(lineage, 500)).toBe(0);
  });

  test('what is new counts: a rewind beyond memory, a compaction, a record without a time, a clock set back under the session', () => {
    const lineage = long();
    expect(lineage.isForgotten({ ...link('p', 'u5', true), ...at(1001) })).toBe(false);
    expect(lineage.isForgotten({ ...link('b', undefined), boundary: true, ...at(1001) })).toBe(false);
    expect(lineage.isForgotten(link('timeless', 'u5'))).toBe(false);
    const back = { ...link('back', 'u999'), ...at(3) };
    expect(lineage.isForgotten(back)).toBe(false);
    lineage.add(back);
    expect(lineage.isForgotten({ ...link('b2', undefined), boundary: true, ...at(4) })).toBe(false);
  });

  test('before anything is forgotten nothing is taken for one', () => {
    const lineage = createLineage();
    lineage.add({ ...link('u1', undefined), ...at(100) });
    expect(lineage.isForgotten({ ...link('u0', undefined), ...at(1) })).toBe(false);
  });
});

test('whatever uuids come, exactly those of the last generations are known', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.uuid(), fc.integer({ min: 0, max: 60 }).map(String)), { maxLength: 300 }), (uuids) => {
      const lineage = createLineage(64);
      let [young, old] = [new Set<string>(), new Set<string>()];
      for (const uuid of uuids) {
        expect(lineage.seen(uuid)).toBe(young.has(uuid) || old.has(uuid));
        if (lineage.seen(uuid)) continue;
        if (young.size === 32) [young, old] = [new Set<string>(), young];
        young.add(uuid);
        lineage.add(link(uuid));
      }
    }),
  );
});

test('uuids made to fall into one place are given up after some, so that none is sought for long', () => {
  const alike: string[] = [];
  for (let i = 0; alike.length < 300; i += 1) if ((keyOf(`u${i}`) & 4095) === 0) alike.push(`u${i}`);
  const lineage = createLineage(4096);
  for (const uuid of alike) lineage.add(link(uuid));
  expect(alike.map((uuid) => lineage.seen(uuid))).toEqual(alike.map((_, n) => n < 256));
});

test('a file of nothing but branches costs in proportion to its length', () => {
  const timeOf = (n: number): number => {
    const lineage = createLineage();
    const from = cpuMs();
    lineage.add(link('root', undefined, true));
    for (let i = 0; i < 2000; i += 1) lineage.add(link(`deep${i}`, i === 0 ? 'root' : `deep${i - 1}`));
    for (let i = 0; i < n; i += 1) lineage.add(link(`p${i}`, i % 2 === 0 ? 'root' : 'deep1999', true));
    return cpuMs() - from;
  };
  const least = (n: number): number => Math.min(timeOf(n), timeOf(n), timeOf(n));
  expect(least(20_000)).toBeLessThan(least(5000) * 10);
});

test('over any history of turns, rewinds and compactions exactly the abandoned records are dead', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('turn' as const), records: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ kind: fc.constant('rewind' as const), back: fc.integer({ min: 1, max: 4 }), records: fc.integer({ min: 0, max: 3 }) }),
    fc.constant({ kind: 'compaction' as const, records: 1 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const lineage = createLineage();
      let n = 0;
      let path: readonly { readonly uuid: string; readonly prompt: boolean }[] = [];
      const append = (prompt: boolean, boundary = false): readonly string[] => {
        const uuid = `u${(n += 1)}`;
        const { named = [], records = 0 } = lineage.add({ ...link(uuid, boundary ? undefined : path.at(-1)?.uuid, prompt), boundary }) ?? {};
        expect(records).toBe(named.length);
        path = [...path, { uuid, prompt }];
        return named;
      };
      const gone = new Set<string>();
      for (const { kind, ...more } of steps) {
        let expected: readonly string[] = [];
        if (kind === 'rewind' && 'back' in more) {
          const prompts = path.flatMap(({ prompt }, place) => (prompt && place > 0 ? [place] : []));
          const to = prompts.at(-more.back);
          if (to !== undefined) {
            expected = path.slice(to).map(({ uuid }) => uuid);
            path = path.slice(0, to);
          }
        }
        if (kind === 'compaction' && path.length > 0) append(false, true);
        // Older branches off a dead record are named again: only what is new in it is compared.
        const dead = append(true).filter((uuid) => !gone.has(uuid));
        expect(dead).toEqual(expected);
        for (const uuid of dead) gone.add(uuid);
        for (let i = 0; i < more.records; i += 1) append(false);
      }
    }),
  );
});
