import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { planPass, type PlanInput } from '../../../src/main/pass/plan.ts';
import type { Detector, StructuralMatch } from '../../../src/main/records.ts';

const detector = (name: string, over: Partial<Detector> = {}): Detector => ({
  name, enabled: true, system: 's', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {}, ...over,
});
const match: StructuralMatch = { detector: 'repeat', key: 'k', headline: 'h', body: 'b', evidence: ['#1'], stale_if: [] };
const plan = (detectors: readonly Detector[], over: Partial<PlanInput> = {}) =>
  planPass({ detectors, pass: 1, stragglers: {}, muted_detectors: [], episode_text: '', run_enabled: true, without_question: [], matches: [], expected_ms: {}, now: 0, limits: defaultKnobs().loop, ...over });
const names = (detectors: readonly Detector[], over: Partial<PlanInput> = {}): string[] => plan(detectors, over).runs.map(({ detector, pilot }) => `${detector.name}${pilot ? '*' : ''}`);
const repeat = detector('repeat', { structural: 'repeat-failure', pilot: true });

describe('planPass', () => {
  it('lets the declared pilot go first when it runs', () => {
    expect(names([detector('a'), repeat, detector('b')], { matches: [match] })).toEqual(['repeat*', 'a', 'b']);
  });

  it('falls back to the first tool-less detector that runs, then to any', () => {
    expect(names([detector('tools', { tools: ['Read'] }), repeat, detector('a')])).toEqual(['a*', 'tools']);
    expect(names([detector('tools', { tools: ['Read'] }), { ...repeat, enabled: false }])).toEqual(['tools*']);
    expect(names([])).toEqual([]);
  });

  it('puts its structural match to the detector, and skips a structural one without', () => {
    expect(plan([repeat], { matches: [match] }).runs[0]?.match).toEqual(match);
    expect(plan([repeat])).toEqual({ runs: [], skipped: [{ detector: 'repeat', because: 'no-match' }] });
  });

  it('orders the rest by the time they take, longest first, the unknown before the known', () => {
    expect(names([detector('p', { pilot: true }), detector('short'), detector('long'), detector('new')], { expected_ms: { short: 1, long: 9, p: 99 } })).toEqual(['p*', 'new', 'long', 'short']);
  });

  it('names why each of the others does not run', () => {
    const { runs, skipped } = plan(
      [
        detector('off', { enabled: false }), detector('noisy'), detector('third', { cadence: 'every_nth:3' }), detector('rare', { when: ['git rebase*onto'] }),
        detector('slow'), detector('dead'), detector('list'), repeat, detector('a'),
      ],
      {
        pass: 2, muted_detectors: ['noisy'], without_question: ['list'], episode_text: '#1 [tool] Bash git rebase main',
        stragglers: {
          slow: { timeouts: 2, stage: 'rate-limited', since: 0, retried: false, because: '' },
          dead: { timeouts: 4, stage: 'disabled', since: 0, retried: false, because: '' },
        },
      },
    );
    expect(runs.map((run) => run.detector.name)).toEqual(['a']);
    expect(Object.fromEntries(skipped.map((each) => [each.detector, each.because]))).toEqual({
      off: 'disabled', noisy: 'muted', third: 'cadence', rare: 'when', slow: 'rate-limited', dead: 'straggler', list: 'no-question', repeat: 'no-match',
    });
  });

  it('runs no detector for its commands where none of them may run', () => {
    const [checks, empty] = [detector('checks', { tools: ['Read', { exec: ['npm test'] }] }), detector('empty', { tools: ['Read', { exec: [] }] })];
    expect(names([checks, empty, detector('reads', { tools: ['Read'] })])).toEqual(['checks*', 'reads']);
    expect(names([{ ...empty, config: { leads: 'commits' } }])).toEqual(['empty*']);
    expect(plan([checks, empty], { run_enabled: false }).skipped).toEqual([{ detector: 'checks', because: 'no-command' }, { detector: 'empty', because: 'no-command' }]);
  });

  it('runs every nth pass, a slowed one every nth of those, and one whose words occur', () => {
    const third = detector('third', { cadence: 'every_nth:3' });
    const ran = (over: (pass: number) => Partial<PlanInput>): number[] => Array.from({ length: 18 }, (_, at) => at + 1).filter((pass) => plan([third], { pass, ...over(pass) }).runs.length > 0);
    expect(ran(() => ({}))).toEqual([3, 6, 9, 12, 15, 18]);
    expect(ran(() => ({ stragglers: { third: { timeouts: 2, stage: 'rate-limited', since: 0, retried: false, because: '' } } }))).toEqual([9, 18]);
    expect(names([detector('rare', { when: ['git rebase*onto'] })], { episode_text: 'GIT rebase --onto main' })).toEqual(['rare*']);
  });

  it('tries a disabled detector once more after the time', () => {
    const stragglers = { a: { timeouts: 4, stage: 'disabled', since: 1000, retried: false, because: '' } as const };
    expect(names([detector('a')], { stragglers, now: 1000 + 1_799_999 })).toEqual([]);
    expect(names([detector('a')], { stragglers, now: 1000 + 1_800_000 })).toEqual(['a*']);
    expect(names([detector('a')], { stragglers: { a: { ...stragglers.a, retried: true } }, now: 1e12 })).toEqual([]);
  });
});
