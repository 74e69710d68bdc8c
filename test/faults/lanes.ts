// Worlds side by side: most of a round is waiting.
import { makeRandom, type Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import type { Outcome } from './scenarios.ts';
import { addTo, tally } from './tally.ts';
import type { World } from './world.ts';

/** One world's part: `rounds` of them, until something is found. What it did is added to `counts`. */
export type Part = {
  readonly open: (random: Random) => Promise<World>;
  readonly play: (world: World, random: Random, rounds: number, counts: Record<string, number>) => Promise<readonly Finding[]>;
  /** Findings that say nothing of these worlds, by what is done to them. */
  readonly excused?: (finding: Finding) => boolean;
};

/** Plays `size` rounds, `per_world` in each world and `lanes` worlds at once; the first finding ends all. */
export const playWorlds = async ({ open, play, excused = () => false }: Part, random: Random, size: number, say: (line: string) => void, { per_world = 10, lanes = 3 } = {}): Promise<Outcome> => {
  const counts: Record<string, number> = { rounds: 0 };
  // Drawn in advance: which lane takes a part is chance that the seed does not know.
  const parts = Array.from({ length: Math.ceil(size / per_world) }, (_, at) => ({ seed: String(random.next()), rounds: Math.min(per_world, size - at * per_world) }));
  let found: Outcome | undefined;
  const lane = async (): Promise<void> => {
    for (let part = parts.shift(); part !== undefined && found === undefined; part = parts.shift()) {
      const own = makeRandom(part.seed);
      const world = await open(own);
      let findings = await play(world, own, part.rounds, counts);
      if (findings.length === 0) findings = (await world.close()).filter((found) => !excused(found));
      addTo(counts, tally(world.root));
      addTo(counts, { rounds: part.rounds });
      if (findings.length > 0) {
        found ??= { findings, counts, root: world.root };
        await world.close();
        return;
      }
      await world.remove();
      say(`${counts['rounds']} rounds`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return found ?? { findings: [], counts };
};
