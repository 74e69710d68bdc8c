// Clocks and processes for benchmarks: medians over interleaved rounds, whole processes, peak memory, the longest stall.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
};

export const least = (values: readonly number[]): number => Math.min(...values);

/** Runs every variant once a round, in an order that is reversed each round; medians of what they return, or what `of` makes of it. */
export const interleave = async <K extends string>(rounds: number, variants: Readonly<Record<K, () => number | Promise<number>>>, of = median): Promise<Record<K, number>> => {
  const values = await inTurn(rounds, variants);
  return Object.fromEntries(Object.entries<readonly number[]>(values).map(([name, some]) => [name, of(some)])) as Record<K, number>;
};

/** Of two variants that run side by side in each round, the round in which their ratio is the median: other work takes from both alike. */
export const pairOf = (ours: readonly number[], limit: readonly number[]): { readonly ours: number; readonly limit: number } => {
  const rounds = ours.map((one, round) => ({ ours: one, limit: limit[round] ?? NaN })).sort((a, b) => a.ours / a.limit - b.ours / b.limit);
  return rounds[rounds.length >> 1] ?? { ours: NaN, limit: NaN };
};

/** What every variant returns, by round; the order is reversed each round. */
export const inTurn = async <K extends string>(rounds: number, variants: Readonly<Record<K, () => number | Promise<number>>>): Promise<Readonly<Record<K, readonly number[]>>> => {
  const names = Object.keys(variants) as K[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) values[name].push(await variants[name]());
  }
  return values;
};

/** Milliseconds that `work` takes; in a quick run those of this process's CPU, which other work on the machine does not lengthen. */
export const clockOf = (quick: boolean) => (work: () => void): number => {
  const before = quick ? process.cpuUsage() : undefined;
  const begun = performance.now();
  work();
  if (before === undefined) return performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

export type Command = { readonly file: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };

/** Milliseconds of a whole process, from before its start to behind its end. Rejects when it fails. */
export const timeProcess = ({ file, args, env }: Command): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...BARE, ...env } });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve(performance.now() - begun) : reject(new Error(`${file} ${args.join(' ')} ended with ${String(code)}`))));
  });

// Node 20 reads NODE_EXTRA_CA_CERTS at every start, which would be measured too.
const BARE: Readonly<Record<string, string>> = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/' };

/** Peak memory in MB and CPU time in ms of a node program's run, as itself tells at its end. */
export const weighProcess = async (args: readonly string[], folder: string): Promise<{ readonly peak_mb: number; readonly cpu_ms: number }> => {
  const told = join(folder, 'weight.json');
  const script = join(folder, 'weight.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => { const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify({ peak_mb: maxRSS / 1024, cpu_ms: (userCPUTime + systemCPUTime) / 1000 })); });`,
  );
  await timeProcess({ file: process.execPath, args: ['--require', script, ...args] });
  const weight = JSON.parse(readFileSync(told, 'utf8')) as { peak_mb: number; cpu_ms: number };
  rmSync(told);
  return weight;
};

/** The longest time this thread's loop could not turn while `work` ran, in ms; a turn is looked for every millisecond. */
export const longestStall = async (work: () => Promise<void>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return Math.max(0, delay.max / 1e6 - 1);
};

/** Milliseconds of CPU that the living threads of a process have had (Linux). */
export const cpuOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0);

/** Field of /proc/<pid>/status in MB, e.g. VmRSS or VmHWM. */
export const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) / 1024;
};

/** Waits until `done`, looking every `every_ms`. Rejects after `limit_ms`. */
export const until = async (done: () => boolean, limit_ms: number, every_ms = 1): Promise<void> => {
  const end = performance.now() + limit_ms;
  while (!done()) {
    if (performance.now() > end) throw new Error(`nothing happened for ${limit_ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, every_ms));
  }
};
