// What the monitor runs from: a copy of the bundles, catalogue and prompts under the data directory, since a
// plugin update deletes the folder it was started from (HAZARDS A11).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { messageOf } from '../floor/failure.ts';
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

/** Copies what runs to `run/<version>/` unless it is there whole, marks it used by this process, and sweeps copies nobody uses. */
export const installRuntime = (root: string, paths: Paths, log: (line: string) => void): Runtime => {
  const version = versionAt(root);
  const target = paths.run(version);
  for (let tries = 0; !mark(target); tries += 1) {
    if (tries === PUBLISH_TRIES) throw new Error(`${target} cannot be made`);
    publish(root, target);
  }
  sweepRuntimes(paths, target, log);
  writeLauncher(paths, target);
  return runtimeAt(target, version);
};

/** Whether the copy is whole and now says that this process uses it. */
const mark = (folder: string): boolean => {
  try {
    writeFileSync(join(folder, 'users', String(process.pid)), thisProcess().start, { mode: 0o600 });
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  return isWhole(folder);
};

const isWhole = (folder: string): boolean => [join('dist', 'monitor.cjs'), 'users'].every((name) => existsSync(join(folder, name)));

/** Another process may be making or sweeping the same copy. */
const PUBLISH_TRIES = 3;

const publish = (root: string, target: string): void => {
  const temp = making(target);
  mkdirSync(join(temp, 'users'), { recursive: true, mode: 0o700 }); // what is there has it, so that a mark never makes half a copy
  for (const name of ['dist', 'detectors.json', 'prompts']) cpSync(join(root, name), join(temp, name), { recursive: true });
  try {
    renameSync(temp, target);
  } catch (error) {
    rmSync(temp, { recursive: true, force: true });
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error;
    if (!isWhole(target)) setAside(target); // part of a copy; else another monitor was first
  }
};

const sweepRuntimes = (paths: Paths, current: string, log: (line: string) => void): void => {
  for (const name of readdirSync(paths.runs)) {
    const folder = join(paths.runs, name);
    try {
      if (folder !== current && !isUsed(folder) && setAside(folder)) log(`deleted ${folder}: no living process uses it`);
    } catch (error) {
      log(`${folder} cannot be deleted: ${messageOf(error)}`); // no reason not to watch
    }
  }
};

/** Out of the way in one step, so that a copy is there whole or not at all; false when it was gone already. */
const setAside = (folder: string): boolean => {
  const aside = making(folder);
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
  return true;
};

/** A copy in the making, or going. */
const making = (folder: string): string => `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;

/** Some living process marked the copy, or it is a copy in the making or going (its name ends in the pid of who does it). */
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
