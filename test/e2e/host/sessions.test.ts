// From session to session in the real host: the right ledger, the digest to both sides, nothing stale and nothing twice.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { flat, installOurs, QUICK, sessionOf, waitForHistory, type OurPlugin } from '../../support/our-plugin.ts';
import type { Ledger } from '../../../src/main/records.ts';

describeHost('from session to session in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let first = '';
  let task = '';

  beforeAll(async () => {
    world = await startWorld({ script: { side: { content: ['<summary>They greeted each other.</summary>'] }, fallback: { content: ['Fine.'] } } });
    ours = installOurs(world, QUICK);
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
    await say('Build a parser for dates.');
    first = sessionOf(host);
    await waitUntil(() => existsSync(ours.paths.turn(first)), 10_000, ours.log);
    ({ task } = ours.turn(first));
  });
  afterAll(() => world?.stop());

  const say = async (text: string): Promise<void> => {
    const before = host.requests().length;
    await host.prompt(text);
    await waitUntil(() => host.requests().slice(before).some((request) => toldTo(request).join('\n').includes(text)), 20_000, async () => `not asked: ${text}\n${await host.screen()}`);
    await host.idle();
  };
  const told = (): string => toldTo(host.requests().at(-1)).join('\n');
  const ledger = (id: string): Ledger => JSON.parse(readFileSync(ours.paths.ledger(id), 'utf8')) as Ledger;
  const report = async (): Promise<string> => `${ours.report(sessionOf(host))}\n${await host.scrollback()}`;

  test('/compact keeps session and task, and what was told is not told again', async () => {
    ours.put(host, first, { id: 'sb-compact1', headline: 'A remark from before.' });
    await say('Carry on.');
    expect(told()).toContain('sb-compact1');
    await host.prompt('/compact');
    await waitUntil(() => host.records().some(({ subtype }) => subtype === 'compact_boundary'), 20_000, report);
    await host.idle();
    await say('After the compaction.');
    expect(sessionOf(host)).toBe(first);
    expect(ours.turn(first).task).toBe(task);
    await waitUntil(() => /\[note\][^"]*compact/.test(ours.windows()), 10_000, () => ours.windows());
    expect(ours.windows().split('[prompt] Carry on.')).toHaveLength(3); // the rendered block and its observation
    expect((await host.scrollback()).split('sb-compact1').length).toBeLessThanOrEqual(2);
  });

  test('a resumed session has its task back, and both sides the digest of it; mail for the host that left is not told', async () => {
    const { id } = ours.put(host, first, { id: 'sb-left0001', headline: 'For the host that left.' });
    await host.exit();
    const old = host;
    host = await startHost({ world, plugin: ours.plugin, args: ['--resume', first] });
    await old.stop();
    await host.waitFor(/1 monitor/);
    await host.waitFor(/SessionStart:resume says: [^]*parser for dates/);
    await say('Where were we?');
    expect(sessionOf(host)).toBe(first);
    expect(told()).toMatch(/SessionStart hook additional context: Second Brain[^]*Build a parser for dates/);
    expect(told()).not.toContain(id);
    await waitForHistory(ours, first, (line) => line.id === id && line.because === 'moved-on');
    await waitUntil(() => ours.turn(first).host_pid === host.pid, 10_000, report);
    expect(ours.turn(first).task).toBe(task);
    await waitUntil(() => ours.windows().includes('[prompt] Where were we?'), 10_000, () => ours.windows());
    expect(ours.windows().split('[prompt] Build a parser for dates.')).toHaveLength(3);
  });

  test('/branch starts a task of its own from the same ledger', async () => {
    ours.put(host, first, { id: 'sb-branch01', headline: 'For the trunk.' });
    await host.prompt('/branch');
    await waitUntil(async () => /branch/i.test(await host.screen()), 10_000, report);
    await host.idle();
    await say('On the branch.');
    const second = sessionOf(host);
    expect(second).not.toBe(first);
    await waitUntil(() => existsSync(ours.paths.turn(second)), 10_000, report);
    expect(ours.turn(second).task).not.toBe(task);
    expect(ledger(ours.turn(second).task).goal).toContain('Build a parser for dates.');
    expect(told()).not.toContain('sb-branch01');
    await waitUntil(() => ours.waiting(first).length === 0, 10_000, report);
  });

  test('/resume goes back to the first session, its task and its window', async () => {
    await host.prompt(`/resume ${first}`);
    await host.idle();
    await say('Back on the trunk.');
    expect(sessionOf(host)).toBe(first);
    await waitUntil(() => ours.windows().includes('[prompt] Back on the trunk.'), 10_000, report);
    expect(ours.turn(first).task).toBe(task);
    expect(ours.turn(first).host_pid).toBe(host.pid);
    expect(told()).not.toContain('sb-branch01');
    expect(ours.windows().split('[prompt] Where were we?').length, ours.windows()).toBeLessThanOrEqual(5); // once in the trunk, once as history of the branch
  });

  test('/clear ends the task; the next session starts with nothing', async () => {
    const second = sessionOf(host);
    const ended = ours.turn(second).task;
    ours.put(host, second, { id: 'sb-clear001', headline: 'For what was cleared.' });
    await host.prompt('/clear');
    await host.idle();
    await say('Something new entirely.');
    const third = sessionOf(host);
    expect(third).not.toBe(second);
    await waitUntil(() => existsSync(ours.paths.turn(third)), 10_000, report);
    expect(ledger(ended).ended).toBe('clear');
    await waitUntil(() => ledger(ours.turn(third).task).goal !== '', 10_000, report);
    expect(ledger(ours.turn(third).task).goal).toBe('Something new entirely.');
    expect(told()).not.toContain('sb-clear001');
    expect(told()).not.toContain('[Second Brain');
    expect(ours.waiting(second)).toEqual([]);
    expect(await flat(host)).not.toContain('sb-clear001');
  });

  test('a fork made by a new process goes on from the task it copies, and what it copies is history', async () => {
    const third = sessionOf(host);
    const trunk = ours.turn(third).task;
    await host.exit();
    const old = host;
    await waitUntil(() => ours.monitors().length === 0, 10_000, report);
    writeFileSync(ours.paths.ledger(trunk), JSON.stringify({ ...ledger(trunk), facts: [{ at: Date.now(), text: 'A fact of the trunk.' }] }));
    host = await startHost({ world, plugin: ours.plugin, args: ['--resume', third, '--fork-session'] });
    await old.stop();
    await host.waitFor(/1 monitor/);
    await say('On a fork.');
    const fork = sessionOf(host);
    expect(fork).not.toBe(third);
    await waitUntil(() => existsSync(ours.paths.turn(fork)) && ours.windows().includes('[prompt] On a fork.'), 10_000, report);
    const { task: own } = ours.turn(fork);
    expect(own).not.toBe(trunk);
    expect(ledger(own).facts.map(({ text }) => text), await report()).toEqual(['A fact of the trunk.']);
    const blocks = readFileSync(ours.paths.windowLog(own, 0), 'utf8').split('\n').slice(1, -1).map((line) => (JSON.parse(line) as { readonly block: { readonly kind: string; readonly text: string } }).block);
    const holding = (words: string): readonly string[] => blocks.filter(({ text }) => text.includes(words)).map(({ kind }) => kind);
    expect(holding('[prompt] Something new entirely.')).toEqual(['history']);
    expect(holding('[prompt] On a fork.')).toEqual(['observations']);
  });

  test('nothing of ours went wrong', () => {
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
    expect(ours.monitors()).toHaveLength(1);
  });
});
