// The wall clock is set forward and back by hours and days under a working session, for every process of its world.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { addTo } from './tally.ts';
import { drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, PATIENCE_MS, type World } from './world.ts';

export const clocks: Scenario = {
  small: 2,
  full: 24,
  run: async (random, size, say) => {
    const folder = mkdtempSync(join(tmpdir(), 'sb-clock-'));
    const clocks = new Map<World, Clock>();
    // A hook that began before the clock went back ended, by it, a day before its start; what it left is judged again in every later round.
    const backwards = new Set<string>();
    // Budgets of hours that a jump has put a day away are swept, and what they counted with them.
    const excused = ({ rule, what }: Finding): boolean => rule === 'uncounted' || backwards.has(what);
    let made = 0;
    try {
      return await playWorlds(
        {
          open: async (own) => {
            const clock = makeClock(join(folder, String((made += 1))));
            const world = await openWorld({ script: () => makeWatcher(own, { stale: 0 }), preload: clock.preload });
            clocks.set(world, clock);
            return world;
          },
          excused,
          play: (world, own, rounds, counts) => play(world, { clock: clocks.get(world) as Clock, backwards, excused }, own, rounds, counts),
        },
        random, size, say, { per_world: 6 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const HOUR_MS = 3_600_000;

type Time = { readonly clock: Clock; readonly backwards: Set<string>; readonly excused: (found: Finding) => boolean };

const play = async (world: World, { clock, backwards, excused }: Time, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let host = await world.start();
  for (let round = 0; round < rounds; round += 1) {
    const hours = random.pick([24, -24, 24, -24, 1, -1, 7 * 24]);
    addTo(counts, { [hours > 0 ? 'forward' : 'back']: 1 });
    const turn = host.turn(drawTurn(random, world.token, { steps: random.int(2, 4) }));
    if (random.chance(0.5)) await turn;
    clock.shift(hours * HOUR_MS);
    await turn;
    await host.turn(drawTurn(random, world.token, { steps: 2 }));
    await world.settled(PATIENCE_MS);
    if (random.chance(0.3)) {
      await host.kill();
      host = await world.start({ session: host.session });
      await host.turn(drawTurn(random, world.token, { steps: 1 }));
      await world.settled(PATIENCE_MS);
    }
    const found = world.check();
    if (hours < 0) for (const { rule, what } of found) if (rule === 'expired') backwards.add(what);
    const findings = found.filter((each) => !excused(each));
    if (findings.length > 0) return findings.map(({ rule, what }) => ({ rule, what: `${what} (clock ${hours} hours)` }));
  }
  return [];
};

type Clock = { readonly preload: string; readonly shift: (ms: number) => void };

/** A file for --require that gives a process this clock: Date, and what the system tells of its own start. */
const makeClock = (path: string): Clock => {
  let offset = 0;
  const write = (): void => writeFileSync(`${path}.offset`, String(offset));
  write();
  writeFileSync(
    `${path}.cjs`,
    `const fs = require('node:fs');
const { readFileSync } = fs;
const real = Date.now;
let offset = 0, looked = -1000;
const shifted = () => {
  if (performance.now() - looked > 10) {
    looked = performance.now();
    offset = Number(readFileSync(${JSON.stringify(`${path}.offset`)}, 'utf8')) || offset;
  }
  return real() + offset;
};
globalThis.Date = class Date extends globalThis.Date {
  constructor(...args) { args.length === 0 ? super(shifted()) : super(...args); }
  static now() { return shifted(); }
};
fs.readFileSync = (name, ...rest) => {
  const text = readFileSync(name, ...rest);
  return name === '/proc/stat' ? String(text).replace(/^btime (\\d+)$/m, (_, s) => 'btime ' + Math.round(Number(s) + (shifted() - real()) / 1000)) : text;
};
require('node:module').syncBuiltinESMExports();
`,
  );
  return {
    preload: `${path}.cjs`,
    shift: (ms) => {
      offset += ms;
      // Never 0: an empty file is one that is just being written.
      if (offset === 0) offset = 1;
      write();
    },
  };
};
