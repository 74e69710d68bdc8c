import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { effective, layerOf } from '../../../src/main/floor/config.ts';
import type { Advice } from '../../../src/main/records.ts';
import type { HistoryLine, Status } from '../../../src/main/surfaces.ts';
import { configDocument, configSchema, configText } from '../../../src/main/show/config.ts';
import { age, columns, count, fit, line, plain, wrap } from '../../../src/main/show/plain.ts';
import { replayText } from '../../../src/main/show/replay.ts';
import { statsText } from '../../../src/main/show/stats.ts';
import { statuslineText } from '../../../src/main/show/statusline.ts';
import { askedText, unansweredText } from '../../../src/main/show/asked.ts';
import { forgottenText } from '../../../src/main/show/forgotten.ts';
import { oneText, toldOf, whyText } from '../../../src/main/show/why.ts';

const HOSTILE = '\u001b[31mred\u001b[0m <script>alert(1)</script> \u202eright-to-left\u0007 [x](http://h)';
const none = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

const status = (over: Partial<Status> = {}): Status => ({
  v: 1, at: 1_000_000, version: '0.1.0-aa', host_pid: 7, session: 's', task: 't-1', workspace: '/w', state: 'working', phase: 'watching', provider: 'local', model: '',
  volumes: { tools: { Bash: { count: 3, raw_chars: 900, kept_chars: 300 } }, kinds: { assistant: { count: 9, raw_chars: 2000, kept_chars: 500 } }, unknown: { 'new-kind': 2 } },
  primary: { ...none, input: 5000, output: 900 }, observer: none, spent: { task: 0, hour: 0, task_cap: 2_000_000, hour_cap: 600_000 },
  passes: { count: 2, by_reason: { volume: 2 }, holds: {} },
  detectors: { default: { runs: 2, silent: 2, advised: 0, delivered: 0, timeouts: 0, failed: 0, cache_read: 0, cache_write: 0, input: 0, output: 0, took_ms: 20, closed: 0, floor: 0.6, floor_source: 'gate' } },
  advice: { generated: 1, delivered: 0, gated: { rate: 1 }, last_hour: 0, rate_cap: 4 },
  window: { chars: 500, budget_chars: 400_000, compactions: 0, generation: 1 }, ledgers: { count: 1 }, notices: [HOSTILE], ...over,
});

const input = { now: 1_030_000, installed: '0.1.0-aa', monitor: 'alive' as const, session: 's', width: 100, program: 'second-brain' };

const inert = (text: string): void => {
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
};

describe('plain text', () => {
  test('escapes, control and direction characters never reach a terminal', () => inert(plain(HOSTILE)));
  test('a line is cut by characters, not in the middle of one', () => expect(line('héé😀😀😀', 5)).toBe('héé😀…'));
  test('wrapping keeps every word', () => expect(wrap('one two three four', 9, '  ').replace(/\s+/g, ' ')).toBe('one two three four'));
  test('numbers are short', () => expect([count(999), count(1234), count(123_456), count(2_100_000), age(4000), age(7_200_000)]).toEqual(['999', '1.2k', '123k', '2.1M', '4 s', '2 h']));
  test('columns align, numbers to the right', () => expect(columns([['a', '10'], ['bb', '5']], '')).toBe('a   10\nbb   5'));
});

const HOSTILE_WORD = 'x'.repeat(300);
const narrow = (text: string): void => {
  for (const each of text.split('\n')) expect([...each].length, each).toBeLessThanOrEqual(60);
};

describe('60 columns', () => {
  const noisy = (n: number): string => `${HOSTILE} ${HOSTILE_WORD} ${n}`;
  const hostile = status({
    task: HOSTILE, hold: 'budget', last_turn: noisy(1), model: noisy(2), notices: [noisy(3)],
    pace: { last_hour: 9, cap: 40, stretch: 2.5 },
    last_pass: { at: 1, pass: 3, because: 'volume', lines: [noisy(4)], took_ms: 900 },
    volumes: { tools: { [noisy(5)]: { count: 123_456, raw_chars: 9e9, kept_chars: 8e8 } }, kinds: { [noisy(6)]: { count: 1, raw_chars: 1, kept_chars: 1 } }, unknown: { [noisy(7)]: 2 } },
    detectors: { [noisy(8)]: { runs: 9999, silent: 9999, advised: 9999, delivered: 9999, timeouts: 9999, failed: 1, cache_read: 9e8, cache_write: 9e8, input: 1, output: 1, took_ms: 9e6, closed: 9, uptake: 0.5, stage: noisy(9), floor: 0.6, floor_source: noisy(10) } },
    passes: { count: 2, by_reason: { volume: 2 }, holds: { budget: 3, floor: 2 } },
  });
  test('stats of a hostile session stays within them and inert', () => {
    const text = statsText({ ...input, status: hostile, width: 60, session: HOSTILE });
    narrow(text);
    inert(text);
    for (const words of ['9 in the last hour, the floor allows 40', 'stretches the floor 2.5×', 'is held back', 'held: budget 3, floor 2']) expect(text.replace(/\s+/g, ' ')).toContain(words);
    narrow(statsText({ ...input, status: undefined, width: 60, session: HOSTILE_WORD, trouble: noisy(1) }));
  });
  test('why of a hostile session too', () => {
    const nasty = advice({ headline: noisy(1), body: noisy(2), kind: HOSTILE, evidence: [{ cite: noisy(3), text: noisy(4) }] });
    const lines: HistoryLine[] = [{ v: 1, at: 1, id: nasty.id, event: 'generated', advice: nasty }, { v: 1, at: 2, id: nasty.id, event: 'claimed', channel: 'Stop' }, { v: 1, at: 3, id: nasty.id, event: 'outcome', verdict: 'adopted', evidence: [noisy(5)] }];
    const text = [whyText({ lines, now: 9, width: 60, gate_firings: [1], floors: [{ detector: noisy(6), floor: 0.5, source: noisy(7) }], bad: 2 }), oneText(lines, nasty.id, 9, 60) ?? ''].join('\n');
    narrow(text);
    inert(text);
    expect(text).toContain('2 lines of the history could not be read.');
  });
  test('config, run, forget and free text too', () => {
    const text = [
      configText(effective([layerOf('global', { model: { base_url: noisy(1) }, [HOSTILE]: 1, gate: { nonsense: noisy(2) } }, HOSTILE)]), undefined, 60),
      configText(effective([layerOf('global', { model: { base_url: noisy(1) } }, 'g')]), 'model.base_url', 60),
      configText(effective([]), HOSTILE_WORD, 60),
      askedText({ text: noisy(1), hold: 'muted' }, 60),
      askedText({ text: noisy(1) }, 60),
      forgottenText({ kind: 'workspace', workspace: noisy(1) }, { tasks: ['a'], sessions: 2, captures: 0, index: false }, { watched: true, width: 60 }),
      fit(noisy(1), 60),
    ].join('\n');
    narrow(text);
    inert(text);
  });
});

test('a look that was asked for says what came of it, or why there was none', () => {
  expect(askedText({ text: 'default: silent' }, 80)).toBe('default: silent');
  expect(askedText({ text: '', hold: 'budget' }, 80)).toContain('No pass: the budget is spent');
  expect(askedText({ text: '' }, 80)).toContain('nothing to say');
  expect(unansweredText(30, true)).toContain('within 30 s');
  expect(unansweredText(30, false)).toContain('ended');
});

test('one advisory is told step by step, an unknown one not at all', () => {
  const lines: HistoryLine[] = [{ v: 1, at: 1000, id: 'sb-0000aaaa', event: 'generated', advice: advice() }, { v: 1, at: 2000, id: 'sb-0000aaaa', event: 'gated', because: 'cooldown' }];
  expect(oneText(lines, 'sb-0000aaaa', 10_000, 100)).toContain('8 s ago gated: too soon after the one before');
  expect(oneText(lines, 'sb-other', 10_000, 100)).toBeUndefined();
});

describe('stats', () => {
  test('it says what was seen, thought, said and spent, and how old that is', () => {
    const text = statsText({ ...input, status: status() });
    for (const words of ['30 s ago', 'rules, no model', 'new-kind 2', 'Passes: 2', 'withheld: rate 1', 'nothing is sent', '500 of 2.0k characters kept (25%)']) expect(text).toContain(words);
    inert(text);
  });
  test('a running version other than the installed one is named', () => expect(statsText({ ...input, installed: '0.2.0-bb', status: status() })).toContain('0.1.0-aa runs, 0.2.0-bb is installed'));
  test('a rate is refused from one pass', () => {
    const money = { usd: 0.2, passes: 1, since: 900_000 };
    expect(statsText({ ...input, status: status({ provider: 'anthropic', money, passes: { count: 1, by_reason: {}, holds: {} } }) })).toContain('no rate from so few passes');
    expect(statsText({ ...input, status: status({ provider: 'anthropic', money }) })).toContain('an hour');
  });
  test('the ceiling that binds is named beside what it leaves', () => {
    const spent = { task: 20_000, hour: 12_000, task_cap: 2_000_000, hour_cap: 600_000, left: 3000 };
    expect(statsText({ ...input, status: status({ provider: 'host', spent: { ...spent, binds: 'host' } }) }).replace(/\s+/g, ' ')).toContain('hour 12.0k of 600k; your own login’s ceiling binds, 3.0k left');
  });
  test('with nothing written yet it says so', () => expect(statsText({ ...input, status: undefined, monitor: 'never-seen' })).toContain('No monitor has been seen'));
});

const advice = (over: Partial<Advice> = {}): Advice => ({
  v: 1, id: 'sb-0000aaaa', task_id: 't-1', session_id: 's', workspace: '/w', host_pid: 7, kind: 'default', headline: `Tests never ran ${HOSTILE}`, body: 'Body', confidence: 0.8,
  evidence: [{ cite: '#3', text: '[tool] Bash npm test' }], dedup_key: 'k', stale_if: [], human_only: false, finish_gate: false, generated_at: 1, ttl: 1800, after: 3, ...over,
});

describe('why', () => {
  const lines: HistoryLine[] = [
    { v: 1, at: 1000, id: 'sb-0000aaaa', event: 'generated', advice: advice() },
    { v: 1, at: 1000, id: 'sb-0000aaaa', event: 'enqueued' },
    { v: 1, at: 2000, id: 'sb-0000aaaa', event: 'claimed', channel: 'PostToolUse' },
    { v: 1, at: 3000, id: 'sb-0000aaaa', event: 'confirmed' },
    { v: 1, at: 4000, id: 'sb-0000aaaa', event: 'outcome', verdict: 'adopted', evidence: ['#9'] },
    { v: 1, at: 5000, id: 'sb-0000bbbb', event: 'generated', advice: advice({ id: 'sb-0000bbbb' }) },
    { v: 1, at: 5000, id: 'sb-0000bbbb', event: 'gated', because: 'duplicate' },
  ];
  test('said and withheld advice stand with proof, channel, outcome and reason', () => {
    const text = whyText({ lines, now: 10_000, width: 80, gate_firings: [9000], floors: [{ detector: 'default', floor: 0.65, source: 'gate, +0.05 by outcomes' }] });
    for (const words of ['seen: #3 [tool] Bash npm test', 'by PostToolUse', 'seen in the transcript', 'outcome adopted (#9)', 'said or dropped before in other words', 'spoke 1×', '0.65']) expect(text).toContain(words);
    inert(text);
  });
  test('10,000 lines of history fold in one go', () => {
    const many = Array.from({ length: 5000 }, (_, n): HistoryLine[] => [
      { v: 1, at: n, id: `sb-${n}`, event: 'generated', advice: advice({ id: `sb-${n}` }) },
      { v: 1, at: n, id: `sb-${n}`, event: 'gated', because: 'rate' },
    ]).flat();
    expect(toldOf(many)).toHaveLength(5000);
    expect(whyText({ lines: many, now: 10_000, width: 60, gate_firings: [], floors: [] }).split('\n').length).toBeLessThan(30);
  });
  test('no history is an answer too', () => expect(whyText({ lines: [], now: 1, width: 60, gate_firings: [], floors: [] })).toContain('Nothing said yet.'));
});

describe('config', () => {
  const config = effective([layerOf('workspace', { gate: { rate_per_hour: 2 } }, 'w')]);
  test('every value is shown with its layer, and one knob with its help and warning', () => {
    expect(configText(config, undefined, 100)).toMatch(/gate\.rate_per_hour +2 +workspace/);
    expect(configText(config, 'gate.rate_per_hour', 100)).toContain('Mind: higher makes a quiet watcher loud');
    expect(configText(config, 'nonsense', 100)).toContain('There is no knob');
  });
  test('the schema and the document cover every group', () => {
    expect(Object.keys((configSchema() as { properties: object }).properties)).toContain('finish_gate');
    expect(configDocument()).toContain('`budget.tokens_per_hour`');
  });
  test('docs/configuration.md is what the table makes (npm run docs)', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configDocument());
  });
});

describe('status line', () => {
  test('one segment while watching, nothing otherwise', () => {
    expect(statuslineText(status({ last_turn: 'all silent' }), 1_010_000, 120_000, 's')).toBe('second brain watching · last turn: all silent');
    expect(statuslineText(undefined, 0, 1, 's')).toBe('');
    expect(statuslineText(status(), 9_000_000, 120_000, 's')).toBe('');
  });
  test('B7: after /clear the new session shows nothing of the old one', () => expect(statuslineText(status(), 1_010_000, 120_000, 'new')).toBe(''));
});

test('what a replay tells is inert whatever the session holds', () => {
  inert(replayText({ type: 'delivered', at: 0, id: 'sb-0000aaaa', channel: 'PostToolUse', text: HOSTILE, human_only: false }, 80) ?? '');
  inert(replayText({ type: 'fork', at: 0, pass: 1, detector: 'default', verdict: 'advise', end: 'feedback', headline: HOSTILE }, 80) ?? '');
});
