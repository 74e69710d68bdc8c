import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { afterFork, mayRun, NO_STRAGGLER, type Ladder } from '../../../src/main/pass/stragglers.ts';
import type { ForkEnd, Straggler } from '../../../src/main/records.ts';

const limits = defaultKnobs().loop;
const walk = (ends: readonly ForkEnd[]): { straggler: Straggler; told: string[] } =>
  ends.reduce<{ straggler: Straggler; told: string[] }>(({ straggler, told }, end, at) => {
    const step: Ladder = afterFork('slow', straggler, end, at * 1000, limits);
    return { straggler: step.straggler, told: step.changed === undefined ? told : [...told, step.changed] };
  }, { straggler: NO_STRAGGLER, told: [] });

describe('the straggler ladder', () => {
  it('climbs from every pass to some passes to none, telling each step', () => {
    expect(walk(['deadline']).straggler).toMatchObject({ stage: 'none', timeouts: 1 });
    expect(walk(['deadline', 'deadline'])).toMatchObject({ straggler: { stage: 'rate-limited', since: 1000 }, told: [expect.stringContaining('in one pass of 3 after 2 timeouts')] });
    const off = walk(['deadline', 'deadline', 'deadline', 'deadline']);
    expect(off.straggler).toMatchObject({ stage: 'disabled', timeouts: 4, since: 3000, because: '4 timeouts in a row' });
    expect(off.told).toHaveLength(2);
  });

  it('is left by any answer in time, and not by a provider that failed', () => {
    expect(walk(['deadline', 'feedback', 'deadline']).straggler).toMatchObject({ stage: 'none', timeouts: 1 });
    expect(walk(['deadline', 'deadline', 'feedback'])).toMatchObject({ straggler: NO_STRAGGLER, told: [expect.anything(), expect.stringContaining('answered in time')] });
    expect(walk(['deadline', 'provider-error', 'cancelled', 'no-match', 'deadline']).straggler.stage).toBe('rate-limited');
  });

  it('ends for the task when the one retry times out, and is left when it does not', () => {
    const off = walk(['deadline', 'deadline', 'deadline', 'deadline']).straggler;
    expect(mayRun(off, 1, off.since + limits.demote_retry_s * 1000, limits)).toBe('yes');
    const again = afterFork('slow', off, 'deadline', 9e6, limits);
    expect(again.straggler).toMatchObject({ stage: 'disabled', retried: true });
    expect(mayRun(again.straggler, 1, 9e9, limits)).toBe('disabled');
    expect(afterFork('slow', off, 'feedback', 9e6, limits).straggler).toEqual(NO_STRAGGLER);
  });

  it('lets a slowed detector run at its stride', () => {
    const slowed = walk(['deadline', 'deadline']).straggler;
    expect([1, 2, 3, 4, 5, 6].map((due) => mayRun(slowed, due, 0, limits))).toEqual(['rate-limited', 'rate-limited', 'yes', 'rate-limited', 'rate-limited', 'yes']);
  });
});
