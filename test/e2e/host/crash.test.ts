// Killed hard in the real host: the monitor, a hook, the host itself. The next start recovers, nothing is told twice, nobody stays.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import type { ScriptBlock } from '../../support/host-script.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { installOurs, QUICK, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';

const run = (command: string): ScriptBlock => ({ tool: 'Bash', input: { command, description: 'Run it' } });

describeHost('killed hard in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let session = '';
  let task = '';

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: { two: [{ content: [run('echo one')], delay_ms: 1500 }, { content: [run('echo two')], delay_ms: 1000 }, { content: ['Both ran.'] }] },
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, QUICK);
    mkdirSync(join(world.dir, 'bin'));
    writeFileSync(join(world.dir, 'bin', 'node'), `#!/bin/sh\n[ -e ${slow()} ] && case $* in *hook.cjs*) sleep 3 ;; esac\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
    host = await start();
    await say('Write a lexer.');
    session = sessionOf(host);
    await waitUntil(() => existsSync(ours.paths.turn(session)), 10_000, ours.log);
    ({ task } = ours.turn(session));
  });
  afterAll(() => world?.stop());

  const slow = (): string => join(world.dir, 'slow-node');
  const start = async (...args: readonly string[]): Promise<Host> => {
    const started = await startHost({ world, plugin: ours.plugin, args, env: { PATH: `${join(world.dir, 'bin')}:/usr/local/bin:/usr/bin:/bin` } });
    await started.waitFor(/1 monitor/);
    return started;
  };
  const say = async (text: string): Promise<void> => {
    const before = host.requests().length;
    await host.prompt(text);
    await waitUntil(() => host.requests().length > before, 20_000, async () => `not asked: ${text}\n${await host.screen()}`);
    await host.idle();
  };
  const told = (): string => toldTo(host.requests().at(-1)).join('\n');

  test('a hook killed at work costs its words, not the turn; the advice is not told twice', async () => {
    await host.prompt('@@two run them');
    await waitUntil(() => ours.turn(session).state === 'working', 10_000, () => ours.report(session));
    writeFileSync(slow(), '');
    const { id } = ours.put(host, session, { id: 'sb-killed01', headline: 'A remark without consequence.' });
    await waitUntil(() => world.processes().some(({ command }) => command.includes('hook.cjs')), 10_000, 'no hook ran');
    rmSync(slow());
    for (const { pid, command } of world.processes()) if (/hook\.cjs|guard\.sh.*PostToolUse/.test(command) && !command.includes('monitor')) process.kill(pid, 'SIGKILL');
    await host.waitFor(/Both ran\./, 20_000);
    await host.idle();
    await say('And now?');
    expect(told().split(`[Second Brain ${id}]`).length, ours.report(session)).toBe(2);
  });

  test('B6: a monitor killed hard: the person is told, no turn is spent on it, and the session goes on', async () => {
    const before = host.requests().length;
    const [monitor] = ours.monitors();
    process.kill(monitor?.pid ?? 0, 'SIGKILL');
    await host.waitFor(/Second Brain is not watching/);
    await host.idle();
    expect(host.requests().length, await host.scrollback()).toBe(before);
    await say('Still there?');
    expect(host.requests().length).toBe(before + 1);
    expect((await host.scrollback()).split('Second Brain is not watching')).toHaveLength(2);
    expect(world.processes().filter(({ command }) => /forks\.cjs|compute\.cjs/.test(command))).toEqual([]);
  });

  test('D5: a host killed hard: its next start has the task back, and its monitor is gone within seconds', async () => {
    await host.exit();
    const second = await start('--resume', session);
    await host.stop();
    host = second;
    await say('Back again.');
    await waitUntil(() => ours.turn(session).host_pid === host.pid, 10_000, () => ours.report(session));
    expect(ours.turn(session).task).toBe(task);
    expect(ours.monitors()).toHaveLength(1);
    host.kill('SIGKILL');
    await waitUntil(() => ours.monitors().length === 0, 8000, () => `${JSON.stringify(world.processes())}\n${ours.log()}`);
    await pause(300);
    expect(world.processes(), ours.log()).toEqual([]);
    expect(existsSync(ours.paths.lease(session))).toBe(false);

    host = await start('--resume', session);
    await say('Once more.');
    await waitUntil(() => ours.turn(session).host_pid === host.pid && ours.windows().includes('[prompt] Once more.'), 10_000, () => ours.report(session));
    expect(ours.turn(session).task).toBe(task);
    for (const text of ['Write a lexer.', 'And now?', 'Still there?', 'Back again.', 'Once more.']) expect(ours.windows().split(`[prompt] ${text}`), `${text}\n${ours.windows()}`).toHaveLength(3);
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
    expect(readFileSync(ours.paths.lease(session), 'utf8')).toContain(String(ours.monitors()[0]?.pid));
  });

  test('D5: a terminal that is closed leaves no process and no lock behind', async () => {
    host.kill('SIGHUP');
    await waitUntil(() => world.processes().length === 0, 10_000, () => `${JSON.stringify(world.processes())}\n${ours.log()}`);
    expect(existsSync(ours.paths.lease(session))).toBe(false);
    expect(existsSync(ours.paths.monitorLock(String(host.pid)))).toBe(false);
  });
});
