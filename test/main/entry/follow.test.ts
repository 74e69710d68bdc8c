import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFollower } from '../../../src/main/entry/follow.ts';
import { runtimeInPlace } from '../../../src/main/entry/runtime.ts';
import { appendLine } from '../../../src/main/floor/jsonl-file.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import type { Signal } from '../../../src/main/records.ts';

let dir = '';
let paths: Paths;
let gone = false;
let ended: Promise<void>;
let close = (): void => undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb follow-'));
  paths = pathsUnder(join(dir, 'data'));
  gone = false;
});
afterEach(async () => {
  gone = true;
  await ended;
  close();
  rmSync(dir, { recursive: true, force: true });
});

const follow = ({ since = 0 } = {}): void => {
  const host = { name: '4711', pid: 4711, since, session: undefined, alive: () => !gone };
  const follower = openFollower({ paths, host, runtime: runtimeInPlace(join(process.cwd(), 'plugin')), env: {}, cwd: dir, log: () => undefined, ring: () => undefined });
  ended = follower.run(() => gone);
  close = () => follower.close(Date.now());
};

const signal = (event: Signal['event'], session: string, more: Partial<Signal> = {}): void =>
  appendLine(paths.spool('4711'), { v: 1, event, at: Date.now(), session, transcript: join(dir, `${session}.jsonl`), cwd: dir, ...more });

const say = (session: string, uuid: string, content: string): void =>
  appendFileSync(join(dir, `${session}.jsonl`), `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId: session, timestamp: new Date().toISOString(), origin: { kind: 'human' }, message: { role: 'user', content } })}\n`);

const until = async (holds: () => boolean): Promise<void> => {
  for (let round = 0; round < 150 && !holds(); round += 1) await sleep(100);
  expect(holds()).toBe(true);
};
const ledgers = (): readonly string[] => (existsSync(paths.tasks) ? readdirSync(paths.tasks).filter((name) => /^[^.]+\.json$/.test(name)) : []);

describe('which session is followed', () => {
  test('B1: of two starts at one moment, the one in which something happens gets a ledger, the ghost none', async () => {
    follow();
    signal('SessionStart', 'real', { source: 'resume' });
    signal('SessionStart', 'ghost', { source: 'startup' });
    signal('UserPromptSubmit', 'real', { origin: 'human', prompt_id: 'p1' });
    say('real', 'u1', 'Please rename the parser.');
    await until(() => existsSync(paths.status('real')));
    expect(ledgers()).toHaveLength(1);
    expect(existsSync(paths.session('ghost'))).toBe(false);
  });

  test('B2: when the named file stands still and another grows, nothing of the other is read and nothing is said', async () => {
    follow();
    say('named', 'u1', 'Old words.');
    signal('UserPromptSubmit', 'named', { origin: 'human', prompt_id: 'p1' });
    for (let n = 0; n < 5; n += 1) say('sibling', `s${n}`, 'Words of a session nobody named.');
    await until(() => existsSync(paths.status('named')));
    signal('Stop', 'named', { attended: true });
    await sleep(1500);
    expect(existsSync(paths.session('sibling'))).toBe(false);
    expect(existsSync(join(paths.mailbox('named'), 'new')) ? readdirSync(join(paths.mailbox('named'), 'new')) : []).toEqual([]);
  });

  test('A4: a hook called twice for one event is heard once', async () => {
    follow();
    signal('SessionStart', 'twice', { source: 'startup' });
    for (let copy = 0; copy < 2; copy += 1) signal('UserPromptSubmit', 'twice', { origin: 'human', prompt_id: 'p1' });
    say('twice', 'u1', 'Do it.');
    await until(() => existsSync(paths.status('twice')));
    expect(ledgers()).toHaveLength(1);
  });
});

test('a record of children that cannot be read keeps nobody from watching', async () => {
  mkdirSync(join(paths.children('666'), 'not-a-file'), { recursive: true });
  follow();
  signal('UserPromptSubmit', 'odd', { origin: 'human', prompt_id: 'p1' });
  say('odd', 'u1', 'Please rename the parser.');
  await until(() => existsSync(paths.status('odd')));
});

test('a catalogue that cannot even be looked for is named, and the session is watched all the same', async () => {
  mkdirSync(paths.data, { recursive: true });
  writeFileSync(paths.config, JSON.stringify({ catalogue: { file: join(dir, 'n'.repeat(300)) } }));
  follow();
  signal('UserPromptSubmit', 'odd', { origin: 'human', prompt_id: 'p1' });
  say('odd', 'u1', 'Please rename the parser.');
  await until(() => existsSync(paths.status('odd')));
  expect(readFileSync(paths.status('odd'), 'utf8')).toMatch(/catalogue\.file .*the bundled catalogue is used/);
});

test('a clock set back by a day holds nothing up: what comes is heard and looked at, and the end of the host is noticed', async () => {
  follow({ since: Date.now() - 1000 });
  signal('UserPromptSubmit', 'back', { origin: 'human', prompt_id: 'p1' });
  say('back', 'u1', 'Before the clock went back.');
  signal('Stop', 'back', { attended: true });
  const seen = (words: string): boolean => existsSync(paths.tasks) && readdirSync(paths.tasks).filter((name) => name.includes('.window.')).some((name) => readFileSync(join(paths.tasks, name), 'utf8').includes(words));
  await until(() => seen('Before the clock'));
  const forward = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => forward() - 86_400_000);
  try {
    signal('UserPromptSubmit', 'back', { origin: 'human', prompt_id: 'p2' });
    say('back', 'u2', 'After the clock went back.');
    signal('Stop', 'back', { attended: true });
    await until(() => seen('After the clock'));
    gone = true;
    await ended;
  } finally {
    clock.mockRestore();
  }
});

test('D1: a monitor inside a child of our own watches nothing and writes nothing', async () => {
  ended = Promise.resolve();
  close = () => undefined;
  writeFileSync(join(dir, 'marker'), '');
  const monitor = spawn(process.execPath, [join(process.cwd(), 'plugin', 'dist', 'monitor.cjs'), '--data', join(dir, 'data'), '--root', join(process.cwd(), 'plugin'), '--project', dir], {
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, SECOND_BRAIN_FORK: '1', CLAUDE_PID: String(process.pid), CLAUDE_CODE_ENTRYPOINT: 'cli' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  monitor.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await sleep(1500);
  expect(monitor.exitCode).toBe(null);
  expect([said, existsSync(join(dir, 'data'))]).toEqual(['', false]);
  monitor.kill('SIGKILL');
});
