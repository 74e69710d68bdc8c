import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../../../src/main/floor/usage.ts';
import { countUsage, noUsageYet, type UsageTotal } from '../../../src/main/ingest/usage.ts';
import type { Projected } from '../../../src/main/records.ts';
import { item } from '../../support/records.ts';

const used = (message: string, output: number): Projected => item({ usage: { message, usage: { ...NO_USAGE, input: 10, output } } });

describe('the agent’s tokens', () => {
  test('C6: the last record of a message counts', () => {
    expect(countUsage(noUsageYet, [used('m', 2), used('m', 2), used('m', 540)]).total).toMatchObject({ input: 10, output: 540 });
  });

  test('C6: also when its records come in different reads', () => {
    let total: UsageTotal = noUsageYet;
    for (const one of [used('a', 1), used('b', 2), used('a', 3)]) total = countUsage(total, [one]);
    expect(total.total).toMatchObject({ input: 20, output: 5 });
  });

  test('C7: records without a message id are counted and marked uncertain', () => {
    expect(countUsage(noUsageYet, [used('', 7), used('', 7), used('m', 1)])).toMatchObject({ uncertain: 2, total: { output: 15 } });
  });

  test('memory is bounded however many messages there are', () => {
    const counted = countUsage(noUsageYet, Array.from({ length: 5000 }, (_, i) => used(`m${i}`, 1)));
    expect(counted.total.output).toBe(5000);
    expect(counted.open.length).toBeLessThan(100);
  });
});
