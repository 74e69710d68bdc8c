import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDataDir } from '../../../src/main/floor/data-dir-file.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sb-data-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = (config: string, name: string, at: number): string => {
  const data = join(home, config, 'plugins', 'data', name);
  mkdirSync(join(data, 'sessions'), { recursive: true });
  for (const path of [data, join(data, 'sessions')]) utimesSync(path, at, at);
  return data;
};
const ask = (over: Partial<Parameters<typeof findDataDir>[0]> = {}): ReturnType<typeof findDataDir> => findDataDir({ argument: undefined, dist: '/plugin/dist', env: {}, home, ...over });

describe('the data directory', () => {
  test('is the argument when there is one', () => expect(ask({ argument: '/d' })).toEqual({ ok: true, data: '/d', from: 'argument' }));
  test('is where the running copy lies', () => expect(ask({ dist: '/d/run/0.1.0-abc/dist' })).toEqual({ ok: true, data: '/d', from: 'launcher' }));
  test('is the newest of the plugin’s, by what changes inside too', () => {
    folder('.claude', 'second-brain-old', 1000);
    const busy = folder('.claude', 'second-brain-inline', 900);
    folder('.claude', 'other-plugin', 9000);
    utimesSync(join(busy, 'sessions'), 2000, 2000);
    expect(ask()).toEqual({ ok: true, data: busy, from: 'newest' });
  });
  test('B9: is looked for where CLAUDE_CONFIG_DIR says', () => {
    folder('.claude', 'second-brain-inline', 5000);
    const there = folder('elsewhere', 'second-brain-inline', 1000);
    expect(ask({ env: { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') } })).toMatchObject({ data: there });
  });
  test('A12: is not taken from a variable that a repository can set', () => expect(ask({ env: { CLAUDE_PLUGIN_DATA: '/evil' } })).toMatchObject({ ok: false }));
  test('where there is none, it says where it looked', () => expect(ask({ argument: '' })).toEqual({ ok: false, looked_in: join(home, '.claude', 'plugins', 'data') }));
});
