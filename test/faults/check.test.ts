// The checker must be able to fail: worlds made by hand, sound but for one thing each.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { thisProcess } from '../../src/main/floor/process-file.ts';
import { check } from './check.ts';
import { openRecords } from './host-records.ts';

const HOST = 4242;
const NOW = Date.UTC(2026, 4, 4, 8);
let root = '';
let files: Map<string, string>;

const TRANSCRIPT = 'home/.claude/projects/project/s1.jsonl';
const WINDOW = 'data/tasks/t-1.window.0.jsonl';
const HISTORY = 'data/sessions/s1/history.jsonl';
const BUDGET = 'data/budget/1.jsonl';
const JOURNAL = 'journal.jsonl';
const MODEL = 'model.jsonl';
const ID = 'sb-aaaaaaaa';

const lines = (...all: readonly object[]): string => all.map((each) => `${JSON.stringify(each)}\n`).join('');
const add = (path: string, text: string): void => void files.set(path, (files.get(path) ?? '') + text);
const records = (at: number) => openRecords('s1', '/w', null, () => at);
const block = (text: string, kind = 'observations'): object => ({ block: { kind, pass: 1, at: NOW, text }, observations: [] });
const advice = (changes: object = {}): object => ({ v: 1, id: ID, task_id: 't-1', kind: 'default', dedup_key: 'k1', generated_at: NOW, enqueued_at: NOW, ttl: 1800, host_pid: HOST, stale_if: ['mend-k1'], ...changes });
const event = (name: string, more: object = {}): object => ({ v: 1, at: NOW, id: ID, event: name, ...more });
const hook = (at: number, more: object = {}): object => ({ kind: 'hook', event: 'PostToolUse', host: HOST, session: 's1', at, ended_at: at + 50, code: 0, killed: false, stdout: JSON.stringify({ systemMessage: `[Second Brain ${ID}] x` }), input: '{}', ...more });
const told = (at: number, id = ID): string => records(at).attachment({ type: 'hook_additional_context', content: [`[Second Brain ${id}] x`] });
const reserve = (id: string, tokens: number): object => ({ v: 1, kind: 'reserve', at: NOW, id, task: 't-1', session: 's1', host: '4242', provider: 'anthropic', tokens });
const settle = (id: string, tokens: number): object => ({ v: 1, kind: 'settle', id, at: NOW, tokens });
const request = (n: number, input: number, more: object = {}): object => ({ n, at: NOW + n, first_event_at: NOW + n, ended_at: NOW + n + 1, charge: { input, read: 0, write_5m: 0, write_1h: 0 }, tokens: 10, ...more });

const judge = (options = {}): readonly string[] => {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...new Set(check(root, options).map(({ rule }) => rule))];
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sb check-')));
  files = new Map();
  add('data/config.json', JSON.stringify({ budget: { tokens_per_hour: 1000 } }));
  add(TRANSCRIPT, records(NOW).prompt('Do obs-0001.', 'p1') + records(NOW).say('Doing obs-0002.', 'tool_use') + records(NOW).call('c1', 'make obs-0003'));
  add(TRANSCRIPT, records(NOW).result('c1', 'obs-9999 is a successful result', false) + told(NOW + 10_000));
  add(WINDOW, lines({ v: 1, task: 't-1' }, block('#1 [prompt] Do obs-0001.\n#2 [text] Doing obs-0002.'), block('obs-0001 looks odd', 'feedback'), block('#3 [tool] make obs-0003')));
  add(HISTORY, lines(event('generated', { advice: advice() }), event('enqueued', { advice: advice() }), event('claimed'), event('confirmed')));
  add(JOURNAL, lines({ kind: 'host', pid: HOST, at: NOW - 60_000, session: 's1' }, { kind: 'monitor', pid: 4243, at: NOW - 60_000, session: 's1' }, hook(NOW + 9000)));
  add(BUDGET, lines(reserve('a', 500), settle('a', 160), reserve('b', 400)));
  add(MODEL, lines(request(0, 100)));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a sound world has no findings', () => {
  expect(judge({ closed: true })).toEqual([]);
});

describe('observations', () => {
  test('a word of the session that reached no window is lost', () => {
    add(TRANSCRIPT, records(NOW).say('And obs-0004.', 'end_turn'));
    expect(judge()).toEqual(['lost']);
  });

  test('the head of a failure counts as observed', () => {
    add(TRANSCRIPT, records(NOW).result('c1', 'no rule for obs-0004', true));
    expect(judge()).toEqual(['lost']);
  });

  test('a word that stands in two windows is doubled', () => {
    add('data/tasks/t-2.window.0.jsonl', lines({ v: 1, task: 't-2' }, block('#1 [prompt] Do obs-0001.', 'history')));
    expect(judge()).toEqual(['doubled']);
  });

  test('a successful result in a window has leaked', () => {
    files.set(WINDOW, lines({ v: 1, task: 't-1' }, block('#0 [text] obs-9999'), block('#1 [prompt] obs-0001.\n#2 [text] obs-0002.\n#3 [tool] obs-0003')));
    expect(judge()).toEqual(['leaked']);
  });

  test('a final answer that only its Stop hook has told is no leak', () => {
    add(WINDOW, lines(block('#4 [text] obs-0005')));
    add(JOURNAL, lines({ kind: 'asked', event: 'Stop', at: NOW, input: '{"last_assistant_message":"obs-0005"}' }));
    expect(judge()).toEqual([]);
  });

  test('words in another order than the session’s are found', () => {
    files.set(WINDOW, lines({ v: 1, task: 't-1' }, block('#1 [prompt] Do obs-0001.\n#2 [tool] make obs-0003\n#3 [text] Doing obs-0002.')));
    expect(judge()).toEqual(['order']);
  });
});

describe('advice', () => {
  test('an id that reached the agent twice', () => {
    add(TRANSCRIPT, told(NOW + 12_000));
    expect(judge()).toEqual(['told-twice']);
  });

  test('an id that two hooks printed, without a loss between', () => {
    add(JOURNAL, lines(hook(NOW + 11_000)));
    expect(judge()).toEqual(['told-twice']);
  });

  test('a second print after a noticed loss is allowed', () => {
    add(JOURNAL, lines(hook(NOW + 11_000)));
    add(HISTORY, lines(event('lost'), event('returned')));
    expect(judge()).toEqual([]);
  });

  test('the same finding under two ids', () => {
    const other = 'sb-bbbbbbbb';
    add(HISTORY, lines({ ...event('enqueued', { advice: advice({ id: other }) }), id: other }));
    add(JOURNAL, lines(hook(NOW + 11_000, { stdout: JSON.stringify({ systemMessage: `[Second Brain ${other}] x` }) })));
    add(TRANSCRIPT, told(NOW + 12_000, other));
    expect(judge()).toEqual(['told-twice']);
  });

  test('advice told after its time, after its wait, or by another host', () => {
    files.set(JOURNAL, lines({ kind: 'monitor', pid: 4243, at: NOW, session: 's1' }, hook(NOW + 1_900_000, { host: 77 })));
    const found = judge();
    expect(found).toEqual(['expired', 'foreign']);
    expect(check(root).filter(({ rule }) => rule === 'expired')).toHaveLength(2);
  });

  test('advice told though the very call answered it', () => {
    files.set(JOURNAL, lines(hook(NOW + 9000, { input: '{"command":"mend-k1"}' })));
    expect(judge()).toEqual(['stale']);
  });

  test('advice told long after a watched record answered it; unwatched, nobody could know', () => {
    files.set(TRANSCRIPT, `${files.get(TRANSCRIPT) ?? ''}${records(NOW + 2000).call('c2', 'mend-k1')}`);
    expect(judge()).toEqual(['stale']);
    add(JOURNAL, lines({ kind: 'gone', what: 'monitor', pid: 4243, at: NOW + 3000 }));
    expect(judge()).toEqual([]);
  });

  test('advice that was printed and stands in no history', () => {
    files.set(HISTORY, '');
    expect(judge()).toEqual(['unaccounted']);
  });

  test('mail that a hook took and did not print; excused only where a hook was killed', () => {
    add('mail.jsonl', lines({ id: 'sb-cccccccc' }));
    expect(judge()).toEqual(['unsaid']);
    add(JOURNAL, lines(hook(NOW, { killed: true, stdout: '' })));
    expect(judge()).toEqual([]);
  });
});

describe('money', () => {
  test('an hour that cost more than it may', () => {
    add(MODEL, lines(request(1, 900)));
    add(BUDGET, lines(reserve('c', 900)));
    expect(judge()).toEqual(['over-budget']);
  });

  test('requests that no line of the budget covers; refused ones cost nothing', () => {
    add(MODEL, lines(request(1, 600)));
    expect(judge()).toEqual(['uncounted']);
    files.set(MODEL, lines(request(0, 100), request(1, 600, { fault: 'status', status: 429, first_event_at: undefined })));
    expect(judge()).toEqual([]);
  });
});

describe('what is left behind', () => {
  test('a lock that a living process holds', () => {
    add('data/hosts/4242/lock', JSON.stringify(thisProcess()));
    expect(judge()).toEqual([]);
    expect(judge({ closed: true })).toEqual(['lock']);
  });

  test('a dead holder’s lock is nobody’s', () => {
    add('data/sessions/s1/lease', JSON.stringify({ pid: process.pid, start: 'long ago' }));
    expect(judge({ closed: true })).toEqual([]);
  });

  test('a process of the world, by its home or its command line', async () => {
    const starts = [() => spawn('sleep', ['60'], { env: { PATH: process.env['PATH'] ?? '', HOME: join(root, 'home') } }), () => spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)', join(root, 'x')])];
    for (const start of starts) {
      const child = start();
      await new Promise((resolve) => child.on('spawn', resolve));
      expect(judge({ closed: true })).toEqual(['orphan']);
      const gone = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    expect(judge({ closed: true })).toEqual([]);
  });

  test('files that do not parse, and files set aside', () => {
    for (const [path, text] of [['data/sessions/s1/turn.json', '{"v":1'], ['data/index/x.jsonl', '{"v":1}\n{"v"\n'], ['data/tasks/t-9.json.bad', ''], ['data/sessions/s1/mailbox/bad/sb-dddddddd', '']] as const) {
      files.set(path, text);
      expect(judge()).toEqual(['unreadable']);
      rmSync(join(root, path));
      files.delete(path);
    }
  });

  test('a hook that failed, or printed what is no document', () => {
    add(JOURNAL, lines(hook(NOW, { code: 1, stdout: '' })));
    expect(judge()).toEqual(['hook']);
    files.set(JOURNAL, lines(hook(NOW, { stdout: 'hello' })));
    expect(judge()).toEqual(['hook']);
  });

  test('a fault that the log tells of', () => {
    add('data/log/second-brain.log', '2026-05-04T08:00:00Z [1] a cycle failed: Error\n');
    expect(judge()).toEqual(['fault-logged']);
  });
});
