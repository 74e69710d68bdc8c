import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { dropRequest, putReply, putRequest, takeReply, takeRequests } from '../../../src/main/speak/request-file.ts';

let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-request-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test('a request is taken once, and its answer too', () => {
  putRequest(paths, 's', { v: 1, id: 'a1', at: 1000 });
  expect(takeRequests(paths, 's', 1500)).toEqual([{ v: 1, id: 'a1', at: 1000 }]);
  expect(takeRequests(paths, 's', 1500)).toEqual([]);
  expect(takeReply(paths, 's', 'a1')).toBeUndefined();
  putReply(paths, 's', { v: 1, id: 'a1', at: 2000, text: 'default: silent', hold: 'muted' });
  expect(takeReply(paths, 's', 'a1')).toEqual({ v: 1, id: 'a1', at: 2000, text: 'default: silent', hold: 'muted' });
  expect(takeReply(paths, 's', 'a1')).toBeUndefined();
});

test('a request whose asker has long given up is dropped, and one that was taken back is not there', () => {
  putRequest(paths, 's', { v: 1, id: 'old', at: 0 });
  putRequest(paths, 's', { v: 1, id: 'back', at: 100_000 });
  expect(dropRequest(paths, 's', 'back')).toBe(true);
  expect(takeRequests(paths, 's', 100_000)).toEqual([]);
  expect(readdirSync(paths.requests('s'))).toEqual([]);
});

test('damaged and newer files are cleared, not obeyed; files of others are left', () => {
  mkdirSync(paths.requests('s'), { recursive: true });
  for (const [name, text] of [['x.json', '{'], ['y.json', '{"v":2,"id":"y","at":1}'], ['z.json', '[]'], ['other', 'x']] as const) writeFileSync(join(paths.requests('s'), name), text);
  expect(takeRequests(paths, 's', 1)).toEqual([]);
  expect(readdirSync(paths.requests('s'))).toEqual(['other']);
});

test('answers nobody came for go with a later one', () => {
  putReply(paths, 's', { v: 1, id: 'left', at: 0, text: '' });
  putReply(paths, 's', { v: 1, id: 'new', at: 100_000, text: '' });
  expect(readdirSync(paths.replies('s'))).toEqual(['new.json']);
});

test('an id from outside cannot name a file elsewhere', () => {
  putRequest(paths, 's', { v: 1, id: '../../x', at: 1 });
  expect(existsSync(join(data, 'sessions', 'x.json'))).toBe(false);
  expect(takeRequests(paths, 's', 1)).toHaveLength(1);
});
