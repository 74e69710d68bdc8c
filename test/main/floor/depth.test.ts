import { expect, test } from 'vitest';
import { isDeep } from '../../../src/main/floor/depth.ts';

test('what is nested beyond reason is told from what is large, without running out of stack', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`);
  expect([isDeep(1), isDeep(null), isDeep(nested(50)), isDeep(nested(51)), isDeep(nested(100_000))]).toEqual([false, false, false, true, true]);
  expect(isDeep({ a: Array.from({ length: 10_000 }, () => ({ b: [1] })) })).toBe(false);
});
