// kill -9 of host, monitor, hooks and pool threads at random and at chosen moments of a working session; what was killed
// starts again, and is judged.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { addTo } from './tally.ts';
import { calmDown, drawTurn } from './turns.ts';
import { makeWatcher, type WatcherOptions } from './watcher.ts';
import { openWorld, QUICK, type StandIn, type World } from './world.ts';

export const kills: Scenario = {
  small: 2,
  full: 200,
  run: (random, size, say) => playWorlds({ open: (own) => openWorld({ config: shortLived(own), script: (world) => makeWatcher(own, onRequest(world)) }), play: playKills }, random, size, say),
};

/** Rounds of kills in one world, each judged once everything was looked at. */
export const playKills = async (world: World, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let host = await world.start();
  for (let round = 0; round < rounds; round += 1) {
    host = await oneRound(world, host, random, counts);
    await calmDown(world, host, random);
    const findings = world.check();
    if (findings.length > 0) return findings;
  }
  return [];
};

/** In half the worlds an advisory is soon too old. */
const shortLived = (random: Random): object => (random.chance(0.5) ? QUICK : { ...QUICK, gate: { ...QUICK.gate, queue_timeout_s: 5, advice_ttl_s: 10 } });

/** Strikes when a request reaches the model: a pass is under way then. */
export const onRequest = (world: World): WatcherOptions => ({ seen: world.strike, mends: (word) => void world.mends.push(word) });

export const oneRound = async (world: World, host: StandIn, random: Random, counts: Record<string, number>): Promise<StandIn> => {
  const whom = random.pick(['host', 'monitor', 'both', 'thread', 'nobody'] as const);
  const in_pass = random.chance(0.4);
  const after = random.int(0, 900);
  const strike = async (): Promise<void> => {
    addTo(counts, { [`${whom}_killed`]: 1, ...(in_pass ? { in_a_pass: 1 } : {}) });
    if (whom === 'thread') world.killThread();
    if (whom === 'monitor' || whom === 'both') host.killMonitor();
    if (whom === 'host' || whom === 'both') await host.kill();
  };
  const struck = in_pass && whom !== 'nobody' ? inPass(world, strike) : undefined;
  const turn = host.turn(drawTurn(random, world.token, { steps: random.int(2, 5), kill: 0.3, mends: world.mends.slice(-3) }));
  if (!in_pass && whom !== 'nobody') {
    await sleep(after);
    await strike();
  }
  await turn;
  await struck;
  return whom === 'nobody' || whom === 'thread' ? host : restart(world, host, random);
};

/** Strikes when the next request comes; when none has come by then, as after a turn that brings no pass, after three seconds. */
const inPass = async (world: World, strike: () => Promise<void>): Promise<void> => {
  await Promise.race([new Promise<void>((resolve) => world.onStrike(resolve)), sleep(3000)]);
  world.onStrike(undefined);
  await strike();
};

/** A monitor does not come back by itself: the next host brings one. */
const restart = async (world: World, host: StandIn, random: Random): Promise<StandIn> => {
  if (random.chance(0.5)) await host.leave();
  else await host.kill();
  return world.start({ session: host.session });
};
