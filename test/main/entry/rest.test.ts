import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRest } from '../../../src/main/entry/rest.ts';

const HOUR_MS = 3_600_000;
let dir = '';
let rest: ReturnType<typeof openRest>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-rest-'));
  rest = openRest();
});
afterEach(() => {
  rest.close();
  rmSync(dir, { recursive: true, force: true });
});

test('an hour’s rest ends when a followed file changes', async () => {
  rest.follow([join(dir, 'spool')]);
  rest.over();
  const resting = rest.rest(HOUR_MS, () => false);
  appendFileSync(join(dir, 'spool'), 'x');
  await resting;
});

test('what changed while a cycle was under way ends the next rest before it has begun', async () => {
  rest.follow([join(dir, 'spool')]);
  rest.over();
  appendFileSync(join(dir, 'spool'), 'x');
  await new Promise((resolve) => setTimeout(resolve, 100));
  let asked = 0;
  await rest.rest(HOUR_MS, () => (asked += 1) > 1);
  expect(asked).toBe(1);
});

test('its caller may end it', async () => {
  rest.follow([join(dir, 'spool')]);
  let asked = 0;
  await rest.rest(HOUR_MS, () => (asked += 1) === 2);
  expect(asked).toBe(2);
});

test('where changes cannot be told it is no longer than a tick', async () => {
  rest.follow([join(dir, 'no', 'such', 'folder')]);
  await rest.rest(HOUR_MS, () => false);
});

test('a change that was found and never told twice, and it looks by itself', async () => {
  rest.follow([join(dir, 'spool')]);
  for (const _ of [1, 2]) {
    rest.over();
    rest.found(join(dir, 'spool'));
  }
  await rest.rest(HOUR_MS, () => false);
});
