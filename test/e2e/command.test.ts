// The command program as a process: every surface with nothing there, with damaged and newer files, and with a lot.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { releaseLock, takeLock } from '../../src/main/floor/lock-file.ts';
import { workspaceOf } from '../../src/main/floor/config-file.ts';
import type { Advice } from '../../src/main/records.ts';
import type { HistoryLine, Status } from '../../src/main/surfaces.ts';
import { putReply, takeRequests } from '../../src/main/speak/request-file.ts';
import { makeCommandWorld, runCommandIn, type CommandWorld, type Ran, type RunOptions } from '../support/command-run.ts';

const SESSION = '9fde1a54-d5c0-4c05-a2ec-2e91609dba4b';
const none = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

let world: CommandWorld;
beforeAll(async () => {
  world = await makeCommandWorld();
});
afterAll(() => world.remove());
beforeEach(() => {
  for (const name of readdirSync(world.data)) rmSync(join(world.data, name), { recursive: true });
  rmSync(join(world.home, '.claude'), { recursive: true, force: true });
});

const run = (words: readonly string[], options: RunOptions = {}): Promise<Ran> => runCommandIn(world, words, options);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
};

const status = (over: Partial<Status> = {}): Status => ({
  v: 1, at: Date.now() - 1000, version: '0.1.0-test', host_pid: 7, session: SESSION, task: 'task-1', workspace: world.project, state: 'working', phase: 'watching', provider: 'local', model: 'rules',
  volumes: { tools: {}, kinds: {}, unknown: {} }, primary: none, observer: none, spent: { task: 0, hour: 0, task_cap: 2_000_000, hour_cap: 600_000 },
  passes: { count: 2, by_reason: { volume: 2 }, holds: {} }, detectors: {}, advice: { generated: 0, delivered: 0, gated: {}, last_hour: 0, rate_cap: 4 },
  window: { chars: 500, budget_chars: 400_000, compactions: 0, generation: 1 }, ledgers: { count: 1 }, notices: [], last_turn: 'all silent', ...over,
});
const putStatus = (over: Partial<Status> = {}): void => {
  const one = status(over);
  put(world.paths.status(one.session), JSON.stringify(one));
};
/** This process is the session's living monitor. */
const lease = (session = SESSION): void => void takeLock(world.paths.lease(session));

const SURFACES = ['stats', 'stats --json', 'why', 'why sb-0000aaaa', 'run', 'config', 'config show gate', 'forget', 'forget workspace', 'forget all', 'doctor', 'doctor --json', 'schema', 'statusline'];

describe('every surface', () => {
  test.each(SURFACES)('%s answers with nothing there', async (line) => {
    const { code, stderr } = await run(line.split(' '));
    expect(stderr).toBe('');
    expect([0, 1]).toContain(code);
  });

  test.each(SURFACES)('%s answers with damaged and newer files, and leaves what it cannot read', async (line) => {
    const words = line.split(' ');
    put(world.paths.status(SESSION), '{"v":2,"at":1}');
    put(world.paths.history(SESSION), '{"v":9}\nnonsense\n\u0000\n');
    put(world.paths.config, '{"gate": ');
    put(join(world.data, 'tasks', 'task-1.json'), '[');
    put(join(world.data, 'index', 'x.jsonl'), 'no');
    put(world.paths.forgotten, '{}\n');
    put(world.paths.lease(SESSION), '');
    const { code, stderr, stdout } = await run([...words, '--session', SESSION]);
    expect(stderr).toBe('');
    expect([0, 1]).toContain(code);
    expect(readFileSync(world.paths.config, 'utf8')).toBe('{"gate": ');
    if (words[0] === 'stats' && words.length === 1) expect(stdout).toContain('cannot be read');
    if (words[0] === 'why' && words.length === 1) expect(stdout).toContain('could not be read');
    if (words[0] === 'config' || (words[0] === 'doctor' && words.length === 1)) expect(stdout).toContain('not valid JSON');
  });

  test('it finds the session last watched in this workspace when none is named', async () => {
    putStatus();
    putStatus({ session: 'elsewhere', workspace: '/other', at: Date.now() });
    expect((await run(['stats'])).stdout).toContain('Task task-1');
    expect((await run(['stats'], { env: { CLAUDE_CODE_SESSION_ID: 'unseen' } })).stdout).toContain('nothing watched yet in session unseen');
  });

  test('without a data directory it says where it looked, and doctor says what to do', async () => {
    const stats = await run(['stats'], { data: false });
    expect([stats.code, stats.stderr]).toEqual([3, expect.stringContaining(join(world.home, '.claude', 'plugins', 'data'))]);
    const doctor = await run(['doctor'], { data: false });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('start a Claude Code session with the plugin')]);
  });

  test('a folder that is gone under one’s feet is no fault', () => {
    const gone = join(world.root, 'gone');
    mkdirSync(gone);
    const ran = spawnSync('/bin/sh', ['-c', `rmdir "$PWD"; exec "${process.execPath}" "${world.program}" stats --data "${world.data}"`], { cwd: gone, env: { PATH: process.env['PATH'] ?? '', HOME: world.home }, encoding: 'utf8' });
    expect(ran).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('no session has been watched here yet') });
  });

  test('help about a command tells of that command', async () => {
    for (const words of [['why', '--help'], ['help', 'why']]) expect(await run(words)).toMatchObject({ code: 0, stdout: 'Usage: second-brain why [ID]\nthe last advice with its proof and outcome, and what was withheld\n' });
  });

  test('wrong words are told what would be right', async () => {
    for (const words of [['nonsense'], ['stats', '--nonsense'], ['constructor']]) expect(await run(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: second-brain') });
    // Our hook calls with a session and shows stdout alone.
    expect(await run(['stats', '--nonsense', '--session', SESSION])).toMatchObject({ code: 2, stdout: "Unknown option '--nonsense'.\nUsage: second-brain stats [--json]\n" });
    expect(await run(['stats', 'extra'])).toMatchObject({ code: 2, stderr: 'stats takes no words, not extra.\nUsage: second-brain stats [--json]\n' });
    expect((await run(['why', 'sb-1', 'sb-2'])).code).toBe(2);
    expect((await run(['forget', 'everything'])).code).toBe(2);
    expect((await run(['config', 'set', 'gate.rate_per_hour'])).code).toBe(2);
    expect(await run(['config', 'nonsense'])).toMatchObject({ code: 1, stdout: expect.stringContaining('There is no knob') });
  });

  test('a reader that stops early ends it quietly', async () => {
    const code = await new Promise((done) => {
      spawn('/bin/sh', ['-c', `node '${world.program}' schema --data '${world.data}' | head -1 >/dev/null; exit 0`], { stdio: ['ignore', 'ignore', 'pipe'] }).on('close', done);
    });
    expect(code).toBe(0);
  });
});

test('why reads 10,000 lines of history and fits 60 columns', async () => {
  const advice: Advice = { v: 1, id: 'sb-0', task_id: 'task-1', session_id: SESSION, workspace: '/w', host_pid: 7, kind: 'default', headline: `\u001b[31m<script> ${'long '.repeat(30)}`, body: 'b', confidence: 0.8, evidence: [{ cite: '#3', text: 't' }], dedup_key: 'k', stale_if: [], human_only: false, finish_gate: false, generated_at: 1, ttl: 1800, after: 3 };
  const lines = Array.from({ length: 5000 }, (_, n): HistoryLine[] => [{ v: 1, at: n, id: `sb-${n}`, event: 'generated', advice: { ...advice, id: `sb-${n}` } }, { v: 1, at: n, id: `sb-${n}`, event: 'gated', because: 'rate' }]).flat();
  put(world.paths.history(SESSION), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { stdout } = await run(['why', '--session', SESSION], { env: { COLUMNS: '60' } });
  expect(stdout).toContain('sb-4999');
  expect(stdout).not.toContain('\u001b');
  for (const each of stdout.split('\n')) expect([...each].length).toBeLessThanOrEqual(60);
});

describe('config', () => {
  const document = (): unknown => JSON.parse(readFileSync(world.paths.workspaceConfig(workspaceOf(world.project)), 'utf8'));

  test('F8: a key in the environment of a server is not shown, nor where a value is refused', async () => {
    const key = `ghp_${'q7Rw2Lm9Xc4Vb8N1'.repeat(2)}`;
    put(world.paths.config, JSON.stringify({ mcp: { servers: { a: { command: 'x', env: { GITHUB_TOKEN: key } } } }, gate: { rate_per_hour: key } }));
    for (const words of [['config'], ['config', 'mcp.servers'], ['doctor'], ['stats', '--json']]) {
      const { stdout, stderr } = await run(words);
      expect((stdout + stderr).replaceAll(/\s/g, '')).not.toContain('q7Rw2Lm9');
    }
    expect((await run(['config', 'mcp.servers'])).stdout).toContain('[redacted:');
  });

  test('a change lands in this workspace’s layer with a schema an editor finds', async () => {
    const { stdout } = await run(['config', 'set', 'gate.rate_per_hour', '2']);
    expect(stdout).toContain('gate.rate_per_hour is 2 (workspace)');
    expect(stdout).toContain('Mind: higher makes a quiet watcher loud');
    expect(document()).toEqual({ $schema: '../config.schema.json', gate: { rate_per_hour: 2 } });
    expect(JSON.parse(readFileSync(join(world.data, 'config.schema.json'), 'utf8'))).toMatchObject({ properties: { gate: { properties: { rate_per_hour: { maximum: 1000 } } } } });
    expect((await run(['config', 'show', 'gate'])).stdout).toMatch(/gate\.rate_per_hour +2 +workspace/);
    await run(['config', 'reset', 'gate']);
    expect(document()).toEqual({ $schema: '../config.schema.json' });
  });

  test('who outranks a change is named: the environment, the workspace, a mute below', async () => {
    expect((await run(['config', 'set', 'gate.cooldown_s', '1'], { env: { SECOND_BRAIN_GATE_COOLDOWN_S: '77' } })).stdout).toContain('SECOND_BRAIN_GATE_COOLDOWN_S in the environment');
    expect((await run(['config', 'set', '--global', 'gate.cooldown_s', '5'])).stdout).toContain('Another layer decides here: this workspace’s own');
    await run(['config', 'set', 'mute.all', 'true', '--global']);
    expect((await run(['config', 'set', 'mute.all', 'false'])).stdout).toContain('still muted by the global layer');
  });

  test('what is refused changes nothing', async () => {
    for (const words of [['gate.rate_per_hour', '-1'], ['nonsense.x', '1'], ['detectors.defualt.enabled', 'false'], ['detectors.default.cadence', 'sometimes']]) expect(await run(['config', 'set', ...words])).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing changed') });
    expect((await run(['config', 'set', 'detectors.defualt.enabled', 'false'])).stdout.replace(/\s+/g, ' ')).toContain('there are default, repeat-failure, standard-questions');
    expect(existsSync(world.paths.workspaceConfig(workspaceOf(world.project)))).toBe(false);
    expect((await run(['config', 'set', 'model.price_in', '-1'])).code).toBe(0);
  });

  test('a plugin option counts where the user’s settings hold it, and no variable alone makes one', async () => {
    const env = { CLAUDE_PLUGIN_OPTION_PROVIDER: 'host' };
    expect((await run(['config', 'model.provider'], { env })).stdout).toContain('= auto (default)');
    put(join(world.home, '.claude', 'settings.json'), JSON.stringify({ pluginConfigs: { 'second-brain@second-brain': { options: { provider: 'host' } } } }));
    expect((await run(['config', 'model.provider'], { env })).stdout).toContain('= host (option)');
    rmSync(join(world.home, '.claude'), { recursive: true });
  });

  test('a reset of what the layer does not hold changes nothing, and says where the value comes from', async () => {
    await run(['config', 'set', '--global', 'gate.rate_per_hour', '2']);
    expect((await run(['config', 'reset', 'gate.rate_per_hour'])).stdout).toBe('Nothing changed: gate.rate_per_hour is not set for this workspace alone.\nIt is 2 (global).\nWith --global it is reset for all workspaces.\n');
    expect((await run(['config', 'reset', 'detectors.default', '--global'])).stdout).toBe('Nothing changed: detectors.default is not set for all workspaces.\n');
    expect((await run(['config', 'reset', 'all'])).stdout).toBe('Nothing changed: nothing is set for this workspace alone.\n');
    expect(existsSync(world.paths.workspaceConfig(workspaceOf(world.project)))).toBe(false);
    expect((await run(['config', 'reset', 'gate', '--global'])).stdout).toContain('gate is changed for all workspaces.');
  });

  test('a byte order mark is no fault, and words behind -- are words', async () => {
    put(world.paths.config, `\uFEFF${JSON.stringify({ gate: { rate_per_hour: 3 } })}`);
    expect((await run(['config', 'gate.rate_per_hour'])).stdout).toContain('= 3 (global)');
    // As our hook calls it.
    const { stdout } = await runCommandIn(world, ['--data', world.data, 'config', 'set', '--global', 'model.key_command', 'npm', 'run', 'key', '--', '--json'], { data: false });
    expect(stdout).toContain('model.key_command is npm run key --json (global)');
    expect(JSON.parse(readFileSync(world.paths.config, 'utf8'))).toEqual({ gate: { rate_per_hour: 3 }, model: { key_command: 'npm run key --json' } });
  });

  test('a broken document is neither used nor overwritten', async () => {
    put(world.paths.config, '{ broken');
    expect(await run(['config', 'set', '--global', 'gate.rate_per_hour', '2'])).toMatchObject({ code: 1, stdout: expect.stringContaining('mend or remove it first') });
    expect(readFileSync(world.paths.config, 'utf8')).toBe('{ broken');
  });

  test('B8: eight writers at once lose nothing, and every read parses', async () => {
    const knobs = ['bash_cap', 'edit_new', 'edit_old', 'write_head', 'agent_prompt', 'default_cap', 'heredoc_head', 'error_head'];
    const writers = Promise.all(knobs.map((knob, n) => run(['config', 'set', `projection.${knob}`, String(100 + n), '--global'])));
    while ((await Promise.race([writers, sleep(5)])) === undefined) if (existsSync(world.paths.config)) JSON.parse(readFileSync(world.paths.config, 'utf8'));
    expect((await writers).map(({ code }) => code)).toEqual(knobs.map(() => 0));
    expect(JSON.parse(readFileSync(world.paths.config, 'utf8'))).toMatchObject({ projection: Object.fromEntries(knobs.map((knob, n) => [knob, 100 + n])) });
  });
});

describe('run', () => {
  test('the monitor’s answer is printed, and nothing is left behind', async () => {
    lease();
    const asked = run(['run', '--session', SESSION]);
    for (let at = takeRequests(world.paths, SESSION, Date.now()); ; at = takeRequests(world.paths, SESSION, Date.now())) {
      const [request] = at;
      if (request !== undefined) {
        putReply(world.paths, SESSION, { v: 1, id: request.id, at: Date.now(), text: 'default: silent' });
        break;
      }
      await sleep(20);
    }
    expect(await asked).toMatchObject({ code: 0, stdout: 'default: silent\n' });
    expect([world.paths.requests(SESSION), world.paths.replies(SESSION)].flatMap((folder) => readdirSync(folder))).toEqual([]);
    releaseLock(world.paths.lease(SESSION));
  });

  test('it waits no longer than it may, and says so', async () => {
    lease();
    put(world.paths.config, '{"run":{"wait_s":1}}');
    expect(await run(['run', '--session', SESSION])).toMatchObject({ code: 1, stdout: expect.stringContaining('No answer within 1 s') });
    expect(readdirSync(world.paths.requests(SESSION))).toEqual([]);
  });

  test('a monitor that ends meanwhile is not waited for', async () => {
    lease();
    const asked = run(['run', '--session', SESSION]);
    while (!existsSync(world.paths.requests(SESSION))) await sleep(20);
    releaseLock(world.paths.lease(SESSION));
    expect((await asked).stdout).toContain('ended meanwhile');
  });
});

describe('status line', () => {
  const input = (session: string): RunOptions => ({ stdin: JSON.stringify({ session_id: session, cost: { total_cost_usd: 3 } }) });

  test('one segment while a monitor watches, nothing without one', async () => {
    putStatus();
    expect((await run(['statusline'], input(SESSION))).stdout).toBe('');
    lease();
    expect((await run(['statusline'], input(SESSION))).stdout).toBe('second brain watching · last turn: all silent\n');
  });

  test('B7: after /clear the new session shows nothing of the old one, whatever the environment still says', async () => {
    putStatus();
    lease();
    expect((await run(['statusline'], { ...input('another'), env: { CLAUDE_CODE_SESSION_ID: SESSION } })).stdout).toBe('');
  });

  test.each(['', '{', 'null', '[]', '{"session_id":7}', '{"session_id":"../../x"}'])('input %j is no reason to fail', async (stdin) => {
    expect(await run(['statusline'], { stdin })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a wrapped command gets the same input and comes first; its failure is not ours', async () => {
    putStatus();
    lease();
    expect((await run(['statusline', '--wrap', `printf 'a\\nmine '; cat | wc -c`], input(SESSION))).stdout).toMatch(/^a\nmine \d+ · second brain watching/);
    expect((await run(['statusline', '--wrap', 'exit 3'], input(SESSION))).stdout).toMatch(/^second brain watching/);
    expect((await run(['statusline', '--wrap', 'echo mine'], input('another'))).stdout).toBe('mine\n');
  });

  test('it reaches no package', () => expect([...readFileSync(world.program, 'utf8').matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name).filter((name) => !name.startsWith('node:'))).toEqual([]));
});

describe('statusline --install', () => {
  const settings = (): string => join(world.home, '.claude', 'settings.json');
  const launcher = (): void => {
    put(world.paths.launcher, '#!/bin/sh\nexit 0\n');
    chmodSync(world.paths.launcher, 0o700);
  };

  test('what was there runs on, mode and links stay, and the uninstall brings every byte back', async () => {
    launcher();
    const real = join(world.home, 'dotfiles.json');
    const text = '{\r\n  // mine\r\n  "statusLine": {"type": "command", "command": "echo \'hi\'"}, \r\n}\r\n';
    put(real, text);
    chmodSync(real, 0o640);
    mkdirSync(dirname(settings()), { recursive: true });
    symlinkSync(real, settings());
    expect((await run(['statusline', '--install'])).stdout).toContain('is installed');
    expect((await run(['statusline', '--install'])).stdout).toContain('there already');
    expect(readFileSync(settings(), 'utf8')).toContain('// mine\r\n');
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect((await run(['statusline', '--uninstall'])).code).toBe(0);
    expect(readFileSync(settings(), 'utf8')).toBe(text);
    expect(readdirSync(dirname(settings()))).toEqual(['settings.json']);
    rmSync(real);
  });

  test('with no settings one is made, and taken away again', async () => {
    launcher();
    await run(['statusline', '--install']);
    const { statusLine } = JSON.parse(readFileSync(settings(), 'utf8')) as { statusLine: { command: string; refreshInterval: number } };
    expect(statusLine.refreshInterval).toBe(2);
    const ran = spawn('/bin/sh', ['-c', statusLine.command], { stdio: 'ignore' });
    expect(await new Promise((done) => ran.on('close', done))).toBe(0);
    // The plugin's data may have gone by then.
    await run(['statusline', '--uninstall'], { data: false });
    expect(existsSync(settings())).toBe(false);
    expect((await run(['statusline', '--uninstall'])).stdout).toContain('nothing changed');
  });

  test('B9: CLAUDE_CONFIG_DIR says where the settings are', async () => {
    launcher();
    const config = join(world.home, 'elsewhere');
    await run(['statusline', '--install'], { env: { CLAUDE_CONFIG_DIR: config } });
    expect(existsSync(join(config, 'settings.json'))).toBe(true);
    expect(existsSync(settings())).toBe(false);
  });

  test('A10: a data directory with blanks, quotes and other letters works from the settings', async () => {
    const data = join(world.root, 'a b', "ü'x");
    put(join(data, 'bin', 'second-brain'), '#!/bin/sh\nprintf "%s|" "$@"\n');
    chmodSync(join(data, 'bin', 'second-brain'), 0o700);
    put(settings(), JSON.stringify({ statusLine: { type: 'command', command: `echo "it's $HOME"` } }));
    await run(['statusline', '--install', '--data', data], { data: false });
    const { statusLine } = JSON.parse(readFileSync(settings(), 'utf8')) as { statusLine: { command: string } };
    expect(execFileSync('/bin/sh', ['-c', statusLine.command], { encoding: 'utf8' })).toBe(`statusline|--wrap|echo "it's $HOME"|`);
    rmSync(data, { recursive: true });
    expect(execFileSync('/bin/sh', ['-c', statusLine.command], { encoding: 'utf8', env: { HOME: '/h' } })).toBe("it's /h\n");
  });

  test('settings that cannot be read are left alone', async () => {
    launcher();
    put(settings(), '{ "a": ');
    expect(await run(['statusline', '--install'])).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing changed') });
    expect(readFileSync(settings(), 'utf8')).toBe('{ "a": ');
  });
});

describe('doctor', () => {
  test('it never shows a key, and says where one comes from', async () => {
    const { stdout } = await run(['doctor'], { env: { ANTHROPIC_API_KEY: 'sk-ant-dummy-0123456789' } });
    expect(stdout).not.toContain('dummy');
    expect(stdout.replace(/\s+/g, ' ')).toContain('key from ANTHROPIC_API_KEY');
  });

  test('advice names the data directory that was named, until there is a launcher that knows it', async () => {
    const fixes = async (): Promise<string> => (await run(['doctor', '--json'])).stdout;
    expect(await fixes()).toContain(`--data ${world.data} config set model.provider`);
    put(world.paths.launcher, '');
    expect(await fixes()).toContain(`${world.paths.launcher} config set model.provider`);
  });

  test('a data directory that cannot be used is the finding, not a fault', async () => {
    const file = join(world.root, 'no-folder');
    put(file, '');
    const { code, stdout } = await run(['doctor', '--data', file], { data: false });
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('cannot be read and written')]);
  });

  test('open files, hooks seen, host version and the monitor are found', async () => {
    putStatus();
    lease();
    put(world.paths.spool(String(process.pid)), `${JSON.stringify({ session: SESSION, transcript: join(world.root, 't.jsonl') })}\n`);
    put(join(world.root, 't.jsonl'), '{"type":"user","version":"2.1.300"}\n');
    chmodSync(world.paths.status(SESSION), 0o644);
    const { code, stdout } = await run(['doctor', '--json', '--session', SESSION]);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; says: string }[] };
    const found = Object.fromEntries(checks.map((check) => [check.name, check]));
    expect(code).toBe(1);
    expect(found['data']).toMatchObject({ state: 'bad', says: expect.stringContaining('1 files') });
    expect(found['Claude Code']).toMatchObject({ state: 'ok', says: '2.1.300' });
    expect(found['hooks']).toMatchObject({ state: 'ok' });
    expect(found['monitor']).toMatchObject({ state: 'ok', says: expect.stringContaining(SESSION) });
    expect((await run(['doctor'], { env: { AI_AGENT: 'claude-code_2-1-999_agent' } })).stdout).toContain('2.1.999 is newer');
  });
});
