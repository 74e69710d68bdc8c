// Our plugin in the real host: what the agent is told, what the person sees, and that nothing else changes.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';

const failing = (command: string) => ({ content: [{ tool: 'Bash', input: { command, description: 'Look there' } }], delay_ms: 1500 });

describeHost('advice in the real host, judged by rules', () => {
  let world: World;
  let host: Host;
  const data = (): string => join(world.config, 'plugins', 'data', 'second-brain-inline');
  const log = (): string => (existsSync(join(data(), 'log', 'second-brain.log')) ? readFileSync(join(data(), 'log', 'second-brain.log'), 'utf8') : '');

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: {
          retry: [failing('ls /nowhere-at-all'), failing('ls /nowhere-at-all 2>&1'), failing('LANG=C  ls /nowhere-at-all'), { content: [{ tool: 'Bash', input: { command: 'echo other', description: 'Other' } }], delay_ms: 3000 }, { content: ['Gave up on that.'], delay_ms: 500 }],
        },
        fallback: { content: ['Fine.'] },
      },
    });
    host = await startHost({ world, plugin: join(process.cwd(), 'plugin') });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  test('advice mid-turn reaches the next request as hook context and the screen in the same words, once', async () => {
    await host.prompt('@@retry look at that folder');
    await host.waitFor(/Gave up on that\./, 60_000);
    await host.idle();
    const told = toldTo(host.requests().at(-1)).filter((text) => text.includes('[Second Brain sb-'));
    expect(told, `${log()}\n${await host.scrollback()}\n${existsSync(data()) ? readdirSync(data(), { recursive: true }).join('\n') : 'no data'}`).toHaveLength(1);
    expect(told[0]).toMatch(/hook additional context: \[Second Brain sb-/);
    const id = /sb-[0-9a-z]{8}/.exec(told[0] ?? '')?.[0] ?? 'none';
    const screen = (await host.scrollback()).replaceAll(/\s+/g, ' ');
    expect(screen).toContain(id);
    expect(screen).toContain('has failed 3 times with no success between');
    await waitUntil(() => readFileSync(join(data(), 'sessions', readdirSync(join(data(), 'sessions'))[0] ?? '', 'history.jsonl'), 'utf8').includes('"confirmed"'), 10_000, log());
  });
});
