// `project FILE`: the projected stream alone, as the observer would be shown it.
import { availableParallelism } from 'node:os';
import { projectionLimits, slicesOf, unreadable } from '../entry/reading.ts';
import { defaultKnobs } from '../floor/knobs.ts';
import { createChain } from '../ingest/chain.ts';
import { openPools } from '../pools.ts';
import type { Words } from './words.ts';

export const projectCommand = async ({ positionals, flags }: Words): Promise<number> => {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    process.stderr.write('Give one transcript: second-brain project FILE\n');
    return 2;
  }
  const knobs = defaultKnobs();
  const limits = { ...projectionLimits(knobs, []), redact: flags['no-redact'] !== true };
  const problem = unreadable(file, limits);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 3;
  }
  const threads = Math.max(1, availableParallelism() - 1);
  const pools = openPools({ dist: __dirname, fork_threads: 1, width: 1, compute_threads: threads });
  try {
    const chain = createChain();
    for await (const { items } of slicesOf(file, { limits, parallel_bytes: knobs.ingest.parallel_bytes, project: pools.project, ahead: threads })) {
      const { observations } = chain.fold(items, 'history');
      if (observations.length > 0) await print(observations.map(({ text }) => `${text}\n`).join(''));
    }
    return 0;
  } finally {
    await pools.close();
  }
};

/** Waits for a slow reader, so that a large file is never held in memory. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
