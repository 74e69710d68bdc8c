// A release in the real host as a user gets it: added as a marketplace, installed, used, updated under a running session.
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeJson } from '../../../src/main/floor/json-file.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { adviceTests, ADVICE_SCRIPT } from '../../support/advice-tests.ts';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type RunResult, type World } from '../../support/host-world.ts';
import { makeRelease, openMarket, type Market } from '../../support/market.ts';
import { flat, leftIn, ofOurs, QUICK, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';

describeHost('installed from a marketplace in the real host', () => {
  let world: World;
  let market: Market;
  let release: string;
  let added: RunResult;
  let installed: RunResult;
  let host: Host;
  let paths: Paths;
  let ours: Omit<OurPlugin, 'plugin'>;

  beforeAll(async () => {
    world = await startWorld({ script: ADVICE_SCRIPT });
    release = makeRelease(join(world.dir, 'release'));
    market = openMarket(world);
    market.publish(release);
    added = await market.plugin('marketplace', 'add', market.address);
    installed = await market.plugin('install', 'second-brain@second-brain');
    paths = pathsUnder(join(world.config, 'plugins/data/second-brain-second-brain'));
    ours = leftIn(world, paths);
    writeJson(paths.config, QUICK);
    host = await startHost({ world });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  const copies = (): readonly string[] => readdirSync(join(world.config, 'plugins/cache/second-brain/second-brain'));
  const copy = (version: string): string => join(world.config, 'plugins/cache/second-brain/second-brain', version);
  const say = async (text: string): Promise<string> => {
    const before = host.requests().length;
    await host.prompt(text);
    await waitUntil(() => host.requests().length > before, 20_000, async () => `not asked: ${text}\n${await host.scrollback()}`);
    await host.idle();
    return toldTo(host.requests().at(-1)).join('\n');
  };

  test('the host finds nothing wrong with it', async () => {
    const { code, stdout } = await market.plugin('validate', release);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('Validation passed');
  });

  test('the folder itself is a marketplace as well', async () => {
    const other = await startWorld();
    try {
      const run = (...words: readonly string[]) => other.run([other.binary, 'plugin', ...words], { cwd: other.home });
      expect(await run('marketplace', 'add', release)).toMatchObject({ code: 0 });
      expect(await run('install', 'second-brain@second-brain')).toMatchObject({ code: 0 });
      expect((await run('list')).stdout).toMatch(/second-brain@second-brain\s+Version: 0\.1\.0/);
    } finally {
      await other.stop();
    }
  });

  test('the release whose hooks need no shell works the same way, from start to advice', async () => {
    const other = await startWorld({ script: ADVICE_SCRIPT });
    try {
      const shellless = makeRelease(join(other.dir, 'release'), '--windows');
      const run = (...words: readonly string[]) => other.run([other.binary, 'plugin', ...words], { cwd: other.home });
      expect((await run('validate', shellless)).stdout).toContain('Validation passed');
      expect(await run('marketplace', 'add', shellless)).toMatchObject({ code: 0 });
      expect(await run('install', 'second-brain@second-brain')).toMatchObject({ code: 0 });
      const here = pathsUnder(join(other.config, 'plugins/data/second-brain-second-brain'));
      const theirs = leftIn(other, here);
      writeJson(here.config, QUICK);
      const second = await startHost({ world: other });
      await second.waitFor(/1 monitor/);
      await second.prompt('@@retry look at that folder');
      await second.waitFor(/Gave up on alpha\./, 60_000);
      await second.idle();
      expect(ofOurs(toldTo(second.requests().at(-1))).join('\n'), theirs.report(sessionOf(second))).toMatch(/PostToolUse:Bash hook additional context: \[Second Brain sb-/);
      expect(await flat(second)).not.toMatch(/hook error/i);
      expect(theirs.monitors('guard.cjs')).not.toEqual([]); // itself, and the shell that the host runs monitors in
      await second.exit();
      await waitUntil(() => theirs.monitors('guard.cjs').length === 0, 10_000, theirs.log);
    } finally {
      await other.stop();
    }
  });

  test('two commands from an empty folder install it, and a session starts its monitor', async () => {
    expect(added.code, added.stderr).toBe(0);
    expect(installed.code, installed.stderr).toBe(0);
    expect(copies()).toEqual(['0.1.0']);
    expect(existsSync(join(copy('0.1.0'), 'node_modules'))).toBe(false);
    await waitUntil(() => ours.monitors().length === 1, 10_000, ours.log);
    expect(ours.monitors()[0]?.command).toContain(`--data ${paths.data}`);
  });

  adviceTests(() => ({ host, ours }));

  test('its commands answer in the session, its launcher from a shell', async () => {
    const before = host.requests().length;
    await host.prompt('/second-brain-stats');
    await host.waitFor(/advice/);
    await host.idle();
    expect(host.requests().length).toBe(before);
    await host.keys('C-u');
    const stamp = JSON.parse(readFileSync(join(release, 'dist/build.json'), 'utf8')) as { readonly version: string; readonly build: string };
    expect(ours.status(sessionOf(host)).version).toBe(`${stamp.version}-${stamp.build}`);
    const doctor = await world.run([paths.launcher, 'doctor', '--json'], { cwd: world.project });
    const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly { readonly name: string; readonly state: string; readonly says: string }[] };
    expect(checks.filter(({ state }) => state === 'bad')).toEqual([]);
    expect(checks.find(({ name }) => name === 'monitor')?.says).toMatch(/is watched/);
  });

  test('A11: an update leaves a running session its hooks and its monitor', async () => {
    const manifest = join(release, '.claude-plugin/plugin.json');
    writeJson(manifest, { ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), version: '0.1.1' });
    writeJson(join(release, 'dist/build.json'), { version: '0.1.1', build: 'later' });
    market.publish(release);
    expect(await market.plugin('marketplace', 'update', 'second-brain')).toMatchObject({ code: 0 });
    const updated = await market.plugin('update', 'second-brain@second-brain');
    expect(updated.stdout).toContain('from 0.1.0 to 0.1.1');
    expect(ours.monitors()).toHaveLength(1);
    const { id } = ours.put(host, sessionOf(host), { id: 'sb-update01', headline: 'Said after the update.' });
    expect(ofOurs([await say('After the update.')]).join('\n')).toContain(id);
  });

  test('A11: with the old copy deleted the session goes on, unblocked and still watched', async () => {
    rmSync(copy('0.1.0'), { recursive: true });
    const before = await flat(host);
    expect(await say('With the folder gone.')).toContain('With the folder gone.');
    const said = (await flat(host)).slice(before.length - 200);
    expect(said).not.toMatch(/blocked|hook error|cannot open/i);
    await waitUntil(() => ours.windows().includes('With the folder gone.'), 10_000, ours.windows);
    expect(ours.monitors()).toHaveLength(1);
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });

  test('the next start runs the new version and takes up task, history and settings of the old one', async () => {
    const session = sessionOf(host);
    const { task } = ours.turn(session);
    const told = ours.history(session).filter(({ event }) => event === 'confirmed').length;
    expect(told).toBeGreaterThan(0);
    await host.exit();
    host = await startHost({ world, args: ['--resume', session] });
    await host.waitFor(/1 monitor/);
    await say('Back on the new version.');
    await waitUntil(() => ours.turn(session).host_pid === host.pid && ours.status(session).version === '0.1.1-later', 10_000, () => ours.report(session));
    expect(ours.turn(session).task).toBe(task);
    expect(ours.history(session).filter(({ event }) => event === 'confirmed').length).toBeGreaterThanOrEqual(told);
    expect(readdirSync(paths.runs)).toEqual(['0.1.1-later']);
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start|set aside/);
  });
});
