import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { BELL_PREFIX, MONITOR_DESCRIPTION } from '../../src/main/floor/marks.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { projectionLimits } from '../../src/main/entry/reading.ts';
import type { Folded } from '../../src/main/ingest/chain.ts';
import { projectLine } from '../../src/main/ingest/projection.ts';
import { add, due, hear, lookForClaims, observe, openObserver, tend } from '../../src/main/observer.ts';
import { readWindow } from '../../src/main/memory/window-file.ts';
import { bellLine } from '../../src/main/speak/finish-gate.ts';
import { openRecords } from '../../src/main/speak/outcome.ts';
import { readHistory } from '../../src/main/speak/history-file.ts';
import { claimMail, listMail, putMail } from '../../src/main/speak/mailbox-file.ts';
import { finishPass, record } from '../../src/main/speaking.ts';
import { appendEpisode } from '../../src/main/judging.ts';
import { NO_USAGE } from '../../src/main/floor/usage.ts';
import { turnOf } from '../../src/main/surfacing.ts';
import type { Advice, ForkResult, Signal } from '../../src/main/records.ts';
import type { Setup, Watching } from '../../src/main/watching.ts';
import { advice, HOST, NOW, said } from '../support/mail.ts';
import { observation } from '../support/records.ts';

let data = '';
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-observer-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const SESSION = 'session-1';
const never = (): never => {
  throw new Error('nobody is asked here');
};
const setup = (): Setup => ({
  paths, session: SESSION, workspace: '/w', git_dir: '/w/.git', cwd: '/w', host: String(HOST), host_pid: HOST, version: '1', shared_prompt: '',
  knobs: defaultKnobs, catalogue: () => [], judge: never, fork: never, summarize: never, tool: never, mcp_tools: () => [],
  entropy: () => new Uint8Array(16).fill(7), log: () => undefined, capture: () => undefined,
});
const open = (): Watching => openObserver(setup(), { history: [] }, NOW);
const put = (changes: Partial<Advice> = {}): Advice => {
  const item = advice({ session_id: SESSION, ...changes });
  putMail(paths.mailbox(SESSION), item, said(item));
  return item;
};
const news = (changes: Partial<Folded>): Folded => ({ observations: [], events: [], proofs: [], fresh: [], copies: 0, ...changes });
const fates = (): readonly string[] => readHistory(paths.history(SESSION)).lines.map(({ id, event, because }) => [id, event, ...(because === undefined ? [] : [because])].join(' '));

/** Told beside a tool result, and proven by the record `uuid`. */
const tell = (w: Watching, item: Advice, uuid: string): void => {
  record(w, { v: 1, at: NOW, id: item.id, event: 'enqueued', advice: item });
  for (const mail of listMail(paths.mailbox(SESSION))) claimMail(paths.mailbox(SESSION), mail, { channel: 'PostToolUse', ref: 'toolu_1', at: NOW });
  observe(w, news({ proofs: [{ ids: [item.id], channel: 'context', at: NOW + 10, uuid }] }), undefined, NOW + 20);
};

describe('a rewind', () => {
  test('takes back what was told on the branch that is gone: it counts as never said, and nothing can come of it', () => {
    const w = open();
    const item = put({ task_id: w.ledger.task });
    tell(w, item, 'u-dead');
    expect(openRecords(w.rows, w.ledger.task)).toHaveLength(1);
    observe(w, news({ events: [{ kind: 'rewind', at: NOW + 30, dead: ['u-x', 'u-dead'] }] }), undefined, NOW + 40);
    expect(fates().at(-1)).toBe(`${item.id} withdrawn rewound`);
    expect(openRecords(w.rows, w.ledger.task)).toEqual([]);
    expect(w.ledger.advice).toEqual([]);
  });

  test('leaves what was told before the point it goes back to', () => {
    const w = open();
    tell(w, put({ task_id: w.ledger.task }), 'u-kept');
    observe(w, news({ events: [{ kind: 'rewind', at: NOW + 30, dead: ['u-x'] }] }), undefined, NOW + 40);
    expect(openRecords(w.rows, w.ledger.task)).toHaveLength(1);
    expect(w.ledger.advice).toHaveLength(1);
  });

  test('expires what waits', () => {
    const w = open();
    const item = put();
    observe(w, news({ events: [{ kind: 'rewind', at: NOW, dead: [] }] }), undefined, NOW);
    expect(listMail(paths.mailbox(SESSION))).toEqual([]);
    expect(fates()).toEqual([`${item.id} withdrawn rewound`]);
  });
});

describe('mail that nobody may tell any more', () => {
  test('what an earlier host of the session left is taken back at the start', () => {
    put({ id: 'sb-other001', host_pid: HOST + 1 });
    const mine = put({ id: 'sb-mine0001' });
    open();
    expect(listMail(paths.mailbox(SESSION)).map(({ name }) => name)).toEqual([mine.id]);
    expect(fates()).toEqual(['sb-other001 withdrawn moved-on']);
  });

  test('mail that a kill left without a line of history goes with the session as well', () => {
    const w = open();
    put();
    hear(w, { v: 1, event: 'SessionEnd', at: NOW, session: SESSION, transcript: '', cwd: '/w', reason: 'clear' }, NOW);
    expect(listMail(paths.mailbox(SESSION))).toEqual([]);
    expect(fates()).toEqual(['sb-abcd1234 withdrawn moved-on']);
  });
});

test('a command that the host ran itself is not what the task is about', () => {
  const w = open();
  add(w, [observation({ kind: 'prompt', text: '[prompt] /clear' })], NOW);
  expect(w.ledger.goal).toBe('');
  add(w, [observation({ kind: 'prompt', text: '[prompt] Build a parser.', human: true })], NOW);
  expect(w.ledger.goal).toBe('Build a parser.');
});

describe('a turn the person interrupted', () => {
  const judged = (): Watching => openObserver({ ...setup(), judge: () => ({ provider: { kind: 'local', base_url: '', model: 'rules', key: '', cache_ttl: '5m', auto_choice: false }, min_cacheable: Infinity }) }, { history: [] }, NOW);
  const interrupted = (w: Watching): void => {
    hear(w, signal('UserPromptSubmit', NOW + 10, { origin: 'human', prompt_id: 'p1' }), NOW + 10);
    observe(w, news({ observations: [observation({ kind: 'prompt', at: NOW + 11, text: '[prompt] Build a parser.', human: true }), observation({ kind: 'tool', at: NOW + 20, text: '[tool] Bash npm test' })], events: [{ kind: 'prompt', origin: 'human', at: NOW + 11 }] }), undefined, NOW + 20);
    observe(w, news({ observations: [observation({ kind: 'note', note: 'interrupt', at: NOW + 30, text: '[note] the user interrupted the turn' })], events: [{ kind: 'interrupt', at: NOW + 30 }] }), undefined, NOW + 30);
  };
  const signal = (event: Signal['event'], at: number, more: Partial<Signal> = {}): Signal => ({ v: 1, event, at, session: SESSION, transcript: '', cwd: '/w', ...more });
  const spent = { own: 0, host: 0, machine: 0 };

  test('is over without a pass of its own: what came of it is judged with what the person says next', () => {
    const w = judged();
    interrupted(w);
    expect(w.session.state).toBe('idle');
    const knobs = defaultKnobs();
    const held = { ...w.setup, knobs: () => ({ ...knobs, loop: { ...knobs.loop, salience_per_hour: 0 } }) };
    expect(due({ ...w, setup: held }, NOW + 5000, spent)).toMatchObject({ go: false, because: 'too-little' });
    hear(w, signal('UserPromptSubmit', NOW + 6000, { origin: 'human', prompt_id: 'p2' }), NOW + 6000);
    expect(due(w, NOW + 6000, spent)).toEqual({ go: true, because: 'salience' });
  });

  test('is not set going again by us: no wake and no continuation before the person speaks', () => {
    const w = judged();
    interrupted(w);
    expect(turnOf(w, NOW + 5000)).toMatchObject({ state: 'idle', wake_used: true });
    hear(w, signal('UserPromptSubmit', NOW + 6000, { origin: 'human', prompt_id: 'p2' }), NOW + 6000);
    expect(turnOf(w, NOW + 6000).wake_used).toBe(false);
  });
});

test('an agent whose provider gave up is not set going again by us', () => {
  const w = open();
  observe(w, news({ events: [{ kind: 'prompt', origin: 'human', at: NOW + 10 }, { kind: 'api-error', at: NOW + 20 }] }), undefined, NOW + 20);
  expect(turnOf(w, NOW + 5000)).toMatchObject({ state: 'idle', wake_used: true });
  observe(w, news({ events: [{ kind: 'prompt', origin: 'human', at: NOW + 6000 }] }), undefined, NOW + 6000);
  expect(turnOf(w, NOW + 6000).wake_used).toBe(false);
});

test('a turn that our bell began is looked at by no pass, whether its signal or its record is read first', () => {
  const text = `<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: "${MONITOR_DESCRIPTION}"</summary>\n<event>${bellLine('k3x9ab12')}</event>\n</task-notification>`;
  const record = (content: string, at: number) =>
    projectLine(Buffer.from(JSON.stringify({ type: 'user', uuid: `u-${at}`, timestamp: new Date(at).toISOString(), origin: { kind: 'task-notification' }, message: { role: 'user', content } })), projectionLimits(defaultKnobs(), []));
  const heard = (w: Watching): void => hear(w, { v: 1, event: 'UserPromptSubmit', at: NOW + 10, session: SESSION, transcript: '', cwd: '/w', origin: 'bell', prompt_id: 'p1' }, NOW + 10);
  const read = (w: Watching): void => observe(w, news({ events: record(text, NOW + 20).events }), undefined, NOW + 20);
  for (const told of [[heard, read], [read, heard], [read]]) {
    const w = open();
    for (const tells of told) tells(w);
    expect([w.own_turn, w.wake_used]).toEqual([true, true]);
    observe(w, news({ events: record(text.replaceAll(MONITOR_DESCRIPTION, 'Somebody’s watcher').replace(BELL_PREFIX, 'Built: '), NOW + 30).events }), undefined, NOW + 30);
    expect([w.own_turn, w.wake_used]).toEqual([false, true]);
  }
});

test('a wake used under another monitor stays used, and the turn it began stays ours', () => {
  const first = open();
  first.wake_used = true;
  const turn = turnOf(first, NOW);
  const second = openObserver(setup(), { history: [], turn }, NOW);
  expect([second.wake_used, second.own_turn]).toEqual([true, true]);
});

test('the floor counts from the last pass’s start, whichever monitor began it', () => {
  const ledger = { ...open().ledger, pace: { last_start: NOW - 10_000, salience_draws: [NOW - 10_000] } };
  const w = openObserver({ ...setup(), judge: () => ({ provider: { kind: 'local', base_url: '', model: 'rules', key: '', cache_ttl: '5m', auto_choice: false }, min_cacheable: Infinity }) }, { history: [], ledger }, NOW);
  add(w, [observation({ kind: 'tool', text: `[tool] ${'x'.repeat(7000)}` })], NOW);
  expect(due(w, NOW, { own: 0, host: 0, machine: 0 })).toEqual({ go: false, because: 'floor', again_at: NOW - 10_000 + 90_000 });
  expect(w.salience_draws).toEqual([NOW - 10_000]);
});

test('a finding that a hook claims while it is found again is told once', () => {
  const w = open();
  add(w, [observation({ kind: 'prompt', text: '[prompt] fix the parser', human: true })], NOW);
  appendEpisode(w, 1, NOW);
  const first = put({ task_id: w.ledger.task, dedup_key: 'parser-drops-rows' });
  record(w, { v: 1, at: NOW, id: first.id, event: 'enqueued', advice: first });
  for (const mail of listMail(paths.mailbox(SESSION))) claimMail(paths.mailbox(SESSION), mail, { channel: 'PostToolUse', ref: 'toolu_1', at: NOW + 1 });
  const feedback = { verdict: 'advise' as const, headline: 'The parser drops the last row.', body: '', confidence: 0.9, evidence: ['#1'], dedup_key: 'parser-drops-rows' };
  const result: ForkResult = { detector: 'default', end: 'feedback', feedback, usage: NO_USAGE, requests: 1, started_at: NOW, took_ms: 5, model: 'm', pilot: true, tool_text: '' };
  const provider = { kind: 'local' as const, base_url: '', model: '', key: '', cache_ttl: '5m' as const, auto_choice: false };
  const stamp = { session: SESSION, task: w.ledger.task, generation: w.window.generation, pass: 1 };
  finishPass(w, { stamp, because: 'volume', at: NOW, runs: [], skipped: [], judge: { provider, min_cacheable: 0 }, after: 1, cancel: new AbortController(), results: Promise.resolve([]) }, [result], NOW + 2);
  expect(fates().at(-1)).toMatch(/gated duplicate$/);
  expect(listMail(paths.mailbox(SESSION))).toEqual([]);
});

test('a turn that ends during a pass is looked at right after it, whatever the floor', () => {
  const w = openObserver({ ...setup(), judge: () => ({ provider: { kind: 'local', base_url: '', model: 'rules', key: '', cache_ttl: '5m', auto_choice: false }, min_cacheable: Infinity }) }, { history: [] }, NOW);
  w.last_start = NOW - 1000;
  w.pass = { stamp: { session: SESSION, task: w.ledger.task, generation: 0, pass: 1 }, because: 'salience', at: NOW - 1000, runs: [], skipped: [], judge: w.setup.judge(), after: 0, cancel: new AbortController(), results: Promise.resolve([]) };
  add(w, [observation({ kind: 'text', text: '[text] Done.' })], NOW);
  hear(w, { v: 1, event: 'Stop', at: NOW, session: SESSION, transcript: '', cwd: '/w' }, NOW);
  expect(due(w, NOW, { own: 0, host: 0, machine: 0 })).toEqual({ go: false, because: 'busy' });
  w.pass = undefined;
  expect(due(w, NOW + 10, { own: 0, host: 0, machine: 0 })).toEqual({ go: true, because: 'turn-end' });
});

test('a proof that comes while the disk is full still confirms once the disk is well again: nothing is told twice', () => {
  const w = open();
  const item = put();
  record(w, { v: 1, at: NOW, id: item.id, event: 'enqueued', advice: item });
  for (const mail of listMail(paths.mailbox(SESSION))) claimMail(paths.mailbox(SESSION), mail, { channel: 'PostToolUse', ref: 'toolu_1', at: NOW });
  lookForClaims(w, NOW + 5);
  const history = paths.history(SESSION);
  renameSync(history, `${history}.well`);
  symlinkSync('/dev/full', history);
  expect(() => observe(w, news({ proofs: [{ ids: [item.id], channel: 'context', at: NOW + 10, uuid: 'r' }] }), undefined, NOW + 20)).toThrow('ENOSPC');
  renameSync(`${history}.well`, history);
  observe(w, news({ events: [{ kind: 'tool-result', at: NOW + 30, call: 'toolu_1' }, { kind: 'response', at: NOW + 40 }] }), undefined, NOW + 50);
  expect(fates()).toEqual([`${item.id} enqueued`, `${item.id} claimed`, `${item.id} confirmed`]);
  expect(listMail(paths.mailbox(SESSION))).toEqual([]);
});

test('a block that a full disk refuses is in the log once the disk is well again', () => {
  const w = open();
  const log = paths.windowLog(w.ledger.task, w.window.generation);
  rmSync(log);
  symlinkSync('/dev/full', log);
  add(w, [observation({ kind: 'prompt', text: '[prompt] fix the parser', human: true })], NOW);
  appendEpisode(w, 1, NOW);
  expect(w.unsaved).toBe(true);
  tend(w, NOW + 1000);
  expect(w.unsaved).toBe(false);
  expect(readWindow(paths, w.ledger.task).window).toEqual(w.window);
});
