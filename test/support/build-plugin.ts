// Before the host's tests: the host is fetched, so that two test files do not do it at once, and the plugin is built into a
// folder of the run's own, so that nobody else's build gets in between.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hostAvailable } from './host-install.ts';

/** Names the folder for `builtPlugin` in the workers' environment. */
const VARIABLE = 'SECOND_BRAIN_TEST_PLUGIN';

/** Vitest's global setup; what it returns is the teardown. */
export const setup = async (): Promise<() => void> => {
  hostAvailable();
  mkdirSync('.cache', { recursive: true });
  const folder = resolve(mkdtempSync('.cache/plugin-'));
  const { buildPlugin } = (await import(pathToFileURL('esbuild.config.mjs').href)) as { readonly buildPlugin: (dist: string) => Promise<unknown> };
  cpSync('plugin', folder, { recursive: true, filter: (source) => source !== join('plugin', 'dist') });
  await buildPlugin(join(folder, 'dist'));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};

/** The plugin that `setup` has built. */
export const builtPlugin = (): string => process.env[VARIABLE] ?? 'plugin';
