// One host that lives on, with hooks killed at their work: mail that is told, answered, lost, told again, too old, or worth
// a turn of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { onRequest } from './kills.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { calmDown, drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, QUICK, type World } from './world.ts';

export const mail: Scenario = {
  small: 2,
  full: 60,
  run: (random, size, say) =>
    playWorlds({
      open: (own) => openWorld({
        config: { ...QUICK, gate: { ...QUICK.gate, queue_timeout_s: 5, advice_ttl_s: 10 }, finish_gate: { min_interval_s: 60, per_task_cap: 100 } },
        script: (world) => makeWatcher(own, { ...onRequest(world), advise: 0.85, finish: 0.4 }),
      }),
      play: playTurns,
    }, random, size, say, { per_world: 12 }),
};

const playTurns = async (world: World, random: Random, turns: number): Promise<readonly Finding[]> => {
  const host = await world.start();
  for (let turn = 0; turn < turns; turn += 1) {
    await host.turn(drawTurn(random, world.token, { steps: random.int(1, 4), kill: 0.3, mends: world.mends.slice(-3) }));
    // Long enough for a bell, now and then for mail to grow too old.
    await sleep(random.pick([0, 500, 3000, 3000, 6000]));
    const findings = world.check({ waiting: true });
    if (findings.length > 0) return findings;
  }
  await calmDown(world, host, random);
  return world.check();
};
