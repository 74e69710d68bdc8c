import { expect, test } from 'vitest';
import { createLineage } from '../../../src/main/ingest/lineage.ts';

const link = (uuid: string, parent?: string, prompt = false) => ({ uuid, parent, prompt, boundary: false, aside: false });

test('the oldest records are forgotten, the recent ones known', () => {
  const lineage = createLineage(undefined, 100);
  for (let i = 0; i < 1000; i += 1) lineage.add(link(`u${i}`, i === 0 ? undefined : `u${i - 1}`));
  expect(lineage.seen('u999')).toBe(true);
  expect(lineage.seen('u951')).toBe(true);
  expect(lineage.seen('u0')).toBe(false);
});

test('a prompt whose branch point was forgotten is no rewind', () => {
  const lineage = createLineage(undefined, 100);
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
