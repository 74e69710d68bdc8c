// Supervising the host provider's children: flags and environment, turns, ends of every kind, and orphans.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathsUnder } from '../../../src/main/floor/paths.ts';
import { isAlive, startTime } from '../../../src/main/floor/process-file.ts';
import { openChildren, sweepChildren } from '../../../src/main/pass/children-file.ts';
import { parseHostLine } from '../../../src/main/pass/host-line.ts';
import { createHostModel, type HostModelOptions } from '../../../src/main/pass/host-model.ts';
import type { ForkResult, ToolReply } from '../../../src/main/records.ts';
import type { FromFork, ToFork } from '../../../src/workers/contract.ts';
import { openForks } from '../../../src/workers/forks.ts';
import { writeFakeCli } from '../../support/fake-cli.ts';
import { handOver, prefixOf, providerOf, taskOf } from '../../support/fork-task.ts';

let dir = '';
let now = 1_000_000;
let models: ReturnType<typeof createHostModel>[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-host-model-'));
  now = 1_000_000;
});
afterEach(async () => {
  await Promise.all(models.map((model) => model.close()));
  models = [];
  rmSync(dir, { recursive: true, force: true });
});

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;
type SeenChild = { readonly pid: number; readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>>; readonly cwd: string; readonly files: readonly string[] };

const open = (mode: string, more: Partial<HostModelOptions> = {}) => {
  const paths = pathsUnder(join(dir, 'data'));
  const systemFile = join(dir, 'system.md');
  writeFileSync(systemFile, 'You watch.');
  const childrenFile = paths.children('77');
  const made = createHostModel({ execPath: writeFakeCli(dir, mode), dataDir: paths.data, children: openChildren(childrenFile), model: 'haiku', maxOutputTokens: 512, env: { PATH: process.env['PATH'] ?? '', HOME: dir }, now: () => now, ...more });
  models.push(made);
  const model = { ...made, send: (id: string, ...message: Tail<Parameters<typeof made.send>>) => made.send({ id, systemFile }, ...message) };
  // A line may be half written: only whole ones count.
  const seen = () => (existsSync(`${systemFile}.seen`) ? readFileSync(`${systemFile}.seen`, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line) as SeenChild) : []);
  return { model, childrenFile, seen, hosts: paths.hosts };
};
const until = async (ok: () => boolean): Promise<void> => {
  for (let tries = 0; !ok() && tries < 500; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(ok()).toBe(true);
};
const dead = (pid: number): boolean => !isAlive({ pid, start: startTime(pid) });
const HELLO = [{ type: 'text', text: 'hello' }];
const none = (): void => undefined;

describe('a child', () => {
  it('is started with the flags and the environment of the contract, in an empty folder', async () => {
    const { model, seen } = open('answer', {
      env: { PATH: process.env['PATH'] ?? '', HOME: dir, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', NODE_OPTIONS: '--no-warnings', CLAUDE_CODE_MESSAGING_SOCKET: 's', CLAUDE_CODE_MESSAGING_TOKEN: 't', SECOND_BRAIN_API_KEY: 'k' },
    });
    await model.send('f', HELLO, none);
    const [child] = seen();
    if (child === undefined) throw new Error('no child was started');
    const { argv, env, cwd, files } = child;
    expect(argv).toEqual(expect.arrayContaining(['-p', '--strict-mcp-config', '--no-session-persistence', '--disable-slash-commands', '{"disableAllHooks":true}']));
    expect(argv[argv.indexOf('--tools') + 1]).toBe('');
    expect(env).toMatchObject({ SECOND_BRAIN_FORK: '1', CLAUDE_CODE_DISABLE_THINKING: '1', CLAUDE_CODE_MAX_OUTPUT_TOKENS: '512', DISABLE_TELEMETRY: '1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
    expect(Object.keys(env).filter((name) => /MESSAGING|NODE_OPTIONS|SECOND_BRAIN_API_KEY/.test(name))).toEqual([]);
    expect(files).toEqual([]);
    expect(cwd.startsWith(join(dir, 'data'))).toBe(true);
  });

  it('keeps its conversation over several messages; usage is the message’s own, money its share of the sum', async () => {
    const { model, seen } = open('answer');
    const lines: string[] = [];
    const first = await model.send('f', HELLO, (line) => lines.push(line));
    const second = await model.send('f', HELLO, none);
    expect([first.usd, second.usd]).toEqual([0.25, 0.25]);
    expect(first).toEqual({ usd: 0.25, usage: { input: 5, output: 7, cache_read: 100, cache_write_5m: 0, cache_write_1h: 0 } });
    expect(seen()).toHaveLength(1);
    expect(lines.every((line) => /^\{"type":"(stream_event|result)"/.test(line))).toBe(true);
  });

  it('is on record while it lives, and leaves when its fork is over', async () => {
    const { model, seen, childrenFile } = open('answer');
    await model.send('f', HELLO, none);
    const pid = seen()[0]?.pid ?? 0;
    expect(JSON.parse(readFileSync(childrenFile, 'utf8'))).toMatchObject({ monitor: { pid: process.pid }, children: [{ pid, start: startTime(pid) }] });
    model.end('f');
    await until(() => dead(pid) && !existsSync(childrenFile));
  });

  it('that does not leave is killed', async () => {
    const { model, seen } = open('hang-deaf');
    const controller = new AbortController();
    const sent = model.send('f', HELLO, none, controller.signal);
    await until(() => seen().length === 1);
    controller.abort();
    expect((await sent).cause).toBe('cut off');
    const pid = seen()[0]?.pid ?? 0;
    await until(() => dead(pid));
  });

  it('that dies costs its message, not the next fork', async () => {
    const { model } = open('die');
    expect(await model.send('f', HELLO, none)).toEqual({ cause: 'host: process ended (3)' });
    expect((await model.send('g', HELLO, none)).cause).toContain('ended');
  });

  it('that cannot be started says so', async () => {
    const { model } = open('answer', { execPath: join(dir, 'nothing') });
    expect(await model.send('f', HELLO, none)).toEqual({ cause: 'host: cannot start (ENOENT)' });
  });

  it('closing ends all of them', async () => {
    const { model, seen, childrenFile } = open('hang-deaf');
    const sent = ['a', 'b'].map((id) => model.send(id, HELLO, none));
    await until(() => seen().length === 2);
    await model.close();
    expect((await Promise.all(sent)).map(({ cause }) => cause)).toEqual(['host: process ended (SIGKILL)', 'host: process ended (SIGKILL)']);
    expect(seen().every(({ pid }) => dead(pid))).toBe(true);
    expect(existsSync(childrenFile)).toBe(false);
  });
});

describe('a rate-limit sign', () => {
  it('pauses until it says, and nothing is started meanwhile', async () => {
    const { model, seen } = open('limit');
    expect(await model.send('f', HELLO, none)).toMatchObject({ limited_until: 2_000_000 });
    expect(await model.send('g', HELLO, none)).toEqual({ cause: 'host: paused at a rate limit', limited_until: 2_000_000 });
    expect(seen()).toHaveLength(1);
    now = 2_000_000;
    expect((await model.send('g', HELLO, none)).cause).toBeUndefined();
  });

  it('ends the turn at once when the child would only ask again', async () => {
    const { model, seen } = open('retry');
    expect(await model.send('f', HELLO, none)).toEqual({ cause: 'host: http 429', limited_until: now + 15 * 60_000 });
    await until(() => dead(seen()[0]?.pid ?? 0));
  });

  it('in a failed answer pauses for a while, as does one that main has seen', async () => {
    const { model } = open('error');
    expect((await model.send('f', HELLO, none)).limited_until).toBe(now + 15 * 60_000);
    const other = open('answer').model;
    other.pause(now + 5);
    expect((await other.send('f', HELLO, none)).cause).toContain('paused');
  });
});

describe('orphans', () => {
  it('of a dead monitor are killed by whoever sweeps, those of a living one are not', async () => {
    const { hosts } = open('answer');
    // A process group of its own, as a child of ours would be.
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    const kept = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const note = (host: string, monitor: number, child: number): void => {
      mkdirSync(join(hosts, host), { recursive: true });
      writeFileSync(join(hosts, host, 'children'), JSON.stringify({ v: 1, monitor: { pid: monitor, start: startTime(monitor) || '1' }, children: [{ pid: child, start: startTime(child) }] }));
    };
    note('1', gone, orphan.pid ?? 0);
    note('2', process.pid, kept.pid ?? 0);
    expect(sweepChildren(hosts)).toEqual([orphan.pid]);
    await until(() => dead(orphan.pid ?? 0));
    expect(dead(kept.pid ?? 0)).toBe(false);
    expect(existsSync(join(hosts, '1', 'children'))).toBe(false);
    process.kill(kept.pid ?? 0, 'SIGKILL');
  });

  it('a reused pid, a damaged file and a hostile one kill nobody', () => {
    const { hosts } = open('answer');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const texts = [
      JSON.stringify({ v: 1, monitor: { pid: gone, start: '1' }, children: [{ pid: process.pid, start: 'another' }, { pid: process.pid, start: '' }, { pid: 1, start: startTime(1) }, { pid: -1, start: '1' }, 'x'] }),
      '{"v":1',
      '[]',
    ];
    for (const [n, text] of texts.entries()) {
      mkdirSync(join(hosts, `${n}`), { recursive: true });
      writeFileSync(join(hosts, `${n}`, 'children'), text);
    }
    expect(sweepChildren(hosts)).toEqual([]);
    expect(sweepChildren(join(dir, 'nowhere'))).toEqual([]);
  });
});

it.each([
  ['{"type":"stream_event","event":{}}', { kind: 'stream' }],
  ['{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}', { kind: 'other' }],
  ['{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}', { kind: 'limit' }],
  ['{"type":"rate_limit_event"}', { kind: 'other' }],
  ['not json', { kind: 'other' }],
  ['[]', { kind: 'other' }],
])('the line %s is %j', (line, parsed) => expect(parseHostLine(line)).toEqual(parsed));

describe('a fork over the host', () => {
  const runHost = async (mode: string, tail: string, tool?: () => ToolReply) => {
    const { model } = open(mode);
    const forks = openForks();
    const heard = (message: FromFork, send: (message: ToFork) => void): void => {
      if (message.kind !== 'host-send') return;
      void model.send('f1', message.content, (line) => send({ kind: 'host-event', seq: message.seq, line })).then(({ cause }) => send({ kind: 'host-end', seq: message.seq, ...(cause === undefined ? {} : { cause }) }));
    };
    const provider = { ...providerOf('anthropic', ''), kind: 'host', model: 'haiku' } as const;
    const limits = { ...taskOf(provider).limits, deadline_ms: mode === 'hang' ? 300 : 3000, grace_ms: 200 };
    const handed = await handOver<ForkResult>(forks.run, taskOf(provider, { prefix: prefixOf('host', ['ledger', 'window']), tail, limits }), { heard, ...(tool === undefined ? {} : { tool }) });
    model.end('f1');
    await forks.close();
    return handed;
  };

  it('runs its tool loop as JSON text, with our mark on the window alone', async () => {
    const { result, messages, tools } = await runHost('answer', 'READ please', () => ({ ok: true, text: 'text' }));
    expect(result).toMatchObject({ end: 'feedback', requests: 2, feedback: { verdict: 'silent', checked: '{it}' }, usage: { input: 10, output: 14, cache_read: 200 }, tool_text: 'text\n' });
    expect(tools).toEqual([{ tool: 'Read', args: { path: 'a' } }]);
    const [first, second] = messages.flatMap((message) => (message.kind === 'host-send' ? [message.content] : []));
    expect(first).toMatchObject([{ text: 'ledger' }, { text: 'window', cache_control: { type: 'ephemeral' } }, { text: expect.stringContaining('READ please') }]);
    expect(JSON.stringify(first).match(/cache_control/g)).toHaveLength(1);
    expect(JSON.stringify(second)).toContain('<tool-result-n1>');
  });

  it.each([['die', 'provider-error', /process ended/], ['error', 'provider-error', /host: error_during_execution/], ['login', 'provider-error', /^host: http 401$/], ['retry', 'provider-error', /^host: http 429$/]])('a child that answers with %s costs the fork', async (mode, end, cause) => {
    const { result } = await runHost(mode, 'x');
    expect(result).toMatchObject({ end, feedback: { verdict: 'silent' }, cause: expect.stringMatching(cause) });
  });

  it('a child that hangs is left at the deadline, and what it had been asked is charged', async () => {
    const { result } = await runHost('hang', 'x');
    expect(result).toMatchObject({ end: 'deadline', usage_estimated: true, feedback: { verdict: 'silent' } });
    expect(result.usage.input).toBeGreaterThan(0);
  });
});
