import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forget } from '../../../src/main/command/forget.ts';
import { appendLine } from '../../../src/main/floor/jsonl-file.ts';
import { takeLock } from '../../../src/main/floor/lock-file.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { forgottenUpTo, isForgotten, readTombstones } from '../../../src/main/memory/forgotten-file.ts';
import { appendIndex, readIndex } from '../../../src/main/memory/index-file.ts';
import { newLedger } from '../../../src/main/memory/ledger.ts';
import { readLedger, writeLedger } from '../../../src/main/memory/ledger-file.ts';
import { positionAt } from '../../../src/main/ingest/transcript-file.ts';
import { reserve } from '../../../src/main/pass/budget-file.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import type { Advice } from '../../../src/main/records.ts';
import { appendHistory, readHistory } from '../../../src/main/speak/history-file.ts';
import { countFiring } from '../../../src/main/speak/gate-count-file.ts';
import { claimMail, listMail, putMail } from '../../../src/main/speak/mailbox-file.ts';
import { appendPass, readPasses } from '../../../src/main/speak/passes-file.ts';
import { sessionOf } from '../../support/report-session.ts';

const NOW = 1_800_000_000_000;
let data: string;
let paths: Paths;
let transcript: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-forget-'));
  paths = pathsUnder(data);
  transcript = join(data, '..', `${data.slice(-6)}.jsonl`);
  writeFileSync(transcript, '{"type":"user"}\n{"type":"assistant"}\n{"half":');
});
afterEach(() => {
  rmSync(data, { recursive: true, force: true });
  rmSync(transcript, { force: true });
});

const advice = (id: string, task: string, session: string): Advice => ({
  v: 1, id, task_id: task, session_id: session, workspace: '/w', host_pid: 1, kind: 'default', headline: 'h', body: '', confidence: 1, evidence: [], dedup_key: id, stale_if: [], human_only: false, finish_gate: false, generated_at: NOW, ttl: 1800, after: 1,
});

/** Everything a task leaves behind, in every place there is. */
const live = (task: string, session: string, workspace: string): void => {
  const position = positionAt(transcript, 16, undefined);
  writeLedger(paths, { ...newLedger({ task, session, workspace, nonce: 'nonce-nonce', goal: 'g', now: NOW - 1000 }), ...(position === undefined ? {} : { position }) });
  appendLine(paths.windowLog(task, 0), { task });
  appendLine(paths.windowLog(task, 1), { task });
  countFiring(paths, task, [], NOW);
  for (const [n, event] of (['generated', 'enqueued'] as const).entries()) appendHistory(paths.history(session), { v: 1, at: NOW, id: `sb-${task}`, event, ...(n === 0 ? { advice: advice(`sb-${task}`, task, session) } : {}) });
  for (const line of sessionOf(10).passes) appendPass(paths.passes(session), { ...line, task });
  const box = paths.mailbox(session);
  putMail(box, advice(`sb-${task}-c`, task, session), { agent: 'a', user: 'u' });
  const mail = listMail(box).find(({ advice: { id } }) => id === `sb-${task}-c`);
  if (mail !== undefined) claimMail(box, mail, { channel: 'PostToolUse', ref: 'r', at: NOW });
  putMail(box, advice(`sb-${task}`, task, session), { agent: 'a', user: 'u' });
  for (const path of [paths.status(session), paths.turn(session), paths.digest(session), paths.report(session), join(paths.requests(session), 'x.json'), join(paths.debug, session, '1', 'digest.txt'), `${paths.ledger(task)}.bad`]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ v: 1, task }));
  }
  appendIndex(paths, { task, session, cwd: workspace, git_dir: '/g', goal: 'g', paths: ['a'], at: NOW });
  reserve(paths, { id: `r-${task}`, session, host: '1', task, provider: 'anthropic', tokens: 10 }, 0, NOW, defaultKnobs().budget);
  mkdirSync(dirname(paths.log), { recursive: true });
  writeFileSync(paths.log, `x a new task: ${task}\n`, { flag: 'a' });
};

/** Files under the data directory that name it, tombstones aside. */
const traces = (word: string): readonly string[] =>
  readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes(word) || (statSync(join(data, name)).isFile() && name !== 'forgotten.jsonl' && readFileSync(join(data, name), 'utf8').includes(word)));

const run = (scope: Parameters<typeof forget>[0]['scope']): ReturnType<typeof forget> => forget({ paths, scope, debug: paths.debug, now: NOW });

describe('forget', () => {
  test('a task leaves nothing that names it, and other tasks and sessions lose nothing', () => {
    live('task-one', 'session-a', '/w');
    live('task-two', 'session-b', '/w');
    expect(run({ kind: 'task', task: 'task-one' })).toEqual({ tasks: ['task-one'], sessions: 1, captures: 1, index: true });
    expect(traces('task-one')).toEqual([]);
    expect(traces('task-two').length).toBeGreaterThan(10);
    expect(readLedger(paths, 'task-two').ok).toBe(true);
    expect(readIndex(paths, '/g', { task: 'x', session: 'x', now: NOW }, defaultKnobs().index).map(({ task }) => task)).toEqual(['task-two']);
  });

  test('of a session with two tasks only the one goes', () => {
    live('task-one', 'session-a', '/w');
    live('task-two', 'session-a', '/w');
    run({ kind: 'task', task: 'task-one' });
    expect(traces('task-one')).toEqual([]);
    expect(new Set(readHistory(paths.history('session-a')).lines.map(({ id }) => id))).toEqual(new Set(['sb-task-two']));
    expect(listMail(paths.mailbox('session-a')).map(({ advice: { id } }) => id)).toEqual(['sb-task-two']);
    expect(new Set(readPasses(paths.passes('session-a')).lines.map(({ task }) => task))).toEqual(new Set(['task-two']));
    expect(existsSync(paths.report('session-a'))).toBe(false);
  });

  test('a workspace takes its tasks and their sessions, and no other workspace’s', () => {
    live('task-one', 'session-a', '/w');
    live('task-two', 'session-b', '/w');
    live('task-three', 'session-c', '/elsewhere');
    expect(run({ kind: 'workspace', workspace: '/w' }).tasks.toSorted()).toEqual(['task-one', 'task-two']);
    for (const word of ['task-one', 'task-two', 'session-a', 'session-b']) expect(traces(word)).toEqual([]);
    expect(readLedger(paths, 'task-three').ok).toBe(true);
  });

  test('all leaves configuration, tombstones and nameless budgets', () => {
    live('task-one', 'session-a', '/w');
    writeFileSync(paths.config, '{}');
    appendLine(paths.spool('4194300'), { session: 'session-a', transcript });
    run({ kind: 'all' });
    for (const word of ['task-one', 'session-a']) expect(traces(word)).toEqual([]);
    expect(readdirSync(data).filter((name) => statSync(join(data, name)).isFile()).toSorted()).toEqual(['config.json', 'forgotten.jsonl']);
    expect(readdirSync(paths.budgets)).toHaveLength(1);
  });

  test('a living monitor keeps its lease and finds the tombstone', () => {
    live('task-one', 'session-a', '/w');
    takeLock(paths.lease('session-a'));
    run({ kind: 'task', task: 'task-one' });
    expect(existsSync(paths.lease('session-a'))).toBe(true);
    expect(traces('task-one')).toEqual([]);
    expect(isForgotten({ task: 'task-one', workspace: '/w', since: NOW - 1000 }, readTombstones(paths))).toBe(true);
    run({ kind: 'all' });
    expect(existsSync(paths.lease('session-a'))).toBe(true);
  });

  test('nothing of the transcript before this moment is read again, a half-written line aside', () => {
    live('task-one', 'session-a', '/w');
    run({ kind: 'task', task: 'task-one' });
    expect(forgottenUpTo(transcript, readTombstones(paths))?.offset).toBe('{"type":"user"}\n{"type":"assistant"}\n'.length);
  });

  test('a transcript’s path that no file can have keeps nothing from being forgotten', () => {
    live('t-a', 'session-a', '/a');
    for (const path of ['/a\0b', 'x'.repeat(5000), data, '/dev/zero']) appendLine(paths.spool('4194300'), { session: 'session-a', transcript: path });
    forget({ paths, scope: { kind: 'all' }, debug: paths.debug, now: NOW });
    expect(existsSync(paths.session('session-a'))).toBe(false);
    expect(forgottenUpTo(transcript, readTombstones(paths))?.offset).toBe(37);
  });

  test('a young session that only hooks have told of is forgotten up to now as well', () => {
    appendLine(paths.spool('4194300'), { session: 'session-y', transcript });
    run({ kind: 'all' });
    expect(forgottenUpTo(transcript, readTombstones(paths))?.offset).toBeGreaterThan(0);
  });

  test('an empty and a damaged data directory are no obstacle', () => {
    expect(run({ kind: 'all' })).toEqual({ tasks: [], sessions: 0, captures: 0, index: true });
    mkdirSync(paths.tasks, { recursive: true });
    writeFileSync(paths.ledger('task-bad'), '{');
    mkdirSync(paths.session('session-x'), { recursive: true });
    writeFileSync(paths.status('session-x'), '{"v":9}');
    expect(run({ kind: 'all' }).tasks).toEqual(['task-bad']);
    expect(traces('task-bad')).toEqual([]);
  });
});
