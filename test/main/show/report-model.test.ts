import { describe, expect, test } from 'vitest';
import { reportOf } from '../../../src/main/show/report-model.ts';
import { chartData } from '../../../src/main/show/report-chart.ts';
import type { PassFork, PassLine } from '../../../src/main/surfaces.ts';
import { sessionOf } from '../../support/report-session.ts';

const T = Date.UTC(2026, 10, 30, 9, 0, 0);
const none = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const fork = (over: Partial<PassFork> = {}): PassFork => ({ detector: 'default', pilot: true, end: 'feedback', verdict: 'silent', from_ms: 0, took_ms: 1500, usage: { ...none, input: 10, cache_read: 90 }, tokens: 19, ...over });
const pass = (n: number, over: Partial<PassLine> = {}): PassLine => ({
  v: 1, task: 't', pass: n, at: T + n * 60_000, ended_at: T + n * 60_000 + 2000, because: 'volume', provider: 'anthropic', model: 'm', observations: 3,
  marks: [], forks: [fork()], skipped: [], tokens: 19, primary: { ...none, input: 1000 * n }, window: { chars: 100 * n, budget_chars: 1000, compactions: 0 }, ...over,
});
const of = (passes: readonly PassLine[]) => reportOf({ name: 's', history: [], passes });

describe('events', () => {
  test('prompts, edits, passes and advice stand in one order of time', () => {
    const { events } = reportOf(sessionOf(60));
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['prompt', 'edit', 'error', 'note', 'pass', 'advice']));
  });
  test('an observation that two lines tell of is one event; the same number in another task is another', () => {
    const mark = { at: T, n: 1, kind: 'prompt' as const, text: 'p' };
    const marks = of([pass(1, { marks: [mark] }), pass(2, { marks: [mark] }), pass(3, { task: 'u', marks: [mark] })]).events.filter(({ kind }) => kind === 'prompt');
    expect(marks).toHaveLength(2);
  });
  test('a time that no session can have squeezes nobody else', () => {
    const { from, to, events } = of([pass(1, { marks: [{ at: 0, n: 1, kind: 'edit', text: 'x' }, { at: 8e15, n: 2, kind: 'edit', text: 'y' }] }), pass(2, { at: -5 })]);
    expect(events).toHaveLength(1);
    expect([from, to]).toEqual([T + 60_000, T + 62_000]);
  });
  test('marks that were left out are counted', () => expect(of([pass(1, { more_marks: 7 }), pass(2, { more_marks: 2 })]).more_events).toBe(9));
});

describe('sums', () => {
  test('own tokens, weight and money grow from pass to pass', () => {
    const { points, own, weighed, usd } = of([pass(1, { usd: 0.5 }), pass(2), pass(3, { usd: 0.25 })]);
    expect(points.map((point) => point.own)).toEqual([100, 200, 300]);
    expect([own, weighed, usd]).toEqual([300, 57, 0.75]);
  });
  test('the agent’s tokens go on growing when a new monitor counts from nothing again', () => {
    const agent = [1000, 3000, 500, 700].map((input, i) => pass(i + 1, { primary: { ...none, input } }));
    expect(of(agent).points.map((point) => point.agent)).toEqual([1000, 3000, 3500, 3700]);
  });
  test('a compaction is told where its count rises', () => {
    const window = (compactions: number) => ({ chars: 5, budget_chars: 10, compactions });
    expect(of([pass(1, { window: window(0) }), pass(2, { window: window(1) }), pass(3, { window: window(1) }), pass(4, { window: window(0) })]).points.map(({ compacted }) => compacted)).toEqual([false, true, false, false]);
  });
  test('detectors are summed with their caches', () => {
    const forks = [fork({ detector: 'b', end: 'deadline' }), fork({ detector: 'a', verdict: 'advise', usage: { ...none, cache_write_5m: 5, cache_write_1h: 6 } })];
    expect(of([pass(1, { forks }), pass(2, { forks })]).detectors).toMatchObject([
      { detector: 'a', runs: 2, advised: 2, failed: 0, usage: { cache_write_5m: 10, cache_write_1h: 12 } },
      { detector: 'b', runs: 2, advised: 0, failed: 2, usage: { cache_read: 180 }, took_ms: 3000 },
    ]);
  });
  test('the funnel narrows, and everything withheld has its reason', () => {
    const { funnel, told } = reportOf(sessionOf(2000));
    const { generated, passed, said, confirmed, closed, acted, withheld } = funnel;
    expect([generated, passed, said, confirmed, closed, acted]).toEqual([generated, passed, said, confirmed, closed, acted].toSorted((a, b) => b - a));
    expect(generated).toBe(told.length);
    expect(passed + withheld.reduce((sum, [, n]) => sum + n, 0)).toBe(generated);
  });
  test('nothing at all is no trouble', () => expect(of([])).toMatchObject({ events: [], own: 0, agent: 0, funnel: { generated: 0 } }));
});

describe('chart data', () => {
  const room = { events: 1000, bars: 1000, points: 1000 };
  test('every event has a lane and lies within the span; forks have bars, the pilot’s marked', () => {
    const report = of([pass(1, { marks: [{ at: T + 5000, n: 1, kind: 'prompt', text: 'p' }], forks: [fork(), fork({ detector: 'other', pilot: false, verdict: 'advise', from_ms: 2000 })] })]);
    const data = chartData(report, 60, room);
    expect(data).toMatchObject({ start: T / 1000 + 5 + 3600, end: T / 1000 + 62 + 3600, lanes: ['Prompts', 'Passes', 'default', 'other'], events: [0, 0, 1, 55], bars: [2, 55, 15, 4, 3, 57, 15, 1] });
  });
  test('of more than there is room for, events and bars keep the newest, and lines every so many with the last', () => {
    const data = chartData(reportOf(sessionOf(5000)), 0, { events: 50, bars: 40, points: 30 });
    expect([data.events.length, data.bars.length]).toEqual([100, 160]);
    expect(data.points.at.length).toBeLessThanOrEqual(30);
    expect(data.points.own.at(-1)).toBe(reportOf(sessionOf(5000)).own);
  });
  test('without a price there is no line of money', () => expect(chartData(reportOf(sessionOf(30, { local: true })), 0, room).points).not.toHaveProperty('usd'));
});
