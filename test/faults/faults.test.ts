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
  transcripts: 'C1, C8: transcripts replaced, cut, moved and written in pieces, watched or not: nothing lost, nothing twice',
  clocks: 'D5: a clock set by hours and days under a session: what comes is looked at, nobody outlives the host',
  disks: 'B6: a disk that is full, read-only or broken for a while: nothing lost once it is well',
  sleeps: 'A8: a monitor suspended and woken: no hook waits for it, nothing lost or twice',
  crowd: 'D2: many sessions of one repository under one ceiling of the machine',
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
