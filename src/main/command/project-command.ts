// `project FILE`: the projected stream alone, as the observer would be shown it.
import { setFlagsFromString } from 'node:v8';
import { projectionLimits, slicesOf, unreadable } from '../entry/reading.ts';
import { defaultKnobs } from '../floor/knobs.ts';
import { createChain } from '../ingest/chain.ts';
import type { Words } from './words.ts';

export const projectCommand = async ({ positionals, flags }: Words): Promise<number> => {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    process.stderr.write('Give one transcript: second-brain project FILE\n');
    return 2;
  }
  const limits = { ...projectionLimits(defaultKnobs(), []), redact: flags['no-redact'] !== true };
  const problem = unreadable(file, limits);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 3;
  }
  // Nothing here lives long: a heap that is not let grow takes a quarter less memory, for the same time.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=10');
  const chain = createChain();
  // On this thread, which has nothing else to do: others would have to get warm first, and to send all they find.
  for await (const { items } of slicesOf(file, { limits })) {
    const { observations } = chain.fold(items, 'history');
    if (observations.length > 0) await print(observations.map(({ text }) => `${text}\n`).join(''));
  }
  return 0;
};

/** Waits for a slow reader, so that a large file is never held in memory. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
