// Our bell in the real host amid other things: an open dialog, a prompt sent at the same moment, a prompt typed in mid-turn.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { installOurs, ofOurs, QUICK, sessionOf, waitForHistory, type OurPlugin } from '../../support/our-plugin.ts';

describeHost('our bell amid other things in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let session = '';

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: {
          now: [{ content: ['Answered at once.'], delay_ms: 1500 }],
          two: [{ content: [{ tool: 'Bash', input: { command: 'echo one', description: 'Say it' } }], delay_ms: 3000 }, { content: ['Both heard.'], delay_ms: 500 }],
        },
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, { ...QUICK, loop: { ...QUICK.loop, salience_triggers: [] } });
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
    await host.prompt('Hello.');
    await host.waitFor(/Fine\./);
    await host.idle();
    session = sessionOf(host);
  });
  afterAll(() => world?.stop());
  beforeEach(async () => {
    ours.reopenGate();
    await waitUntil(() => existsSync(ours.paths.turn(session)) && ours.turn(session).state === 'idle', 10_000, () => ours.report(session));
  });

  const put = (id: string, finish_gate = true) => ours.put(host, session, { id, task_id: ours.turn(session).task, finish_gate, confidence: 0.95, dedup_key: id });
  const timesTold = (id: string): number => ofOurs(toldTo(host.requests().at(-1))).join('\n').split(id).length - 1;
  const timesOnScreen = async (id: string): Promise<number> => (await host.scrollback()).split(id).length - 1;

  test('while the rewind dialog is open it waits; once that is left the agent is woken, once', async () => {
    await host.prompt('/rewind');
    await host.waitFor(/Rewind/);
    const before = host.requests().length;
    put('sb-rewind01');
    await waitUntil(() => existsSync(ours.paths.bell(String(host.pid))), 15_000, () => ours.report(session));
    await pause(2000);
    expect(host.requests()).toHaveLength(before);
    expect(await timesOnScreen('sb-rewind01')).toBe(0);
    await host.keys('Escape');
    await waitForHistory(ours, session, ({ id, event, channel }) => id === 'sb-rewind01' && event === 'confirmed' && channel === 'bell');
    await host.idle();
    expect(host.requests()).toHaveLength(before + 1);
    expect([timesTold('sb-rewind01'), await timesOnScreen('sb-rewind01')]).toEqual([1, 1]);
  });

  test('a prompt sent at the moment it rings: both get through, and the advice is told once', async () => {
    await host.prompt('Good.');
    await host.waitFor(/Good\.[^]*Fine\./);
    await host.idle();
    const before = host.requests().length;
    await host.type('@@now and at once');
    await pause(300);
    put('sb-both0001');
    await waitUntil(() => existsSync(ours.paths.bell(String(host.pid))), 15_000, () => ours.report(session));
    await host.keys('Enter');
    await host.waitFor(/Answered at once\./);
    await host.idle();
    await pause(3000);
    await host.idle();
    // Told with whichever came first; a bell that came second found nothing and asked for nothing.
    expect(host.requests().length - before).toBeLessThanOrEqual(2);
    expect([timesTold('sb-both0001'), await timesOnScreen('sb-both0001')], ours.report(session)).toEqual([1, 1]);
    expect(existsSync(ours.paths.bell(String(host.pid)))).toBe(false);
  });

  test('a prompt typed in mid-turn and taken up there claims nothing and is observed once; the advice rides beside the call', async () => {
    await host.prompt('@@two please');
    await waitUntil(() => ours.turn(session).state === 'working', 10_000, () => ours.report(session));
    put('sb-inturn01', false);
    await host.prompt('mind the umlauts too');
    await host.waitFor(/Both heard\./);
    await host.idle();
    const told = toldTo(host.requests().at(-1));
    expect(told.join('\n')).toContain('mind the umlauts too');
    expect(ofOurs(told).filter((text) => text.includes('sb-inturn01')).map((text) => /(\S+) hook additional context/.exec(text)?.[1])).toEqual(['PostToolUse:Bash']);
    expect(await timesOnScreen('sb-inturn01')).toBe(1);
    await waitUntil(() => ours.windows().includes('[prompt] mind the umlauts too'), 15_000, () => ours.windows());
    expect(ours.windows().split('[prompt] mind the umlauts too')).toHaveLength(3); // the rendered block and its observation
  });

  test('nothing of ours went wrong', () => {
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });
});
