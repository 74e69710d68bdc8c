import { describe, expect, test } from 'vitest';
import { bounded, factsOf, noSums, rowsOf, sumsOf, withLine } from '../../../src/main/speak/history.ts';
import { makeAdvice, makeReport } from '../../../src/main/speak/advice.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import type { Advice } from '../../../src/main/records.ts';
import type { HistoryLine } from '../../../src/main/surfaces.ts';

const ctx = { task_id: 't', session_id: 's', workspace: '/w', host_pid: 1, detector: 'x', evidence: [{ cite: '#1', text: 'seen' }], now: 0, after: 0, limits: defaultKnobs().gate };
const advice = (n: number, more: Partial<Advice> = {}): Advice => ({ ...makeAdvice({ verdict: 'advise', headline: `finding ${n}`, dedup_key: `k${n}` }, { ...ctx, entropy: Uint8Array.of(n) }), ...more });
const one = advice(1);
const line = (event: HistoryLine['event'], at: number, more: Partial<HistoryLine> = {}): HistoryLine => ({ v: 1, at, id: one.id, event, ...more });
const said = (...lines: readonly HistoryLine[]) => factsOf(rowsOf([line('generated', 0, { advice: one }), ...lines]), 't', []);

describe('history', () => {
  test('a delivered advisory holds its key and its slot from the claim on', () => {
    const facts = said(line('enqueued', 10), line('claimed', 20, { channel: 'PostToolUse' }), line('confirmed', 30));
    expect(facts.said.map(({ key }) => key)).toEqual(['k1']);
    expect(facts.spoken).toEqual([{ id: one.id, to: 'agent', at: 10, delivered_at: 20 }]);
    expect(facts.waiting).toEqual([]);
  });

  test('waiting mail holds its slot; its key is the mailbox’s affair', () => {
    const facts = said(line('enqueued', 10));
    expect([facts.said.length, facts.spoken, facts.waiting.length]).toEqual([0, [{ id: one.id, to: 'agent', at: 10 }], 1]);
  });

  test.each([
    ['expired unread', 'expired', 'expired-queue', false, false],
    ['superseded', 'withdrawn', 'superseded', false, false],
    ['answered meanwhile', 'withdrawn', 'stale', true, false],
    ['resolved', 'withdrawn', 'resolved', true, false],
    ['pushed out', 'withdrawn', 'mailbox-full', true, false],
  ] as const)('mail that was %s: key and slot', (_name, event, because, key, slot) => {
    const facts = said(line('enqueued', 10), line(event, 20, { because }));
    expect([facts.said.length === 1, facts.spoken.length === 1, facts.waiting.length]).toEqual([key, slot, 0]);
  });

  test('printed mail that expires unconfirmed keeps both: somebody may have read it', () => {
    const facts = said(line('enqueued', 10), line('claimed', 20), line('expired', 30, { because: 'expired-ttl' }));
    expect([facts.said.length, facts.spoken.length]).toEqual([1, 1]);
  });

  test('advice delivered on a branch that was rewound may be said on the new one', () => {
    const facts = said(line('enqueued', 10), line('claimed', 20), line('confirmed', 25), line('withdrawn', 30, { because: 'rewound' }));
    expect([facts.said.length, facts.spoken.length]).toEqual([0, 1]);
  });

  test('lost mail that went back waits again, once marked', () => {
    const rows = rowsOf([line('generated', 0, { advice: one }), line('enqueued', 1), line('claimed', 2, { channel: 'PostToolUse' }), line('lost', 3), line('returned', 4)]);
    expect(rows.get(one.id)).toMatchObject({ state: 'waiting', returned: true });
    expect(rows.get(one.id)?.claimed_at).toBeUndefined();
    expect(factsOf(withLine(rows, line('claimed', 5)), 't', []).spoken).toEqual([{ id: one.id, to: 'agent', at: 1, delivered_at: 5 }]);
  });

  test('a hunch counts in the person’s bucket, a turn report in none', () => {
    expect(said(line('enqueued', 10, { advice: { ...one, human_only: true } })).spoken).toMatchObject([{ to: 'human' }]);
    const report = makeReport('x', { ...ctx, entropy: Uint8Array.of(9) });
    const facts = factsOf(rowsOf([{ v: 1, at: 0, id: report.id, event: 'generated', advice: report }, { v: 1, at: 0, id: report.id, event: 'enqueued' }]), 't', []);
    expect([facts.said.length, facts.spoken.length, facts.waiting.length]).toEqual([0, 0, 1]);
  });

  test('the ledger brings what earlier sessions of the task have said, each once', () => {
    const row = { id: 'sb-zzzzzzzz', detector: 'x', headline: 'finding 7', key: 'k7', at: 0 };
    const rows = rowsOf([line('generated', 0, { advice: one }), line('enqueued', 1), line('claimed', 2)]);
    expect(factsOf(rows, 't', [row, { ...row, id: one.id }]).said.map(({ id }) => id)).toEqual(['sb-zzzzzzzz', one.id]);
  });

  test('the decision for the person alone is no drop', () => {
    expect(rowsOf([line('generated', 0, { advice: one }), line('gated', 1, { because: 'below-agent-floor' })]).get(one.id)?.state).toBe('generated');
    expect(rowsOf([line('generated', 0, { advice: one }), line('gated', 1, { because: 'rate' })]).get(one.id)?.state).toBe('dropped');
  });

  test('lines of an advisory nobody generated are left out', () => {
    expect(rowsOf([line('confirmed', 1)]).size).toBe(0);
  });
});

describe('a long session', () => {
  const lines = (n: number): readonly HistoryLine[] => {
    const each = advice(n % 256, { id: `sb-${String(n).padStart(8, '0')}`, human_only: false });
    const own = (event: HistoryLine['event'], more: Partial<HistoryLine> = {}): HistoryLine => ({ v: 1, at: n, id: each.id, event, ...more });
    const start = own('generated', { advice: each });
    if (n % 3 === 0) return [start, own('gated', { because: 'duplicate' })];
    if (n % 3 === 1) return [start, own('enqueued'), own('claimed'), own('confirmed'), own('outcome', { verdict: 'adopted' })];
    return [start, own('enqueued'), ...(n % 2 === 0 ? [own('claimed')] : [])];
  };

  test('keeps the newest of what is over and all that is not, and the sums stay what they were', () => {
    const all = rowsOf(Array.from({ length: 3000 }, (_, n) => lines(n)).flat());
    const { rows, past } = bounded(all, noSums, 1500);
    const open = [...all.values()].filter(({ state }) => state === 'waiting' || state === 'claimed');
    expect(rows.size).toBe(1500);
    expect(open.every(({ advice: { id } }) => rows.has(id))).toBe(true);
    expect(sumsOf(rows.values(), past)).toEqual(sumsOf(all.values()));
    expect([...rows.keys()].at(-1)).toBe([...all.keys()].at(-1));
  });

  test('a short one is left as it is', () => {
    const all = rowsOf(Array.from({ length: 300 }, (_, n) => lines(n)).flat());
    expect(bounded(all, noSums).rows).toBe(all);
  });

  test('one that was lost for the first time may come back, so it stays', () => {
    const lost = rowsOf([line('generated', 0, { advice: one }), line('enqueued', 1), line('claimed', 2), line('lost', 3), ...Array.from({ length: 30 }, (_, n) => lines(3 * n)).flat()]);
    expect(bounded(lost, noSums, 5).rows.has(one.id)).toBe(true);
  });
});
