// Every free command typed into the real host: its words on screen, no request, nothing in the conversation; a look asked for, captured.
import { execFile as execFileCallback } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { startHost, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { flat, installOurs, QUICK, sessionOf, type OurPlugin } from '../../support/our-plugin.ts';

const execFile = promisify(execFileCallback);

describeHost('the free commands in the real host', () => {
  let world: World;
  let ours: OurPlugin;
  let host: Host;
  let session = '';
  let requests = 0;

  beforeAll(async () => {
    world = await startWorld({ script: { scenarios: { slow: [{ content: ['I will wait a little.', { tool: 'Bash', input: { command: 'sleep 6; echo slept', description: 'Wait' } }] }, { content: ['Waited.'] }], work: [{ content: [{ tool: 'Bash', input: { command: 'echo working', description: 'Work' } }] }, { content: ['Worked.'] }] }, fallback: { content: ['Fine.'] } } });
    ours = installOurs(world, { ...QUICK, loop: { ...QUICK.loop, salience_triggers: [], trigger_chars: 100_000 }, debug: { enabled: true } });
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
    await host.prompt('@@work please');
    await host.waitFor(/Worked\./);
    await host.idle();
    session = sessionOf(host);
    await waitUntil(() => existsSync(ours.paths.status(session)) && ours.status(session).passes.count > 0 && ours.status(session).phase === 'watching', 20_000, ours.log);
    requests = host.requests().length;
  });
  afterAll(() => world?.stop());

  test.each([
    ['/second-brain:second-brain-stats', 'Passes:'],
    ['/second-brain:second-brain-why', 'Nothing said yet'],
    ['/second-brain:second-brain-config set gate.rate_per_hour 3', 'gate.rate_per_hour'],
    ['/second-brain:second-brain-config show gate.rate_per_hour', 'workspace'],
    ['/second-brain:second-brain-run', 'nothing is new'],
  ])('%s prints its answer and makes no request', async (typed, words) => {
    const before = (await flat(host)).split(words).length;
    await host.prompt(typed);
    await waitUntil(async () => (await flat(host)).split(words).length > before, 50_000, async () => `${await flat(host)}\n${ours.log()}`);
    await host.idle();
    expect(host.requests()).toHaveLength(requests);
  });

  test('a look asked for from the shell while the agent works tells each detector’s verdict', async () => {
    await host.prompt('@@slow now');
    await host.waitFor(/I will wait a little\./);
    const { stdout } = await execFile(process.execPath, [join(ours.plugin, 'dist', 'command.cjs'), 'run', '--data', ours.paths.data, '--session', session], { env: { PATH: process.env['PATH'] ?? '', HOME: world.home } });
    expect(stdout).toContain('standard-questions');
    expect(stdout).toContain('silent');
    await host.waitFor(/Waited\./);
    await host.idle();
    requests = host.requests().length;
  });

  test('a captured pass holds the digest and a file per fork', () => {
    const root = join(ours.paths.debug, session);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/digest\.txt$/), expect.stringMatching(/standard-questions\.txt$/)]));
    const digest = files.find((name) => name.endsWith('digest.txt')) ?? '';
    expect(readFileSync(join(root, digest), 'utf8')).toContain('[prompt] @@work please');
  });

  test('forget says what went, and the next request knows nothing of any of it', async () => {
    const { task } = ours.status(session);
    await host.prompt('/second-brain:second-brain-forget');
    await host.waitFor(/[Ff]org[oe]t/);
    await host.idle();
    await waitUntil(() => !existsSync(ours.paths.ledger(task)), 10_000, ours.log);
    expect(host.requests()).toHaveLength(requests);
    await host.prompt('Something else now.');
    await host.idle();
    const last = JSON.stringify(host.requests().at(-1)?.body);
    for (const words of ['Passes:', 'gate.rate_per_hour', 'Second Brain 0']) expect(last).not.toContain(words);
  });
});
