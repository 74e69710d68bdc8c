// A little of every scenario of the fault suite; npm run faults plays them at length.
import { describe, expect, test } from 'vitest';
import { makeRandom } from '../../bench/judgment/random.ts';
import { scenarios } from './scenarios.ts';

const TITLES: Readonly<Record<string, string>> = {
  kills: 'B6, D5: host, monitor, hooks and threads killed at work: nothing lost, nothing twice, nobody left behind',
  takeover: 'D6: of two monitors of one host the one that stood by goes on where the other was killed',
  drains: 'A4: hooks racing for one mailbox: each advisory is said once',
  mail: 'B6: hooks killed at their work: what they had claimed is told once, or once more when it was lost',
  provider: 'D3: a provider that fails in every way, and kills beside it',
  mcp: 'F2, D5: MCP servers that fail, die and hang, and kills beside it: none is left behind',
  budget: 'D2: two sessions under a ceiling that binds, killed and started again: it holds',
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
