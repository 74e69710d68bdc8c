import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { decide, drawn, type TriggerFacts, type TriggerState } from '../../../src/main/pass/trigger.ts';

const limits = defaultKnobs().loop;
const facts: TriggerFacts = { muted: false, budget_spent: false, backoff: 1, busy: false, enrolled: true, paused: false };
const NOW = 1_800_000_000_000;
const ago = (seconds: number): number => NOW - seconds * 1000;
const state = (over: Partial<TriggerState> = {}): TriggerState => ({
  last_start: ago(100), pending_chars: 500, oldest_at: ago(10), activity: true, salient: [], salience_draws: [], ...over,
});
const said = (over: Partial<TriggerState>, factsOver: Partial<TriggerFacts> = {}): string => decide(state(over), NOW, limits, { ...facts, ...factsOver }).because;
const after = (t: TriggerState, now: number, chars: number | undefined, salient: 'error' | 'user_prompt' | undefined): TriggerState => ({
  ...t, pending_chars: t.pending_chars + (chars ?? 0), activity: t.activity || chars !== undefined,
  ...(chars !== undefined && t.oldest_at === undefined ? { oldest_at: now } : {}), salient: salient === undefined ? t.salient : [...t.salient, salient],
});

describe('decide', () => {
  it.each<[string, Partial<TriggerState>, Partial<TriggerFacts>, string]>([
    ['little text', {}, {}, 'too-little'],
    ['enough text behind the floor', { pending_chars: 6000 }, {}, 'volume'],
    ['enough text before the floor', { pending_chars: 6000, last_start: ago(89) }, {}, 'floor'],
    ['enough text, no pass yet', { pending_chars: 6000 }, {}, 'volume'],
    ['enough text while the budget runs down', { pending_chars: 6000 }, { backoff: 2 }, 'floor'],
    ['old text, however little', { oldest_at: ago(900) }, {}, 'ceiling'],
    ['old text before a stretched floor', { oldest_at: ago(900) }, { backoff: 4 }, 'floor'],
    ['an error', { salient: ['error'], last_start: ago(5) }, {}, 'salience'],
    ['a prompt', { salient: ['user_prompt'], last_start: ago(5) }, {}, 'salience'],
    ['an error with the tokens drawn', { salient: ['error'], last_start: ago(5), salience_draws: [10, 9, 8, 7, 6, 5].map((m) => ago(60 * m)) }, {}, 'too-little'],
    ['an error with one token back', { salient: ['error'], last_start: ago(5), salience_draws: [60, 9, 8, 7, 6, 5].map((m) => ago(60 * m)) }, {}, 'salience'],
    ['an error and enough text: volume costs no token', { salient: ['error'], pending_chars: 6000 }, {}, 'volume'],
    ['a turn end', { turn_ended: true, last_start: ago(1), pending_chars: 3 }, {}, 'turn-end'],
    ['a turn end of our own turn', { turn_ended: true, own_turn: true }, {}, 'own-turn'],
    ['a turn end of our own turn with much to see', { turn_ended: true, own_turn: true, pending_chars: 7000 }, {}, 'volume'],
    ['a turn end with nothing new', { turn_ended: true, activity: false }, {}, 'no-activity'],
    ['a person who asks', { asked: true, last_start: ago(1), pending_chars: 1 }, {}, 'asked'],
    ['a person who asks about nothing new', { asked: true, activity: false }, {}, 'no-activity'],
    ['a turn end while muted', { turn_ended: true }, { muted: true }, 'muted'],
    ['a question while muted', { asked: true }, { muted: true }, 'muted'],
    ['a turn end with the budget spent', { turn_ended: true }, { budget_spent: true }, 'budget'],
    ['a turn end during a pass', { turn_ended: true }, { busy: true }, 'busy'],
    ['a paused provider', { turn_ended: true }, { paused: true }, 'paused'],
    ['a workspace that is not enrolled', { turn_ended: true }, { enrolled: false }, 'not-enrolled'],
    ['much text and a clock set back', { pending_chars: 6000, last_start: NOW + 3_600_000 }, {}, 'volume'],
  ])('%s', (_, over, factsOver, because) => {
    expect(said(over, factsOver)).toBe(because);
  });

  it('goes at once without a pass before it', () => {
    const { last_start: _, ...first } = state({ pending_chars: 6000 });
    expect(decide(first, NOW, limits, facts)).toEqual({ go: true, because: 'volume' });
  });

  it('says when time alone may change the answer', () => {
    expect(decide(state({ pending_chars: 6000, last_start: ago(50) }), NOW, limits, facts)).toEqual({ go: false, because: 'floor', again_at: ago(-40) });
    expect(decide(state({}), NOW, limits, facts)).toEqual({ go: false, because: 'too-little', again_at: ago(-890) });
    const drawnOut = state({ salient: ['error'], salience_draws: Array.from({ length: 6 }, () => ago(3590)), last_start: ago(0) });
    expect(decide(drawnOut, NOW, limits, facts)).toEqual({ go: false, because: 'too-little', again_at: ago(-10) });
    expect(decide(state({}), NOW, limits, { ...facts, muted: true })).toEqual({ go: false, because: 'muted' });
  });

  it('really goes at the time it named', () => {
    const pending = state({ pending_chars: 6000, last_start: ago(50) });
    const hold = decide(pending, NOW, limits, facts);
    if (hold.go || hold.again_at === undefined) throw new Error('expected to be held');
    expect(decide(pending, hold.again_at - 1, limits, facts).go).toBe(false);
    expect(decide(pending, hold.again_at, limits, facts).go).toBe(true);
  });

  it('D2: keeps the pass rate within floor and salience for any stream of events', () => {
    const step = fc.record({
      wait_s: fc.integer({ min: 0, max: 120 }), chars: fc.integer({ min: 0, max: 20_000 }),
      salient: fc.constantFrom<'error' | 'user_prompt' | undefined>('error', 'user_prompt', undefined), activity: fc.boolean(),
    });
    fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
      let now = NOW;
      let t: TriggerState = { pending_chars: 0, activity: false, salient: [], salience_draws: [] };
      const starts: { at: number; because: string }[] = [];
      for (const { wait_s, chars, salient, activity } of steps) {
        now += wait_s * 1000;
        t = after(t, now, activity ? chars : undefined, salient);
        const decision = decide(t, now, limits, facts);
        if (!decision.go) continue;
        if (!t.activity) return false;
        starts.push({ at: now, because: decision.because });
        t = { last_start: now, pending_chars: 0, activity: false, salient: [], salience_draws: drawn(t.salience_draws, decision.because, now) };
      }
      const inHour = (from: number, test: (because: string) => boolean): number => starts.filter(({ at, because }) => at >= from && at < from + 3_600_000 && test(because)).length;
      return starts.every(({ at }) => inHour(at, (because) => because === 'salience') <= limits.salience_per_hour && inHour(at, (because) => because !== 'salience') <= 3600 / limits.min_interval_s);
    }));
  });

  it('D2: a day without activity starts no pass', () => {
    const quiet = state({ activity: false, pending_chars: 0, salient: ['error'] });
    expect(Array.from({ length: 24 * 60 }, (_, minute) => decide(quiet, NOW + minute * 60_000, limits, facts)).some(({ go }) => go)).toBe(false);
  });
});

describe('drawn', () => {
  it('remembers salience of the last hour only', () => {
    expect(drawn([ago(3700), ago(100)], 'salience', NOW)).toEqual([ago(100), NOW]);
    expect(drawn([ago(100)], 'volume', NOW)).toEqual([ago(100)]);
  });
});
