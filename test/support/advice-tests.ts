// What advice must do while the agent works, for a plugin that got into the host one way or the other.
import { beforeAll, expect, test } from 'vitest';
import type { Script, ScriptBlock } from './host-script.ts';
import { toldTo, type Host } from './host.ts';
import { waitUntil } from './host-world.ts';
import { ofOurs, sessionOf, waitForHistory, type OurPlugin } from './our-plugin.ts';

const run = (command: string): ScriptBlock => ({ tool: 'Bash', input: { command, description: 'Run it' } });
const failing = (folder: string) => [`ls /no/${folder}`, `ls /no/${folder} 2>&1`, `LANG=C  ls /no/${folder}`].map((command) => ({ content: [run(command)], delay_ms: 700 }));
const PARALLEL = Array.from({ length: 8 }, (_, index) => `echo parallel-${index}`);

/** What the scripted model answers in these tests. */
export const ADVICE_SCRIPT: Script = {
  scenarios: {
    retry: [...failing('alpha'), { content: [run('echo other')], delay_ms: 2500 }, { content: ['Gave up on alpha.'] }],
    again: [...failing('beta'), { content: [run('cat /no/such-file')], delay_ms: 2500 }, { content: ['Gave up on beta.'] }],
    agent: [{ content: [{ tool: 'Agent', input: { description: 'Look around', prompt: '@@inside look', subagent_type: 'general-purpose' } }] }, { content: ['Sent somebody.'] }, { content: ['Heard back.'] }],
    inside: [{ content: [run('echo inside-1')], delay_ms: 1500 }, { content: [run('echo inside-2')], delay_ms: 3000 }, { content: ['Nothing there.'] }],
    many: [{ content: PARALLEL.map(run) }, { content: ['All eight ran.'] }],
  },
  fallback: { content: ['Fine.'] },
};

export type Watched = { readonly host: Host; readonly ours: Omit<OurPlugin, 'plugin'> };

/** The tests, inside a `describe` whose world speaks `ADVICE_SCRIPT`; `started` is asked in a `beforeAll`. */
export const adviceTests = (started: () => Watched): void => {
  let host: Host;
  let ours: Watched['ours'];
  let session = '';

  beforeAll(() => {
    ({ host, ours } = started());
  });

  const toldIn = (text: string): readonly string[] => ofOurs(toldTo(host.requests().at(-1))).filter((told) => told.includes(text));

  test('advice mid-turn reaches the next request as hook context and the screen in the same words, once', async () => {
    await host.prompt('@@retry look at that folder');
    await host.waitFor(/Gave up on alpha\./, 60_000);
    await host.idle();
    session = sessionOf(host);
    const told = toldIn('/no/alpha');
    expect(told, ours.report(session)).toHaveLength(1);
    expect(told[0]).toMatch(/PostToolUse:Bash hook additional context: \[Second Brain sb-/);
    const id = /sb-[0-9a-z]{8}/.exec(told[0] ?? '')?.[0] ?? 'none';
    expect((await host.scrollback()).split(id), 'once on the screen').toHaveLength(2);
    // The screen breaks lines where it likes.
    const bare = (text: string): string => text.replaceAll(/\s/g, '');
    expect(bare(await host.scrollback())).toContain(bare((told[0] ?? '').slice((told[0] ?? '').indexOf('[Second Brain sb-'))));
    expect(told[0]).toContain('has failed 3 times with no success between');
    await waitForHistory(ours, session, (line) => line.id === id && line.event === 'confirmed');
  });

  test('advice rides beside a failed call as well', async () => {
    await host.prompt('@@again look at the other folder');
    await host.waitFor(/Gave up on beta\./, 60_000);
    await host.idle();
    const told = toldIn('/no/beta');
    expect(told, ours.report(session)).toHaveLength(1);
    expect(told[0]).toMatch(/PostToolUseFailure:Bash hook additional context: \[Second Brain sb-/);
    const id = /sb-[0-9a-z]{8}/.exec(told[0] ?? '')?.[0] ?? 'none';
    expect((await host.scrollback()).split(id)).toHaveLength(2);
    await waitForHistory(ours, session, (line) => line.id === id && line.event === 'confirmed');
  });

  test('B5: a subagent’s call takes no advice, the next prompt does', async () => {
    await host.prompt('@@agent send somebody');
    await host.waitFor(/Sent somebody\./);
    const item = ours.put(host, session, { id: 'sb-agent001', headline: 'The main session alone reads this.' });
    await host.waitFor(/Heard back\.|Nothing there\./, 30_000);
    await host.idle();
    const inside = host.requests().filter(({ body }) => JSON.stringify(body).includes('inside-2'));
    expect(inside.length).toBeGreaterThan(0);
    expect(JSON.stringify(inside.filter(({ body }) => !JSON.stringify(body).includes('@@agent')).map(({ body }) => body))).not.toContain(item.id);
    await host.prompt('Anything else?');
    await waitUntil(() => toldIn(item.id).length > 0, 15_000, () => `not told: ${ours.report(session)}`);
    await host.idle();
    expect(toldIn(item.id)).toHaveLength(1);
    expect((await host.scrollback()).split(item.id)).toHaveLength(2);
  });

  test('eight calls in parallel are observed once each', async () => {
    await host.prompt('@@many run them');
    await host.waitFor(/All eight ran\./, 30_000);
    await host.idle();
    await waitUntil(() => ours.windows().includes('All eight ran.'), 15_000, ours.log);
    for (const command of PARALLEL) expect(ours.windows().split(`"command":"${command}"`), command).toHaveLength(2);
  });

  test('nothing of ours was observed, and nothing went wrong', () => {
    expect(ours.windows()).not.toContain('[Second Brain sb-');
    expect(ours.log()).not.toMatch(/failed:|uncaught|unhandled|could not start/);
  });
};
