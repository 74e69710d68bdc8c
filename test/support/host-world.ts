// A closed world for the real host: its own network namespace, home, terminal server and scripted model, all in one temporary
// folder. Several hosts can live in it at once or one after another; stopping it leaves no process behind.
import { execFile } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { hostAvailable, namespaceFlags, HOST_VERSION } from './host-install.ts';
import type { Script, Turn, WireBody } from './host-script.ts';

const run = promisify(execFile);

export type WorldOptions = {
  readonly script?: Script;
  readonly version?: string;
  /** Folder of the project, relative to the home; may hold spaces, quotes, other alphabets. */
  readonly project?: string;
  /** Files to put into the project, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folder for CLAUDE_CONFIG_DIR, relative to the home; the host's usual one when absent. */
  readonly configDir?: string;
};

/** A request the scripted model saw, in the order of the answers. `reply.why` names what the answer was taken from. */
export type LoggedRequest = {
  readonly n: number;
  readonly at: number;
  readonly done_at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireBody;
  readonly reply: { readonly why: string; readonly content?: readonly object[] };
};

export type Process = { readonly pid: number; readonly command: string };

export type World = {
  readonly dir: string;
  readonly home: string;
  readonly project: string;
  /** Where the host keeps its state: `.claude` in the home, or the world's own `configDir`. */
  readonly config: string;
  readonly binary: string;
  /** A free folder for what a probe or a test wants to leave. */
  readonly out: string;
  /** Runs a tmux command on the world's own server and returns what it prints. */
  readonly tmux: (...args: readonly string[]) => Promise<string>;
  /** Opens a terminal that runs `argv` in the world's environment; `id` is the tmux pane. */
  readonly open: (argv: readonly string[], options?: PaneOptions) => Promise<{ readonly id: string; readonly pid: number }>;
  /** Runs a program to its end inside the world, without a terminal. */
  readonly run: (argv: readonly string[], options?: RunOptions) => Promise<RunResult>;
  readonly push: (...turns: readonly Turn[]) => Promise<void>;
  readonly setScript: (script: Script) => Promise<void>;
  readonly requests: () => readonly LoggedRequest[];
  /** Everything alive in the world but its terminal server, its model and their shells. */
  readonly processes: () => readonly Process[];
  readonly stop: () => Promise<void>;
};

export type PaneOptions = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string };
export type RunOptions = PaneOptions & { readonly timeoutMs?: number; readonly stdin?: string };
export type RunResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

// One fixed port: the namespace is ours alone.
const PORT = 8787;
const KEY = 'sk-ant-test-dummy';

/** Starts a world. Throws where `hostAvailable` says no: ask it first. */
export const startWorld = async (options: WorldOptions = {}): Promise<World> => {
  const available = hostAvailable(options.version);
  if (!available.ok) throw new Error(available.because);
  const dir = mkdtempSync(join(tmpdir(), 'sb-host-'));
  const home = join(dir, 'home');
  const project = join(home, options.project ?? 'project');
  const out = join(dir, 'out');
  mkdirSync(out, { recursive: true });
  makeProject(project, options.files ?? {});
  const config = join(home, options.configDir ?? '.claude');
  mkdirSync(config, { recursive: true });
  const stateDir = options.configDir === undefined ? home : config;
  writeFileSync(join(stateDir, '.claude.json'), JSON.stringify(seed(project, options.version ?? HOST_VERSION)));
  const socket = join(dir, 'tmux');
  const log = join(dir, 'requests.jsonl');
  const control = join(dir, 'model.sock');
  // The host's own temporary files as well: its usual folder in /tmp may belong to somebody else.
  const temporary = join(dir, 'tmp');
  mkdirSync(temporary);
  const environment = { ...baseEnvironment(home), CLAUDE_CODE_TMPDIR: temporary, PROBE_DIR: out, ...(options.configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: config }) };
  const tmux = async (...args: readonly string[]): Promise<string> => (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout;

  const model = await bundleModel(dir);
  writeFileSync(join(dir, 'script.json'), JSON.stringify(options.script ?? {}));
  const modelArgs = [process.execPath, model, '--script', join(dir, 'script.json'), '--log', log, '--port', String(PORT), '--control', control, '--owner', String(process.pid)];
  const start = ['tmux', '-S', socket, '-f', '/dev/null', 'new-session', '-d', '-s', 's', '-x', '150', '-y', '50', ...withEnvironment(environment, modelArgs)];
  await run('unshare', [...namespaceFlags(), 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh', ...start], { env: { PATH: environment.PATH, TERM: 'xterm-256color' } });
  const [serverPid = 0, modelPid = 0] = (await tmux('display-message', '-p', '-t', 's', '#{pid} #{pane_pid}')).trim().split(' ').map(Number);
  const network = readlinkSync(`/proc/${serverPid}/ns/net`);
  if (network === readlinkSync('/proc/self/ns/net')) throw new Error('the world is not closed off');
  // Held open, the namespace keeps its number: nobody else's world can have it while we still look for ours.
  const hold = openSync(`/proc/${serverPid}/ns/net`, 'r');
  let stopped = false;

  const world: World = {
    dir, home, project, config, out, tmux,
    binary: available.binary,
    open: async (argv, pane = {}) => {
      const command = withEnvironment({ ...environment, ...pane.env }, argv);
      const printed = await tmux('new-window', '-d', '-P', '-F', '#{pane_id} #{pane_pid}', '-t', 's', '-c', pane.cwd ?? project, ...command);
      const [id = '', pid = '0'] = printed.trim().split(' ');
      return { id, pid: Number(pid) };
    },
    run: (argv, options = {}) => runToEnd(world, argv, options),
    push: async (...turns) => tell(control, '/push', turns),
    setScript: async (script) => tell(control, '/script', script),
    requests: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as LoggedRequest) : []),
    processes: () => (stopped ? [] : processesIn(network)).filter(({ pid }) => pid !== serverPid && pid !== modelPid),
    stop: async () => {
      if (stopped) return;
      for (let round = 0; round < 50; round += 1) {
        const left = processesIn(network);
        if (left.length === 0) break;
        for (const { pid } of left) endProcess(pid);
        await pause(50);
      }
      stopped = true;
      closeSync(hold);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  await orStop(world, async () => {
    await tmux('set-option', '-g', 'remain-on-exit', 'on');
    await waitUntil(() => existsSync(control), 10_000, 'the scripted model did not start');
  });
  return world;
};

/** Does `work`, and takes the world down when it fails. */
export const orStop = async <T>(world: World, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await world.stop();
    throw error;
  }
};

/** Polls `done` every 50 ms; throws `otherwise` when the time is over. */
export const waitUntil = async (done: () => boolean | Promise<boolean>, timeoutMs: number, otherwise: string | (() => string | Promise<string>)): Promise<void> => {
  const end = Date.now() + timeoutMs;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(typeof otherwise === 'string' ? otherwise : await otherwise());
    await pause(50);
  }
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const baseEnvironment = (home: string): Record<string, string> & { PATH: string } => ({
  HOME: home,
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  SHELL: '/bin/bash',
  USER: 'dev',
  LOGNAME: 'dev',
  ANTHROPIC_API_KEY: KEY,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${PORT}`,
  DISABLE_AUTOUPDATER: '1',
});

const withEnvironment = (environment: Readonly<Record<string, string>>, argv: readonly string[]): readonly string[] =>
  ['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...argv];

const makeProject = (project: string, files: Readonly<Record<string, string>>): void => {
  mkdirSync(project, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
};

/** The host's state file, past onboarding, trust and key dialogs. */
const seed = (project: string, version: string): object => ({
  hasCompletedOnboarding: true,
  lastOnboardingVersion: version,
  theme: 'dark',
  numStartups: 5,
  autoUpdates: false,
  bypassPermissionsModeAccepted: true,
  officialMarketplaceAutoInstallAttempted: true,
  customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
  projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 4 } },
});

const bundleModel = async (dir: string): Promise<string> => {
  const outfile = join(dir, 'host-model.mjs');
  await build({ entryPoints: ['test/support/host-model.ts'], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' });
  return outfile;
};

const runToEnd = async (world: World, argv: readonly string[], options: RunOptions): Promise<RunResult> => {
  const dir = mkdtempSync(join(world.dir, 'run-'));
  writeFileSync(join(dir, 'in'), options.stdin ?? '');
  const script = 'd="$1"; t="$2"; shift 2; timeout -k 2 "$t" "$@" <"$d/in" >"$d/out" 2>"$d/err"; echo $? >"$d/code.part"; mv "$d/code.part" "$d/code"';
  const limit = options.timeoutMs ?? 60_000;
  const pane = await world.open(['sh', '-c', script, 'sh', dir, String(Math.ceil(limit / 1000)), ...argv], options);
  await waitUntil(() => existsSync(join(dir, 'code')), limit + 5_000, `no end after ${limit} ms: ${argv.join(' ')}`);
  await world.tmux('kill-pane', '-t', pane.id);
  const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
  return { code: Number(read('code')), stdout: read('out'), stderr: read('err') };
};

const tell = (socketPath: string, path: string, value: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST' }, (response) => {
      response.resume();
      response.on('end', () => resolve());
    });
    call.on('error', reject);
    call.end(JSON.stringify(value));
  });

const processesIn = (network: string): readonly Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (readlinkSync(`/proc/${name}/ns/net`) !== network) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), command }];
      } catch {
        return []; // ended while we looked, or somebody else's
      }
    })
    // A zombie has no command line: dead, and waiting for its parent only.
    .filter(({ command }) => command !== '');

const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // gone meanwhile
  }
};
