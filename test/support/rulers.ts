// A plugin that measures in the real host: our guard beside as little as a hook can be. Both print, since the host notes
// only of hooks that do how long they took.
import { join } from 'node:path';
import { writeJson } from '../../src/main/floor/json-file.ts';
import type { HostRecord } from './host.ts';
import type { World } from './host-world.ts';
import type { OurPlugin } from './our-plugin.ts';

// A shell that reads our guard as the plugin's own hooks do, and one that does nothing.
const OURS = 'echo "{}"; . "$0"';
const BARE = 'echo "{}"; : bare';

/** For a second `--plugin-dir`: two PostToolUse hooks. */
export const makeRulers = (world: World, ours: OurPlugin): string => {
  const folder = join(world.dir, 'rulers');
  writeJson(join(folder, '.claude-plugin', 'plugin.json'), { name: 'rulers', version: '0.1.0', description: 'Measures.' });
  const hook = (...args: readonly string[]): object => ({ type: 'command', command: '/bin/sh', args: ['-c', ...args], timeout: 5 });
  const hooks = [hook(BARE), hook(OURS, join(ours.plugin, 'dist', 'guard.sh'), ours.paths.data, 'PostToolUse')];
  writeJson(join(folder, 'hooks', 'hooks.json'), { hooks: { PostToolUse: [{ hooks }] } });
  return folder;
};

/** Milliseconds each of both took, as the host's records say. */
export const hookTimes = (records: readonly HostRecord[]): { readonly ours: readonly number[]; readonly bare: readonly number[] } => {
  const took = (sign: string): readonly number[] =>
    records.flatMap(({ attachment }) => {
      const { type, command, durationMs } = (attachment ?? {}) as { readonly type?: string; readonly command?: string; readonly durationMs?: number };
      return type === 'hook_success' && command?.includes(sign) === true && durationMs !== undefined ? [durationMs] : [];
    });
  return { ours: took('guard.sh'), bare: took(': bare') };
};
