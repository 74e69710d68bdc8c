// A host that has loaded the plugin twice: one monitor watches, the other stands by. The one that watches is killed at a
// random moment, and the other goes on where it stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { onRequest } from './kills.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { addTo } from './tally.ts';
import { calmDown, drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, type World } from './world.ts';

export const takeover: Scenario = {
  small: 1,
  full: 30,
  run: (random, size, say) => playWorlds({ open: (own) => openWorld({ script: (world) => makeWatcher(own, onRequest(world)) }), play: playTakeovers }, random, size, say),
};

const playTakeovers = async (world: World, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let session: string | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const host = await world.start({ monitors: 2, ...(session === undefined ? {} : { session }) });
    ({ session } = host);
    await host.turn(drawTurn(random, world.token, { steps: 1 }));
    const in_pass = random.chance(0.5);
    const killed = in_pass ? new Promise<boolean>((resolve) => world.onStrike(() => resolve(host.killMonitor()))) : sleep(random.int(0, 900)).then(host.killMonitor);
    await host.turn(drawTurn(random, world.token, { steps: random.int(2, 5), kill: 0.2, mends: world.mends.slice(-3) }));
    // A turn that brings no pass has nothing to be struck in.
    addTo(counts, { takeovers: (await Promise.race([killed, sleep(2000).then(() => false)])) ? 1 : 0 });
    world.onStrike(undefined);
    await calmDown(world, host, random);
    const findings = world.check();
    if (findings.length > 0) return findings;
    await (random.chance(0.5) ? host.leave() : host.kill());
  }
  return [];
};
