import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../src/main/floor/process-file.ts';
import { childEnv } from '../../../src/main/pass/child-env.ts';
import { openChildren } from '../../../src/main/pass/children-file.ts';
import { runCommand, splitWords, type RunInput } from '../../../src/main/pass/run-command.ts';
import { mostHeld } from '../../support/held-memory.ts';
import type { ToolReply } from '../../../src/main/records.ts';

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sb-run-')));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const script = (name: string, code: string): string => {
  writeFileSync(join(cwd, name), code);
  return `node ${name}`;
};

const run = (command: unknown, over: Partial<RunInput> = {}): Promise<ToolReply> =>
  runCommand({
    command, allowed: typeof command === 'string' ? [command] : [], enabled: true, plan_mode: false, quiet_since: () => Number.POSITIVE_INFINITY, cwd,
    env: childEnv({ env: { PATH: process.env['PATH'], HOME: cwd }, root: cwd, exec_path: process.execPath, real: (folder) => folder }), children: () => () => undefined, timeout_ms: 10_000, redact: true, ...over,
  });

const untilGone = async (pid: number): Promise<boolean> => {
  for (let n = 0; n < 100 && isAlive({ pid, start: '' }); n += 1) await sleep(50);
  return !isAlive({ pid, start: '' });
};

describe('what is refused', () => {
  test('any command but the exact ones of the list', async () => {
    const allowed = ['npm test'];
    for (const command of ['npm test ', ' npm test', 'npm  test', 'NPM test', 'npm', 'npm test; id', 'npm test && id', 'npm test\nid', '', 7, undefined, null, ['npm test'], { command: 'npm test' }]) {
      expect(await run(command, { allowed }), String(command)).toEqual({ ok: false, text: 'Run accepts only the exact commands of your instructions.' });
    }
  });

  test('everything where the workspace has not enabled it, in plan mode, and under a tree that is written to', async () => {
    const command = script('never.cjs', `require('node:fs').writeFileSync('ran', '')`);
    expect((await run(command, { enabled: false })).text).toBe('Run is off in this workspace.');
    expect((await run(command, { plan_mode: true })).text).toBe('Nothing is run in plan mode.');
    expect((await run(command, { quiet_since: () => 0 })).text).toBe('The tree is being written to; nothing was run.');
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  test('a write younger than a second is waited for', async () => {
    let asked = 0;
    const reply = await run(script('late.cjs', `console.log('ran')`), { quiet_since: () => (asked += 1) * 400 });
    expect(asked).toBe(3);
    expect(reply.text).toContain('ran');
  });

  test('a program that is not there, and words that cannot be split', async () => {
    expect(await run('no-such-program-anywhere x')).toEqual({ ok: false, text: 'It did not start (ENOENT).' });
    expect((await run('echo "open')).ok).toBe(false);
    expect((await run('echo a\0b')).ok).toBe(false);
    expect((await run('   ')).ok).toBe(false);
  });
});

describe('how it runs', () => {
  test('metacharacters are literal', async () => {
    script('args.cjs', `console.log(JSON.stringify(process.argv.slice(2)))`);
    const { text } = await run(`node args.cjs ; id && x | y > out < in $(id) \`id\` $HOME * ~ 'a b' "c;d" e\\ f # g`);
    expect(text.split('\n')[1]).toBe(JSON.stringify([';', 'id', '&&', 'x', '|', 'y', '>', 'out', '<', 'in', '$(id)', '`id`', '$HOME', '*', '~', 'a b', 'c;d', 'e\\', 'f', '#', 'g']));
    expect(existsSync(join(cwd, 'out'))).toBe(false);
    expect(splitWords(`a ''  "b"'c'`)).toEqual(['a', '', 'bc']);
  });

  test('in the repository, with an environment built from scratch', async () => {
    const command = script('env.cjs', `console.log(process.cwd()); console.log(JSON.stringify(process.env))`);
    const env = childEnv({ env: { PATH: `${cwd}/bin:relative:/opt/x`, HOME: '/home/me', NODE_OPTIONS: '--require ./evil.js', ANTHROPIC_API_KEY: 'k', LD_PRELOAD: 'x', GIT_DIR: 'y' }, root: cwd, exec_path: process.execPath, real: (folder) => folder });
    const { text } = await run(command, { env });
    expect(text.split('\n')[1]).toContain(cwd.split('/').at(-1));
    const seen = JSON.parse(text.split('\n')[2] ?? '') as Record<string, string>;
    expect(seen['NODE_OPTIONS'] ?? seen['ANTHROPIC_API_KEY'] ?? seen['LD_PRELOAD'] ?? seen['GIT_DIR']).toBeUndefined();
    expect(seen['SECOND_BRAIN_FORK']).toBe('1');
    expect(seen['PATH']?.split(':')).not.toContain(`${cwd}/bin`);
    expect(seen['PATH']?.split(':')).not.toContain('relative');
    expect(seen['PATH']?.split(':')).toContain('/opt/x');
  });

  test('nothing that lies in the repository is inherited, in whatever words the way there is spelled', () => {
    const real = (path: string): string | undefined => ({ '/proc/self/cwd/bin': '/repo/bin', '/x/../repo/bin': '/repo/bin', '//repo/bin': '/repo/bin', '/link': '/repo/tools', '/opt/x': '/opt/x', '/home/me': '/home/me', '/repo/home': '/repo/home', '/repo-2/bin': '/repo-2/bin' })[path];
    const env = childEnv({ env: { PATH: ['/proc/self/cwd/bin', '/x/../repo/bin', '//repo/bin', '/link', '/gone', '', '.', '/opt/x', '/repo-2/bin'].join(':'), HOME: '/repo/home', TMPDIR: '/home/me', USER: 'me' }, root: '/repo', exec_path: '/usr/node/bin/node', real });
    expect(env['PATH']?.split(':')).toEqual(['/usr/node/bin', '/opt/x', '/repo-2/bin', '/usr/local/bin', '/usr/bin', '/bin']);
    expect([env['HOME'], env['TMPDIR'], env['USER']]).toEqual([undefined, '/home/me', 'me']);
  });

  test('F4: only in the folder that was looked at: not where a link leads that took its place, or a link above it', async () => {
    const [above, elsewhere] = [join(cwd, 'above'), join(cwd, 'elsewhere')];
    const root = join(above, 'root');
    for (const folder of [root, join(elsewhere, 'root')]) mkdirSync(folder, { recursive: true });
    const run_in = (): Promise<ToolReply> => run('pwd -P', { cwd: root });
    expect((await run_in()).text).toMatch(new RegExp(`\n${root}\n$`));
    const refused = { ok: false, text: 'The repository is not where it was; nothing was run.' };
    renameSync(root, join(above, 'moved'));
    expect(await run_in()).toEqual(refused);
    symlinkSync(join(elsewhere, 'root'), root);
    expect(await run_in()).toEqual(refused);
    renameSync(above, join(cwd, 'away'));
    symlinkSync(elsewhere, above);
    expect(await run_in()).toEqual(refused);
  });

  test('exit and output of both streams are told, a failure is an answer', async () => {
    const reply = await run(script('fail.cjs', `console.log('out'); console.error('err'); process.exitCode = 3`));
    expect(reply.ok).toBe(true);
    expect(reply.text).toMatch(/^Exit 3 after \d+\.\d s\.\n/);
    expect(reply.text).toContain('out');
    expect(reply.text).toContain('err');
    expect((await run(script('quiet.cjs', ''))).text).toContain('(no output)');
  });

  test('is on record as long as it runs', async () => {
    const events: string[] = [];
    const reply = await run(script('pid.cjs', 'console.log(process.pid)'), { children: (pid) => (events.push(`started ${pid}`), () => events.push('ended')) });
    expect(events).toEqual([`started ${/^\d+$/m.exec(reply.text)?.[0]}`, 'ended']);
  });

  test('a disk that takes no record of it costs the record, not the answer', async () => {
    const reply = await run(script('unrecorded.cjs', `console.log('ran')`), { children: openChildren('/sys/second-brain/children') }); // nobody may write there
    expect(reply.text).toContain('ran');
  });

  test('a time-out kills the whole group, and what a command leaves behind ends with it', async () => {
    const child = `const c=require('node:child_process').spawn(process.execPath,['-e','process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'],{stdio:'inherit'});console.log(c.pid);`;
    const slow = await run(script('slow.cjs', `${child}process.on('SIGTERM',()=>{});setInterval(()=>{},1000)`), { timeout_ms: 1500 });
    expect(slow.ok).toBe(false);
    expect(slow.text).toMatch(/^Killed after/);
    expect(await untilGone(Number(/^\d+$/m.exec(slow.text)?.[0]))).toBe(true);

    const left = await run(script('leaves.cjs', `${child}c.unref();setTimeout(()=>process.exit(0),300)`));
    expect(left.text).toMatch(/^Exit 0/);
    expect(await untilGone(Number(/^\d+$/m.exec(left.text)?.[0]))).toBe(true);
  });

  test('31 MB of output: start and end are kept, memory stays flat', async () => {
    const flood = script('flood.cjs', `
      const line = 'y'.repeat(99) + '\\n'; let n = 0; process.stdout.write('first line\\n');
      const more = () => { while (n < 310000) { n += 1; if (!process.stdout.write(line)) return process.stdout.once('drain', more); } process.stdout.write('last line\\n'); }; more();`);
    let text = '';
    const held = await mostHeld(async () => {
      ({ text } = await run(flood, { timeout_ms: 80_000 }));
    });
    expect(text).toContain('first line');
    expect(text).toContain('last line');
    expect(text).toMatch(/… 3\d{7} bytes left out …/);
    expect(text.length).toBeLessThan(11_000);
    expect(held).toBeLessThan(4_000_000); // of 31
  });

  test('F8: secrets are hidden, also where the output is cut', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwx';
    const { text } = await run(script('secret.cjs', `const k='${key}';console.log(k);for(let n=0;n<60;n++)process.stdout.write('x'.repeat(97)+' '+k+' ');console.log();process.stdout.write('z'.repeat(20000)+k+'\\n');console.log('-----BEGIN RSA PRIVATE KEY-----\\n'+'QUJDREVG\\n'.repeat(1500)+'-----END RSA PRIVATE KEY-----\\nend')`));
    expect(text).not.toMatch(/abcdefgh|QUJDREVG/);
    expect(text).toContain('end');
  });
});
