// A little of every scenario of the fault suite; npm run faults plays them at length.
import { describe, expect, test } from 'vitest';
import { makeRandom } from '../../bench/judgment/random.ts';
import { scenarios } from './scenarios.ts';

const TITLES: Readonly<Record<string, string>> = {
  kills: 'B6, D5: host, monitor, hooks and threads killed at work: nothing lost, nothing twice, nobody left behind',
  drains: 'A4: hooks racing for one mailbox: each advisory is said once',
};

// Side by side: most of a world's time is waiting.
describe.concurrent('judged by what is left', () => {
  for (const [name, { run, small }] of Object.entries(scenarios)) {
    test(TITLES[name] ?? name, { timeout: 120_000 }, async () => {
      const { findings, root } = await run(makeRandom(`test/${name}`), small, () => undefined);
      expect(findings, root).toEqual([]);
    });
  }
});
