// The bytes every fork shares: rendering them cold and grown, and handing them to eight forks.
import { join } from 'node:path';
import { grow, openWindow, prefixInput, WINDOW_CHARS } from './pass-fixture.ts';
import { clockOf, interleave, least, median } from './measure.ts';
import type { Options, Result } from './report.ts';
import { renderPrefix } from '../src/main/memory/prefix.ts';
import { openPools } from '../src/main/pools.ts';
import { providerOf, taskOf } from '../test/support/fork-task.ts';

const FORKS = 8;

export const measurePrefix = async ({ quick, plugin, say }: Options): Promise<Result> => {
  say('prefix');
  const window = openWindow(WINDOW_CHARS);
  const grown = grow(window, 1, 6000);
  const input = (of: typeof window): ReturnType<typeof prefixInput> => prefixInput('anthropic', of);
  const before = renderPrefix(input(window));
  const { bytes } = renderPrefix(input(grown), before);
  const timed = clockOf(quick);
  const took = clockOf(false);
  const pools = openPools({ dist: join(plugin, 'dist'), fork_threads: 1, width: FORKS, compute_threads: 1 });
  try {
    // The rule-based judge answers at once, so that what is left is the way there and back.
    const provider = { ...providerOf('anthropic', 'http://127.0.0.1:9'), kind: 'local' as const };
    const task = taskOf(provider, { prefix: bytes, detector: { ...taskOf(provider).detector, structural: 'repeat-failure' } });
    const handOver = async (forks: number): Promise<number> => {
      let sent: Promise<unknown>[] = [];
      const next = { ...task, prefix: new Uint8Array(bytes) }; // of a pass of its own
      const ms = took(() => {
        sent = Array.from({ length: forks }, () => pools.fork(next, {}));
      });
      await Promise.all(sent);
      return ms;
    };
    const copies: Uint8Array[] = [];
    const variants = {
      cold: () => timed(() => void renderPrefix(input(grown))),
      grown: () => timed(() => void renderPrefix(input(grown), before)),
      copy: () => timed(() => void copies.splice(0, copies.length, new Uint8Array(bytes))),
      texts: () => timed(() => void JSON.stringify(grown.blocks.map(({ text }) => text))),
      clone: () => timed(() => void Array.from({ length: FORKS }, () => structuredClone(grown.blocks))),
    };
    await interleave(quick ? 10 : 20, variants);
    const time = await interleave(quick ? 31 : 101, variants, quick ? least : median);
    const handed = await interleave(quick ? 21 : 101, { eight: () => handOver(FORKS), four: () => handOver(4), one: () => handOver(1) });
    return {
      name: 'prefix',
      title: 'The shared prefix',
      method: `A window of ${Math.round(bytes.length / 1000)} kB in ${window.blocks.length} blocks, rendered anew, rendered after an episode of 6,000 characters (both beside JSON.stringify of the blocks' texts and nothing else), and handed to ${FORKS} forks of the pool, whose thread is given one copy: main-thread milliseconds from the first call of fork() to the return of the last, warm, medians.`,
      lines: [
        { what: 'rendered cold', unit: 'ms', ours: time.cold, limit: { what: 'JSON.stringify of its texts', value: time.texts }, usual: 3.3 },
        { what: 'rendered after one episode', unit: 'ms', ours: time.grown, limit: { what: 'JSON.stringify of its texts', value: time.texts }, usual: 0.4 },
        { what: `handed to ${FORKS} forks`, unit: 'ms', ours: handed.eight, limit: { what: 'one copy of the bytes', value: time.copy }, goal: { of: 'ours', max: 1 } },
        { what: 'handed to 4 forks', unit: 'ms', ours: handed.four },
        { what: 'handed to 1 fork', unit: 'ms', ours: handed.one },
        { what: `handed to ${FORKS} forks, against a structured clone of the blocks`, unit: 'ms', ours: handed.eight, limit: { what: `${FORKS} structured clones`, value: time.clone } },
      ],
    };
  } finally {
    await pools.close();
  }
};
