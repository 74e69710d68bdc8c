// What fails a quick run of the bench, and what never does.
import { expect, test } from 'vitest';
import { inTurn, pairOf } from '../../bench/measure.ts';
import { isSlower, meets, type Line } from '../../bench/report.ts';

const line = (more: Partial<Line>): Line => ({ what: 'x', unit: 'ms', ours: 10, limit: { what: 'y', value: 4 }, ...more });

test('a ratio beyond twice what it usually is counts as slower, a missed goal alone does not', () => {
  expect(isSlower(line({ usual: 1.2 }))).toBe(true);
  expect(isSlower(line({ usual: 1.3 }))).toBe(false);
  const missed = line({ goal: { of: 'ratio', max: 1 } });
  expect([meets(missed), isSlower(missed)]).toEqual([false, false]);
});

test('what is not measured counts as nothing', () => {
  const { limit: _, ...alone } = line({ usual: 1 });
  expect(isSlower(alone)).toBe(false);
});

test('of two that run side by side the round is told whose ratio is the median, whatever else made all of it long', () => {
  expect(pairOf([10, 11, 300, 50, 12], [10, 10, 100, 10, 10])).toEqual({ ours: 12, limit: 10 });
  expect(pairOf([30, 900, 33], [10, 300, 10])).toEqual({ ours: 900, limit: 300 });
});

test('variants run in turn, in an order that is reversed each round', async () => {
  const order: string[] = [];
  const values = await inTurn(3, { a: () => order.push('a'), b: () => order.push('b') });
  expect(order.join('')).toBe('abbaab');
  expect(values).toEqual({ a: [1, 4, 5], b: [2, 3, 6] });
});
