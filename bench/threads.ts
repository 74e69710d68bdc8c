// What a thread costs: starting one with our bundle, and a message there and back.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { interleave, memoryOf } from './measure.ts';
import type { Options, Result } from './report.ts';
import { openPools } from '../src/main/pools.ts';
import { providerOf, taskOf } from '../test/support/fork-task.ts';

export const measureThreads = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  say('threads');
  const rounds = quick ? 5 : 15;
  const start = async (file: string): Promise<number> => {
    const begun = performance.now();
    const worker = new Worker(file, { env: {} });
    await new Promise((resolve) => worker.once('online', resolve));
    worker.postMessage(1, []);
    await new Promise((resolve) => worker.once('message', resolve));
    const ms = performance.now() - begun;
    await worker.terminate();
    return ms;
  };
  // Each answers its first message once its module is loaded.
  const bare = join(folder, 'bare.cjs');
  const echo = `require('node:worker_threads').parentPort.on('message', (m) => require('node:worker_threads').parentPort.postMessage(m));`;
  writeFileSync(bare, echo);
  const loading = (name: string): string => {
    const file = join(folder, `with-${name}.cjs`);
    writeFileSync(file, `require(${JSON.stringify(join(plugin, 'dist', `${name}.cjs`))}); ${echo}`);
    return file;
  };
  const forks = loading('forks');
  const compute = loading('compute');
  const started = await interleave(rounds, { bare: () => start(bare), forks: () => start(forks), compute: () => start(compute) });

  const echoing = new Worker(bare, { env: {} });
  const there = (): Promise<number> => {
    const begun = performance.now();
    echoing.postMessage(new Uint8Array(64), []);
    return new Promise((resolve) => echoing.once('message', () => resolve(performance.now() - begun)));
  };
  const empty = memoryOf(process.pid, 'VmRSS');
  const pools = openPools({ dist: join(plugin, 'dist'), fork_threads: 1, width: 8, compute_threads: 1 });
  const provider = { ...providerOf('anthropic', 'http://127.0.0.1:9'), kind: 'local' as const };
  const task = taskOf(provider, { prefix: new Uint8Array(0), detector: { ...taskOf(provider).detector, structural: 'repeat-failure' } });
  const fork = async (): Promise<number> => {
    const begun = performance.now();
    await pools.fork(task, {});
    return performance.now() - begun;
  };
  await fork();
  const grown = memoryOf(process.pid, 'VmRSS') - empty;
  const variants = { there, fork };
  await interleave(50, variants);
  const time = await interleave(quick ? 101 : 501, variants);
  await pools.close();
  await echoing.terminate();
  return {
    name: 'threads',
    title: 'Threads and messages',
    method: 'Threads started from the built bundles until they answer a first message, against one that only echoes. A fork of the rule-based judge through the pool (task encoded, port opened, dispatched, decoded, result back) against one small message to a bare thread and back; warm, medians.',
    lines: [
      { what: 'start of a network thread', unit: 'ms', ours: started.forks, limit: { what: 'an empty thread', value: started.bare }, goal: { of: 'ratio', max: 5 }, usual: 3.3 },
      { what: 'start of a compute thread', unit: 'ms', ours: started.compute, limit: { what: 'an empty thread', value: started.bare }, usual: 1.6 },
      { what: 'a fork to the pool and back', unit: 'ms', ours: time.fork, limit: { what: 'a message and its echo', value: time.there }, usual: 6 },
      { what: 'memory of a network thread', unit: 'MB', ours: grown },
    ],
  };
};
