// A long day: does memory stay flat, do files stay bounded, and what does a watched day cost of a processor?
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startModel } from './pass-fixture.ts';
import type { Line, Options, Result, Table } from './report.ts';
import type { Sample, SoakTask, SoakTold } from './soak-run.ts';
import { writeDay } from './soak-source.ts';

type Day = { readonly name: string; readonly hours: number; readonly observations: number; readonly sample_min: number; readonly url?: string };

export const measureSoak = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  const run = async ({ name, url, ...day }: Day): Promise<SoakTold> => {
    say(`${day.hours} hours with ${day.observations.toLocaleString('en')} observations, judged by ${name}`);
    const root = join(folder, `soak-${name}`);
    mkdirSync(root);
    const source = join(root, 'day.jsonl');
    await writeDay(source, { ...day, root: '/home/dev/project', seed: 5 });
    const task: SoakTask = { source, root, plugin, sample_min: day.sample_min, ...(url === undefined ? {} : { url }) };
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--max-semi-space-size=2', join(import.meta.dirname, 'soak-run.mjs'), JSON.stringify(task)], { maxBuffer: 10_000_000 });
    const told = JSON.parse(stdout) as SoakTold;
    if (told.errors.length > 0) throw new Error(`the soak with ${name} went wrong: ${told.errors.join('; ')}`);
    return told;
  };
  const local: Day = quick ? { name: 'local', hours: 2, observations: 3000, sample_min: 4 } : { name: 'local', hours: 24, observations: 54_000, sample_min: 15 };
  const lines: Line[] = [];
  const tables: Table[] = [];
  const add = (day: Day, told: SoakTold): void => {
    lines.push(...linesOf(day, told));
    tables.push(tableOf(day, told));
  };
  add(local, await run(local));
  if (!quick) {
    const model = await startModel({ kind: 'link', tls: false, timing: { ttft_ms: 0, tokens_per_s: 0, rtt_ms: 0 }, output: 40, tool: false });
    const scripted: Day = { name: 'a scripted provider', hours: 4, observations: 9000, sample_min: 5, url: model.url };
    try {
      add(scripted, await run(scripted));
    } finally {
      model.close();
    }
  }
  return {
    name: 'soak',
    title: 'A long day',
    method:
      'A drawn day of edits, commands, failures and claims, told line by line to the steps of the monitor’s cycle (spool, transcript, session, passes, mail claimed as hooks do and confirmed by records, sweep) in a process of its own whose clock is the session’s. ' +
      'Held memory is heap and buffers after some collections, resident memory is as it stands then, with the pools’ threads and the benchmark’s own code in it. The first quarter is warm-up; the least of the second is compared with the least of the last, since a sample also holds whatever was on its way between threads, and a window that is filled from 60 to 85 per cent and compacted again. CPU is that of all threads, against the time that goes by in the session.',
    lines,
    tables,
  };
};

const linesOf = ({ name, hours, observations }: Day, { samples, observations: seen }: SoakTold): readonly Line[] => {
  const quarter = Math.floor(samples.length / 4);
  const warm = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  const least = (some: readonly Sample[], of: (sample: Sample) => number): number => Math.min(...some.map((sample) => of(sample)));
  const flat = (what: string, of: (sample: Sample) => number, max: number): Line =>
    ({ usual: 1, what: `${name}: ${what}`, unit: 'MB', ours: least(last, of), limit: { what: 'in the second quarter', value: least(warm, of) }, goal: { of: 'ratio', max } });
  const end = samples.at(-1);
  if (end === undefined || seen < observations * 0.9) throw new Error(`the soak saw ${seen} of ${observations} observations`);
  return [
    flat('held memory in the last quarter', ({ held_mb }) => held_mb, 1.1),
    flat('resident memory in the last quarter', ({ rss_mb }) => rss_mb, 1.15),
    flat('files without the records of passes and advice', ({ disk_mb, kept_mb }) => disk_mb - kept_mb, 1.5),
    { what: `${name}: growth of held memory in an hour, by a line through the samples after warm-up`, unit: 'MB', ours: slope(samples.slice(quarter).map(({ hour, held_mb }) => [hour, held_mb])) },
    { what: `${name}: records of passes and advice, an hour`, unit: 'MB', ours: end.kept_mb / hours },
    { what: `${name}: CPU of a core`, unit: '%', ours: end.cpu_ms / hours / 36_000 },
  ];
};

/** Of the least squares' line through the points. */
const slope = (points: readonly (readonly [number, number])[]): number => {
  const n = points.length;
  const [x, y] = [0, 1].map((axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / n) as [number, number];
  return points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
};

const tableOf = ({ name, hours }: Day, { samples, observations }: SoakTold): Table => {
  const step = Math.max(1, Math.round(samples.length / 8));
  const shown = samples.filter((_, n) => n % step === step - 1 || n === samples.length - 1);
  return {
    title: `${name}: ${hours} hours, ${observations.toLocaleString('en')} observations`,
    columns: ['hour', 'held', 'resident', 'files', 'on disk', 'passes and advice', 'passes', 'compactions', 'advisories', 'claimed'],
    rows: shown.map((sample) => [
      sample.hour.toFixed(2), `${sample.held_mb.toFixed(1)} MB`, `${Math.round(sample.rss_mb)} MB`, String(sample.files), `${sample.disk_mb.toFixed(2)} MB`, `${sample.kept_mb.toFixed(2)} MB`,
      ...[sample.passes, sample.compactions, sample.advice, sample.claimed].map(String),
    ]),
  };
};
