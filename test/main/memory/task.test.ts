import { describe, expect, it } from 'vitest';
import { chooseTask, isCurrent, splitsTask, taskId, taskNonce, taskTerms } from '../../../src/main/memory/task.ts';
import type { Numbered } from '../../../src/main/records.ts';

const seen = (text: string, paths: readonly string[] = []): Numbered => ({ kind: 'tool', at: 1, uuid: 'u', text, raw_chars: 1, n: 1, paths });

describe('the task of a session', () => {
  it.each([
    ['startup', 'none', 'new', 'startup'],
    ['startup', 'own', 'continue', 'same-session'],
    ['clear', 'own', 'new', 'clear'],
    ['clear', 'none', 'new', 'clear'],
    ['resume', 'own', 'continue', 'resume'],
    ['resume', 'none', 'new', 'nothing-to-continue'],
    ['compact', 'own', 'continue', 'compact'],
    ['fork', 'origin', 'branch', 'fork'],
    ['fork', 'own', 'continue', 'same-session'],
    ['fork', 'none', 'new', 'nothing-to-continue'],
    [undefined, 'own', 'continue', 'same-session'],
    [undefined, 'none', 'new', 'nothing-to-continue'],
    ['teleport', 'own', 'continue', 'unknown-source'],
  ] as const)('after source %s with prior task %s is %s, because %s', (source, prior, kind, because) => {
    expect(chooseTask(source, prior)).toEqual({ kind, because });
  });

  it('has an id and a nonce of given entropy only', () => {
    const entropy = Uint8Array.from({ length: 16 }, (_, i) => i);
    expect(taskId(entropy)).toBe('t-000102030405');
    expect(taskNonce(entropy)).toBe('0001020304050607');
    expect(() => taskNonce(new Uint8Array(3))).toThrow('8 random bytes');
  });

  it('knows a result of another session, task or generation as not current', () => {
    const stamp = { session: 's', task: 't', generation: 1, pass: 4 };
    expect(isCurrent(stamp, { session: 's', task: 't', generation: 1 })).toBe(true);
    for (const other of [{ session: 'x' }, { task: 'x' }, { generation: 2 }]) expect(isCurrent(stamp, { session: 's', task: 't', generation: 1, ...other })).toBe(false);
  });
});

describe('a soft split', () => {
  const terms = taskTerms('health probes for the gateway', [seen('[tool] Edit services/gateway/health.go', ['services/gateway/health.go']), seen('[prompt] add readiness checks')]);
  const prompt = (text: string, more: { readonly human?: boolean; readonly turn_finished?: boolean } = {}) => ({ text, human: true, turn_finished: true, ...more });

  it('comes with a prompt that shares nothing with the task', () => {
    expect(splitsTask(prompt('Write a landing page in German with pricing table and newsletter signup'), terms)).toEqual({ split: true });
  });

  it.each([
    ['names a path of the task', 'Rename everything inside health.go because colleagues prefer shorter identifiers', 'shared-terms'],
    ['shares a word in another form', 'Documentation chapter explaining readiness semantics, diagrams, examples', 'shared-terms'],
    ['says too little to tell', 'now commit that please', 'too-short'],
    ['is short in another script', '续写上面的内容', 'too-short'],
  ])('does not come when the prompt %s', (_, text, because) => {
    expect(splitsTask(prompt(text), terms)).toEqual({ split: false, because });
  });

  it('comes from no notification and not while a turn runs', () => {
    const text = 'Write a landing page in German with pricing table and newsletter signup';
    expect(splitsTask(prompt(text, { human: false }), terms)).toEqual({ split: false, because: 'not-human' });
    expect(splitsTask(prompt(text, { turn_finished: false }), terms)).toEqual({ split: false, because: 'turn-running' });
  });

  it('does not come with a repeated instruction or follow-ups in the words of the task', () => {
    for (const text of ['Also make sure that the gateway probes answer within two seconds under load', 'please add another readiness check covering database migrations']) {
      expect(splitsTask(prompt(text), terms).split).toBe(false);
    }
  });
});
