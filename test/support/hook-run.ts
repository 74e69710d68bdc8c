// Runs the built guard and hook as the host does: its own process, a temporary data directory, a bare environment.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import type { Advice } from '../../src/main/records.ts';
import type { TurnFile } from '../../src/main/surfaces.ts';
import { thisProcess } from '../../src/main/floor/process-file.ts';
import { advice, turn } from './mail.ts';

export { said } from './mail.ts';

/** Bundles the hook beside both guards, as `npm run build` does, into `folder`; returns the shell guard's path. */
export const buildHook = async (folder: string): Promise<string> => {
  await build({ entryPoints: ['src/main/entry/hook.ts', 'src/main/entry/guard.ts'], outdir: folder, outExtension: { '.js': '.cjs' }, bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', minify: true, legalComments: 'none', logLevel: 'warning' });
  cpSync('src/main/entry/guard.sh', join(folder, 'guard.sh'));
  return join(folder, 'guard.sh');
};

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** One hook call. `stdin` undefined leaves the pipe open, as SessionEnd has been seen to do. */
export const runHook = (guard: string, args: readonly string[], env: Readonly<Record<string, string>>, stdin: string | undefined, open = false): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', [...gate(), guard, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', reject); // EPIPE: the guard did not drain
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    if (stdin !== undefined) child.stdin.write(stdin);
    if (!open) child.stdin.end();
  });

/** What stands before the guard's path in hooks.json. */
const gate = (): readonly string[] => {
  const file = JSON.parse(readFileSync('plugin/hooks/hooks.json', 'utf8')) as { readonly hooks: { readonly Stop: readonly [{ readonly hooks: readonly [{ readonly args: readonly string[] }] }] } };
  return file.hooks.Stop[0].hooks[0].args.slice(0, 2);
};

export type World = {
  readonly root: string;
  readonly data: string;
  readonly project: string;
  readonly paths: Paths;
  readonly session: string;
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => void;
};

const HOST_PID = process.pid;

/** A home, a project and a data directory of their own, and the environment of a hook in them. */
export const makeWorld = (name = 'world', session = '9fde1a54-d5c0-4c05-a2ec-2e91609dba4b'): World => {
  const root = join(realpathSync(mkdtempSync(join(tmpdir(), 'sb-hook-'))), name);
  const data = join(root, 'data');
  const project = join(root, 'project');
  for (const folder of [data, project, join(root, 'home')]) mkdirSync(folder, { recursive: true });
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: join(root, 'home'),
    CLAUDE_PLUGIN_DATA: data,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: session,
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_SESSION_ATTENDED: '1',
    CLAUDE_PID: String(HOST_PID),
  };
  return { root, data, project, paths: pathsUnder(data), session, env, remove: () => rmSync(dirname(root), { recursive: true, force: true }) };
};

/** A sample payload with the fields a test needs changed. */
export const sample = (name: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  ...(JSON.parse(readFileSync(join('test/fixtures/hooks', `${name}.json`), 'utf8')) as Record<string, unknown>),
  ...changes,
});

/** An advisory of this world, as good as any. */
export const makeAdvice = (world: Pick<World, 'session'>, changes: Partial<Advice> = {}): Advice => 
  advice({
    session_id: world.session,
    host_pid: HOST_PID,
    body: 'src/wc.py changed after the only test run.',
    generated_at: Date.now() - 1000,
    enqueued_at: Date.now() - 500,
    ...changes,
  });

export const makeTurn = (changes: Partial<TurnFile> = {}): TurnFile => turn({ at: Date.now(), host_pid: HOST_PID, ...changes });

/** Makes this process the living monitor of the world's session and host. */
export const takeLease = ({ paths, session }: World): void => {
  const holder = JSON.stringify({ ...thisProcess(), beat: Date.now() });
  for (const path of [paths.lease(session), paths.monitorLock(String(HOST_PID))]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, holder);
  }
};

/** Lines of the host's spool. */
export const spoolOf = ({ paths }: World): readonly Record<string, unknown>[] => {
  const path = paths.spool(String(HOST_PID));
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
};
