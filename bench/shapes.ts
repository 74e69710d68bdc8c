// Projection by what a transcript is made of, by its size and by threads: no shape may cost out of proportion to its bytes.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeText, type TextSource } from './corpus-text.ts';
import { writeCorpus } from './corpus.ts';
import { interleave, timeProcess, weighProcess } from './measure.ts';
import type { Line, Options, Result, Table } from './report.ts';
import { projectionLimits, slicesOf } from '../src/main/entry/reading.ts';
import { defaultKnobs } from '../src/main/floor/knobs.ts';
import { openPools } from '../src/main/pools.ts';

const MB = 1_000_000;

export const measureShapes = async (options: Options): Promise<Result> => {
  const { quick } = options;
  const { lines, table } = await byShape(options, quick ? 5 : 20);
  return {
    name: 'shapes',
    title: 'Projection by shape, size and threads',
    method:
      'Files of one shape each, all of the same size, projected with redaction by `second-brain project` as a process with its output thrown away, beside a program that reads the file and calls JSON.parse on every line: CPU time of the whole process, start of node included; interleaved rounds, medians. ' +
      'The mixed file is the generated session that the projection above is measured with. By size: one process each. By threads: the whole file through slices, on this thread or in ranges of 1 MB by a pool of that many threads with one range more in the making, threads started before the clock and code cold.',
    lines,
    tables: [table, ...(quick ? [] : [await bySize(options), await byThreads(options, 100)])],
  };
};

type Shape = (text: TextSource, n: number) => object;

const record = (n: number, fields: object): object => ({ parentUuid: n === 0 ? null : `u${n - 1}`, isSidechain: false, ...fields, uuid: `u${n}`, timestamp: '2026-03-02T09:00:00.000Z', sessionId: 'shapes', version: '2.1.332' });
const call = (n: number, name: string, input: object): object =>
  record(n, { type: 'assistant', message: { id: `msg_${n}`, type: 'message', role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${n}`, name, input }], usage: { input_tokens: 3, output_tokens: 40 } } });
const says = (n: number, text: string): object => record(n, { type: 'assistant', message: { id: `msg_${n}`, type: 'message', role: 'assistant', content: [{ type: 'text', text }], usage: { input_tokens: 3, output_tokens: 40 } } });
const prompt = (n: number, content: string): object => record(n, { type: 'user', message: { role: 'user', content }, origin: { kind: 'human' } });
const result = (n: number, content: string, failed: boolean): object =>
  record(n, { type: 'user', message: { role: 'user', content: [{ tool_use_id: `toolu_${n}`, type: 'tool_result', content, is_error: failed }] }, toolUseResult: failed ? `Error: ${content}` : { stdout: content, stderr: '', interrupted: false } });

const SHAPES: Readonly<Record<string, Shape>> = {
  'many short lines': (_, n) => says(n, 'ok.'),
  'unbroken words of 1 MB': (text, n) => call(n, 'Bash', { command: `echo ${text.id('').repeat(MB / 20)}`, description: 'Print' }),
  'all results': (text, n) => result(n, text.output(4000), false),
  'all failures': (text, n) => result(n, text.output(4000), true),
  'all prompts': (text, n) => prompt(n, text.prose(4000)),
  'all multibyte': (text, n) => says(n, '設定ファイルの👩‍💻翻訳данные'.repeat(60 + Math.floor(text.random() * 20))),
  'nested quotes': (text, n) => call(n, 'Bash', { command: `python -c ${nested(`print("${text.prose(40)}")`, 6)}`, description: 'Print' }),
  'all writes': (text, n) => call(n, 'Write', { file_path: `/home/dev/project/src/a${n}.ts`, content: text.output(8000) }),
};

/** A shell word in a shell word …: each level doubles what escapes it. */
const nested = (text: string, levels: number): string => (levels === 0 ? text : nested(JSON.stringify(text), levels - 1));

const writeShape = (path: string, shape: Shape, bytes: number): number => {
  const text = makeText(9);
  const file = openSync(path, 'w');
  let lines = 0;
  try {
    for (let done = 0; done < bytes; lines += 1) done += writeSync(file, `${JSON.stringify(shape(text, lines))}\n`);
  } finally {
    closeSync(file);
  }
  return lines;
};

const byShape = async ({ quick, plugin, folder, say }: Options, size: number): Promise<{ readonly lines: readonly Line[]; readonly table: Table }> => {
  const program = join(plugin, 'dist', 'command.cjs');
  const parser = join(import.meta.dirname, 'plain-parse.mjs');
  const cpu = (...args: string[]) => async (): Promise<number> => (await weighProcess(args, folder)).cpu_ms;
  const path = (name: string): string => join(folder, `shape-${name.replaceAll(' ', '-')}.jsonl`);
  const mixed = path('mixed');
  writeCorpus(mixed, { bytes: size * MB });
  const rows: string[][] = [];
  let worst: { name: string; ours: number; parse: number; mixed: number } | undefined;
  for (const [name, shape] of Object.entries(SHAPES)) {
    say(`projection of ${size} MB: ${name}`);
    const file = path(name);
    const lines = writeShape(file, shape, size * MB);
    let peak = 0;
    const ours = async (): Promise<number> => {
      const { peak_mb, cpu_ms } = await weighProcess([program, 'project', file], folder);
      peak = Math.max(peak, peak_mb);
      return cpu_ms;
    };
    const time = await interleave(quick ? 1 : 3, { parse: cpu(parser, file), ours, mixed: cpu(program, 'project', mixed) });
    rows.push([name, lines.toLocaleString('en'), `${Math.round(time.parse)} ms`, `${Math.round(time.ours)} ms`, (time.ours / time.parse).toFixed(2), (time.ours / time.mixed).toFixed(2), `${Math.round(peak)} MB`]);
    if (worst === undefined || time.ours / time.mixed > worst.ours / worst.mixed) worst = { name, ...time };
  }
  const { name, ours, mixed: limit } = worst ?? { name: '', ours: NaN, mixed: NaN };
  return {
    lines: [{ what: `the dearest shape (${name}), ${size} MB`, unit: 'ms', ours, limit: { what: 'as much of a mixed session', value: limit }, goal: { of: 'ratio', max: 4 }, usual: 2 }],
    table: { title: `By shape, ${size} MB each: CPU of whole processes`, columns: ['lines', 'how many', 'parse only', 'ours', 'ours / parse', 'ours / mixed session', 'peak'], rows },
  };
};

const bySize = async ({ plugin, folder, say }: Options): Promise<Table> => {
  const rows: string[][] = [];
  for (const size of [1, 10, 100, 1000]) {
    say(`projection of ${size} MB`);
    const file = join(folder, 'sized.jsonl');
    writeCorpus(file, { bytes: size * MB });
    const ms = await timeProcess({ file: process.execPath, args: [join(plugin, 'dist', 'command.cjs'), 'project', file] });
    const { peak_mb, cpu_ms } = await weighProcess([join(plugin, 'dist', 'command.cjs'), 'project', file], folder);
    rows.push([`${size.toLocaleString('en')} MB`, `${(ms / 1000).toFixed(2)} s`, `${(cpu_ms / 1000).toFixed(2)} s`, `${((statSync(file).size / MB / ms) * 1000).toFixed(0)} MB/s`, `${Math.round(peak_mb)} MB`]);
    rmSync(file);
  }
  return { title: 'By size, redaction included', columns: ['file', 'whole process', 'CPU', 'throughput', 'peak'], rows };
};

const byThreads = async ({ plugin, folder, say }: Options, size: number): Promise<Table> => {
  const file = join(folder, 'threads.jsonl');
  writeCorpus(file, { bytes: size * MB });
  const limits = projectionLimits(defaultKnobs(), []);
  const run = (threads: number) => async (): Promise<number> => {
    say(`${size} MB by ${threads} threads`);
    const pools = threads === 0 ? undefined : openPools({ dist: join(plugin, 'dist'), fork_threads: 1, width: 1, compute_threads: threads });
    try {
      if (pools !== undefined) await Promise.all(Array.from({ length: threads }, () => pools.project({ kind: 'project', path: file, from: 0, to: 0, limits })));
      const begun = performance.now();
      let records = 0;
      for await (const { items } of slicesOf(file, { limits, ...(pools === undefined ? {} : { pool: { project: pools.project, ahead: threads + 1, from_bytes: 0 } }) })) records += items.length;
      return (performance.now() - begun) / Math.sign(records);
    } finally {
      await pools?.close();
    }
  };
  const time = await interleave(3, { none: run(0), one: run(1), two: run(2), three: run(3) });
  return {
    title: `By threads, ${size} MB`,
    columns: ['threads of the pool', 'seconds', 'of this thread alone'],
    rows: Object.entries(time).map(([threads, ms], n) => [threads === 'none' ? 'none: on this thread' : String(n), (ms / 1000).toFixed(2), (ms / time.none).toFixed(2)]),
  };
};
