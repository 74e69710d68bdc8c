// Projection of whole transcripts as processes, against the same file only parsed; and what it leaves of the main loop.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writePlainCorpus } from './corpus-plain.ts';
import { writeCorpus } from './corpus.ts';
import { interleave, longestStall, timeProcess, weighProcess } from './measure.ts';
import { measureCurve, measureSteps } from './projection-steps.ts';
import type { Line, Options, Result, Table } from './report.ts';
import { projectionLimits } from '../src/main/entry/reading.ts';
import { defaultKnobs } from '../src/main/floor/knobs.ts';
import { createChain } from '../src/main/ingest/chain.ts';
import { cutRanges } from '../src/main/ingest/transcript-file.ts';
import { openPools } from '../src/main/pools.ts';

const MB = 1_000_000;
/** What the monitor hands to the pool at once. */
const RANGE = 250_000;

export const measureProjection = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  const rows: string[][] = [];
  const lines: Line[] = [];
  const parser = join(import.meta.dirname, 'plain-parse.mjs');
  const program = join(plugin, 'dist', 'command.cjs');
  const largest = quick ? 20 : 200;
  const files = [
    ...(quick ? [20] : [1, 20, 200]).map((size) => ({ size, what: `${size} MB`, make: (path: string) => writeCorpus(path, { bytes: size * MB }).records })),
    { size: largest, what: `${largest} MB of contents`, make: (path: string) => writePlainCorpus(path, { bytes: largest * MB }) },
  ];
  for (const { size, what, make } of files) {
    say(`projection of ${what}`);
    const file = join(folder, `${what.replaceAll(' ', '-')}.jsonl`);
    const records = make(file);
    const node = (...args: string[]) => (): Promise<number> => timeProcess({ file: process.execPath, args });
    const time = await interleave(size === 200 ? 5 : 3, {
      lines: () => timeProcess({ file: 'wc', args: ['-l', file] }),
      parse: node(parser, file),
      whole: node(program, 'project', file),
      bare: node(program, 'project', '--no-redact', file),
    });
    const weight = await weighProcess([program, 'project', file], folder);
    const other = await weighProcess([parser, file], folder);
    const stall = await least(quick ? 3 : 5, () => stallOf(file, plugin));
    rows.push([`${what}, ${records.toLocaleString('en')} records`, ms(time.lines), ms(time.parse), ms(time.whole), ms(time.bare), ms(other.cpu_ms), ms(weight.cpu_ms), `${weight.peak_mb.toFixed(0)} MB`, `${stall.toFixed(1)} ms`]);
    if (size !== largest) continue;
    const parse = { what: 'read and JSON.parse', value: time.parse };
    lines.push(
      { what: `${what}, redaction included`, unit: 'ms', ours: time.whole, limit: parse, ...(size === 200 ? { goal: { of: 'ratio', max: 0.8 } } : { goal: { of: 'ratio', max: 4.5 } }) },
      { what: `${what}, without redaction`, unit: 'ms', ours: time.bare, limit: parse },
      { what: `${what}, without redaction, against wc -l`, unit: 'ms', ours: time.bare, limit: { what: 'wc -l', value: time.lines }, ...(size === 200 ? { goal: { of: 'ratio', max: 25 } } : {}) },
      { what: `${what}, redaction included: CPU time of all threads`, unit: 'ms', ours: weight.cpu_ms, limit: { what: 'read and JSON.parse', value: other.cpu_ms } },
      { what: `${what}: peak memory`, unit: 'MB', ours: weight.peak_mb, limit: { what: 'read and JSON.parse', value: other.peak_mb }, goal: { of: 'ours', max: 120 } },
      { what: `${what}: longest stall of the main loop`, unit: 'ms', ours: stall, limit: { what: 'idle main thread beside a busy thread', value: await least(3, idleStall) }, goal: { of: 'ours', max: 10 } },
    );
  }
  const table: Table = { title: 'By size, whole processes', columns: ['file', 'wc -l', 'parse only', 'ours', 'without redaction', 'CPU: parse only', 'CPU: ours', 'peak', 'stall'], rows };
  return {
    name: 'projection',
    title: 'Projection of a transcript',
    method:
      'Generated transcripts with the volume shares of long real sessions (47.8 % tool results, 34.7 % arguments, 10.8 % agent text, 6.7 % prompts; 3 % multibyte words; a 1 MB line every 10 MB) in the records of a real host: its envelopes, results told twice, its own bookkeeping between. ' +
      '*Of contents* is a file of the same shares and words with nothing around them, so of half as many records of 0.7 to 20 kB each, results told once: what the goals were set on. ' +
      '`second-brain project FILE` with its output thrown away, start of node included, against a program that reads the same file and calls JSON.parse on every line and nothing else; page cache warm, rounds interleaved, medians. ' +
      'The stall is the longest gap between two turns of the main loop while the pool projects range after range of 250 kB and main takes the results over, as the monitor does; the best of five runs, since other processes can only make it longer.',
    lines,
    tables: [table, await measureSteps(join(folder, '20-MB.jsonl'), quick ? 3 : 9), ...(quick ? [] : [measureCurve(join(folder, '200-MB.jsonl'))])],
  };
};

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`;

/** The best of some runs: whatever else the machine does can only make a stall longer. */
const least = async (runs: number, measure: () => Promise<number>): Promise<number> => {
  const values: number[] = [];
  for (let run = 0; run < runs; run += 1) values.push(await measure());
  return Math.min(...values);
};

/** As the monitor catches up: one range after the other from the pool, taken over by main. */
const stallOf = async (file: string, plugin: string): Promise<number> => {
  const pools = openPools({ dist: join(plugin, 'dist'), fork_threads: 1, width: 1, compute_threads: 2 });
  const limits = projectionLimits(defaultKnobs(), []);
  const chain = createChain();
  const ranges = cutRanges(file, 0, statSync(file).size, RANGE);
  const take = async (some: typeof ranges): Promise<void> => {
    for (const range of some) chain.fold((await pools.project({ kind: 'project', path: file, ...range, limits })).items, 'history');
  };
  try {
    await take(ranges.slice(0, 1)); // opens the thread
    return await longestStall(() => take(ranges.slice(1)));
  } finally {
    await pools.close();
  }
};

/** What this machine does to a main thread that does nothing while another thread works. */
const idleStall = async (): Promise<number> => {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker('const end = Date.now() + 1500; while (Date.now() < end) JSON.parse("[1,2,3]");', { eval: true });
  return longestStall(() => new Promise((resolve) => worker.once('exit', () => resolve())));
};
