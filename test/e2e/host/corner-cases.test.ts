// The corners of delivery in the real host (CONTRACT m): dialogs, half-typed text, interrupts, prompts taken back, rewinds.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import type { ScriptBlock } from '../../support/host-script.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { installOurs, ofOurs, QUICK, sessionOf, waitForHistory, type OurPlugin } from '../../support/our-plugin.ts';

const run = (command: string): ScriptBlock => ({ tool: 'Bash', input: { command, description: 'Run it' } });

// The bell's two seconds of certainty, the host's own delay, and room.
const LONG_ENOUGH_MS = 3500;

describeHost('corners of delivery in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;
  let session = '';

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: {
          ask: [{ content: [run('node -e "process.exit(0)"')] }, { content: ['Asked and done so far.'] }],
          calm: [{ content: [run('echo calm')], delay_ms: 2500 }, { content: ['Calm again.'], delay_ms: 500 }],
          sleep: [{ content: ['Waiting for it.', run('echo begun; sleep 300')] }, { content: ['Never said.'] }],
          refused: [{ error: { status: 400, type: 'invalid_request_error', message: 'CORNER-REFUSED' }, delay_ms: 400 }],
          well: [{ content: ['Well.'] }],
          think: [{ content: ['Thought at length.'], delay_ms: 20_000 }],
          speak: [{ content: [`SPOKEN ${'of it at length '.repeat(80)}`], chunk_delay_ms: 10_000 }],
          stop: [{ content: [run('echo stopping')], delay_ms: 800 }, { content: ['Never said.'] }],
        },
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, { ...QUICK, finish_gate: { min_interval_s: 60, per_task_cap: 100 }, loop: { ...QUICK.loop, salience_triggers: [] } });
    // A node that can be made slow, so that a hook can be caught at work.
    const slow = join(world.dir, 'slow-node');
    mkdirSync(join(world.dir, 'bin'));
    writeFileSync(join(world.dir, 'bin', 'node'), `#!/bin/sh\n[ -e ${slow} ] && case $* in *hook.cjs*PostToolUse*) sleep 2 ;; esac\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
    host = await startHost({ world, plugin: ours.plugin, allow: ['Bash(echo:*)', 'Write', 'Read'], env: { PATH: `${join(world.dir, 'bin')}:/usr/local/bin:/usr/bin:/bin` } });
    await host.waitFor(/1 monitor/);
    await host.prompt('Hello.');
    await host.waitFor(/Fine\./);
    await host.idle();
    session = sessionOf(host);
    await waitUntil(() => existsSync(ours.paths.turn(session)), 10_000, ours.log);
  });
  afterAll(() => world?.stop());

  const worthy = (id: string) => ours.put(host, session, { id, task_id: ours.turn(session).task, finish_gate: true, confidence: 0.95, dedup_key: id });
  const plain = (id: string) => ours.put(host, session, { id, headline: 'A remark without consequence.', dedup_key: id });
  const working = (): Promise<void> => waitUntil(() => ours.turn(session).state === 'working', 10_000, () => ours.report(session));
  const timesOnScreen = async (id: string): Promise<number> => (await host.scrollback()).split(id).length - 1;
  // In any one request: the host's last may be of its own making, without the conversation.
  const timesTold = (id: string): number => Math.max(...host.requests().map((request) => ofOurs(toldTo(request)).filter((text) => text.includes(id)).length));

  // Before anything here has woken the agent: the gate would keep shut for that alone.
  test.each([
    ['during a call', '@@sleep on it', /begun; sleep 300/, /\[note\] the user interrupted the turn/],
    ['at a permission dialog', '@@ask me', /Do you want to proceed/, /\[note\] the user interrupted the turn/],
    ['among the words', '@@speak of it', /SPOKEN/, /\[note\] the user interrupted the turn/],
    // The host takes the prompt back without a word: only the next one's parent tells.
    ['before a word', '@@think it over', /think it over/, /\[note\] the conversation was rewound here/],
  ])('Esc %s ends the turn without a Stop: no pass looks at it, nothing wakes the agent, the next prompt is told', async (when, prompt, seen, note) => {
    const id = `sb-esc${prompt.slice(2, 5)}01`;
    const notes = ours.windows().split(note).length;
    const { count } = ours.status(session).passes;
    const before = host.requests().length;
    await host.prompt(prompt);
    await working();
    await host.waitFor(seen);
    worthy(id);
    await host.keys('Escape');
    if (when === 'before a word') await waitUntil(async () => !(await host.screen()).includes('esc to interrupt'), 10_000, () => host.screen());
    else await waitUntil(() => ours.turn(session).state === 'idle', 10_000, () => ours.report(session));
    await pause(LONG_ENOUGH_MS);
    expect(ours.waiting(session), ours.report(session)).toContain(id);
    expect(ours.status(session).passes.count, ours.report(session)).toBe(count);
    const asked = host.requests().length;
    expect(timesTold(id), `${asked - before} requests`).toBe(0);
    await host.keys('C-u');
    await host.prompt('Not that way.');
    await waitUntil(() => timesTold(id) === 1, 15_000, () => ours.report(session));
    await host.idle();
    expect(host.requests()).toHaveLength(asked + 1);
    expect(await timesOnScreen(id)).toBe(1);
    // The next turn that runs to its end is looked at, and what was broken off with it.
    // A prompt that was taken back before the host had written it down was never there.
    const isSeen = (): boolean => ours.windows().split(note).length > notes || (when === 'before a word' && !ours.windows().includes('think it over'));
    await waitUntil(() => isSeen() && ours.status(session).passes.count > count, 10_000, () => `${ours.report(session)}\n${ours.windows()}`);
  });

  test('a turn that the provider broke off wakes nobody either', async () => {
    await host.prompt('@@refused please');
    await working();
    worthy('sb-broken01');
    await host.waitFor(/CORNER-REFUSED/);
    await waitUntil(() => ours.turn(session).state === 'idle', 10_000, () => ours.report(session));
    await host.idle();
    expect(ours.waiting(session)).toContain('sb-broken01');
    const asked = host.requests().length;
    await pause(LONG_ENOUGH_MS);
    expect(host.requests(), ours.report(session)).toHaveLength(asked);
    await host.prompt('@@well then, go on');
    await waitUntil(() => timesTold('sb-broken01') === 1, 15_000, () => ours.report(session));
    await host.idle();
  });

  test('half-typed text survives a wake', async () => {
    await host.type('half of a thought');
    worthy('sb-half0001');
    await waitUntil(() => timesTold('sb-half0001') === 1, 20_000, () => ours.report(session));
    await host.idle();
    expect((await host.screen()).split('\n').some((line) => /^❯.half of a thought/.test(line)), await host.screen()).toBe(true);
    expect(await timesOnScreen('sb-half0001')).toBe(1);
    await host.keys('C-u');
  });

  test('an open permission dialog keeps everything waiting; once it is answered the advice rides beside the result', async () => {
    await host.prompt('@@ask something');
    await host.waitFor(/Do you want to proceed/);
    const opened = Date.now();
    worthy('sb-dialog01');
    await pause(4000);
    // By their arrival: one that Esc broke off is in the log only once its answer was due.
    expect(host.requests().filter(({ at }) => at >= opened)).toEqual([]);
    expect(await timesOnScreen('sb-dialog01')).toBe(0);
    await host.keys('Enter');
    await host.waitFor(/Asked and done so far\./);
    await host.idle();
    expect(timesTold('sb-dialog01'), ours.report(session)).toBe(1);
    expect(await timesOnScreen('sb-dialog01')).toBe(1);
  });

  test('Esc while our hook runs: what it had claimed is lost by evidence and told once at the next prompt', async () => {
    writeFileSync(join(world.dir, 'slow-node'), '');
    await host.prompt('@@stop soon');
    await working();
    plain('sb-escape01');
    await waitUntil(() => world.processes().some(({ command }) => /sleep 2/.test(command)), 10_000, async () => `no hook ran\n${await host.screen()}`);
    await host.keys('Escape');
    await host.waitFor(/Interrupted/);
    rmSync(join(world.dir, 'slow-node'));
    await pause(3000);
    await host.idle();
    await host.keys('C-u');
    await host.prompt('Go on then.');
    await waitUntil(() => timesTold('sb-escape01') === 1, 15_000, async () => `${ours.report(session)}\n${await host.screen()}`);
    await host.idle();
    expect(await timesOnScreen('sb-escape01')).toBe(1);
    await waitForHistory(ours, session, ({ id, event }) => id === 'sb-escape01' && event === 'confirmed');
  });

  test('a prompt typed mid-turn claims nothing; taken back, it takes no advice with it', async () => {
    await host.prompt('@@calm down');
    await working();
    plain('sb-queued01');
    await host.prompt('one more thing');
    await pause(700);
    expect(ours.waiting(session), ours.report(session)).toEqual(['sb-queued01']);
    await host.keys('Up');
    await pause(300);
    await host.keys('C-u');
    await host.waitFor(/Calm again\./);
    await host.idle();
    await host.keys('C-u');
    expect(timesTold('sb-queued01'), `${ours.report(session)}\n${await host.screen()}`).toBe(1);
    expect(await timesOnScreen('sb-queued01')).toBe(1);
    expect(JSON.stringify(host.requests().at(-1)?.body)).not.toContain('one more thing');
    expect(ours.windows()).not.toContain('one more thing');
  });

  test('a rewind is seen by the next prompt’s parent alone, and the session goes on', async () => {
    const rewinds = (): number => ours.windows().split('[note] the conversation was rewound here').length;
    const before = rewinds();
    await host.prompt('Before the rewind.');
    await host.waitFor(/Before the rewind\.[^]*Fine\./);
    await host.idle();
    await host.prompt('/rewind');
    await pause(800);
    await host.keys('Up');
    await host.keys('Enter');
    await host.waitFor(/1\. Restore conversation/);
    await host.keys('Enter');
    await waitUntil(async () => !(await host.screen()).includes('Restore conversation'), 5000, () => host.screen());
    await host.idle();
    await host.keys('C-u'); // the old prompt stands in the input box again
    await host.prompt('After the rewind.');
    await host.waitFor(/After the rewind\.[^]*Fine\./);
    await host.idle();
    // A model that answers at once is done before the host has written the prompt: the look at its turn may come too early.
    await host.prompt('And on.');
    await host.waitFor(/And on\.[^]*Fine\./);
    await host.idle();
    await waitUntil(() => rewinds() > before, 10_000, () => ours.windows());
    expect(JSON.stringify(host.requests().at(-1)?.body)).not.toContain('Before the rewind.');
  });

  test('nothing of ours went wrong', () => {
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });
});
