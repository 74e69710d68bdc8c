// Every condition of the finish gate shuts it alone; the bell is recognised and nothing else is.
import { describe, expect, test } from 'vitest';
import { MONITOR_DESCRIPTION } from '../../../src/main/floor/marks.ts';
import { bellLine, bellNonce, mayHold, mayRing, mayWake, type GateFacts, type NoGate } from '../../../src/main/speak/finish-gate.ts';
import { HOST, mail, NOW, turn } from '../../support/mail.ts';

const worthy = mail({ finish_gate: true, confidence: 0.9 });
const limits = turn().finish_gate;

const gate = (changes: Partial<GateFacts> = {}): GateFacts => ({ session: 'session-1', host_pid: HOST, turn: turn({ state: 'stopping' }), muted: false, attended: true, background: [], fired: [], now: NOW, ...changes });

const hold = (item = worthy, changes: Partial<GateFacts> = {}, more: { stop_hook_active?: boolean; agent_id?: string } = {}): NoGate | true => {
  const verdict = mayHold([item], { ...gate(changes), stop_hook_active: false, ...more });
  return verdict.speak || verdict.because;
};

const SHUT: readonly (readonly [string, NoGate | true, Parameters<typeof hold>])[] = [
  ['opens for cited undone work', true, []],
  ['is shut in a subagent', 'subagent', [worthy, {}, { agent_id: 'a' }]],
  ['is shut when the turn is a continuation already', 'continuing', [worthy, {}, { stop_hook_active: true }]],
  ['is shut without facts of a living monitor', 'no-facts', [worthy, { turn: undefined }]],
  ['is shut when the facts are another host’s', 'no-facts', [worthy, { turn: turn({ host_pid: 1 }) }]],
  ['is shut when switched off', 'switched-off', [worthy, { turn: turn({ finish_gate: { ...limits, enabled: false } }) }]],
  ['is shut when muted by config', 'muted', [worthy, { muted: true }]],
  ['is shut when muted by the monitor', 'muted', [worthy, { turn: turn({ muted: true }) }]],
  ['is shut after /clear', 'ended', [worthy, { turn: turn({ ended: true }) }]],
  ['is shut when nobody sits there', 'unattended', [worthy, { attended: false }]],
  ['is shut after a wake until a person types', 'wake-used', [worthy, { turn: turn({ wake_used: true }) }]],
  ['is shut while a shell runs', 'outstanding', [worthy, { background: [{ id: 'b', type: 'shell' }] }]],
  ['is shut while a subagent runs', 'outstanding', [worthy, { background: [{ id: 'b', type: 'subagent' }] }]],
  ['is shut while something unknown runs', 'outstanding', [worthy, { background: [{ id: '', type: 'unknown' }] }]],
  ['is shut while a cron job is set', 'outstanding', [worthy, { background: [{ id: 'c', type: 'cron' }] }]],
  ['is shut by a monitor the agent started', 'outstanding', [worthy, { background: [{ id: 'm1', type: 'monitor' }], turn: turn({ agent_monitors: ['m1'] }) }]],
  ['is not shut by our own monitor', true, [worthy, { background: [{ id: 'm2', type: 'monitor' }], turn: turn({ agent_monitors: ['m1'] }) }]],
  ['is shut by a launch nobody has reported on', 'outstanding', [worthy, { turn: turn({ unreported: [{ id: 'x', at: NOW - 599_000 }] }) }]],
  ['is not shut by one that has settled', true, [worthy, { turn: turn({ unreported: [{ id: 'x', at: NOW - 600_000 }] }) }]],
  ['is shut within the interval', 'interval', [worthy, { fired: [{ n: 1, at: NOW - 3_599_000 }] }]],
  ['opens again after it', true, [worthy, { fired: [{ n: 1, at: NOW - 3_600_000 }] }]],
  ['is shut at the task’s cap', 'task-cap', [worthy, { fired: [1, 2, 3].map((n) => ({ n, at: 0 })) }]],
  ['is shut for advice that does not ask for it', 'nothing-worthy', [mail({ confidence: 0.9 })]],
  ['is shut for what is for the user alone', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.9, human_only: true })]],
  ['is shut without evidence', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.9, evidence: [] })]],
  ['is shut below its floor', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.74 })]],
  ['is shut for another task’s advice', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.9, task_id: 'other' })]],
  ['is shut for expired advice', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.9, generated_at: 0 })]],
  ['is shut for another host’s advice', 'nothing-worthy', [mail({ finish_gate: true, confidence: 0.9, host_pid: 1 })]],
];

describe('the gate at Stop', () => {
  test.each(SHUT)('%s', (_, expected, args) => expect(hold(...args)).toBe(expected));

  test('speaks of the surest of several', () => {
    const verdict = mayHold([mail({ id: 'sb-00000001', finish_gate: true, confidence: 0.8 }), worthy, mail({ confidence: 1 })], { ...gate(), stop_hook_active: false });
    expect(verdict.speak && verdict.mail).toBe(worthy);
  });
});

describe('the bell', () => {
  const idle = turn({ state: 'idle' });
  const ring = (changes: Partial<Parameters<typeof mayRing>[1]> = {}): NoGate | true => {
    const verdict = mayRing([worthy], { ...gate({ turn: idle }), idle_since: NOW - 2000, wake: 'finish_gate', bell_outstanding: false, ...changes });
    return verdict.speak || verdict.because;
  };

  test.each<readonly [string, NoGate | true, Partial<Parameters<typeof mayRing>[1]>]>([
    ['rings after 2 s of idleness', true, {}],
    ['not before', 'not-idle', { idle_since: NOW - 1999 }],
    ['not while the session works', 'not-idle', { idle_since: undefined }],
    ['never in an unknown state', 'not-idle', { turn: turn({ state: 'unknown' }) }],
    ['not when waking is switched off', 'switched-off', { wake: 'never' }],
    ['not twice at once', 'bell-outstanding', { bell_outstanding: true }],
    ['not while work goes on', 'outstanding', { background: [{ id: 'b', type: 'shell' }] }],
    ['shares the count with the gate', 'interval', { fired: [{ n: 1, at: NOW - 1000 }] }],
  ])('%s', (_, expected, changes) => expect(ring(changes)).toBe(expected));

  test('is not answered once the session has gone on', () => {
    expect(mayWake([worthy], gate({ turn: turn({ state: 'working' }) }))).toEqual({ speak: false, because: 'not-idle' });
    expect(mayWake([worthy], gate({ turn: idle })).speak).toBe(true);
  });

  const event = (line: string, description = MONITOR_DESCRIPTION): string => `<task-notification>\n<task-id>bp3ilthh1</task-id>\n<summary>Monitor event: "${description}"</summary>\n<event>${line}</event>\n</task-notification>`;

  test('is known by description and nonce', () => expect(bellNonce(event(bellLine('k3x9ab')))).toBe('k3x9ab'));

  test('is one harmless sentence the host neither cuts nor escapes', () => {
    const line = bellLine('k3x9ab');
    expect(line).toMatch(/^[A-Z][^\n]*\.$/);
    expect(line.length).toBeLessThan(500);
    expect(line).not.toMatch(/[&<>]/);
  });

  test.each([
    ['another monitor’s event', event(bellLine('k3x9ab'), 'Probe monitor')],
    ['another line of ours', event('Second Brain says hello.')],
    ['the bell with more lines', event(`${bellLine('k3x9ab')}\nand more`)],
    ['a typed imitation', `please read ${event(bellLine('k3x9ab'))}`],
    ['our monitor’s end', `<task-notification>\n<status>completed</status>\n<summary>Monitor "${MONITOR_DESCRIPTION}" stream ended</summary>\n</task-notification>`],
    ['a nonce of another shape', event(bellLine('../../x'))],
    ['nothing', ''],
  ])('is not taken from %s', (_, prompt) => expect(bellNonce(prompt)).toBeUndefined());
});
