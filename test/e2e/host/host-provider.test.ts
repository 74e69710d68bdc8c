// `model.provider host` in a running session: the user's own CLI judges, on the login the session has, and leaves nobody behind.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { installOurs, QUICK, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';

const SAID = { verdict: 'silent', checked: 'looked by the host provider' };

describeHost('the host provider in a live session', () => {
  let world: World;
  let ours: OurPlugin;
  let host: Host;

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: { work: [{ content: [{ tool: 'Bash', input: { command: 'echo working', description: 'Work' } }] }, { content: ['Worked.'] }] },
        rules: [{ match: 'second_brain_detector_feedback', on: 'system', turn: { content: [JSON.stringify({ call: 'second_brain_detector_feedback', args: SAID })] } }],
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, { ...QUICK, model: { provider: 'host' }, detectors: { 'repeat-failure': { enabled: false }, 'standard-questions': { enabled: false } } });
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  test('its forks answer, their tokens are counted, the person is told once, and no child is left', async () => {
    await host.prompt('@@work please');
    await host.waitFor(/Worked\./);
    await host.idle();
    const session = sessionOf(host);
    await waitUntil(() => (ours.status(session).detectors['default']?.runs ?? 0) > 0, 30_000, ours.log);
    const { provider, detectors, observer, last_pass } = ours.status(session);
    expect(provider).toBe('host');
    expect(last_pass?.lines.join('\n'), ours.log()).toContain('looked by the host provider');
    expect(detectors['default']?.failed).toBe(0);
    expect(observer.input + observer.cache_read + observer.cache_write_5m + observer.output).toBeGreaterThan(0);
    await host.prompt('And on.');
    await host.idle();
    expect(await host.scrollback()).toContain('now asks a model about this workspace: host');
    await host.exit();
    await waitUntil(() => world.processes().filter(({ command }) => command.includes('stream-json')).length === 0, 10_000, 'a child of ours outlived the session');
  });
});
