import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrated, closedByFork, closedByResolved, FRESH, lapsed, openRecord, openRecords, orphaned, suppressions, uptake, type OpenRecord } from '../../../src/main/speak/outcome.ts';
import { agentFloor } from '../../../src/main/speak/floors.ts';
import { rowsOf } from '../../../src/main/speak/history.ts';
import { makeAdvice } from '../../../src/main/speak/advice.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import type { Calibration, Outcome, Verdict } from '../../../src/main/records.ts';
import type { HistoryLine } from '../../../src/main/surfaces.ts';

const knobs = defaultKnobs();
/** Made knowing #10, delivered at 100 s. */
const record: OpenRecord = openRecord({ id: 'sb-00000001', headline: 'h', dedup_key: 'k', generated_at: 90_000, after: 10, kind: 'x' }, 100_000);
/** #n happened at n × 10 s; there are 30. */
const observation = (n: number) => (n >= 1 && n <= 30 ? { at: n * 10_000 } : undefined);
const close = (outcome: Partial<Outcome>, detector = 'x') =>
  closedByFork([record], detector, [{ advice_id: record.id, verdict: 'adopted', evidence: ['#12'], ...outcome }], observation).map(({ verdict, evidence }) => [verdict, evidence]);

describe('outcomes', () => {
  test('a record closes on an existing observation after the delivery', () => {
    expect(close({})).toEqual([['adopted', ['#12']]]);
    expect(close({ evidence: ['[#12] npm test', '#13'] })).toEqual([['adopted', ['#12', '#13']]]);
  });

  test.each([
    ['cites nothing', { evidence: [] }],
    ['cites words', { evidence: ['the agent ran the tests'] }],
    ['cites what does not exist', { evidence: ['#31'] }],
    ['cites what the detector knew when it spoke', { evidence: ['#10'] }],
    ['names another advisory', { advice_id: 'sb-00000002' }],
    ['says that it saw no evidence yet', { verdict: 'no_evidence' as const }],
  ])('it stays open when the fork %s', (_name, outcome) => {
    expect(close(outcome)).toEqual([]);
  });

  test('only the detector that raised it closes it', () => {
    expect(close({}, 'y')).toEqual([]);
  });

  test('what happened before the agent was told cannot be its answer, but may have handled it', () => {
    const late: OpenRecord = { ...record, delivered_at: 115_000 };
    const answer = (verdict: Verdict) => closedByFork([late], 'x', [{ advice_id: late.id, verdict, evidence: ['#11'] }], observation).length;
    expect([answer('adopted'), answer('rejected'), answer('contradicted'), answer('already_handled')]).toEqual([0, 0, 0, 1]);
  });

  test('evidence is cut to what holds, and the first verdict on a record counts', () => {
    expect(close({ evidence: ['#3', '#12', '#40'] })).toEqual([['adopted', ['#12']]]);
    const twice = closedByFork([record], 'x', [{ advice_id: record.id, verdict: 'rejected', evidence: ['#12'] }, { advice_id: record.id, verdict: 'adopted', evidence: ['#12'] }], observation);
    expect(twice.map(({ verdict }) => verdict)).toEqual(['rejected']);
  });

  test('the window lapses by observations or by time, whichever is first', () => {
    const verdicts = (now: number, last_n: number) => lapsed([record], now, last_n, knobs.adjudication).map(({ verdict }) => verdict);
    expect(verdicts(101_000, 69)).toEqual([]);
    expect(verdicts(101_000, 70)).toEqual(['no_evidence']);
    expect(verdicts(100_000 + 1_799_999, 11)).toEqual([]);
    expect(verdicts(100_000 + 1_800_000, 11)).toEqual(['no_evidence']);
  });

  test('a detector that no longer runs closes without evidence', () => {
    expect(orphaned([record], ['y']).map(({ verdict }) => verdict)).toEqual(['no_evidence']);
    expect(orphaned([record], ['x'])).toEqual([]);
  });

  test('resolved closes the record of its key: handled when it cites what came later', () => {
    const resolve = (evidence: readonly string[], key?: string) => closedByResolved([record], 'x', { verdict: 'resolved', evidence }, key, observation).map(({ verdict }) => verdict);
    expect([resolve(['#12'], 'k'), resolve(['#2'], 'k'), resolve(['#12'], 'other'), resolve(['#12'])]).toEqual([['already_handled'], ['no_evidence'], [], ['already_handled']]);
    expect(closedByResolved([record], 'x', { verdict: 'silent' }, 'k', observation)).toEqual([]);
  });

  test('what was rejected or contradicted is suppressed, with the reason', () => {
    const closings = closedByFork([record], 'x', [{ advice_id: record.id, verdict: 'rejected', evidence: ['#12'], reason: 'the user wants no tests' }], observation);
    expect(suppressions(closings)).toEqual([{ key: 'k', because: 'rejected (#12: the user wants no tests)' }]);
    expect(suppressions([{ id: 'i', kind: 'x', key: 'k', verdict: 'adopted', evidence: [] }])).toEqual([]);
  });

  test('only confirmed advice to the agent opens a record', () => {
    const advice = makeAdvice({ verdict: 'advise', headline: 'h' }, { entropy: Uint8Array.of(1), task_id: 't', session_id: 's', workspace: '/', host_pid: 1, detector: 'x', evidence: [{ cite: '#1', text: '' }], now: 0, after: 3, limits: knobs.gate });
    const line = (event: HistoryLine['event'], at: number, more: Partial<HistoryLine> = {}): HistoryLine => ({ v: 1, at, id: advice.id, event, ...more });
    const told = [line('generated', 0, { advice }), line('enqueued', 1), line('claimed', 5)];
    expect(openRecords(rowsOf(told), 't')).toEqual([]);
    const confirmed = [...told, line('confirmed', 9)];
    expect(openRecords(rowsOf(confirmed), 't')).toMatchObject([{ id: advice.id, delivered_at: 5, after: 3 }]);
    expect(openRecords(rowsOf(confirmed), 'another task')).toEqual([]);
    expect(openRecords(rowsOf([...confirmed, line('outcome', 10, { verdict: 'adopted' })]), 't')).toEqual([]);
    const hunch = [line('generated', 0, { advice: { ...advice, human_only: true } }), ...confirmed.slice(1)];
    expect(openRecords(rowsOf(hunch), 't')).toEqual([]);
  });
});

describe('calibration', () => {
  const after = (...verdicts: readonly Verdict[]): Calibration => verdicts.reduce((c, verdict) => calibrated(c, verdict, knobs.calibration), FRESH);
  const times = (n: number, verdict: Verdict): readonly Verdict[] => Array.from({ length: n }, () => verdict);

  test('the floor rests until five records are closed, then moves by a step', () => {
    expect(after(...times(4, 'adopted')).offset).toBe(0);
    expect(after(...times(5, 'adopted')).offset).toBe(-0.05);
    expect(after(...times(5, 'no_evidence')).offset).toBe(0.05);
    expect(after('adopted', 'adopted', 'no_evidence', 'rejected', 'no_evidence').offset).toBe(0);
  });

  test('it stays within the bound, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Verdict>('adopted', 'partially_adopted', 'rejected', 'already_handled', 'no_evidence', 'contradicted'), { maxLength: 60 }), (verdicts) => {
        const { offset, recent } = after(...verdicts);
        expect(Math.abs(offset)).toBeLessThanOrEqual(knobs.calibration.bound);
        expect(recent.length).toBeLessThanOrEqual(knobs.calibration.mute_window);
      }),
    );
    expect(after(...times(30, 'adopted')).offset).toBe(-0.2);
  });

  test('a detector heard in fewer than one of ten mutes itself, and not before ten', () => {
    expect(after(...times(9, 'no_evidence')).muted).toBe(false);
    expect(after(...times(10, 'no_evidence')).muted).toBe(true);
    expect(after('adopted', ...times(9, 'no_evidence')).muted).toBe(false);
    expect(after('adopted', ...times(10, 'no_evidence')).muted).toBe(true);
  });

  test('uptake counts partial adoption as heard and no_evidence as not', () => {
    expect(uptake([])).toBeUndefined();
    expect(uptake(['adopted', 'partially_adopted', 'no_evidence', 'already_handled'])).toBe(0.5);
  });

  test('the effective floor names its source in words', () => {
    const limits = { gate: knobs.gate, calibration: knobs.calibration };
    expect(agentFloor({ name: 'x' }, undefined, limits)).toEqual({ value: 0.6, source: 'gate.confidence_floor 0.60' });
    expect(agentFloor({ name: 'goal-drift', confidence_floor: 0.8 }, { offset: -0.05, closed: 5 }, limits)).toEqual({ value: 0.75, source: 'detectors.goal-drift.confidence_floor 0.80, lowered by 0.05 after 5 outcomes' });
    expect(agentFloor({ name: 'x' }, { offset: 0.9, closed: 9 }, limits)).toEqual({ value: 0.8, source: 'gate.confidence_floor 0.60, raised by 0.20 after 9 outcomes' });
    expect(agentFloor({ name: 'x', confidence_floor: 0.95 }, { offset: 0.2, closed: 9 }, limits).value).toBe(1);
  });
});
