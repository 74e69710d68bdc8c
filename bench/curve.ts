// One thread that projects a file from its first line on, as a process of its own: CPU milliseconds of each 10 MB, code cold at first.
import { openSync, readSync } from 'node:fs';
import { projectionLimits } from '../src/main/entry/reading.ts';
import { defaultKnobs } from '../src/main/floor/knobs.ts';
import { eachLine } from '../src/main/ingest/lines.ts';
import { projectLine } from '../src/main/ingest/projection.ts';

const STEP = 10_000_000;

const curve = (path: string): readonly number[] => {
  const limits = projectionLimits(defaultKnobs(), []);
  const file = openSync(path, 'r');
  const told: number[] = [];
  let next = STEP;
  let before = process.cpuUsage();
  eachLine(
    (into, at) => readSync(file, into, 0, into.length, at),
    0,
    Number.MAX_SAFE_INTEGER,
    (line, end) => {
      projectLine(line, limits);
      if (end < next) return;
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      told.push(Math.round((user + system) / 1000));
      next += STEP;
    },
  );
  return told;
};

if (process.argv[1]?.endsWith('/curve.mjs') === true) process.stdout.write(`${JSON.stringify(curve(process.argv[2] ?? ''))}\n`);
