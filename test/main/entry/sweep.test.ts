import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
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

test('of more sessions than anyone works on the oldest go before their time, and none that is watched', () => {
  for (let n = 0; n < 503; n += 1) {
    mkdirSync(paths.session(`s${n}`), { recursive: true });
    utimesSync(paths.session(`s${n}`), (NOW - n * 1000) / 1000, (NOW - n * 1000) / 1000);
  }
  takeLock(paths.lease('s502'));
  expect(sweep(paths, defaultKnobs(), NOW).toSorted()).toEqual(['swept session s500', 'swept session s501']);
  expect(existsSync(paths.session('s502'))).toBe(true);
});

test('what was told for one process goes after a day; what is told once for good stays', () => {
  const files = [paths.said('4711-1', 'no-monitor'), paths.said('user', 'offer-of-your-login')];
  for (const path of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    utimesSync(path, (NOW - 9 * DAY_MS) / 1000, (NOW - 9 * DAY_MS) / 1000);
  }
  expect(sweep(paths, defaultKnobs(), NOW)).toEqual(['swept notice 4711-1.no-monitor']);
  expect(files.map((path) => existsSync(path))).toEqual([false, true]);
});

test('a ledger that cannot be read is set aside and named', () => {
  mkdirSync(paths.tasks, { recursive: true });
  writeFileSync(paths.ledger('t-broken'), '{"v":1,"task":');
  writeFileSync(paths.ledger('t-newer'), '{"v":2,"task":"t-newer"}');
  expect(sweep(paths, defaultKnobs(), NOW).toSorted()).toEqual(['swept task t-broken: unreadable, set aside', 'swept task t-newer: unreadable, set aside']);
  expect([existsSync(`${paths.ledger('t-broken')}.bad`), existsSync(paths.ledger('t-broken'))]).toEqual([true, false]);
  expect(sweep(paths, defaultKnobs(), NOW)).toEqual([]);
});

test('what is no file where one should be costs itself only: it is set aside or goes when it is old, and all else is swept', () => {
  const folder = (path: string): void => {
    mkdirSync(join(path, 'within'), { recursive: true });
    utimesSync(path, (NOW - 30 * DAY_MS) / 1000, (NOW - 30 * DAY_MS) / 1000);
  };
  const circular = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(path, path);
  };
  const hour = Math.floor(NOW / 3_600_000) - 48;
  for (const path of [paths.ledger('t-folder'), paths.windowLog('t-orphan', 1), `${paths.ledger('t-folder')}.bad`, paths.budget(hour), paths.index('/r/.git'), paths.lease('s-folder'), paths.status('s-folder'), paths.children('4711'), paths.monitorLock('4712'), join(paths.indexes, 'lock')]) folder(path);
  for (const path of [paths.ledger('t-circular'), paths.lease('s-circular'), paths.index('/q/.git')]) circular(path);
  report('old', 8);
  writeFileSync(paths.budget(hour - 1), '');
  const lines = sweep(paths, defaultKnobs(), NOW);
  expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
  for (const line of ['swept report old.html', `swept budget ${hour}.jsonl`, `swept budget ${hour - 1}.jsonl`, 'swept task t-folder: unreadable, set aside', 'swept task t-circular: unreadable, set aside', 'swept task t-orphan: orphan']) expect(lines).toContain(line);
  expect([paths.ledger('t-folder'), paths.windowLog('t-orphan', 1), paths.budget(hour)].map((path) => existsSync(path))).toEqual([false, false, false]);
});

test('a part that fails is named, and the others are swept', () => {
  // Neither a folder nor missing.
  symlinkSync(paths.tasks, paths.tasks);
  report('old', 8);
  const lines = sweep(paths, defaultKnobs(), NOW);
  expect(lines).toContainEqual(expect.stringMatching(/^sweeping tasks failed: ELOOP/));
  expect(lines).toContain('swept report old.html');
});

test('of a folder that the user named for captures only captures go, whatever else lies there', () => {
  const root = join(data, 'mine');
  const aged = (path: string): string => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'digest.txt'), 'x');
    for (const each of [join(path, 'digest.txt'), path]) utimesSync(each, (NOW - 30 * DAY_MS) / 1000, (NOW - 30 * DAY_MS) / 1000);
    return path;
  };
  const captures = [aged(join(root, '9fde1a54-d5c0-4c05-a2ec-2e91609dba4b', '3')), aged(join(root, 'h-0123456789abcdef', '1'))];
  const others = [aged(join(root, 'photos', '2023')), aged(join(root, '2023', '12')), aged(join(root, 'notes'))];
  symlinkSync('circle', join(root, 'circle'));
  const knobs = defaultKnobs();
  expect(sweep(paths, { ...knobs, debug: { ...knobs.debug, path: root } }, NOW).toSorted()).toEqual(captures.map((folder) => `swept capture ${folder}`));
  expect([...captures, ...others].map((path) => existsSync(path))).toEqual([false, false, true, true, true]);
});
