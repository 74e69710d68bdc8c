// What the plugin costs in the real host: a hook without mail never starts node, an idle monitor does next to nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { installOurs, QUICK, type OurPlugin } from '../../support/our-plugin.ts';
import { hookTimes, makeRulers } from '../../support/rulers.ts';

const CALLS = 24;
// Longer for a figure worth noting: for half a minute after any activity the engine still tidies its memory.
const SETTLE_MS = Number(process.env['SETTLE_MS'] ?? 2000);
const IDLE_MS = Number(process.env['IDLE_MS'] ?? 5000);

describeHost('what the plugin costs in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let fresh_mb = 0;

  beforeAll(async () => {
    const calls = Array.from({ length: CALLS }, (_, index) => ({ content: [{ tool: 'Bash', input: { command: `echo call-${index}`, description: 'Say it' } }] }));
    world = await startWorld({ script: { scenarios: { many: [...calls, { content: ['All said.'] }] }, fallback: { content: ['Fine.'] } } });
    ours = installOurs(world, { ...QUICK, loop: { salience_triggers: [] } });
    mkdirSync(join(world.dir, 'bin'));
    writeFileSync(join(world.dir, 'bin', 'node'), `#!/bin/sh\necho "$@" >>'${started()}'\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
    host = await startHost({ world, plugin: ours.plugin, args: ['--plugin-dir', makeRulers(world, ours)], env: { PATH: `${join(world.dir, 'bin')}:/usr/local/bin:/usr/bin:/bin` } });
    await host.waitFor(/1 monitor/);
    await waitUntil(() => ours.monitors().some(({ command }) => command.includes('--data')), 10_000, ours.log);
    await pause(1000);
    fresh_mb = residentMb(ours.monitors()[0]?.pid ?? 0);
  });
  afterAll(() => world?.stop());

  const started = (): string => join(world.dir, 'started');

  test('A7: a tool call without mail starts no node', async () => {
    await host.prompt('@@many say them');
    await host.waitFor(/All said\./, 90_000);
    await host.idle();
    expect(readFileSync(started(), 'utf8')).toContain('UserPromptSubmit');
    expect(readFileSync(started(), 'utf8')).not.toContain('PostToolUse');
    const took = hookTimes(host.records());
    const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
    console.log(`a hook without mail, as the host measures it: ours ${median(took.ours)} ms, bare sh ${median(took.bare)} ms, of ${took.ours.length}`);
    expect(took.ours).toHaveLength(CALLS);
  });

  test('an idle monitor costs next to nothing', async () => {
    const { pid } = ours.monitors()[0] ?? { pid: 0 };
    await pause(SETTLE_MS);
    const before = cpuMs(pid);
    await pause(IDLE_MS);
    const spent = cpuMs(pid) - before;
    console.log(`a monitor idle for ${IDLE_MS / 1000} s: ${spent.toFixed(1)} ms of CPU, ${((100 * spent) / IDLE_MS).toFixed(3)} %; ${residentMb(pid).toFixed(0)} MB resident, ${fresh_mb.toFixed(0)} MB before its first session`);
    expect(spent).toBeLessThan(IDLE_MS / 10);
    expect(fresh_mb).toBeLessThan(150);
  });
});

const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** CPU time of all its threads that live, as the scheduler counts it. */
const cpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0);
