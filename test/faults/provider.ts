// A provider and MCP servers that fail in every way, while processes are killed as well; and ceilings that bind meanwhile.
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { onRequest, oneRound, playKills } from './kills.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { calmDown, drawTurn } from './turns.ts';
import { drawFault, makeWatcher } from './watcher.ts';
import { openWorld, QUICK, type World } from './world.ts';

// No time-out may silence the only detector for good.
const PATIENT = { ...QUICK.loop, fork_deadline_s: 2, fork_grace_s: 1, demote_after_timeouts: 100, disable_after_timeouts: 100 };

/** Half of all requests go wrong. */
export const provider: Scenario = {
  small: 1,
  full: 40,
  run: (random, size, say) =>
    playWorlds({
      open: (own) => openWorld({ config: { ...QUICK, loop: PATIENT }, script: (world) => makeWatcher(own, { ...onRequest(world), fault: () => drawFault(own, 0.5) }) }),
      play: playKills,
    }, random, size, say),
};

/** A server that answers, fails, dies or hangs, at a provider that fails now and then. */
export const mcp: Scenario = {
  small: 1,
  full: 30,
  run: (random, size, say) =>
    playWorlds({
      open: async (own) => {
        const world = await openWorld({ script: (of) => makeWatcher(own, { ...onRequest(of), tools: 0.7, fault: () => drawFault(own, 0.15) }) });
        const server = join(world.root, 'server.mjs');
        await build({
          entryPoints: ['test/support/mcp-server.ts'], outfile: server, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', logLevel: 'silent',
          banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
        });
        world.configure({ ...QUICK, loop: PATIENT, mcp: { servers: { s: { command: process.execPath, args: [server] } } }, detectors: { ...QUICK.detectors, default: { tools: ['mcp:s'] } } });
        return world;
      },
      play: playKills,
    }, random, size, say),
};

const TIGHT = { tokens_per_hour: 40_000, machine_tokens_per_hour: 60_000, tokens_per_task: 50_000_000 };

/** Two sessions spend until the ceiling binds, killed on the way; raised, everything that waited is looked at. */
export const budget: Scenario = {
  small: 1,
  full: 24,
  run: (random, size, say) =>
    playWorlds({
      open: (own) => openWorld({ config: { ...QUICK, loop: { ...PATIENT, backoff_on_budget: false }, budget: TIGHT }, script: (world) => makeWatcher(own, { ...onRequest(world), fault: () => drawFault(own, 0.2) }) }),
      play: playTight,
    }, random, size, say, { per_world: 8 }),
};

const playTight = async (world: World, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let hosts = [await world.start(), await world.start()];
  for (let round = 0; round < rounds; round += 1) {
    hosts = await Promise.all(hosts.map((host) => oneRound(world, host, random, counts)));
    const findings = world.check({ waiting: true });
    if (findings.length > 0) return findings;
  }
  world.configure(QUICK);
  for (const host of hosts) await host.turn(drawTurn(random, world.token, { steps: 1 }));
  for (const host of hosts) await calmDown(world, host, random);
  return world.check();
};
