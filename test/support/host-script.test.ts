import { describe, expect, test } from 'vitest';
import { pickTurn, type ScriptState, type Turn, type WireBody } from './host-script.ts';

const say = (text: string): Turn => ({ content: [text] });
const fresh = (...queue: Turn[]): ScriptState => ({ queue, used: new Map() });
const HOST_TOOLS = [{ name: 'Bash' }, { name: 'Read' }, { name: 'Edit' }];
const asks = (...messages: readonly (readonly [string, string])[]): WireBody => ({ tools: HOST_TOOLS, messages: messages.map(([role, content]) => ({ role, content })) });

describe('the scripted model', () => {
  test('takes pushed turns in order, then its fallback', () => {
    const state = fresh(say('one'), say('two'));
    const answers = [1, 2, 3].map(() => pickTurn({ fallback: say('end') }, state, asks(['user', 'go'])).turn);
    expect(answers).toEqual([say('one'), say('two'), say('end')]);
  });

  test('finds its place in a scenario by the answers since its name was said', () => {
    const script = { scenarios: { build: [say('first'), say('second')] } };
    expect(pickTurn(script, fresh(), asks(['user', '@@build it'])).turn).toEqual(say('first'));
    expect(pickTurn(script, fresh(), asks(['user', '@@build it'], ['assistant', 'first'], ['user', 'result'])).why).toBe('scenario:build[1]');
    expect(pickTurn(script, fresh(), asks(['user', '@@build it'], ['assistant', 'a'], ['user', 'b'], ['assistant', 'c'])).why).toBe('fallback');
  });

  test('uses a rule only as often as it may', () => {
    const script = { rules: [{ match: ['red', 'blue'], times: 1, turn: say('both') }] };
    const state = fresh();
    expect(pickTurn(script, state, asks(['user', 'red only'])).why).toBe('fallback');
    expect(pickTurn(script, state, asks(['user', 'red and blue'])).turn).toEqual(say('both'));
    expect(pickTurn(script, state, asks(['user', 'red and blue'])).why).toBe('fallback');
  });

  test('answers a fork of ours with silence and leaves the queue to the session', () => {
    const state = fresh(say('for the session'));
    const fork: WireBody = { tools: [...HOST_TOOLS, { name: 'second_brain_detector_feedback' }], messages: [{ role: 'user', content: '@@build' }] };
    expect(pickTurn({ scenarios: { build: [say('no')] } }, state, fork).why).toBe('observer');
    expect(pickTurn({}, state, { messages: [{ role: 'user', content: 'a title, please' }] }).why).toBe('side');
    expect(state.queue).toHaveLength(1);
  });
});
