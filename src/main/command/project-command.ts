// `project FILE`: the projected stream alone, as the observer would be shown it.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { projectionLimits, slicesOf, unreadable } from '../entry/reading.ts';
import { defaultKnobs } from '../floor/knobs.ts';
import { createChain } from '../ingest/chain.ts';
import { plain } from '../show/plain.ts';
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
    process.stderr.write(`${plain(problem)}\n`);
    return 3;
  }
  const chain = createChain();
  // On this thread, which has nothing else to do: others would have to get warm first, and to send all they find.
  for await (const { items } of slicesOf(file, { limits })) {
    const { observations } = chain.fold(items, 'history');
    keepYoung();
    if (observations.length > 0) await print(plain(observations.map(({ text }) => `${text}\n`).join('')));
  }
  return 0;
};

/** Nothing here lives long: more room for what is young than this takes a fifth more memory, for the same time; less takes time. */
const YOUNG_BYTES = 16_000_000;

const keepYoung = (): void => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  if (young !== undefined && young.space_size > YOUNG_BYTES) setFlagsFromString('--semi-space-growth-factor=1');
};

/** Waits for a slow reader, so that a large file is never held in memory. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
