// What is for the person alone, in the real host: at once in status.json, on screen at the next hook, never in a request.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { feedback, flat, installOurs, SCRIPTED, sessionOf, waitForHistory, type OurPlugin } from '../../support/our-plugin.ts';

const HUNCH = 'The folder of that question may lie elsewhere';

describeHost('what is for the person alone, in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let session = '';

  beforeAll(async () => {
    world = await startWorld({
      script: {
        observer: feedback({ verdict: 'silent' }),
        rules: [{ match: ['second_brain_detector_feedback', 'Where is it?'], on: 'any', times: 1, turn: feedback({ verdict: 'advise', headline: HUNCH, body: '', evidence: ['#1'], confidence: 0.45, dedup_key: 'elsewhere' }) }],
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, { ...SCRIPTED, loop: { ...SCRIPTED.loop, salience_triggers: [] } });
    const installed = await world.run([process.execPath, join(ours.plugin, 'dist', 'command.cjs'), 'statusline', '--install', '--data', ours.paths.data]);
    expect(installed.code, installed.stdout + installed.stderr).toBe(0);
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  test('a hunch and the turn’s report wait in status.json and for the next hook', async () => {
    await host.prompt('Where is it?');
    await host.waitFor(/Fine\./);
    await host.idle();
    session = sessionOf(host);
    await waitForHistory(ours, session, ({ event, advice }) => event === 'enqueued' && advice?.headline === HUNCH);
    expect(host.observerRequests().length, ours.report(session)).toBe(1);
    await waitUntil(() => ours.status(session).last_turn !== undefined, 5_000, () => ours.report(session));
    expect(ours.status(session).last_turn).toContain('1 for you');
    const asked = host.requests().length;
    await waitUntil(async () => /second brain watching[^\n]*last turn: [^\n]*1 for you/.test(await host.screen()), 15_000, () => host.screen());
    expect(host.requests()).toHaveLength(asked);
    expect(await flat(host)).not.toContain(HUNCH);
  });

  test('the next prompt’s hook shows it, and no request ever holds it', async () => {
    await host.prompt('Never mind.');
    await waitUntil(async () => (await flat(host)).includes(HUNCH), 15_000, () => ours.report(session));
    await host.idle();
    const { id } = ours.history(session).find(({ event, advice }) => event === 'enqueued' && advice?.headline === HUNCH) ?? { id: 'none' };
    expect((await flat(host)).split(id)).toHaveLength(2);
    expect((await flat(host)).split('now asks a model about this workspace')).toHaveLength(2);
    await waitForHistory(ours, session, (line) => line.id === id && line.event === 'confirmed');
    expect(JSON.stringify(host.requests().map(({ body }) => body))).not.toContain(HUNCH);
    expect(JSON.stringify(host.requests().map(({ body }) => body))).not.toContain('Second Brain');
  });

  test('a turn without a finding says nothing', async () => {
    await waitUntil(() => ours.status(session).last_turn === 'all silent', 15_000, () => ours.report(session));
    const before = (await flat(host)).split('[Second Brain').length;
    await host.prompt('Go on.');
    await host.waitFor(/Go on\.[^]*Fine\./);
    await host.idle();
    expect((await flat(host)).split('[Second Brain')).toHaveLength(before);
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });
});
