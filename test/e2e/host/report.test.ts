// A session watched live, in the real host, and its report asked for by a typed command.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathsUnder } from '../../../src/main/floor/paths.ts';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { feedback, flat, installOurs, SCRIPTED, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';

describeHost('the report of a live session, in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;

  beforeAll(async () => {
    world = await startWorld({
      script: {
        observer: feedback({ verdict: 'silent' }),
        rules: [{ match: ['second_brain_detector_feedback', 'Where is it?'], on: 'any', times: 1, turn: feedback({ verdict: 'advise', headline: 'It lies in another folder', body: '', evidence: ['#1'], confidence: 0.9, dedup_key: 'folder' }) }],
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, { ...SCRIPTED, loop: { ...SCRIPTED.loop, salience_triggers: [] } });
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  test('it is written for one keystroke, without a request, and holds what the monitor did', async () => {
    await host.prompt('Where is it?');
    await host.waitFor(/Fine\./);
    await host.idle();
    const session = sessionOf(host);
    await waitUntil(() => ours.status(session).last_turn !== undefined, 20_000, () => ours.report(session));
    const asked = host.requests().length;
    await host.prompt('/second-brain:second-brain-report');
    const path = pathsUnder(join(world.config, 'plugins/data/second-brain-inline')).report(session);
    await waitUntil(async () => existsSync(path) && (await flat(host)).includes('The report of this session is'), 15_000, () => ours.report(session));
    expect(host.requests().length).toBe(asked);
    const page = readFileSync(path, 'utf8');
    const data = JSON.parse(/id="s0-data">([^<]*)</.exec(page)?.[1] ?? '{}') as { readonly lanes: readonly string[]; readonly points: { readonly own: readonly number[] } };
    expect(data.lanes).toEqual(expect.arrayContaining(['Prompts', 'Passes', 'Advice']));
    expect(data.points.own.at(-1)).toBeGreaterThan(0);
    expect(page).toContain('It lies in another folder');
    expect(page).toContain('judged by anthropic');
  });
});
