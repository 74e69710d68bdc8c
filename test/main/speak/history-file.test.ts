import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendHistory, parseHistoryLine, readHistory } from '../../../src/main/speak/history-file.ts';
import { rowsOf } from '../../../src/main/speak/history.ts';
import { makeAdvice } from '../../../src/main/speak/advice.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { idOf } from '../../support/gate-sim.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-history-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const advice = makeAdvice({ verdict: 'advise', headline: 'h' }, { entropy: new Uint8Array(8), task_id: 't', session_id: 's', workspace: '/w', host_pid: 1, detector: 'x', evidence: [{ cite: '#1', text: 'seen' }], now: 0, after: 0, limits: defaultKnobs().gate });

describe('the history file', () => {
  test('a missing history is empty', () => {
    expect(readHistory(join(folder, 'none', 'history.jsonl'))).toEqual({ lines: [], bad: 0 });
  });

  test('what was appended is read back, in a file for its owner alone', () => {
    const path = join(folder, 'sessions', 's', 'history.jsonl');
    appendHistory(path, { v: 1, at: 1, id: advice.id, event: 'generated', advice });
    appendHistory(path, { v: 1, at: 2, id: advice.id, event: 'gated', because: 'rate' });
    expect(rowsOf(readHistory(path).lines).get(advice.id)).toMatchObject({ state: 'dropped', because: 'rate', advice });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('it survives ten thousand lines and counts the garbage among them', () => {
    const path = join(folder, 'history.jsonl');
    const out: string[] = [];
    for (let i = 0; i < 2500; i += 1) {
      const id = idOf(i % 1296);
      out.push(JSON.stringify({ v: 1, at: i, id, event: 'generated', advice: { ...advice, id } }), JSON.stringify({ v: 1, at: i, id, event: 'enqueued' }), i % 3 === 0 ? '{"half' : JSON.stringify({ v: 1, at: i, id, event: 'claimed' }), i % 5 === 0 ? 'null' : JSON.stringify({ v: 1, at: i, id, event: 'confirmed' }));
    }
    appendFileSync(path, `${out.join('\n')}\n{"v":1,"at":9,"id":"sb-0`);
    const { lines, bad } = readHistory(path);
    expect(bad).toBe(834 + 500 + 1);
    expect(lines.length).toBe(10_000 - 834 - 500);
    expect(rowsOf(lines).size).toBe(1296);
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['a later version', { v: 2, at: 1, id: 'a', event: 'generated' }],
    ['an unknown event', { v: 1, at: 1, id: 'a', event: 'eaten' }],
    ['no time', { v: 1, id: 'a', event: 'generated' }],
    ['somebody else’s advisory', { v: 1, at: 1, id: 'a', event: 'generated', advice }],
    ['a broken advisory', { v: 1, at: 1, id: advice.id, event: 'generated', advice: { ...advice, evidence: 'x' } }],
  ])('%s is no history line', (_name, raw) => {
    expect(() => parseHistoryLine(raw)).toThrow(TypeError);
  });
});

test.each([{ evidence: 5 }, { evidence: [{}] }, { verdict: {} }, { because: 1 }, { channel: [] }])('a line with %o is none: whoever shows it would stumble', (more) => {
  expect(() => parseHistoryLine({ v: 1, at: 1, id: 'sb-00000000', event: 'outcome', ...more })).toThrow(TypeError);
});
