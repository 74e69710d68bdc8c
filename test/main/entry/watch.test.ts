import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWatch, type Watch } from '../../../src/main/entry/watch.ts';

let dir = '';
let told = 0;
let watch: Watch;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-watch-'));
  told = 0;
  watch = openWatch(() => (told += 1), 5);
});
afterEach(() => {
  watch.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What is told of `act`, as often as the system likes to: at least once, or within half a second never. */
const toldOf = async (act: () => void): Promise<boolean> => {
  told = 0;
  act();
  for (let round = 0; round < 50 && !isTold(); round += 1) await sleep(10);
  await sleep(30);
  return isTold();
};
const isTold = (): boolean => told > 0;
const at = (...names: readonly string[]): string => join(dir, ...names);

test('a change of a followed file is told, one beside it is not', async () => {
  watch.follow([at('spool')]);
  expect(watch.isSound()).toBe(true);
  expect(await toldOf(() => appendFileSync(at('spool'), 'x'))).toBe(true);
  expect(await toldOf(() => appendFileSync(at('other'), 'x'))).toBe(false);
  expect(await toldOf(() => { writeFileSync(at('temp'), 'y'); renameSync(at('temp'), at('spool')); })).toBe(true);
});

test('of a folder that is followed whole anything is told', async () => {
  mkdirSync(at('requests'));
  watch.follow([`${at('requests')}/`]);
  expect(await toldOf(() => writeFileSync(at('requests', 'any.json'), ''))).toBe(true);
});

test('a folder that is not there yet is told when it comes, and then what changes in it', async () => {
  const paths = [at('workspaces', 'one.json'), `${at('requests')}/`];
  watch.follow(paths);
  expect(watch.isSound()).toBe(true);
  for (const [folder, name] of [['workspaces', 'one.json'], ['requests', 'r.json']] as const) {
    expect(await toldOf(() => mkdirSync(at(folder)))).toBe(true);
    watch.follow(paths);
    expect(watch.isSound()).toBe(true);
    expect(await toldOf(() => writeFileSync(at(folder, name), '{}'))).toBe(true);
  }
});

test('a folder that goes and comes again is followed again', async () => {
  const paths = [at('host', 'spool')];
  mkdirSync(at('host'));
  watch.follow(paths);
  expect(await toldOf(() => rmSync(at('host'), { recursive: true }))).toBe(true);
  watch.follow(paths);
  expect(await toldOf(() => mkdirSync(at('host')))).toBe(true);
  watch.follow(paths);
  expect(await toldOf(() => appendFileSync(at('host', 'spool'), 'x'))).toBe(true);
  expect(watch.isSound()).toBe(true);
});

test('where not even the folder above is there, or the name is none, it says that it cannot tell', () => {
  watch.follow([at('no', 'such', 'file')]);
  expect(watch.isSound()).toBe(false);
  watch.follow([at('spool'), at('a\0b', 'c')]);
  expect(watch.isSound()).toBe(false);
  watch.follow([at('spool')]);
  expect(watch.isSound()).toBe(true);
});

test('a watcher that was silent twice in a row counts as deaf; once is no proof, since its word may be on its way', async () => {
  watch.follow([at('spool')]);
  watch.found(at('spool'));
  expect(watch.isSound()).toBe(true);
  await toldOf(() => appendFileSync(at('spool'), 'x'));
  watch.found(at('spool'));
  expect(watch.isSound()).toBe(true);
  watch.found(at('spool'));
  expect(watch.isSound()).toBe(false);
  mkdirSync(at('other'));
  watch.follow([at('other', 'file')]);
  expect(watch.isSound()).toBe(true);
});
