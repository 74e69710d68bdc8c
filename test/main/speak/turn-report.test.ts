import { describe, expect, test } from 'vitest';
import { turnReport } from '../../../src/main/speak/turn-report.ts';
import { makeAdvice } from '../../../src/main/speak/advice.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import type { Because, Feedback, ForkResult, GateDecision } from '../../../src/main/records.ts';

const usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const result = (detector: string, feedback: Feedback, end: ForkResult['end'] = 'feedback'): ForkResult => ({ detector, end, feedback, usage, requests: 1, started_at: 0, took_ms: 1, model: 'm', pilot: false, tool_text: '' });
const silent = (detector: string, end?: ForkResult['end']): ForkResult => result(detector, { verdict: 'silent' }, end);
const advising = (detector: string): ForkResult => result(detector, { verdict: 'advise', headline: 'Tests <b>not</b> run' });
const advice = (detector: string) => makeAdvice(advising(detector).feedback, { entropy: new Uint8Array(8), task_id: 't', session_id: 's', workspace: '/w', host_pid: 1, detector, evidence: [], now: 0, after: 0, limits: defaultKnobs().gate });
const told = (detector: string, to: 'agent' | 'human'): GateDecision => ({ speak: true, to, advice: advice(detector) });
const dropped = (detector: string, because: Because): GateDecision => ({ speak: false, advice: advice(detector), because });

describe('the turn report', () => {
  test('all silent is a line and no message', () => {
    expect(turnReport([silent('b'), silent('a', 'no-match'), silent('c', 'prose')], [])).toEqual({ line: 'last turn: all silent' });
  });

  test('nobody was asked', () => {
    expect(turnReport([], [])).toEqual({ line: 'last turn: nothing was asked' });
  });

  test('a detector without an answer shows in the line and is no message by itself', () => {
    expect(turnReport([silent('a'), silent('b', 'deadline')], [])).toEqual({ line: 'last turn: 1 without an answer' });
  });

  test('words that nothing proves, or too unsure even for the user, reach nobody, and are no message by themselves', () => {
    expect(turnReport([advising('default'), silent('a')], [dropped('default', 'no-evidence')])).toEqual({ line: 'last turn: 1 kept back' });
    expect(turnReport([advising('default')], [dropped('default', 'below-human-floor')])).toEqual({ line: 'last turn: 1 kept back' });
    expect(turnReport([advising('default'), advising('other')], [dropped('default', 'unfit'), told('other', 'human')]).text).toBe('default: kept back, unfit\nother: for you: “Tests ‹b›not‹/b› run” (0.50)');
  });

  test('each detector has its line, in name order, what was said in clean words', () => {
    const report = turnReport(
      [silent('zeta', 'deadline'), advising('standard-questions'), advising('default'), advising('git-log'), result('prior-art', { verdict: 'resolved', checked: 'a test run at #14' }), result('goal-drift', { verdict: 'still_open' }), silent('repeat-failure', 'no-match')],
      [told('standard-questions', 'agent'), told('default', 'human'), dropped('git-log', 'duplicate')],
    );
    expect(report.line).toBe('last turn: 1 told to the agent, 1 for you, 1 kept back, 1 settled, 1 still open…');
    expect(report.text).toBe(
      'default: for you: “Tests ‹b›not‹/b› run” (0.50)\n' +
        'git-log: kept back, duplicate: “Tests ‹b›not‹/b› run” (0.50)\n' +
        'goal-drift: still open\n' +
        'prior-art: settled (a test run at #14)\n' +
        'repeat-failure: silent\n' +
        'standard-questions: told to the agent: “Tests ‹b›not‹/b› run” (0.50)\n' +
        'zeta: no answer (deadline)',
    );
    expect(report.line.length).toBeLessThanOrEqual(80);
  });
});
