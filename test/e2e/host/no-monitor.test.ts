// Our plugin in a real host that starts no monitor, as older ones do without a network: hooks, mail and commands work, and
// the person is told once. Runs on every host of the supported range.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { HOST_VERSION } from '../../support/host-install.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { advice, said } from '../../support/mail.ts';
import { makeRelease, openMarket } from '../../support/market.ts';
import { flat, installOurs, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';
import { writeJson } from '../../../src/main/floor/json-file.ts';
import { putMail } from '../../../src/main/speak/mailbox-file.ts';

const TOLD = /no monitor runs/g;

describeHost(`no monitor in the real host, ${HOST_VERSION}`, () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let session = '';
  let prompted = 0;

  const say = async (text: string): Promise<string> => {
    const before = host.requests().length;
    await host.prompt(text);
    await waitUntil(() => host.requests().length > before, 20_000, async () => `not asked: ${text}\n${await host.scrollback()}`);
    await host.idle();
    return toldTo(host.requests().at(-1)).join('\n');
  };

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: { hi: [{ content: ['Running.', { tool: 'Bash', input: { command: 'echo hi', description: 'Say hi' } }] }, { content: ['Ran it.'] }] },
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world);
    rmSync(join(ours.plugin, 'monitors'), { recursive: true });
    host = await startHost({ world, plugin: ours.plugin });
    await say('hello');
    prompted = Date.now();
    session = sessionOf(host);
  });
  afterAll(() => world?.stop());

  /** The one host's folder: its pid, or the session where the host does not tell its pid. */
  const folder = (): string => {
    const names = readdirSync(ours.paths.hosts);
    expect(names).toHaveLength(1);
    return names[0] ?? '';
  };

  test('hooks report the session under what the host tells of itself', () => {
    expect([String(host.pid), `s-${session}`]).toContain(folder());
    const lines = readFileSync(ours.paths.spool(folder()), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly event: string; readonly session: string });
    expect(lines.map(({ event }) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(lines.at(-1)).toMatchObject({ session, last_text: 'Fine.' });
  });

  test('a typed command is answered without a request', async () => {
    const before = host.requests().length;
    await host.prompt('/second-brain:second-brain-stats');
    await host.waitFor(/Second Brain[^]*advice/);
    await host.idle();
    expect(host.requests().length).toBe(before);
    await host.keys('C-u');
  });

  test('mail reaches the next request beside a tool’s result and the screen, once', async () => {
    const pid = /^\d+$/.test(folder()) ? host.pid : 0;
    const item = advice({ session_id: session, host_pid: pid, generated_at: Date.now(), enqueued_at: Date.now(), id: 'sb-older001' });
    putMail(ours.paths.mailbox(session), item, said(item));
    await host.prompt('@@hi please');
    await host.waitFor(/Ran it\./);
    await host.idle();
    expect(toldTo(host.requests().at(-1)).join('\n').split(said(item).agent)).toHaveLength(2);
    expect((await flat(host)).split('sb-older001')).toHaveLength(2);
  });

  test('half a minute after the first prompt the person is told once that nobody watches', async () => {
    await pause(Math.max(0, prompted + 31_000 - Date.now()));
    expect((await flat(host)).match(TOLD)).toBeNull();
    await say('One more thing.');
    await say('And another.');
    expect((await flat(host)).match(TOLD)).toHaveLength(1);
    expect(JSON.stringify(host.requests().at(-1)?.body)).not.toMatch(TOLD);
  });

  test('two commands install it from a git marketplace, a third updates it', async () => {
    const release = makeRelease(join(world.dir, 'release'));
    const market = openMarket(world);
    market.publish(release);
    const manifest = join(release, '.claude-plugin/plugin.json');
    expect(await market.plugin('marketplace', 'add', market.address)).toMatchObject({ code: 0 });
    expect(await market.plugin('install', 'second-brain@second-brain')).toMatchObject({ code: 0 });
    writeJson(manifest, { ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), version: '0.1.1' });
    market.publish(release);
    expect(await market.plugin('marketplace', 'update', 'second-brain')).toMatchObject({ code: 0 });
    expect((await market.plugin('update', 'second-brain@second-brain')).stdout).toContain('from 0.1.0 to 0.1.1');
  });
});
