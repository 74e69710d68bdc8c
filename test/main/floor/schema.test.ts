// Files of a later version, met by an older one after a downgrade or while two versions run: set aside or skipped, never a fault.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/main/floor/config-file.ts';
import { writeJson } from '../../../src/main/floor/json-file.ts';
import { appendLine } from '../../../src/main/floor/jsonl-file.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { readSpool, spoolStart } from '../../../src/main/ingest/spool-file.ts';
import { addTombstone, readTombstones } from '../../../src/main/memory/forgotten-file.ts';
import { appendIndex, readIndex } from '../../../src/main/memory/index-file.ts';
import { newLedger } from '../../../src/main/memory/ledger.ts';
import { findBySession, readLedger, writeLedger } from '../../../src/main/memory/ledger-file.ts';
import { readWindow, startWindow } from '../../../src/main/memory/window-file.ts';
import { emptyWindow } from '../../../src/main/memory/window.ts';
import { readSpent, reserve } from '../../../src/main/pass/budget-file.ts';
import { appendHistory, readHistory } from '../../../src/main/speak/history-file.ts';
import { listMail, putMail } from '../../../src/main/speak/mailbox-file.ts';
import { putReply, putRequest, takeReply, takeRequests } from '../../../src/main/speak/request-file.ts';
import { readStatus, writeStatus } from '../../../src/main/speak/status-file.ts';
import { readTurn, writeTurn } from '../../../src/main/speak/turn-file.ts';
import type { Status } from '../../../src/main/surfaces.ts';
import { advice, said, turn } from '../../support/mail.ts';

const NOW = 1_800_000_000_000;
const TASK = 'task-1';
const SESSION = 'session-1';
const knobs = defaultKnobs();
const signal = { v: 1, event: 'Stop', at: NOW, session: SESSION, transcript: '/t.jsonl', cwd: '/w' };
const none = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const status: Status = {
  v: 1, at: NOW, version: '0.1.0', host_pid: 1, session: SESSION, task: TASK, workspace: '/w', state: 'idle', phase: 'watching', provider: 'local', model: '',
  volumes: { tools: {}, kinds: {}, unknown: {} }, primary: none, observer: none, spent: { task: 0, hour: 0, task_cap: 1, hour_cap: 1 }, passes: { count: 0, by_reason: {}, holds: {} }, detectors: {},
  advice: { generated: 0, delivered: 0, gated: {}, last_hour: 0, rate_cap: 4 }, window: { chars: 0, budget_chars: 1, compactions: 0, generation: 0 }, ledgers: { count: 0 }, notices: [],
};

type Kind = {
  readonly name: string;
  readonly write: (paths: Paths) => void;
  /** How many of them a reader finds. */
  readonly found: (paths: Paths) => number;
};

const count = (value: unknown): number => (value === undefined ? 0 : 1);

const KINDS: readonly Kind[] = [
  { name: 'a ledger', write: (paths) => writeLedger(paths, newLedger({ task: TASK, session: SESSION, workspace: '/w', nonce: '0123456789abcdef', goal: 'g', now: NOW })), found: (paths) => count(findBySession(paths, SESSION)) },
  { name: 'a window', write: (paths) => startWindow(paths, emptyWindow({ task: TASK, nonce: '0123456789abcdef', generation: 0, ledger_text: '' })), found: (paths) => count(readWindow(paths, TASK).window) },
  { name: 'a status', write: (paths) => writeStatus(paths.status(SESSION), status), found: (paths) => Number(readStatus(paths.status(SESSION), NOW).ok) },
  { name: 'a turn', write: (paths) => writeTurn(paths.turn(SESSION), turn()), found: (paths) => count(readTurn(paths.turn(SESSION))) },
  { name: 'a history line', write: (paths) => appendHistory(paths.history(SESSION), { v: 1, at: NOW, id: 'sb-1', event: 'claimed' }), found: (paths) => readHistory(paths.history(SESSION)).lines.length },
  { name: 'mail', write: (paths) => putMail(paths.mailbox(SESSION), advice(), said(advice())), found: (paths) => listMail(paths.mailbox(SESSION)).length },
  { name: 'a spool line', write: (paths) => appendLine(paths.spool('1'), signal), found: (paths) => readSpool(paths.spool('1'), spoolStart, 0, NOW).signals.length },
  {
    name: 'a budget line',
    write: (paths) => void reserve(paths, { id: 'p', task: TASK, provider: 'anthropic', tokens: 5, session: SESSION, host: '1' }, 0, NOW, knobs.budget),
    found: (paths) => Math.sign(readSpent(paths, { session: SESSION, host: '1' }, NOW).machine),
  },
  {
    name: 'an index line',
    write: (paths) => appendIndex(paths, { task: TASK, session: SESSION, cwd: '/w', git_dir: '/w/.git', goal: 'g', paths: ['a.ts'], at: NOW }),
    found: (paths) => readIndex(paths, '/w/.git', { task: 'other', session: 'other', now: NOW }, knobs.index).length,
  },
  { name: 'a tombstone', write: (paths) => addTombstone(paths, { v: 1, at: NOW, scope: 'all', positions: [] }), found: (paths) => readTombstones(paths).length },
  { name: 'a request', write: (paths) => putRequest(paths, SESSION, { v: 1, id: 'r1', at: NOW }), found: (paths) => takeRequests(paths, SESSION, NOW).length },
  { name: 'a reply', write: (paths) => putReply(paths, SESSION, { v: 1, id: 'r1', at: NOW, text: 't' }), found: (paths) => count(takeReply(paths, SESSION, 'r1')) },
];

describe('files of another version', () => {
  let paths: Paths;
  beforeEach(() => {
    paths = pathsUnder(mkdtempSync(join(tmpdir(), 'sb-schema-')));
  });
  afterEach(() => rmSync(paths.data, { recursive: true, force: true }));

  const files = (): readonly string[] => readdirSync(paths.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const rewrite = (change: (text: string) => string): void => {
    for (const path of files()) writeFileSync(path, change(readFileSync(path, 'utf8')));
  };

  test.each(KINDS)('$name of this version is found, with fields that a later release of it adds', ({ write, found }) => {
    write(paths);
    rewrite((text) => text.replaceAll('"v":1', '"v":1,"added_later":{"a":[1]}'));
    expect(found(paths)).toBe(1);
  });

  test.each(KINDS)('$name of a later version is not taken for one of ours, and nothing throws', ({ write, found }) => {
    write(paths);
    rewrite((text) => text.replaceAll('"v":1', '"v":2'));
    expect(found(paths)).toBe(0);
  });

  test.each(KINDS)('$name can be written anew where a later version left its own', ({ write, found }) => {
    write(paths);
    rewrite((text) => text.replaceAll('"v":1', '"v":2'));
    found(paths);
    write(paths);
    expect(found(paths)).toBe(1);
  });

  test('what cannot be rebuilt from elsewhere at once is kept beside: ledger and window', () => {
    for (const { write } of KINDS.slice(0, 2)) write(paths);
    rewrite((text) => text.replaceAll('"v":1', '"v":2'));
    expect(readLedger(paths, TASK)).toMatchObject({ ok: false, because: 'corrupt' });
    expect(readWindow(paths, TASK).aside).toHaveLength(1);
    expect(existsSync(`${paths.ledger(TASK)}.bad`)).toBe(true);
    expect(existsSync(`${paths.windowLog(TASK, 0)}.bad`)).toBe(true);
  });

  test('lines of two versions in one file: ours count, the others are passed over', () => {
    for (const write of [appendHistoryLine, appendSignal]) write(paths, 1);
    for (const write of [appendHistoryLine, appendSignal]) write(paths, 2);
    for (const write of [appendHistoryLine, appendSignal]) write(paths, 1);
    expect(readHistory(paths.history(SESSION))).toMatchObject({ lines: [{ v: 1 }, { v: 1 }], bad: 1 });
    const spool = readSpool(paths.spool('1'), spoolStart, 0, NOW);
    expect([spool.signals.length, spool.bad]).toEqual([2, 1]);
  });

  test('a configuration with knobs of a later version keeps the ones we know, names the others and stays where it is', () => {
    writeJson(paths.config, { v: 2, gate: { rate_per_hour: 7, mood: 'kind' }, telepathy: { enabled: true } });
    const config = loadConfig({ paths, workspace: '/w', env: {}, options: {} });
    expect(config.knobs.gate.rate_per_hour).toBe(7);
    expect(config.problems.join('\n')).toMatch(/gate\.mood/);
    expect(config.problems.join('\n')).toMatch(/telepathy/);
    expect(files()).toEqual([paths.config]);
  });

  test('a budget of a later version lets no more through than an empty one', () => {
    mkdirSync(dirname(paths.budget(Math.floor(NOW / 3_600_000))), { recursive: true });
    appendFileSync(paths.budget(Math.floor(NOW / 3_600_000)), '{"v":2,"kind":"reserve","tokens":-1e12}\n{"v":2}\n');
    const ask = { id: 'p', task: TASK, provider: 'anthropic', tokens: knobs.budget.tokens_per_hour + 1, session: SESSION, host: '1' };
    expect(reserve(paths, ask, 0, NOW, knobs.budget)).toMatchObject({ go: false });
  });
});

const appendHistoryLine = (paths: Paths, v: number): void => appendLine(paths.history(SESSION), { v, at: NOW, id: 'sb-1', event: 'claimed' });

const appendSignal = (paths: Paths, v: number): void => appendLine(paths.spool('1'), { ...signal, v });
