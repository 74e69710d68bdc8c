// What the monitor runs from: a copy of the bundles, catalogue and prompts under the data directory, since a
// plugin update deletes the folder it was started from (HAZARDS A11).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { isCode, isMissing, replace } from '../floor/json-file.ts';
import { isAlive, startTime, thisProcess } from '../floor/process-file.ts';
import type { Paths } from '../floor/paths.ts';

export type Runtime = {
  /** Version with build, e.g. `0.1.0-3f2a…`. */
  readonly version: string;
  readonly dist: string;
  readonly catalogue: string;
  readonly prompts: string;
};

const runtimeAt = (folder: string, version: string): Runtime => ({
  version,
  dist: join(folder, 'dist'),
  catalogue: join(folder, 'detectors.json'),
  prompts: join(folder, 'prompts'),
});

/** Version and build of the plugin at `root`; `unknown` where the build stamp is missing. */
export const versionAt = (root: string): string => {
  try {
    const stamp: unknown = JSON.parse(readFileSync(join(root, 'dist', 'build.json'), 'utf8'));
    if (typeof stamp === 'object' && stamp !== null && 'version' in stamp && 'build' in stamp) return `${String(stamp.version)}-${String(stamp.build)}`;
    return 'unknown';
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return 'unknown';
    throw error;
  }
};

/** The plugin folder itself as a runtime: for commands and replays, which are over before an update can come. */
export const runtimeInPlace = (root: string): Runtime => runtimeAt(root, versionAt(root));

/** Copies what runs to `run/<version>/` unless it is there, marks it used by this process, and sweeps copies nobody uses. */
export const installRuntime = (root: string, paths: Paths): Runtime => {
  const version = versionAt(root);
  const target = paths.run(version);
  if (!existsSync(join(target, 'dist', 'monitor.cjs'))) {
    const temp = `${target}.${process.pid}.${randomBytes(4).toString('hex')}`;
    mkdirSync(temp, { recursive: true, mode: 0o700 });
    for (const name of ['dist', 'detectors.json', 'prompts']) cpSync(join(root, name), join(temp, name), { recursive: true });
    try {
      renameSync(temp, target);
    } catch (error) {
      rmSync(temp, { recursive: true, force: true });
      if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error; // another monitor was first
    }
  }
  mkdirSync(join(target, 'users'), { recursive: true, mode: 0o700 });
  writeFileSync(join(target, 'users', String(process.pid)), thisProcess().start, { mode: 0o600 });
  sweepRuntimes(paths, target);
  writeLauncher(paths, target);
  return runtimeAt(target, version);
};

const sweepRuntimes = (paths: Paths, current: string): void => {
  for (const name of readdirSync(paths.runs)) {
    const folder = join(paths.runs, name);
    if (folder === current || isUsed(folder)) continue;
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Some living process marked the copy, or it is a copy in the making (its name ends in the maker's pid). */
const isUsed = (folder: string): boolean => {
  const maker = /\.(\d+)\.[0-9a-f]{8}$/.exec(folder)?.[1];
  if (maker !== undefined) return startTime(Number(maker)) !== '';
  let users: readonly string[];
  try {
    users = readdirSync(join(folder, 'users'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  return users.some((pid) => isAlive({ pid: Number(pid), start: readFileSync(join(folder, 'users', pid), 'utf8') }));
};

/** `bin/second-brain`: the same words from a shell, at a path that outlives updates. */
const writeLauncher = (paths: Paths, target: string): void => {
  mkdirSync(join(paths.data, 'bin'), { recursive: true, mode: 0o700 });
  for (const { name, text } of launchersFor(process.platform, { node: process.execPath, command: join(target, 'dist', 'command.cjs'), data: paths.data })) {
    const path = join(paths.data, 'bin', name);
    const temp = `${path}.${process.pid}`;
    writeFileSync(temp, text, { mode: 0o700 });
    replace(temp, path);
  }
};

/** By these a project's settings could load code into node, have it write somewhere or loosen its connections. The guard takes the same away. */
export const STEERING = [
  'NODE_OPTIONS', 'NODE_PATH', 'NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'NODE_REDIRECT_WARNINGS', 'NODE_DEBUG', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_USE_ENV_PROXY', 'OPENSSL_CONF', 'OPENSSL_MODULES',
] as const;

/**
 * The files that start `command` over `data`, for the shells of a system: by the node that runs now while it is there,
 * since a project's settings can set the PATH of a status line.
 */
export const launchersFor = (platform: NodeJS.Platform, { node, command, data }: { readonly node: string; readonly command: string; readonly data: string }): readonly { readonly name: string; readonly text: string }[] => {
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  const sh = { name: 'second-brain', text: `#!/bin/sh\nnode=${quote(node)}\n[ -x "$node" ] || node=node\nunset ${STEERING.join(' ')}\nexec "$node" ${quote(command)} --data ${quote(data)} "$@"\n` };
  // In a batch file a percent sign stands for itself when doubled.
  const batch = (word: string): string => `"${word.replaceAll('%', '%%')}"`;
  return platform === 'win32' ? [sh, { name: 'second-brain.cmd', text: `@setlocal\r\n${STEERING.map((name) => `@set "${name}="\r\n`).join('')}@node ${batch(command)} --data ${batch(data)} %*\r\n` }] : [sh];
};
