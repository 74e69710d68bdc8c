// The transcript is replaced, pruned, cut, moved away and written in pieces while it is watched and while nobody watches.
import { appendFileSync, closeSync, openSync, readFileSync, renameSync, statSync, truncateSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../bench/judgment/random.ts';
import type { Finding } from './check.ts';
import { playWorlds } from './lanes.ts';
import type { Scenario } from './scenarios.ts';
import { addTo } from './tally.ts';
import { drawTurn } from './turns.ts';
import { makeWatcher } from './watcher.ts';
import { openWorld, PATIENCE_MS, type StandIn, type World } from './world.ts';

export const transcripts: Scenario = {
  small: 3,
  full: 60,
  run: (random, size, say) => playWorlds({ open: (own) => openWorld({ script: () => makeWatcher(own, { stale: 0 }), dribble: true }), play }, random, size, say),
};

const play = async (world: World, random: Random, rounds: number, counts: Record<string, number>): Promise<readonly Finding[]> => {
  let host = await world.start();
  await host.turn(drawTurn(random, world.token, { steps: 4 }));
  for (let round = 0; round < rounds; round += 1) {
    const way = random.pick(Object.keys(WAYS));
    // Half a signal of a dead host is nobody's to read.
    const unwatched = random.chance(0.3) && way !== 'half_a_signal';
    addTo(counts, { [way]: 1, ...(unwatched ? { unwatched: 1 } : {}) });
    host = await oneRound(world, host, random, { way, unwatched });
    const findings = world.check();
    if (findings.length > 0) return findings.map(({ rule, what }) => ({ rule, what: `${what} (${way}${unwatched ? ', nobody watching' : ''})` }));
  }
  return [];
};

const oneRound = async (world: World, host: StandIn, random: Random, { way, unwatched }: { readonly way: string; readonly unwatched: boolean }): Promise<StandIn> => {
  if (unwatched) await host.kill();
  const spool = join(world.data, 'hosts', String(host.pid), 'events.jsonl');
  await WAYS[way]?.({ path: world.transcript(host.session), spool, random });
  const next = unwatched ? await world.start({ session: host.session }) : host;
  await next.turn(drawTurn(random, world.token, { steps: random.int(2, 4) }));
  // The signal that joined the half one is gone with it; it may have been the turn's end, and then only the next brings a pass.
  if (way === 'half_a_signal') await next.turn(drawTurn(random, world.token, { steps: 1 }));
  await world.settled(PATIENCE_MS);
  return next;
};

type Way = (what: { readonly path: string; readonly spool: string; readonly random: Random }) => void | Promise<void>;

/** Each leaves a transcript in which every observed record still stands. */
const WAYS: Readonly<Record<string, Way>> = {
  half_a_signal: ({ spool }) => appendFileSync(spool, '{"v":1,"event":"Sto'),
  replaced: ({ path }) => replaceBy(path, readFileSync(path)),
  pruned: ({ path }) => replaceBy(path, pruned(readFileSync(path, 'utf8'))),
  rewritten_in_place: async ({ path, random }) => {
    const text = Buffer.from(pruned(readFileSync(path, 'utf8')));
    const half = random.int(0, text.length);
    const file = openSync(path, 'w');
    try {
      writeSync(file, text.subarray(0, half));
      await sleep(random.int(0, 1500));
      writeSync(file, text.subarray(half));
    } finally {
      closeSync(file);
    }
  },
  cut_and_restored: async ({ path, random }) => {
    const whole = readFileSync(path);
    truncateSync(path, random.int(0, whole.length));
    await sleep(random.int(0, 1500));
    writeFileSync(path, whole);
  },
  moved_and_copied_back: async ({ path, random }) => {
    renameSync(path, `${path}.1`);
    await sleep(random.int(0, 1500));
    writeFileSync(path, readFileSync(`${path}.1`));
  },
  new_file_of_the_same_inode: ({ path }) => {
    const whole = readFileSync(path);
    const { ino } = statSync(path);
    unlinkSync(path);
    // Most file systems give the number away again at once; where one does not, it is a replacement like any.
    for (let tries = 0; tries < 20; tries += 1) {
      writeFileSync(path, '');
      if (statSync(path).ino === ino) break;
      renameSync(path, `${path}.${tries}`);
    }
    writeFileSync(path, whole);
  },
};

const replaceBy = (path: string, text: string | Buffer): void => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};

/** Without a third of the records nobody observes: results that are no failures, ends of turns. */
const pruned = (text: string): string =>
  text.split('\n').filter((line, at) => at % 3 !== 0 || !(line.includes('"is_error":false') || line.includes('"subtype":"turn_duration"'))).join('\n');
