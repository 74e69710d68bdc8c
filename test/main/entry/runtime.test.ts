// What the monitor runs from: the copy that outlives an update, its sweep, and the launchers over it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installRuntime, launchersFor, STEERING, versionAt } from '../../../src/main/entry/runtime.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';

let dir = '';
let paths: Paths;
const logged: string[] = [];
const log = (line: string): void => void logged.push(line);
beforeEach(() => {
  logged.length = 0;
  dir = mkdtempSync(join(tmpdir(), "sb run ü'-"));
  paths = pathsUnder(join(dir, 'data'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const plugin = (build: string): string => {
  const root = join(dir, `plugin-${build}`);
  for (const folder of ['dist', 'prompts']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'dist/build.json'), JSON.stringify({ version: '0.1.0', build }));
  writeFileSync(join(root, 'dist/monitor.cjs'), '');
  writeFileSync(join(root, 'dist/command.cjs'), 'console.log(JSON.stringify(process.argv.slice(2)));');
  writeFileSync(join(root, 'detectors.json'), '{}');
  return root;
};

describe('the copy that runs', () => {
  test('A11: it is whole under the data directory, and the plugin folder may go', () => {
    const root = plugin('one');
    const runtime = installRuntime(root, paths, log);
    rmSync(root, { recursive: true });
    expect(runtime.version).toBe('0.1.0-one');
    for (const path of [runtime.dist, runtime.catalogue, runtime.prompts]) expect(existsSync(path)).toBe(true);
    expect(JSON.parse(execFileSync(paths.launcher, ['why', "it's so"], { encoding: 'utf8' }))).toEqual(['--data', paths.data, 'why', "it's so"]);
  });

  test('what comes first on PATH does not run in place of the node that made the launcher', () => {
    installRuntime(plugin('one'), paths, log);
    mkdirSync(join(dir, 'bin'));
    writeFileSync(join(dir, 'bin', 'node'), '#!/bin/sh\necho theirs\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${join(dir, 'bin')}:${process.env['PATH']}` };
    expect(JSON.parse(execFileSync(paths.launcher, ['why'], { encoding: 'utf8', env }))).toEqual(['--data', paths.data, 'why']);
  });

  test('nothing that a project sets for node loads code into the launcher, and the guard takes the same away', () => {
    installRuntime(plugin('one'), paths, log);
    mkdirSync(join(dir, 'modules', 'theirs'), { recursive: true });
    writeFileSync(join(dir, 'modules', 'theirs', 'index.js'), `require('fs').writeFileSync(${JSON.stringify(join(dir, 'ran'))}, '')`);
    writeFileSync(join(paths.run('0.1.0-one'), 'dist', 'command.cjs'), "try { require('theirs') } catch {}");
    const env = { ...process.env, NODE_PATH: join(dir, 'modules'), NODE_OPTIONS: '--require theirs', NODE_V8_COVERAGE: join(dir, 'coverage') };
    execFileSync(paths.launcher, [], { env });
    expect([existsSync(join(dir, 'ran')), existsSync(join(dir, 'coverage'))]).toEqual([false, false]);
    expect(readFileSync('src/main/entry/guard.sh', 'utf8')).toContain(`\nunset ${STEERING.join(' ')}\n`);
  });

  test('A11: a copy goes when no living process uses it any more', () => {
    installRuntime(plugin('one'), paths, log);
    installRuntime(plugin('two'), paths, log);
    expect(readdirSync(paths.runs).sort()).toEqual(['0.1.0-one', '0.1.0-two']); // both marked by this process
    const users = join(paths.run('0.1.0-one'), 'users');
    writeFileSync(join(users, String(process.pid)), 'another start');
    installRuntime(plugin('two'), paths, log);
    expect(readdirSync(paths.runs)).toEqual(['0.1.0-two']);
    expect(logged).toEqual([`deleted ${paths.run('0.1.0-one')}: no living process uses it`]);
  });

  test('A11: a copy that cannot be deleted keeps nobody from starting', () => {
    mkdirSync(join(paths.run('0.1.0-odd'), 'users', '1'), { recursive: true }); // no file: nothing tells who uses it
    installRuntime(plugin('two'), paths, log);
    expect(logged).toEqual([expect.stringContaining(`${paths.run('0.1.0-odd')} cannot be deleted: EISDIR`)]);
  });

  test.each([
    ['its bundles are missing', 'dist'],
    ['its users are missing', 'users'],
  ])('A11: part of a copy is made anew: %s', (_, gone) => {
    const root = plugin('one');
    const whole = installRuntime(root, paths, log);
    rmSync(join(paths.run('0.1.0-one'), gone), { recursive: true });
    expect(installRuntime(root, paths, log)).toEqual(whole);
    expect(existsSync(join(whole.dist, 'monitor.cjs'))).toBe(true);
    expect(readdirSync(join(paths.run('0.1.0-one'), 'users'))).toEqual([String(process.pid)]);
    expect(readdirSync(paths.runs)).toEqual(['0.1.0-one']);
  });

  test('a folder without a build stamp has an unknown version', () => {
    expect(versionAt(dir)).toBe('unknown');
  });
});

describe('launchers', () => {
  test('a shell gets one in which nothing of a path expands', () => {
    const [sh, ...others] = launchersFor('darwin', { node: '/n o/node', command: '/a b/$x/it\'s.cjs', data: '/d' });
    expect(others).toEqual([]);
    expect(sh).toEqual({ name: 'second-brain', text: `#!/bin/sh\nnode='/n o/node'\n[ -x "$node" ] || node=node\nunset ${STEERING.join(' ')}\nexec "$node" '/a b/$x/it'\\''s.cjs' --data '/d' "$@"\n` });
  });

  test('Windows gets one of its own beside it', () => {
    const both = launchersFor('win32', { node: 'C:\\node.exe', command: 'C:\\a b\\100%\\command.cjs', data: 'C:\\d' });
    expect(both.map(({ name }) => name)).toEqual(['second-brain', 'second-brain.cmd']);
    expect(both[1]?.text).toContain('@setlocal\r\n@set "NODE_OPTIONS="\r\n');
    expect(both[1]?.text.endsWith('@node "C:\\a b\\100%%\\command.cjs" --data "C:\\d" %*\r\n')).toBe(true);
  });
});
