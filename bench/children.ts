// What the `host` provider weighs: as many print-mode children of the user's own CLI at once as a pass is wide, beside the host they come from.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, until } from './measure.ts';
import type { Line, Options, Result } from './report.ts';
import { unlessMissing } from '../src/main/floor/json-file.ts';
import { hostAvailable } from '../test/support/host-install.ts';
import { startWorld } from '../test/support/host-world.ts';
import { startHost } from '../test/support/host.ts';
import { installOurs, QUICK } from '../test/support/our-plugin.ts';

const WIDTH = 8;
/** Eight starts on two cores take their time; the first child must still wait for its answer when the last has asked. */
const ANSWER_MS = 25_000;
const SAMPLE_MS = 250;

export const measureChildren = async ({ plugin, say }: Options): Promise<Result | undefined> => {
  const available = hostAvailable();
  if (!available.ok) {
    say(`children: left out, ${available.because}`);
    return undefined;
  }
  say('children');
  const silent = JSON.stringify({ call: 'second_brain_detector_feedback', args: { verdict: 'silent' } });
  const world = await startWorld({
    script: { rules: [{ match: 'second_brain_detector_feedback', on: 'system', turn: { content: [silent], delay_ms: ANSWER_MS } }], fallback: { content: ['Fine.'] } },
  });
  try {
    const file = join(world.dir, 'detectors.json');
    writeFileSync(file, JSON.stringify({ detectors: Object.fromEntries(Array.from({ length: WIDTH }, (_, n) => [`lens-${n}`, { enabled: true, system: 'Look for what is left undone.' }])) }));
    const ours = installOurs(world, { ...QUICK, model: { provider: 'host' }, catalogue: { file }, loop: { ...QUICK.loop, host_width: WIDTH, fork_deadline_s: 120 } }, join(world.dir, 'second-brain'), plugin);
    const host = await startHost({ world, plugin: ours.plugin });
    await host.waitFor(/1 monitor/);
    await host.prompt('Go on.');
    await host.idle();
    const samples: (readonly Weight[])[] = [];
    await until(
      () => {
        const weights = world.processes().filter(({ command }) => command.includes('--no-session-persistence')).flatMap(({ pid }) => weightOf(pid) ?? []);
        if (weights.length === WIDTH) samples.push(weights);
        return samples.length > 0 && weights.length < WIDTH;
      },
      120_000,
      SAMPLE_MS,
    );
    const most = samples.reduce((heaviest, each) => (sum(each) > sum(heaviest) ? each : heaviest));
    const own = weightOf(host.pid)?.pss ?? NaN;
    const monitor = ours.monitors().map(({ pid }) => weightOf(pid)?.pss ?? NaN)[0] ?? NaN;
    const one = median(most.map(({ pss }) => pss));
    const lines: readonly Line[] = [
      { what: `${WIDTH} children at once, together`, unit: 'MB', ours: sum(most), limit: { what: 'the host itself', value: own } },
      { what: 'one of them, median', unit: 'MB', ours: one, limit: { what: 'the host itself', value: own } },
      { what: 'one of them as VmRSS tells it, the program it shares with all others counted whole', unit: 'MB', ours: median(most.map(({ rss }) => rss)) },
      { what: 'what one of them has alone, median: what each further one adds', unit: 'MB', ours: median(most.map(({ alone }) => alone)) },
      { what: 'the monitor beside them', unit: 'MB', ours: monitor },
    ];
    return {
      name: 'children',
      title: 'Children of the `host` provider',
      method:
        `Host and plugin as a user runs them, in a closed network, with \`model.provider\` set to \`host\`, \`loop.host_width\` to ${WIDTH} and a catalogue of ${WIDTH} detectors: a pass starts ${WIDTH} \`claude -p\` and a scripted model lets all of them wait for its answer. Memory is Pss (what a process has alone, and its share of what it has with others), in the heaviest of samples ${SAMPLE_MS} ms apart. These are the user's own program, not ours, live for one fork each, and are left out of the figures of the monitor above.`,
      lines,
    };
  } finally {
    await world.stop();
  }
};

type Weight = { readonly pss: number; readonly rss: number; readonly alone: number };

const sum = (weights: readonly Weight[]): number => weights.reduce((total, { pss }) => total + pss, 0);

/** In MB; undefined when it has ended. */
const weightOf = (pid: number): Weight | undefined => {
  const text = unlessMissing(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text ?? '')?.[1] ?? NaN) / 1024;
  return text === undefined ? undefined : { pss: field('Pss'), rss: field('Rss'), alone: field('Private_Clean') + field('Private_Dirty') };
};
