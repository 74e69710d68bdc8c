// In the real host: from the end of a turn to advice in the mailbox and, by the bell, on the screen; and how long a tool call
// waits for our hook, as the host itself notes it.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './measure.ts';
import type { Line, Options, Result } from './report.ts';
import type { Signal } from '../src/main/records.ts';
import { listMail } from '../src/main/speak/mailbox-file.ts';
import { hostAvailable } from '../test/support/host-install.ts';
import { pause, startWorld, waitUntil } from '../test/support/host-world.ts';
import { startHost, type Host } from '../test/support/host.ts';
import { feedback, installOurs, SCRIPTED, sessionOf, type OurPlugin } from '../test/support/our-plugin.ts';
import { hookTimes, makeRulers } from '../test/support/rulers.ts';

const MODEL_MS = 400;
const MAILBOX_MS = 120;
/** Two of them are the bell's certainty that the session is idle. */
const SCREEN_MS = 2500;

export const measureStop = async ({ quick, plugin, say }: Options): Promise<Result | undefined> => {
  const available = hostAvailable();
  if (!available.ok) {
    say(`stop: left out, ${available.because}`);
    return undefined;
  }
  say('stop');
  const [runs, calls] = quick ? [3, 12] : [30, 60];
  const call = (n: number): object => ({ content: [{ tool: 'Bash', input: { command: `echo call-${n}`, description: 'Say it' } }] });
  const world = await startWorld({ script: { scenarios: { many: [...Array.from({ length: calls }, (_, n) => call(n)), { content: ['All said.'] }] }, fallback: { content: ['Fine.'] } } });
  try {
    const ours = installOurs(world, CONFIG, join(world.dir, 'second-brain'), plugin);
    const host = await startHost({ world, plugin: ours.plugin, args: ['--plugin-dir', makeRulers(world, ours)] });
    await host.waitFor(/1 monitor/);
    await host.prompt('@@many say them');
    await host.waitFor(/All said\./, 120_000);
    await host.idle();
    const session = sessionOf(host);
    await waitUntil(() => ours.status(session).passes.count > 0 && ours.status(session).phase === 'watching', 20_000, () => ours.report(session));
    const hooks = hookTimes(host.records());
    const times: Times[] = [];
    for (let n = 0; n < runs; n += 1) times.push(await oneStop(host, ours, n));
    const model = median(times.map((time) => time.model));
    const lines: readonly Line[] = (['mailbox', 'screen'] as const).flatMap((end) => {
      const own = times.map((time) => time[end] - time.model);
      const what = end === 'mailbox' ? 'a Stop to advice in the mailbox' : 'a Stop to advice on the screen, by bell';
      return [
        { what: `${what}, p50`, unit: 'ms', ours: model + quantile(own, 0.5), limit: { what: 'the model', value: model } },
        { what: `${what}, p95, the model taken off`, unit: 'ms', ours: quantile(own, 0.95), goal: { of: 'ours', max: end === 'mailbox' ? MAILBOX_MS : SCREEN_MS } },
      ];
    });
    return {
      name: 'stop',
      title: 'The end of a turn, in the real host',
      method:
        `Host and plugin as a user runs them, in a closed network with a scripted model that answers the one detector's request after ${MODEL_MS} ms; ${runs} turns in one session. From the time in the hook's Stop signal to the moment the advisory's file stands in the mailbox, and to the first look at the terminal that shows it; of both the time between the arrival of the request at the model and the end of its answer is taken off. ` +
        `Hooks: ${calls} tool calls, each with two hooks side by side that print an empty object, since the host notes how long only such hooks took: one reads guard.sh as our hook does, one is a shell and nothing else; means, as the host counts whole milliseconds.`,
      lines: [...lines, { what: 'PostToolUse without mail, as the host notes it', unit: 'ms', ours: mean(hooks.ours), limit: { what: 'sh alone', value: mean(hooks.bare) }, goal: { of: 'ratio', max: 3 } }],
    };
  } finally {
    await world.stop();
  }
};

// One detector, asked at a turn's end alone, that nothing holds back from saying the like of it again and again.
const CONFIG = {
  ...SCRIPTED,
  loop: { ...SCRIPTED.loop, salience_triggers: [] },
  gate: { cooldown_s: 0, rate_per_hour: 1000, dedup_threshold: 1 },
  calibration: { step: 0, mute_below: 0 },
  budget: { tokens_per_task: 1e9, tokens_per_hour: 1e9 },
};

/** Milliseconds since the Stop; `model` is how long the model took. */
type Times = { readonly mailbox: number; readonly screen: number; readonly model: number };

const oneStop = async (host: Host, ours: OurPlugin, n: number): Promise<Times> => {
  const session = sessionOf(host);
  const said = feedback({ verdict: 'advise', headline: `Part ${n} is said to be done and was not tested.`, body: '', evidence: ['#1'], confidence: 0.95, dedup_key: `part-${n}`, finish_gate: true });
  await host.world.setScript({ observer: { ...said, delay_ms: MODEL_MS } });
  ours.reopenGate();
  const asked = host.observerRequests().length;
  await host.prompt(`Go on with part ${n}.`);
  const worthy = () => listMail(ours.paths.mailbox(session)).find(({ advice }) => advice.finish_gate);
  await waitUntil(() => worthy() !== undefined, 20_000, () => `no advice\n${ours.report(session)}`);
  const name = worthy()?.name ?? '';
  const mailbox = statSync(join(ours.paths.mailbox(session), 'new', name)).ctimeMs; // moved there
  const stop = stopTime(ours, host);
  const screen = await shownAt(host, name, ours);
  await host.idle();
  const request = host.observerRequests()[asked];
  return { mailbox: mailbox - stop, screen: screen - stop, model: (request?.done_at ?? NaN) - (request?.at ?? NaN) };
};

const stopTime = (ours: OurPlugin, host: Host): number => {
  const signals = readFileSync(ours.paths.spool(String(host.pid)), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Signal);
  return signals.findLast(({ event }) => event === 'Stop')?.at ?? NaN;
};

const shownAt = async (host: Host, id: string, ours: OurPlugin): Promise<number> => {
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(5)) if ((await host.screen()).includes(id)) return Date.now();
  throw new Error(`not shown\n${await host.screen()}\n${ours.report(sessionOf(host))}`);
};

const quantile = (values: readonly number[], part: number): number => values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? NaN;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
