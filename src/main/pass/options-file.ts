// The plugin's user options reach hooks as variables (contract j), and a project's settings can set variables: an option
// counts where the host's own settings of the account hold it.
import { join } from 'node:path';
import { realpathSync } from '../floor/disk-file.ts';
import { unlessClosed } from '../floor/json-file.ts';
import { isObject } from '../floor/object.ts';
import { homesOf, MANAGED, readSettings } from './deny-file.ts';

export type PluginOptions = { readonly provider?: string; readonly model?: string };

export type OptionsSource = {
  /** Real path of the repository's root: settings in it are not the account's. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folders, the account's own entry last. */
  readonly homes?: readonly string[];
  readonly managed?: string;
};

/** Those of the asked options that the account has chosen; nothing is read where none is asked. */
export const ownOptions = ({ provider = '', model = '' }: PluginOptions, source: OptionsSource): PluginOptions => {
  if (provider === '' && model === '') return {};
  const chosen = settingsOf(source).flatMap(optionsIn);
  const has = (name: string, value: string): boolean => value !== '' && chosen.some((options) => options[name] === value);
  return { ...(has('provider', provider) ? { provider } : {}), ...(has('model', model) ? { model } : {}) };
};

const settingsOf = ({ workspace, env, homes = homesOf(), managed = MANAGED[process.platform] ?? '/etc/claude-code' }: OptionsSource): readonly string[] => {
  const outside = (folder: string): boolean => {
    const path = unlessClosed(() => realpathSync(folder));
    return path !== undefined && path !== workspace && !path.startsWith(join(workspace, '/'));
  };
  const own = homes.slice(-1).map((home) => join(home, '.claude'));
  // Both can be set by a project, to a folder of its own.
  const told = [...homes.slice(0, -1).map((home) => join(home, '.claude')), env['CLAUDE_CONFIG_DIR'] ?? ''].filter((folder) => folder !== '' && outside(folder));
  return [join(managed, 'managed-settings.json'), ...[...own, ...told].map((folder) => join(folder, 'settings.json'))];
};

/** `pluginConfigs["second-brain@<marketplace>"].options` of one settings file. */
const optionsIn = (path: string): readonly Readonly<Record<string, unknown>>[] => {
  const read = readSettings(path);
  const configs = read !== undefined && 'value' in read && isObject(read.value) ? read.value['pluginConfigs'] : undefined;
  if (!isObject(configs)) return [];
  return Object.entries(configs).flatMap(([plugin, config]) => (plugin.startsWith('second-brain@') && isObject(config) && isObject(config['options']) ? [config['options']] : []));
};
