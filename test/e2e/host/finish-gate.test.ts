// Work left undone in the real host: one continuation or one wake, its text once on screen, and then peace.
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import type { ScriptBlock, Turn } from '../../support/host-script.ts';
import { startHost, toldTo, type Host } from '../../support/host.ts';
import { pause, startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { withdrawMail } from '../../../src/main/speak/mailbox-file.ts';
import { installOurs, ofOurs, QUICK, sessionOf, waitForHistory, type OurPlugin } from '../../support/our-plugin.ts';

const edit = (file: string): ScriptBlock => ({ tool: 'Write', input: { file_path: file, content: 'export const add = (a, b) => a + b;\n' } });
const done = (text: string): Turn => ({ content: [text] });
const shell = (command: string): ScriptBlock => ({ tool: 'Bash', input: { command, description: 'Serve', run_in_background: true } });

const STOPS = 30;

// Longer than the two seconds of certainty, the ring and the host's own delay together.
const LONG_ENOUGH_MS = 3500;

describeHost('the finish gate in the real host', () => {
  let world: World;
  let host: Host;
  let ours: OurPlugin;

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: {
          serve: [{ content: [shell('sleep 300')] }, { content: [edit('src/serve.ts'), edit('src/port.ts')] }, done('Implemented the server; it is done.')],
          watch: [{ content: [shell('sleep 301')] }, done('Watching it; the rest is done.')],
          round: [{ content: ['Went over add again; it is done.'], delay_ms: 1500 }],
          add: [{ content: [edit('src/add.ts'), edit('src/sum.ts')] }, done('Implemented add; everything is done.'), done('Woken: noted.')],
          slow: [{ content: ['It is all finished.'], delay_ms: 2500 }, done('Held: noted.')],
        },
        fallback: { content: ['Fine.'] },
      },
    });
    ours = installOurs(world, QUICK);
    host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  const ended = async (text: RegExp): Promise<void> => {
    await waitUntil(async () => text.test(await host.scrollback()), 30_000, async () => `not seen: ${String(text)}\n${await host.scrollback()}\n${ours.report(sessionOf(host))}`);
    await host.idle();
  };

  test('a background shell holds the gate shut, and after /clear nothing of it is left to say', async () => {
    await host.prompt('@@serve build a server');
    await ended(/it is done\./);
    const session = sessionOf(host);
    await waitForHistory(ours, session, ({ event, advice }) => event === 'enqueued' && advice?.finish_gate === true && advice.confidence > 0.75);
    const before = host.requests().length;
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length, ours.report(session)).toBe(before);
    expect(ours.waiting(session).length).toBeGreaterThan(0);
    await host.prompt('/clear');
    await waitUntil(() => ours.waiting(session).length === 0, 10_000, () => ours.report(session));
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length).toBe(before);
    for (const { pid, command } of world.processes()) if (command.startsWith('sleep 300')) process.kill(pid);
    await host.idle();
  });

  test('once the background shell has ended the bell works again', async () => {
    await host.prompt('@@watch what happens');
    await ended(/the rest is done\./);
    const session = sessionOf(host);
    await waitUntil(() => ours.turn(session).state === 'idle', 10_000, () => ours.report(session));
    const held = ours.put(host, session, { id: 'sb-shell001', task_id: ours.turn(session).task, finish_gate: true, confidence: 0.95, dedup_key: 'shell' });
    const before = host.requests().length;
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length, ours.report(session)).toBe(before);
    for (const { pid, command } of world.processes()) if (command.startsWith('sleep 301')) process.kill(pid);
    // The host itself wakes the agent with the news, and what waited rides along.
    await waitUntil(() => host.requests().length > before, 15_000, () => ours.report(session));
    await host.idle();
    expect(host.requests().length).toBe(before + 1);
    expect(ofOurs(toldTo(host.requests().at(-1))).join('\n'), ours.report(session)).toContain(held.id);
    const rung = ours.put(host, session, { id: 'sb-shell002', task_id: ours.turn(session).task, finish_gate: true, confidence: 0.95, dedup_key: 'bell' });
    await waitForHistory(ours, session, (line) => line.id === rung.id && line.event === 'confirmed' && line.channel === 'bell');
    await host.idle();
    expect(host.requests().length).toBe(before + 2);
    expect(toldTo(host.requests().at(-1)).join('\n').split(rung.id)).toHaveLength(2);
    await host.prompt('/clear');
    await host.idle();
  });

  test('a bell whose mail has gone before it is answered costs no request, and the wake is still to be had', async () => {
    await host.prompt('Hello there.');
    await host.waitFor(/Hello there\.[^]*Fine\./);
    await host.idle();
    const session = sessionOf(host);
    await waitUntil(() => existsSync(ours.paths.turn(session)) && ours.turn(session).state === 'idle', 10_000, () => ours.report(session));
    const before = host.requests().length;
    ours.put(host, session, { id: 'sb-gone0001', task_id: ours.turn(session).task, finish_gate: true, confidence: 0.95, dedup_key: 'gone' });
    // The host gathers a monitor's lines for 200 ms before it asks our hook.
    await waitUntil(() => existsSync(ours.paths.bell(String(host.pid))), 15_000, () => ours.report(session));
    expect(withdrawMail(ours.paths.mailbox(session), 'sb-gone0001'), 'too slow').toBe(true);
    await host.waitFor(/nothing that cannot wait/);
    await host.idle();
    expect(host.requests().length, ours.report(session)).toBe(before);
    expect(ours.turn(session).wake_used).toBe(false);
  });

  test('the agent declares untested work done: it is woken once, past our own monitor, with one text', async () => {
    await host.prompt('@@add write add');
    await ended(/everything is done\./);
    const session = sessionOf(host);
    await ended(/Woken: noted\./);
    const told = ofOurs(toldTo(host.requests().at(-1)));
    expect(told, ours.report(session)).toHaveLength(1);
    expect(told[0]).toMatch(/UserPromptSubmit hook additional context: \[Second Brain sb-/);
    expect(told[0]).toContain('src/add.ts');
    const id = /sb-[0-9a-z]{8}/.exec(told[0] ?? '')?.[0] ?? 'none';
    expect((await host.scrollback()).split(id)).toHaveLength(2);
    await waitForHistory(ours, session, (line) => line.id === id && line.event === 'confirmed' && line.channel === 'bell');
    // The turn was ours: nobody looks at its end.
    await waitUntil(() => (ours.status(session).passes.holds['own-turn'] ?? 0) > 0, 10_000, () => ours.report(session));
    const woken = ours.history(session).find((line) => line.id === id && line.event === 'confirmed')?.at ?? 0;
    expect(ours.status(session).last_pass?.at).toBeLessThan(woken);
  });

  test('after a wake there is none until a person types, and in 30 further Stops with work undone none within the hour', async () => {
    const session = sessionOf(host);
    const { task } = ours.turn(session);
    const put = (id: string): unknown => ours.put(host, session, { id, task_id: task, finish_gate: true, confidence: 0.95, dedup_key: id });
    const stops = (): number => readFileSync(host.transcript() ?? '', 'utf8').split('"subtype":"stop_hook_summary"').length;
    expect(ours.turn(session).wake_used).toBe(true);
    put('sb-second01');
    const before = host.requests().length;
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length, ours.report(session)).toBe(before);
    const stopped = stops();
    await host.type('@@round 1 of add');
    await pause(300);
    for (let round = 1; round <= STOPS; round += 1) {
      const id = `sb-stop${String(round).padStart(4, '0')}`;
      await host.keys('Enter');
      await waitUntil(() => host.requests().length === before + round, 10_000, async () => `round ${round}\n${await host.screen()}`);
      // Behind the prompt's hook, which would take it and which the request has waited for, and before the Stop, which would be continued for it.
      put(id);
      expect(stops(), `too slow in round ${round}`).toBe(stopped + round - 1);
      if (round < STOPS) await host.type(`@@round ${round + 1} of add`);
      await waitUntil(() => stops() === stopped + round, 15_000, async () => `${ours.report(session)}\n${await host.screen()}`);
      expect(ours.waiting(session), `round ${round}`).toContain(id);
    }
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length, ours.report(session)).toBe(before + STOPS);
    expect(ours.turn(session)).toMatchObject({ wake_used: false, task });
  });

  test('a Stop with undone work in the mailbox goes on once; the text stands on screen once', async () => {
    await host.prompt('/clear');
    await host.prompt('Hello again.');
    await waitUntil(() => host.requests().at(-1)?.body.messages?.length !== undefined && JSON.stringify(host.requests().at(-1)?.body).includes('Hello again.'), 15_000, 'no request');
    await host.idle();
    const session = sessionOf(host);
    const before = host.requests().length;
    await host.prompt('@@slow finish it');
    await waitUntil(() => ours.turn(session).state === 'working', 10_000, () => ours.report(session));
    const item = ours.put(host, session, { id: 'sb-held0001', task_id: ours.turn(session).task, finish_gate: true, confidence: 0.95 });
    await ended(/Held: noted\./);
    await pause(LONG_ENOUGH_MS);
    expect(host.requests().length - before, ours.report(session)).toBe(2);
    const told = ofOurs(toldTo(host.requests().at(-1)));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`Stop hook additional context: [Second Brain ${item.id}]`);
    expect((await host.scrollback()).split(item.id)).toHaveLength(2);
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });
});
