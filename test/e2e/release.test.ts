// What a release holds: everything that runs, nothing else, the same bytes each time.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Release = { readonly folder: string; readonly tarball: string; readonly bytes: number; readonly sha256: string };

let dir: string;
let release: Release;
let again: Release;

const make = (name: string): Release => JSON.parse(execFileSync(process.execPath, ['release.config.mjs', join(dir, name)], { encoding: 'utf8', stdio: 'pipe' })) as Release;
const filesIn = (folder: string): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile()).sort();
const parse = (name: string): Record<string, unknown> => JSON.parse(readFileSync(join(release.folder, name), 'utf8')) as Record<string, unknown>;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-release-'));
  release = make('one');
  again = make('two');
}, 120_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('two releases of the same sources are the same bytes', () => {
  expect(again.sha256).toBe(release.sha256);
  expect(readFileSync(again.tarball).equals(readFileSync(release.tarball))).toBe(true);
});

test('a release holds the plugin and its licences, no sources and no packages', () => {
  const names = filesIn(release.folder);
  expect(names.filter((name) => /node_modules|\.ts$|\.map$|^(src|test|bench)\//.test(name))).toEqual([]);
  for (const name of ['.claude-plugin/marketplace.json', '.claude-plugin/plugin.json', 'hooks/hooks.json', 'monitors/monitors.json', 'detectors.json', 'prompts/shared.md', 'commands/second-brain-stats.md', 'dist/guard.sh', 'dist/hook.cjs', 'LICENSE', 'README.md', 'PRIVACY.md', 'docs/configuration.md', 'THIRD-PARTY-LICENSES.txt']) expect(names).toContain(name);
  expect(release.bytes).toBeLessThanOrEqual(4_000_000);
});

test('the licence of every package in a bundle is there, in words', () => {
  const text = readFileSync(join(release.folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> };
  for (const [name, version] of Object.entries(dependencies)) expect(text).toContain(`${name} ${version} (`);
  expect(text).toContain('Permission is hereby granted, free of charge');
});

test('the marketplace offers the plugin that lies in it, in the version of its bundles', () => {
  expect(parse('.claude-plugin/marketplace.json')['plugins']).toEqual([expect.objectContaining({ name: parse('.claude-plugin/plugin.json')['name'], source: './' })]);
  const { version, build } = parse('dist/build.json');
  expect(version).toBe(parse('.claude-plugin/plugin.json')['version']);
  expect(execFileSync(process.execPath, [join(release.folder, 'dist/command.cjs'), '--version'], { encoding: 'utf8' })).toBe(`${String(version)}-${String(build)}\n`);
});

test('the archive unpacks to the folder, and its program runs with nothing around it', () => {
  const empty = join(dir, 'a b', "ü'x");
  mkdirSync(empty, { recursive: true });
  execFileSync('tar', ['xzf', release.tarball, '-C', empty]);
  const unpacked = join(empty, 'second-brain');
  expect(filesIn(unpacked)).toEqual(filesIn(release.folder));
  for (const name of filesIn(unpacked)) expect(readFileSync(join(unpacked, name)).equals(readFileSync(join(release.folder, name))), name).toBe(true);
  const env = { PATH: '/usr/bin:/bin', HOME: empty };
  const run = spawnSync(process.execPath, [join(unpacked, 'dist/command.cjs'), 'replay', join(process.cwd(), 'test/fixtures/sessions/no-tests.jsonl')], { cwd: empty, env, encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout).toContain('[Second Brain sb-');
  expect(existsSync(join(empty, 'node_modules'))).toBe(false);
});

test('a release for where there is no shell differs in how its programs are started, and starts nothing but node', () => {
  const { folder } = JSON.parse(execFileSync(process.execPath, ['release.config.mjs', join(dir, 'shellless'), '--windows'], { encoding: 'utf8', stdio: 'pipe' })) as Release;
  expect(filesIn(folder)).toEqual(filesIn(release.folder));
  const changed = filesIn(folder).filter((name) => !readFileSync(join(folder, name)).equals(readFileSync(join(release.folder, name))));
  expect(changed).toEqual(['hooks/hooks.json', 'monitors/monitors.json']);
  const read = (at: string) => JSON.parse(readFileSync(join(at, 'hooks/hooks.json'), 'utf8')) as { readonly hooks: Readonly<Record<string, readonly [{ readonly hooks: readonly [Readonly<Record<string, unknown>>] }]>> };
  expect(Object.keys(read(folder).hooks)).toEqual(Object.keys(read(release.folder).hooks));
  for (const [event, [{ hooks: [hook] }]] of Object.entries(read(folder).hooks)) {
    const [{ hooks: [ours] }] = read(release.folder).hooks[event] ?? [{ hooks: [{}] }];
    expect(hook).toEqual({ type: 'command', command: 'node', args: ['-e', expect.any(String), '${CLAUDE_PLUGIN_ROOT}/dist/guard.cjs', '${CLAUDE_PLUGIN_DATA}', event], timeout: ours['timeout'] });
  }
});

test('what needs the sources is not in the words of a release', () => {
  const text = readFileSync(join(release.folder, 'README.md'), 'utf8');
  expect(text).not.toMatch(/npm (ci|start|test|run)|<!--/);
  expect(text).toContain('claude plugin marketplace add');
});

test('a release is committed as the whole of its branch, once a version, with the sources left alone', () => {
  const sources = join(dir, 'sources');
  for (const name of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).trim().split('\n')) if (existsSync(name)) cpSync(name, join(sources, name));
  symlinkSync(join(process.cwd(), 'node_modules'), join(sources, 'node_modules'));
  const env = { ...process.env, GIT_AUTHOR_NAME: 'test', GIT_AUTHOR_EMAIL: 'test@localhost', GIT_COMMITTER_NAME: 'test', GIT_COMMITTER_EMAIL: 'test@localhost' };
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: sources, env, encoding: 'utf8' }).trim();
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'Sources');
  const commit = (): string => (JSON.parse(execFileSync(process.execPath, ['release.config.mjs', '--commit'], { cwd: sources, env, encoding: 'utf8', stdio: 'pipe' })) as { readonly commit: string }).commit;
  const first = commit();
  expect(git('rev-parse', 'release', 'v0.1.0^{commit}').split('\n')).toEqual([first, first]);
  expect(git('ls-tree', '-r', '--name-only', 'release').split('\n').sort()).toEqual(filesIn(join(sources, '.cache/release/second-brain')));
  expect(commit()).toBe(first);

  writeFileSync(join(sources, 'LICENSE'), 'other');
  expect(commit).toThrow(/released already, with other content/);
  for (const name of ['package.json', 'plugin/.claude-plugin/plugin.json']) writeFileSync(join(sources, name), readFileSync(join(sources, name), 'utf8').replace('"version": "0.1.0"', '"version": "0.1.1"'));
  const second = commit();
  expect(git('rev-list', 'release').split('\n')).toEqual([second, first]);
  expect(git('diff', 'HEAD', '--name-only').split('\n')).toEqual(['LICENSE', 'package.json', 'plugin/.claude-plugin/plugin.json']);
  expect(git('diff', '--cached', '--name-only')).toBe('');
}, 120_000);

test('a folder that is there is not written over', () => {
  expect(() => make('one')).toThrow();
});
