// The one resolver of the data directory (SPEC 4): hooks, monitor and commands must agree whichever variable is missing.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from './json-file.ts';

export type DataSources = {
  /** Given on the command line; a placeholder the host did not fill in counts as absent. */
  readonly argument?: string | undefined;
  /** CLAUDE_PLUGIN_DATA; for hooks only, since a repository's settings can set a monitor's variables. */
  readonly variable?: string | undefined;
  /** CLAUDE_CONFIG_DIR and HOME. */
  readonly configDir?: string | undefined;
  readonly home?: string | undefined;
};

/** Argument, else variable, else the newest `second-brain-*` of the host's plugin data; undefined when there is none. */
export const resolveDataDir = ({ argument, variable, configDir, home }: DataSources): string | undefined =>
  named(argument) ?? named(variable) ?? newestIn(named(configDir) ?? (named(home) === undefined ? undefined : join(home ?? '', '.claude')));

const named = (value: string | undefined): string | undefined => (value === undefined || value === '' || value.startsWith('${') ? undefined : value);

const newestIn = (config: string | undefined): string | undefined => {
  if (config === undefined) return undefined;
  const folder = join(config, 'plugins', 'data');
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const dated = names.filter((name) => name.startsWith('second-brain-')).map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
  return dated.toSorted((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1))[0]?.path;
};
