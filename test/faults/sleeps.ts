// The monitor, or a hook in its work, is suspended and goes on later: nobody waits for it, nothing is lost or said twice.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import { journalOf, type Finding } from './check.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { addTo } from './tally.ts';
import { drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, PATIENCE_MS, type World } from './world.ts';

export const sleeps: Scenario = {
  small: 2,
  full: 20,
  run: (random, size, say) => playWorlds({ open: (own) => openWorld({ script: () => makeWatcher(own, { stale: 0 }) }), play }, random, size, say),
};

/** No hook may take longer because of a monitor that stands still (SPEC 3, HAZARDS A8). */
const HOOK_MS = 5000;

const play = async (world: World, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let host = await world.start();
  for (let round = 0; round < rounds; round += 1) {
    const turn = host.turn(drawTurn(random, world.token, { steps: random.int(2, 5) }));
    await sleep(random.int(0, 1500));
    // It may have ended by itself.
    const stopped = signal(host.monitor, 'SIGSTOP');
    addTo(counts, { suspended: stopped ? 1 : 0 });
    await turn;
    await host.turn(drawTurn(random, world.token, { steps: 2 }));
    await sleep(random.int(0, 6000));
    if (random.chance(0.3)) {
      // Its host ends meanwhile, and the next one's monitor finds a lease whose holder sleeps.
      await host.kill();
      host = await (signal(host.monitor, 'SIGCONT'), world.start({ session: host.session }));
      addTo(counts, { woken_without_a_host: 1 });
    } else signal(host.monitor, 'SIGCONT');
    await host.turn(drawTurn(random, world.token, { steps: 2 }));
    await world.settled(PATIENCE_MS);
    const findings = [...world.check(), ...slow(world)];
    if (findings.length > 0) return findings;
  }
  return [];
};

const slow = (world: World): readonly Finding[] =>
  journalOf(world.root).flatMap((line) => (line.kind === 'hook' && line.ended_at - line.at > HOOK_MS ? [{ rule: 'hook', what: `${line.event} took ${line.ended_at - line.at} ms` }] : []));

const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean => {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
};
