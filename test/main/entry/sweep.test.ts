import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../src/main/entry/sweep.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { takeLock } from '../../../src/main/floor/lock-file.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);
let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-sweep-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const report = (session: string, days: number): string => {
  const path = paths.report(session);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '<!doctype html>');
  utimesSync(path, (NOW - days * DAY_MS) / 1000, (NOW - days * DAY_MS) / 1000);
  return path;
};

test('a report goes when a session of its age would, and says so; one of a watched session stays', () => {
  const [old, young, watched] = [report('old', 8), report('young', 1), report('watched', 30)];
  takeLock(paths.lease('watched'));
  expect(sweep(paths, defaultKnobs(), NOW)).toEqual(['swept report old.html']);
  expect([old, young, watched].map((path) => existsSync(path))).toEqual([false, true, true]);
});
