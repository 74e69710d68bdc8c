import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { allow, backoff, divide, estimatePass, headroom, tally, tokensAtWorst, weigh, type BudgetLine, type PassSize } from '../../../src/main/pass/budget.ts';
import type { Usage } from '../../../src/main/records.ts';

const limits = (more: Partial<Knobs['budget']> = {}): Knobs['budget'] => ({ ...defaultKnobs().budget, ...more });
const usage = (more: Partial<Usage> = {}): Usage => ({ input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, ...more });
const none = { own: 0, machine: 0, host: 0 };
const size = (more: Partial<PassSize> = {}): PassSize => ({
  prefix: 100_000, cached: 0, tail: 500, iterations: [1, 1, 1], max_output: 1024, output_ratio: 5, cache: '5m', one_writer: true, ...more,
});

describe('weights', () => {
  it('price a token by what was done with it', () => {
    expect(weigh(usage({ input: 10 }))).toBe(10);
    expect(weigh(usage({ cache_read: 1000 }))).toBe(100);
    expect(weigh(usage({ cache_write_5m: 1000 }))).toBe(1250);
    expect(weigh(usage({ cache_write_1h: 1000 }))).toBe(2000);
    expect(weigh(usage({ output: 10 }))).toBe(50);
    expect(weigh(usage({ output: 10 }), 4)).toBe(40);
    expect(weigh(usage({ cache_read: 30 }))).toBe(3);
    expect(weigh(usage({ cache_read: 1 }))).toBe(1);
  });

  it('take a token for three bytes at worst', () => {
    expect(tokensAtWorst(10)).toBe(4);
  });
});

describe('the estimate of a pass', () => {
  it('is one write and a read per further fork when they wait for the pilot', () => {
    expect(estimatePass(size()).least).toBe(125_000 + 2 * 10_000 + 3 * (500 + 5120));
    expect(estimatePass(size({ one_writer: false })).least).toBe(3 * 125_000 + 3 * (500 + 5120));
    expect(estimatePass(size({ cache: 'none' })).least).toBe(3 * (100_000 + 500 + 5120));
    expect(estimatePass(size({ cached: 99_000 })).least).toBe(1250 + 9900 + 2 * 10_000 + 3 * (500 + 5120));
  });

  it('is what a simulated pass can cost at most', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }), fc.constantFrom('5m', '1h', 'none'), (prefix, iterations, cache) => {
        const { least, most } = estimatePass(size({ prefix, iterations, cache }));
        let spent = 0;
        for (const [i, rounds] of iterations.entries()) {
          for (let round = 0; round < rounds; round += 1) {
            const writes = i === 0 && round === 0;
            spent += weigh(usage({
              input: 500 + round * (1024 + 3000) + (cache === 'none' ? prefix : 0),
              output: 1024,
              cache_read: cache === 'none' || writes ? 0 : prefix,
              cache_write_5m: cache === '5m' && writes ? prefix : 0,
              cache_write_1h: cache === '1h' && writes ? prefix : 0,
            }));
          }
        }
        // Each request is rounded up by itself.
        expect(spent).toBeLessThanOrEqual(most + iterations.length * 6);
        expect(least).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe('the division among forks', () => {
  it('lets every fork make its first request and all together never more than the pass may spend', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }), fc.constantFrom('5m', '1h', 'none'), fc.nat(2_000_000), (prefix, iterations, cache, extra) => {
        const pass = size({ prefix, iterations, cache });
        const tokens = estimatePass(pass).least + extra;
        let spent = 0;
        for (const [i, budget] of divide(pass, tokens).entries()) {
          const read = cache === 'none' ? prefix : prefix * 0.1;
          const write = { none: prefix, '5m': prefix * 1.25, '1h': prefix * 2 }[cache];
          let used = 0;
          for (let round = 0; round < (iterations[i] ?? 0) && used < budget; round += 1) used += 500 + 5120 + (i === 0 && round === 0 ? write : read) + round * 5024;
          expect(used).toBeGreaterThan(0);
          spent += used;
        }
        expect(spent).toBeLessThanOrEqual(tokens + 1);
      }),
    );
  });

  it('lets all iterations happen when there is room for the most', () => {
    const pass = size({ iterations: [1, 6] });
    const [, budget = 0] = divide(pass, estimatePass(pass).most);
    let used = 0;
    let requests = 0;
    for (; requests < 6 && used < budget; requests += 1) used += 10_000 + 500 + 5120 + requests * 5024;
    expect(requests).toBe(6);
  });
});

describe('headroom', () => {
  it('is the tightest ceiling’s, named', () => {
    expect(headroom(0, none, 'anthropic', limits())).toEqual({ binds: 'hour', tokens: 600_000 });
    expect(headroom(1_900_000, none, 'anthropic', limits())).toEqual({ binds: 'task', tokens: 100_000 });
    expect(headroom(0, { own: 0, machine: 90, host: 0 }, 'anthropic', limits({ machine_tokens_per_hour: 100 }))).toEqual({ binds: 'machine', tokens: 10 });
    expect(headroom(0, { own: 0, machine: 9e9, host: 0 }, 'anthropic', limits())).toEqual({ binds: 'hour', tokens: 600_000 });
    expect(headroom(0, { own: 0, machine: 0, host: 299_000 }, 'host', limits())).toEqual({ binds: 'host', tokens: 1000 });
    expect(headroom(0, { own: 0, machine: 0, host: 299_000 }, 'anthropic', limits()).binds).toBe('hour');
    expect(headroom(5e9, none, 'anthropic', limits())).toEqual({ binds: 'task', tokens: 0 });
  });

  it('lets a pass run when every fork can ask once, and with all iterations when there is room', () => {
    expect(allow({ least: 10, most: 50 }, { binds: 'hour', tokens: 100 })).toEqual({ go: true, tokens: 50 });
    expect(allow({ least: 10, most: 50 }, { binds: 'hour', tokens: 30 })).toEqual({ go: true, tokens: 30 });
    expect(allow({ least: 31, most: 50 }, { binds: 'task', tokens: 30 })).toEqual({ go: false, because: 'budget', binds: 'task', needed: 31, left: 30 });
  });

  it('stretches the floor as it shrinks, never below once nor above eight times', () => {
    const at = (own: number): number => backoff({ ...none, own }, 'anthropic', limits());
    expect([0, 300_000, 450_000, 540_000, 600_000, 9e9].map(at)).toEqual([1, 1, 2, 5, 8, 8].map((each) => expect.closeTo(each, 6) as number));
    expect(backoff({ own: 0, machine: 90, host: 0 }, 'anthropic', limits({ machine_tokens_per_hour: 100 }))).toBeCloseTo(5);
    expect(backoff({ own: 0, machine: 0, host: 270_000 }, 'host', limits())).toBeCloseTo(5);
  });
});

describe('the tally', () => {
  const HOUR = 3_600_000;
  const NOW = 10 * HOUR;
  const reserve = (id: string, at: number, tokens: number, more: { readonly session?: string; readonly host?: string; readonly provider?: string } = {}): BudgetLine => ({
    v: 1, kind: 'reserve', id, at, task: 't', session: 's', host: 'h', provider: 'anthropic', tokens, ...more,
  });
  const settle = (id: string, tokens: number): BudgetLine => ({ v: 1, kind: 'settle', id, at: NOW, tokens });

  it('counts what is not settled in full, and what is by its settlement', () => {
    expect(tally([reserve('a', NOW, 100), reserve('b', NOW, 100), settle('b', 30)], { session: 's', host: 'h' }, NOW)).toEqual({ own: 130, machine: 130, host: 0 });
  });

  it('forgets what is an hour old, and takes a clock that was set back for no excuse', () => {
    const lines = [reserve('a', NOW - HOUR, 1), reserve('b', NOW - HOUR + 1, 10), reserve('c', NOW + HOUR, 100), reserve('d', NOW + HOUR + 1, 1000)];
    expect(tally(lines, { session: 's', host: 'h' }, NOW).own).toBe(110);
  });

  it('counts as its own what the session or its host process spent, and as host what that provider did', () => {
    const lines = [reserve('a', NOW, 1, { session: 'after-clear' }), reserve('b', NOW, 10, { host: 'h2' }), reserve('c', NOW, 100, { session: 'x', host: 'y', provider: 'host' })];
    expect(tally(lines, { session: 's', host: 'h' }, NOW)).toEqual({ own: 11, machine: 111, host: 100 });
  });
});
