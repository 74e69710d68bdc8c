// Runs the built command program as a shell or a hook does: its own process, a temporary data directory, a bare environment.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';

export type CommandWorld = { readonly root: string; readonly home: string; readonly data: string; readonly project: string; readonly paths: Paths; readonly program: string; readonly remove: () => void };

/** A home and a project of their own, and a plugin folder with only what commands load. */
export const makeCommandWorld = async (): Promise<CommandWorld> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sb-command-')));
  const [home, data, project, plugin] = ['home', 'data', 'project', 'plugin'].map((name) => join(root, name)) as [string, string, string, string];
  for (const folder of [home, data, project, join(plugin, 'dist')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await buildCommand(join(plugin, 'dist'));
  cpSync('plugin/detectors.json', join(plugin, 'detectors.json'));
  cpSync('plugin/prompts', join(plugin, 'prompts'), { recursive: true });
  writeFileSync(join(plugin, 'dist', 'build.json'), '{"version":"0.1.0","build":"test"}');
  return { root, home, data, project, paths: pathsUnder(data), program: join(plugin, 'dist', 'command.cjs'), remove: () => rmSync(root, { recursive: true, force: true }) };
};

/** The two bundles of the program, as the build makes them. */
export const buildCommand = async (outdir: string): Promise<void> => {
  await build({
    entryPoints: { command: 'src/main/entry/command.ts', program: 'src/main/command/run.ts' },
    outdir, bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', outExtension: { '.js': '.cjs' }, minifySyntax: true, logLevel: 'warning', define: { __VERSION__: '"test"' },
  });
};

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type RunOptions = { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string; readonly data?: boolean };

/** One call with `--data` unless told not to. */
export const runCommandIn = (world: CommandWorld, words: readonly string[], { env = {}, stdin = '', data = true }: RunOptions = {}): Promise<Ran> =>
  new Promise((done, reject) => {
    const child = spawn(process.execPath, [resolve(world.program), ...words, ...(data ? ['--data', world.data] : [])], {
      cwd: existsSync(world.project) ? world.project : world.root,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: world.home, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code) => done({ code, stdout, stderr }));
    child.stdin.end(stdin);
  });
