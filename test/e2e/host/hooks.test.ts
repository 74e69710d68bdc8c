// Our manifests, guard and hook in the real host, with a bare stand-in for the monitor: who is told what, and what it costs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import type { Advice } from '../../../src/main/records.ts';
import { writeBell } from '../../../src/main/speak/bell-file.ts';
import { bellLine } from '../../../src/main/speak/finish-gate.ts';
import { putMail } from '../../../src/main/speak/mailbox-file.ts';
import { writeTurn } from '../../../src/main/speak/turn-file.ts';
import { describeHost } from '../../support/describe-host.ts';
import { buildHook } from '../../support/hook-run.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { advice, said, turn } from '../../support/mail.ts';

const MONITOR = `
const fs = require('node:fs'), path = require('node:path');
const [, , , data, , root, , project] = process.argv;
fs.mkdirSync(data, { recursive: true });
fs.writeFileSync(path.join(data, 'monitor.json'), JSON.stringify({ pid: process.pid, data, root, project, channel: process.env.CLAUDE_CODE_MESSAGING_SOCKET ?? null }));
setInterval(() => {
  const ring = path.join(data, 'ring');
  if (!fs.existsSync(ring)) return;
  process.stdout.write(fs.readFileSync(ring, 'utf8') + '\\n');
  fs.unlinkSync(ring);
}, 100);
`;

describeHost('our hooks in the real host', () => {
  let world: World;
  let host: Host;
  let root: string;
  let paths: Paths;
  let session = '';

  const put = (changes: Partial<Advice>): Advice => {
    const item = advice({ session_id: session, host_pid: host.pid, generated_at: Date.now(), enqueued_at: Date.now(), ...changes });
    putMail(paths.mailbox(session), item, said(item));
    return item;
  };
  const facts = (state: 'working' | 'idle', task: string): void => writeTurn(paths.turn(session), turn({ host_pid: host.pid, state, task }));
  const ring = (nonce: string): void => {
    writeBell(paths.bell(String(host.pid)), { nonce, at: Date.now() });
    writeFileSync(join(paths.data, 'ring'), bellLine(nonce));
  };

  beforeAll(async () => {
    world = await startWorld({
      project: 'pro "ject\' ü',
      script: {
        scenarios: { hi: [{ content: ['Running.', { tool: 'Bash', input: { command: 'echo hi', description: 'Say hi' } }] }, { content: ['Ran it.'] }], shell: [{ content: [{ tool: 'Bash', input: { command: 'sleep 300', description: 'Serve it', run_in_background: true } }] }, { content: ['Serving.'] }], slow: [{ content: ['All done.'], delay_ms: 3000 }, { content: ['Looked again.'] }] },
        fallback: { content: ['Fine.'] },
      },
    });
    root = join(world.home, 'a "b" $(touch oops)/ü\'x `q`');
    for (const name of ['.claude-plugin', 'hooks', 'monitors', 'commands']) cpSync(join('plugin', name), join(root, name), { recursive: true });
    mkdirSync(join(root, 'dist'));
    await buildHook(join(root, 'dist'));
    writeFileSync(join(root, 'dist', 'monitor.cjs'), MONITOR);
    writeFileSync(join(root, 'dist', 'command.cjs'), "console.log('STATS ' + process.argv.slice(-2).join(' '));");
    host = await startHost({ world, plugin: root });
    await host.waitFor(/1 monitor/);
    paths = pathsUnder(join(world.config, 'plugins/data/second-brain-inline'));
    await host.prompt('hello');
    await host.waitFor(/Fine\./);
    await host.idle();
    session = (host.transcript() ?? '').split('/').pop()?.replace('.jsonl', '') ?? '';
    const monitor = JSON.parse(readFileSync(join(paths.data, 'monitor.json'), 'utf8')) as { pid: number };
    for (const path of [paths.lease(session), paths.monitorLock(String(host.pid))]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify({ pid: monitor.pid, start: '', beat: Date.now() }));
    }
  });
  afterAll(() => world?.stop());

  test('A10: the monitor gets its three paths whole, and not the host’s own channel', () => {
    expect(JSON.parse(readFileSync(join(paths.data, 'monitor.json'), 'utf8'))).toMatchObject({ data: paths.data, root, project: world.project, channel: null });
  });

  test('hooks report the session under the host’s pid', () => {
    const events = readFileSync(paths.spool(String(host.pid)), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { event: string });
    expect(events.map(({ event }) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(events[2]).toMatchObject({ session, last_text: 'Fine.', attended: true, background: [{ type: 'monitor' }] });
  });

  test('advice arrives mid-turn in the next request and on screen in the same words, once', async () => {
    const item = put({ id: 'sb-drain001' });
    await host.prompt('@@hi please');
    await host.waitFor(/Ran it\./);
    await host.idle();
    const told = toldTo(host.requests().at(-1)).join('\n');
    expect(told.split(said(item).agent)).toHaveLength(2);
    expect(told).not.toContain('silence it');
    expect((await host.scrollback()).replaceAll(/\s+/g, ' ')).toContain('sb-drain001');
  });

  test('undone work continues the turn once and shows its text once', async () => {
    facts('working', 'task-hold');
    const before = host.requests().length;
    await host.prompt('@@slow finish it');
    // Between the prompt, which would take it, and the Stop.
    await waitUntil(() => readFileSync(paths.prompts(String(host.pid)), 'utf8').trimEnd().split('\n').length === 3, 5000, 'the prompt was not seen');
    put({ id: 'sb-hold0001', task_id: 'task-hold', finish_gate: true, confidence: 0.9 });
    await host.waitFor(/Looked again\./);
    await host.idle();
    expect(host.requests().length - before).toBe(2);
    expect(toldTo(host.requests().at(-1)).join('\n')).toContain('sb-hold0001');
    expect((await host.scrollback()).split('sb-hold0001')).toHaveLength(2);
  });

  test('the bell wakes an idle session with the advice, in one request', async () => {
    facts('idle', 'task-ring');
    const item = put({ id: 'sb-ring0001', task_id: 'task-ring', finish_gate: true, confidence: 0.9 });
    const before = host.requests().length;
    ring('k3x9ab12');
    await waitUntil(() => host.requests().length > before, 15_000, 'the bell woke nobody');
    await host.idle();
    expect(host.requests().length - before).toBe(1);
    expect(toldTo(host.requests().at(-1)).join('\n')).toContain(said(item).agent);
    expect(await host.scrollback()).toContain('sb-ring0001');
  });

  test('a bell with nothing left costs no request and says one sentence', async () => {
    facts('idle', 'task-empty');
    const before = host.requests().length;
    ring('k3x9ab13');
    await host.waitFor(/nothing that cannot wait/);
    await host.idle();
    expect(host.requests().length).toBe(before);
  });

  test('several lines at once are one event, and the mail is told with it once', async () => {
    facts('idle', 'task-lines');
    const item = put({ id: 'sb-lines001', task_id: 'task-lines', finish_gate: true, confidence: 0.9 });
    const before = host.requests().length;
    writeFileSync(join(paths.data, 'ring'), `${bellLine('k3x9ab15')}\n${bellLine('k3x9ab16')}`);
    await waitUntil(() => host.requests().length > before, 15_000, 'the lines woke nobody');
    await host.idle();
    expect(host.requests()).toHaveLength(before + 1);
    expect(toldTo(host.requests().at(-1)).join('\n').split(said(item).agent)).toHaveLength(2);
    expect((await host.scrollback()).split('sb-lines001')).toHaveLength(2);
  });

  test('an empty bell beside the end of a background shell: the shell’s news gets through', async () => {
    await host.prompt('@@shell please');
    await host.waitFor(/Serving\./);
    await host.idle();
    const before = host.requests().length;
    const empty = (await host.scrollback()).split('nothing that cannot wait').length;
    ring('k3x9ab14');
    for (const { pid, command } of world.processes()) if (command.startsWith('sleep 300')) process.kill(pid);
    await waitUntil(async () => host.requests().length > before && (await host.scrollback()).split('nothing that cannot wait').length > empty, 15_000, () => host.scrollback());
    await host.idle();
    expect(host.requests()).toHaveLength(before + 1);
    const told = toldTo(host.requests().at(-1)).join('\n');
    expect(told).toMatch(/<task-notification>[^]*Serve it/);
    expect(told).not.toContain('k3x9ab14');
  });

  test('a typed command is answered without a request', async () => {
    const before = host.requests().length;
    await host.prompt('/second-brain:second-brain-stats now');
    await host.waitFor(/STATS stats now/);
    await host.idle();
    expect(host.requests().length).toBe(before);
  });
});
