// The disk under the data directory fills up, becomes read-only, is somebody else's or breaks, for some calls or for all, and is well again.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** What calls that write end with; of a full disk some of the bytes are on it. */
type Trouble = { readonly code: 'ENOSPC' | 'EROFS' | 'EACCES' | 'EIO'; readonly share: number };

/** It is said in the log that things failed, as it must be; a line that the full disk tore is skipped and counted by whoever reads it. */
const isExcused = ({ rule, what }: Finding): boolean => rule === 'fault-logged' || (rule === 'unreadable' && what.includes('.jsonl: '));

export const disks: Scenario = {
  small: 2,
  full: 30,
  run: async (random, size, say) => {
    const folder = mkdtempSync(join(tmpdir(), 'sb-disk-'));
    const disks = new Map<World, (trouble?: Trouble) => void>();
    let made = 0;
    try {
      return await playWorlds(
        {
          excused: isExcused,
          open: async (own) => {
            const disk = makeDisk(join(folder, String((made += 1))));
            const world = await openWorld({ script: () => makeWatcher(own, { stale: 0 }), preload: disk.preload });
            disks.set(world, disk.set);
            return world;
          },
          play: (world, own, rounds, counts) => play(world, disks.get(world) as (trouble?: Trouble) => void, own, rounds, counts),
        },
        random, size, say, { per_world: 6 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const play = async (world: World, set: (trouble?: Trouble) => void, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let host = await world.start();
  await host.turn(drawTurn(random, world.token, { steps: 2 }));
  for (let round = 0; round < rounds; round += 1) {
    const trouble: Trouble = { code: random.pick(['ENOSPC', 'ENOSPC', 'EROFS', 'EACCES', 'EIO']), share: random.pick([1, 0.5, 0.2, 0.05]) };
    addTo(counts, { [trouble.code]: 1 });
    set(trouble);
    for (let turn = random.int(1, 2); turn > 0; turn -= 1) await host.turn(drawTurn(random, world.token, { steps: random.int(1, 4) }));
    const restarts = random.pick(['none', 'none', 'while it lasts', 'after it'] as const);
    if (restarts === 'while it lasts') {
      await host.kill();
      host = await world.start({ session: host.session });
      await host.turn(drawTurn(random, world.token, { steps: 1 }));
    }
    set();
    if (restarts === 'after it') {
      await host.kill();
      host = await world.start({ session: host.session });
    }
    await host.turn(drawTurn(random, world.token, { steps: 2 }));
    await world.settled(PATIENCE_MS);
    const findings = world.check().filter((found) => !isExcused(found));
    if (findings.length > 0) return findings.map(({ rule, what }) => ({ rule, what: `${what} (${trouble.code} in ${trouble.share}, restart: ${restarts})` }));
  }
  return [];
};

type Disk = { readonly preload: string; readonly set: (trouble?: Trouble) => void };

/** A file for --require that puts the trouble of the moment between a program and the files under its `data` folder. */
const makeDisk = (path: string): Disk => {
  const set = (trouble: Trouble = { code: 'EIO', share: 0 }): void => {
    writeFileSync(`${path}.new`, JSON.stringify(trouble));
    renameSync(`${path}.new`, `${path}.json`);
  };
  set();
  writeFileSync(`${path}.cjs`, `const STATE = ${JSON.stringify(`${path}.json`)};\n${TROUBLE}`);
  return { preload: `${path}.cjs`, set };
};

const TROUBLE = `const fs = require('node:fs');
const real = { ...fs };
let seed = process.pid, trouble = { share: 0 }, looked = -1000;
const chance = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const strikes = () => {
  if (performance.now() - looked > 10) {
    looked = performance.now();
    trouble = JSON.parse(real.readFileSync(STATE, 'utf8'));
  }
  return chance() < trouble.share;
};
const error = (call, path) => Object.assign(new Error(trouble.code + ': made to fail, ' + call + ' ' + path), { code: trouble.code, syscall: call, path });
const ours = (path) => /\\/sb-faults-[^/]+\\/data(\\/|$)/.test(String(path));
const writable = (flags) => (typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags ?? 'r'));
const files = new Map();
const full = new Set();
const half = (data) => { const bytes = Buffer.from(data); return bytes.subarray(0, Math.floor(bytes.length * chance())); };
fs.openSync = (path, flags, ...rest) => {
  if (ours(path) && writable(flags) && trouble.code !== 'ENOSPC' && strikes()) throw error('open', path);
  const fd = real.openSync(path, flags, ...rest);
  full.delete(fd);
  if (ours(path) && writable(flags)) files.set(fd, path); else files.delete(fd);
  return fd;
};
fs.writeSync = (fd, data, ...rest) => {
  if (files.has(fd) && (full.delete(fd) || strikes())) {
    // As a disk that fills up does: so many bytes, and an error for the next.
    const head = trouble.code === 'ENOSPC' && typeof data !== 'string' ? half(data.subarray(Number(rest[0] ?? 0))) : [];
    if (head.length > 0) {
      full.add(fd);
      return real.writeSync(fd, head);
    }
    throw error('write', files.get(fd));
  }
  return real.writeSync(fd, data, ...rest);
};
for (const name of ['writeFileSync', 'appendFileSync']) {
  fs[name] = (path, data, ...rest) => {
    if (typeof path === 'string' && ours(path) && strikes()) {
      if (trouble.code === 'ENOSPC') real[name](path, half(data), ...rest);
      throw error('write', path);
    }
    return real[name](path, data, ...rest);
  };
}
for (const name of ['mkdirSync', 'renameSync', 'linkSync', 'unlinkSync', 'rmSync', 'truncateSync']) {
  fs[name] = (path, ...rest) => {
    const needless = name === 'mkdirSync' && real.existsSync(path);
    if (ours(path) && !needless && trouble.code !== 'ENOSPC' && strikes()) throw error(name, path);
    return real[name](path, ...rest);
  };
}
require('node:module').syncBuiltinESMExports();
`;
