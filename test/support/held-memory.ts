// What this process really holds while something runs: sampled after a collection each time, so that garbage does not count.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Runs `act`; the most bytes held at any sample above what was held before. */
export const mostHeld = async (act: () => Promise<unknown>): Promise<number> => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const held = (): number => {
    // Buffers found dead are swept beside us; the next collection waits for that.
    for (let round = 0; round < 3; round += 1) if (typeof collect === 'function') collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = held();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, held() - before);
  }, 250);
  await act();
  clearInterval(watch);
  return most;
};
