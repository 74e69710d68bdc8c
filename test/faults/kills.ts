// kill -9 of host, monitor and hooks at random moments of a working session; what was killed starts again, and is judged.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import type { Scenario } from './scenarios.ts';
import { drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, type StandIn, type World } from './world.ts';

/** Rounds in one world: longer ones only make the checker slow. */
const ROUNDS_PER_WORLD = 10;

export const kills: Scenario = {
  small: 2,
  full: 200,
  run: async (random, size, say) => {
    const counts = { rounds: 0, host: 0, monitor: 0, hooks: 0, told: 0 };
    for (let done = 0; done < size; done += ROUNDS_PER_WORLD) {
      const world = await openWorld({ script: makeWatcher(random, { stale: 0 }) });
      let findings: readonly Finding[] = [];
      let host = await world.start();
      for (let round = 0; round < Math.min(ROUNDS_PER_WORLD, size - done) && findings.length === 0; round += 1) {
        host = await oneRound(world, host, random, counts);
        findings = world.check();
        counts.rounds += 1;
      }
      if (findings.length === 0) findings = await world.close();
      if (findings.length > 0) return { findings, counts, root: world.root };
      await world.remove();
      say(`${counts.rounds} rounds`);
    }
    return { findings: [], counts };
  },
};

const oneRound = async (world: World, host: StandIn, random: Random, counts: { host: number; monitor: number }): Promise<StandIn> => {
  const whom = random.pick(['host', 'monitor', 'monitor', 'both', 'nobody'] as const);
  const after = random.int(0, 900);
  const turn = host.turn(drawTurn(random, world.token, { steps: random.int(2, 5), kill: 0.15 }));
  await sleep(after);
  if (whom === 'monitor' || whom === 'both') {
    host.killMonitor();
    counts.monitor += 1;
  }
  if (whom === 'host' || whom === 'both') {
    await host.kill();
    counts.host += 1;
  }
  await turn;
  // A monitor does not come back by itself: the next host brings one.
  const next = whom === 'nobody' ? host : await restart(world, host, random);
  // A calm turn: whatever was left lying is looked at by its end.
  await next.turn(drawTurn(random, world.token, { steps: 1 }));
  await world.settled();
  return next;
};

const restart = async (world: World, host: StandIn, random: Random): Promise<StandIn> => {
  if (random.chance(0.5)) await host.leave();
  else await host.kill();
  return world.start({ session: host.session });
};
