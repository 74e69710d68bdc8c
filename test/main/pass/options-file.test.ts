import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownOptions, type PluginOptions } from '../../../src/main/pass/options-file.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-options-')));
  mkdirSync(join(base, 'proj'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const settings = (folder: string, options: unknown, plugin = 'second-brain@somewhere'): void => {
  mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, folder, 'settings.json'), JSON.stringify({ pluginConfigs: { [plugin]: { options } } }));
};
const own = (asked: PluginOptions, env: Readonly<Record<string, string>> = {}, homes: readonly string[] = ['home']): PluginOptions =>
  ownOptions(asked, { workspace: join(base, 'proj'), env, homes: homes.map((home) => join(base, home)), managed: join(base, 'managed') });

const HOST: PluginOptions = { provider: 'host', model: 'm' };

test('an option that the account has chosen counts, each by itself', () => {
  settings('home/.claude', { provider: 'host', model: 'm' });
  expect(own(HOST)).toEqual(HOST);
  expect(own({ provider: 'host', model: 'dear' })).toEqual({ provider: 'host' });
  expect(own({ provider: 'openai' })).toEqual({});
  expect(own({})).toEqual({});
});

test('a config folder of the account’s own and the managed settings count too', () => {
  settings('config', { provider: 'host' });
  expect(own(HOST)).toEqual({});
  expect(own(HOST, { CLAUDE_CONFIG_DIR: join(base, 'config') })).toEqual({ provider: 'host' });
  mkdirSync(join(base, 'managed'));
  writeFileSync(join(base, 'managed', 'managed-settings.json'), JSON.stringify({ pluginConfigs: { 'second-brain@x': { options: { model: 'm' } } } }));
  expect(own(HOST)).toEqual({ model: 'm' });
});

test('what a project sets does not: no variable alone, no settings, home or config folder of its own', () => {
  settings('proj/.claude', HOST);
  settings('proj/conf', HOST);
  settings('home/.claude', HOST, 'another@somewhere');
  symlinkSync(join(base, 'proj', 'conf'), join(base, 'link'));
  expect(own(HOST, {}, ['proj', 'home'])).toEqual({});
  for (const folder of ['proj/conf', 'proj/.claude', 'link', 'proj/../proj/conf']) expect(own(HOST, { CLAUDE_CONFIG_DIR: `${base}/${folder}` }), folder).toEqual({});
});

test('settings that cannot be read choose nothing', () => {
  for (const text of ['', '{', '[]', '{"pluginConfigs":[]}', '{"pluginConfigs":{"second-brain@x":{"options":["host"]}}}', '{"pluginConfigs":{"second-brain@x":null}}']) {
    mkdirSync(join(base, 'home/.claude'), { recursive: true });
    writeFileSync(join(base, 'home/.claude/settings.json'), text);
    expect(own(HOST), text).toEqual({});
  }
});
