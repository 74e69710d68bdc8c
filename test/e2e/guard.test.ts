// The guard without a shell, as a process: what guard.sh decides, it decides the same way.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { putMail } from '../../src/main/speak/mailbox-file.ts';
import { buildHook, makeAdvice, makeWorld, runHook, said, sample, spoolOf, takeLease, type Ran, type World } from '../support/hook-run.ts';

const dist = mkdtempSync(join(tmpdir(), 'sb-guard-'));
let shellGuard = '';
let world: World;

beforeAll(async () => {
  shellGuard = await buildHook(dist);
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));
beforeEach(() => {
  world = makeWorld("a b ü'x");
  takeLease(world);
});
afterEach(() => world.remove());

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'];

/** As the manifests of a release for Windows start it. */
const GATE = ['-e', 'try{require(process.argv[1])}catch{}'];

const run = (args: readonly string[], stdin: string, env: Readonly<Record<string, string>> = world.env): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...GATE, ...args], { env, cwd: world.project, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', reject); // EPIPE: not drained
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(stdin);
  });

const NAMES: Readonly<Record<string, string>> = { SessionStart: 'SessionStart.startup', PostToolUse: 'PostToolUse.Edit', PostToolUseFailure: 'PostToolUseFailure.Bash', SessionEnd: 'SessionEnd.clear' };
const payload = (event: string): string => JSON.stringify(sample(NAMES[event] ?? event, { session_id: world.session, cwd: world.project }));
const guard = (): string => join(dist, 'guard.cjs');
const SILENT: Ran = { code: 0, stdout: '', stderr: '' };

test.each(EVENTS)('%s: the same answer and the same signal as through the shell', async (event) => {
  const advice = makeAdvice(world);
  const answers: string[] = [];
  const signals: unknown[] = [];
  for (const through of ['shell', 'node']) {
    rmSync(world.data, { recursive: true });
    mkdirSync(world.data);
    takeLease(world);
    putMail(world.paths.mailbox(world.session), advice, said(advice));
    const ran = through === 'shell' ? await runHook(shellGuard, [world.data, event], world.env, payload(event)) : await run([guard(), world.data, event], payload(event));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    answers.push(ran.stdout);
    signals.push(existsSync(world.paths.spool(String(process.pid))) ? spoolOf(world).map((line) => ({ ...line, at: 0 })) : []);
  }
  expect(answers[1]).toBe(answers[0]);
  expect(signals[1]).toEqual(signals[0]);
  if (event === 'PostToolUse') expect(answers[0]).toContain(advice.headline);
});

test('without mail a tool call ends silently, with all of a large input taken', async () => {
  const other = join(dist, 'alone');
  mkdirSync(other);
  cpSync(guard(), join(other, 'guard.cjs'));
  // No hook.cjs beside it: it was not asked for.
  expect(await run([join(other, 'guard.cjs'), world.data, 'PostToolUse'], 'x'.repeat(5_000_000))).toEqual(SILENT);
});

test('headless runs and our own children are left alone', async () => {
  putMail(world.paths.mailbox(world.session), makeAdvice(world), said(makeAdvice(world)));
  const { CLAUDE_CODE_ENTRYPOINT: _, ...none } = world.env;
  for (const env of [none, { ...world.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, { ...world.env, SECOND_BRAIN_FORK: '1' }]) {
    expect(await run([guard(), world.data, 'PostToolUse'], payload('PostToolUse'), env)).toEqual(SILENT);
  }
});

test('A11: a guard that an update has taken away is no error', async () => {
  expect(await run([join(dist, 'gone', 'guard.cjs'), world.data, 'Stop'], payload('Stop'))).toEqual(SILENT);
});

test('a data directory that the host leaves out is taken from its variable, else the newest of the plugin’s', async () => {
  const advice = makeAdvice(world);
  for (const given of ['', '${CLAUDE_PLUGIN_DATA}']) {
    putMail(world.paths.mailbox(world.session), advice, said(advice));
    expect((await run([guard(), given, 'PostToolUse'], payload('PostToolUse'))).stdout, given).toContain(advice.headline);
  }
  putMail(world.paths.mailbox(world.session), advice, said(advice));
  const { CLAUDE_PLUGIN_DATA: _, ...env } = world.env;
  const config = join(world.root, 'config');
  cpSync(world.data, join(config, 'plugins', 'data', 'second-brain-inline'), { recursive: true });
  expect((await run([guard(), '', 'PostToolUse'], payload('PostToolUse'), { ...env, CLAUDE_CONFIG_DIR: config })).stdout).toContain(advice.headline);
});

/** Starts a hook as a host that never closes its stdin does. */
const runOpen = (command: string, args: readonly string[], stdin: string): Promise<Ran & { readonly signal: NodeJS.Signals | null }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: world.env, cwd: world.project, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', reject);
    child.on('error', reject).on('close', (code, signal) => resolve({ code, stdout, stderr, signal }));
    child.stdin.write(stdin);
  });

test.each(['SessionEnd', 'UserPromptSubmit'])('%s with stdin left open within its document: silence and success, as through the shell', async (event) => {
  const half = payload(event).slice(0, -20);
  for (const [command, args] of [['/bin/sh', [shellGuard]], [process.execPath, [...GATE, guard()]]] as const) {
    expect(await runOpen(command, [...args, world.data, event], half)).toEqual({ ...SILENT, signal: null });
  }
}, 20_000);

test('stdin left open behind a whole document: the answer is whole', async () => {
  const advice = makeAdvice(world);
  for (const [command, args] of [['/bin/sh', [shellGuard]], [process.execPath, [...GATE, guard()]]] as const) {
    putMail(world.paths.mailbox(world.session), advice, said(advice));
    const ran = await runOpen(command, [...args, world.data, 'PostToolUse'], payload('PostToolUse'));
    expect(ran).toMatchObject({ code: 0, stderr: '', signal: null });
    expect(JSON.parse(ran.stdout), command).toMatchObject({ hookSpecificOutput: { hookEventName: 'PostToolUse' } });
  }
});
