// Where the time of a projection goes: its steps one by one, in one warm thread.
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Table } from './report.ts';
import { projectionLimits } from '../src/main/entry/reading.ts';
import { holdsSecret } from '../src/main/floor/redact-gate.ts';
import { redact } from '../src/main/floor/redact.ts';
import { defaultKnobs } from '../src/main/floor/knobs.ts';
import { createChain } from '../src/main/ingest/chain.ts';
import { decodeLine, hollow, isHollowable } from '../src/main/ingest/hollow.ts';
import { projectLine } from '../src/main/ingest/projection.ts';
import { decode, encode, type ProjectResult } from '../src/workers/contract.ts';

/** CPU milliseconds for the whole of `file`, which should be some 20 MB. */
export const measureSteps = async (file: string, rounds: number): Promise<Table> => {
  const lines = linesOf(readFileSync(file));
  const limits = projectionLimits(defaultKnobs(), []);
  const bare = { ...limits, redact: false };
  const results = lines.filter((line) => isHollowable(line));
  const others = lines.filter((line) => !isHollowable(line));
  const texts = others.flatMap((line) => textsIn(JSON.parse(decodeLine(line))));
  const slices = Array.from({ length: Math.ceil(lines.length / 300) }, (_, i) => lines.slice(i * 300, i * 300 + 300).map((line) => projectLine(line, limits)));
  const packed = slices.map((items) => encode({ items, bad_lines: 0 }));
  const cpu = (work: () => void) => (): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const steps = {
    'every line decoded and parsed, as the program it is measured against does': cpu(() => lines.forEach((line) => void JSON.parse(line.toString('utf8')))),
    'lines with results: long texts skipped as bytes, the rest parsed': cpu(() => results.forEach((line) => void JSON.parse(hollow(line) ?? '{}'))),
    'all other lines: decoded and parsed': cpu(() => others.forEach((line) => void JSON.parse(decodeLine(line)))),
    'secrets looked for in their texts': cpu(() => texts.forEach((text) => void (holdsSecret(text) && redact(text)))),
    'projection, all of the above included': cpu(() => lines.forEach((line) => void projectLine(line, limits))),
    'projection without redaction': cpu(() => lines.forEach((line) => void projectLine(line, bare))),
    'packed for the way between threads': cpu(() => slices.forEach((items) => void encode({ items, bad_lines: 0 }))),
    'unpacked': cpu(() => packed.forEach((bytes) => void decode<ProjectResult>(bytes))),
    'folded on the main thread': cpu(() => {
      const chain = createChain();
      for (const items of slices) chain.fold(items, 'history');
    }),
  };
  const time = Object.fromEntries(Object.entries(steps).map(([step, once]) => [step, warm(once, rounds)]));
  const whole = Object.values(time)[0] ?? 1;
  return {
    title: `Where the time goes: CPU of one warm thread for ${Math.round(lines.reduce((sum, line) => sum + line.length, 0) / 1e6)} MB`,
    columns: ['step', 'ms', 'of parsing every line'],
    rows: Object.entries(time).map(([step, ms]) => [step, ms.toFixed(0), (ms / whole).toFixed(2)]),
  };
};

/** The least of some rounds: a step after another, each until its own code is warm, so that none is measured on the other's types. */
const warm = (once: () => number, rounds: number): number => Math.min(...Array.from({ length: rounds + 4 }, once));

/** CPU of a fresh process for each 10 MB of `file`: how long the code takes to get warm. */
export const measureCurve = (file: string): Table => {
  const told = JSON.parse(execFileSync(process.execPath, [join(import.meta.dirname, 'curve.mjs'), file], { encoding: 'utf8' })) as readonly number[];
  const shown = told.length > 8 ? [...told.slice(0, 6), ...told.slice(-2)] : told;
  return {
    title: 'CPU milliseconds of one fresh thread for each 10 MB, compiler threads included: code is cold at first',
    columns: shown.map((_, i) => (told.length > 8 && i >= 6 ? `last but ${7 - i}` : `${i + 1}.`)),
    rows: [shown.map(String)],
  };
};

const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) lines.push(bytes.subarray(start, end));
  return lines;
};

/** Every text in a record that is worth a look. */
export const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return value.length > 200 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((each) => textsIn(each)) : [];
};
