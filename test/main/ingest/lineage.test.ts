import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineage } from '../../../src/main/ingest/lineage.ts';
import { cpuMs } from '../../support/cpu.ts';

const link = (uuid: string, parent?: string, prompt = false) => ({ uuid, parent, prompt, boundary: false, aside: false });

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
  expect(lineage.add(link('p', 'u5', true))).toEqual([]);
  expect(lineage.add(link('q', undefined, true))).toEqual([]);
});

test('records aside of the main conversation are known and followed by nothing', () => {
  const lineage = createLineage();
  lineage.add(link('p1', undefined, true));
  lineage.add(link('p2', 'p1', true));
  lineage.add({ ...link('side', undefined, true), aside: true });
  expect(lineage.seen('side')).toBe(true);
  expect(lineage.add(link('p3', 'p2', true))).toEqual([]);
  expect(lineage.add(link('p4', 'p1', true))).toEqual(['p2', 'p3']);
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
        const dead = lineage.add({ ...link(uuid, boundary ? undefined : path.at(-1)?.uuid, prompt), boundary });
        path = [...path, { uuid, prompt }];
        return dead;
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
