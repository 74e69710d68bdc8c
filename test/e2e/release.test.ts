// What a release holds: everything that runs, nothing else, the same bytes each time.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
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

test('a folder that is there is not written over', () => {
  expect(() => make('one')).toThrow();
});
