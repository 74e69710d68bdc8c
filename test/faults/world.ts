// One machine in a folder: a HOME, a project, the built plugin, a scripted model behind real HTTP, and stand-in hosts that
// can be killed. What happens in it is left in files, by which the checker judges.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { openModelServer, type ModelServer, type Script } from '../support/model-server.ts';
import { outputTokens } from '../support/model-frames.ts';
import { check, observed, windows, type CheckOptions, type Finding } from './check.ts';
import type { HostSpec, HostWord, JournalLine, Order } from './orders.ts';

export type StandIn = {
  readonly pid: number;
  /** Pids of the monitors it started, and of the first of them. */
  readonly monitors: readonly number[];
  readonly monitor: number;
  readonly session: string;
  readonly alive: () => boolean;
  /** One turn of the agent's; false when the host did not live to its end. */
  readonly turn: (order: Omit<Extract<Order, { kind: 'turn' }>, 'kind'>) => Promise<boolean>;
  /** As a person leaves: the monitor is told, SessionEnd hooks run. */
  readonly leave: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** The one that watches; false when none does. */
  readonly killMonitor: () => boolean;
};

export type World = {
  readonly root: string;
  readonly data: string;
  readonly project: string;
  /** A copy of the built plugin, this world's own. */
  readonly plugin: string;
  readonly model: ModelServer;
  readonly start: (options?: { readonly session?: string; readonly source?: HostSpec['source']; readonly monitors?: number }) => Promise<StandIn>;
  readonly transcript: (session: string) => string;
  /** A word that no other record of this world has; the checker follows it. */
  readonly token: () => string;
  /** Waits until every observed word has reached a window; false when `ms` were not enough. */
  readonly settled: (ms?: number) => Promise<boolean>;
  /** Ends the next pool thread that looks: those that send requests. The monitor lives on. */
  readonly killThread: () => void;
  /** Calls what `onStrike` has set: a script does so when a request arrives. */
  readonly strike: () => void;
  /** Words of commands that answer the advisories the model has made so far. */
  readonly mends: string[];
  readonly onStrike: (act: (() => void) | undefined) => void;
  /** The checker's findings now. */
  readonly check: (options?: CheckOptions) => readonly Finding[];
  /** Replaces the plugin's configuration; who judges stays. */
  readonly configure: (config: object) => void;
  readonly log: () => string;
  /** Ends every host, then says which processes of the world are left after `ms`. */
  readonly close: (ms?: number) => Promise<readonly Finding[]>;
  readonly remove: () => Promise<void>;
};

/** Judged by one detector through the scripted model, with no pause between passes that a run would have to wait for. */
export const QUICK = {
  gate: { cooldown_s: 0, rate_per_hour: 1000, max_mailbox_entries: 100 },
  loop: { min_interval_s: 5, salience_per_hour: 600, trigger_chars: 200, max_interval_s: 30, status_interval_s: 1, fork_deadline_s: 4, fork_grace_s: 1 },
  budget: { tokens_per_hour: 50_000_000, tokens_per_task: 50_000_000 },
  detectors: { 'repeat-failure': { enabled: false }, 'standard-questions': { enabled: false } },
};

/** Longer than a pass is ever put off while there is something to look at (`max_interval_s` above). */
export const PATIENCE_MS = 45_000;

type WorldOptions = { readonly script: (world: World) => Script; readonly config?: object; readonly env?: Readonly<Record<string, string>>; readonly plugin?: string; readonly dribble?: boolean; /** A file that every program of the plugin and the stand-in host load first. */ readonly preload?: string };

export const openWorld = async ({ script, config = QUICK, env = {}, plugin: built = 'plugin', dribble = false, preload }: WorldOptions): Promise<World> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sb-faults-')));
  const [home, data, project, plugin] = ['home', 'data', 'project', 'plugin'].map((name) => join(root, name)) as [string, string, string, string];
  for (const folder of [home, data, project]) mkdirSync(folder, { recursive: true });
  cpSync(resolve(built), plugin, { recursive: true });
  if (preload !== undefined) for (const name of ['hook.cjs', 'monitor.cjs', 'command.cjs', 'forks.cjs']) putFirst(join(plugin, 'dist', name), `require(${JSON.stringify(preload)});`);
  const trap = join(root, 'trap');
  setTrap(join(plugin, 'dist', 'forks.cjs'), trap);
  const program = join(root, 'host.mjs');
  await build({ entryPoints: ['test/faults/host.ts'], outfile: program, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', logLevel: 'warning' });
  const journal = join(root, 'journal.jsonl');
  const note = (line: JournalLine): void => appendFileSync(journal, `${JSON.stringify(line)}\n`);

  let act: (() => void) | undefined;
  let answer: Script | undefined;
  const outputs = new Map<number, { readonly tokens: number; readonly fault?: string; readonly status?: number }>();
  const model = await openModelServer({
    script: (request) => {
      const said = (answer ??= script(world))(request);
      const { fault } = said;
      outputs.set(request.n, { tokens: outputTokens(said), ...(fault === undefined ? {} : { fault: fault.kind }), ...(fault?.kind === 'status' ? { status: fault.status } : {}) });
      return said;
    },
  });

  const base = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ATTENDED: '1', ANTHROPIC_API_KEY: 'sk-test-dummy', ...env };
  const transcript = (session: string): string => join(home, '.claude', 'projects', 'project', `${session}.jsonl`);
  const hosts = new Map<ChildProcess, StandIn>();
  let tokens = 0;
  let started = 0;

  const start: World['start'] = async ({ session = randomUUID(), source = existsSync(transcript(session)) ? 'resume' : 'startup', monitors = 1 } = {}) => {
    const spec: HostSpec = { session, source, transcript: transcript(session), project, plugin, data, journal, env: base, monitors, dribble };
    // Two may start at once.
    const path = join(root, `host-${(started += 1)}.json`);
    writeFileSync(path, JSON.stringify(spec));
    const child = fork(program, [path], { env: base, execArgv: preload === undefined ? [] : ['--require', preload], stdio: ['ignore', 'inherit', 'inherit', 'ipc'], cwd: project });
    const gone = new Promise<void>((done) => child.on('exit', () => done()));
    const hears = <K extends HostWord['kind']>(kind: K): Promise<Extract<HostWord, { kind: K }> | undefined> =>
      new Promise((done) => {
        const listen = (word: HostWord): void => {
          if (word.kind === kind) end(word as Extract<HostWord, { kind: K }>);
        };
        const end = (word?: Extract<HostWord, { kind: K }>): void => (child.off('message', listen), done(word));
        child.on('message', listen);
        void gone.then(() => end());
      });
    const ready = await hears('ready');
    if (ready === undefined) throw new Error('the stand-in host did not start');
    const alive = (): boolean => child.exitCode === null && child.signalCode === null;
    const host: StandIn = {
      pid: child.pid ?? 0, monitors: ready.monitors, monitor: ready.monitors[0] ?? 0, session, alive,
      turn: async (order) => {
        if (!alive()) return false;
        const done = hears('turn-done');
        child.send({ kind: 'turn', ...order } satisfies Order, () => undefined);
        return (await done) !== undefined;
      },
      leave: async () => {
        if (alive()) child.send({ kind: 'leave' } satisfies Order, () => undefined);
        await gone;
      },
      kill: async () => {
        if (!alive()) return;
        child.kill('SIGKILL');
        await gone;
        note({ kind: 'gone', what: 'host', pid: child.pid ?? 0, at: Date.now() });
      },
      killMonitor: () => killProcess(ready.monitors.find((pid) => pid === holderOf(join(data, 'hosts', String(child.pid), 'lock'))) ?? 0),
    };
    hosts.set(child, host);
    return host;
  };

  const settled = async (ms = 20_000): Promise<boolean> => {
    for (const end = Date.now() + ms; ; await sleep(100)) {
      const there = new Set(windows(data).flatMap(({ tokens: found }) => found));
      if (observed(root).every((word) => there.has(word))) return true;
      if (Date.now() > end) return false;
    }
  };

  const saveModelLog = (): void =>
    writeFileSync(
      join(root, 'model.jsonl'),
      model.requests.map(({ n, at, first_event_at, ended_at, charge }) => `${JSON.stringify({ n, at, first_event_at, ended_at, charge, ...outputs.get(n) })}\n`).join(''),
    );

  const world: World = {
    root, data, project, plugin, model, start, transcript, settled,
    token: () => `obs-${(tokens += 1).toString(36).padStart(4, '0')}`,
    killThread: () => writeFileSync(trap, ''),
    strike: () => act?.(),
    mends: [],
    onStrike: (next) => void (act = next),
    check: (options) => (saveModelLog(), check(root, options)),
    configure: (next) => writeFileSync(join(data, 'config.json'), JSON.stringify({ ...next, model: { provider: 'anthropic', base_url: model.url } })),
    log: () => (existsSync(join(data, 'log')) ? readdirSync(join(data, 'log')).map((name) => readFileSync(join(data, 'log', name), 'utf8')).join('') : ''),
    close: async (ms = 12_000) => {
      for (const host of hosts.values()) await host.kill();
      // A host's death is noticed within seconds, then what is left is an orphan.
      let found = world.check({ closed: true });
      for (const end = Date.now() + ms; Date.now() < end && found.some(({ rule }) => rule === 'orphan' || rule === 'lock'); found = world.check({ closed: true })) await sleep(200);
      if (!found.some(({ rule }) => rule === 'orphan')) return found;
      // A child that nothing tells of its monitor's death is ended by the next monitor.
      const next = await start();
      for (const end = Date.now() + ms; Date.now() < end && world.check({ closed: true }).filter(({ rule }) => rule === 'orphan').length > OWN_PROCESSES; ) await sleep(200);
      await next.leave();
      found = world.check({ closed: true });
      return found;
    },
    remove: async () => {
      for (const host of hosts.values()) {
        for (const pid of host.monitors) killProcess(pid);
        await host.kill();
      }
      await model.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  world.configure(config);
  return world;
};

/** A thread that finds the trap's file ends at once, as one does that a fault of its own has killed. */
const setTrap = (bundle: string, trap: string): void => {
  const code = `{const w=require('node:worker_threads'),f=require('node:fs');if(!w.isMainThread)setInterval(()=>{try{f.unlinkSync(${JSON.stringify(trap)})}catch{return}process.exit(9)},5).unref()}`;
  putFirst(bundle, code);
};

const putFirst = (bundle: string, code: string): void => writeFileSync(bundle, `${code}\n${readFileSync(bundle, 'utf8')}`);

/** A host and its monitor. */
const OWN_PROCESSES = 2;

/** False when there is none, or it has gone already. */
const killProcess = (pid: number): boolean => {
  try {
    return pid > 1 && process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
};

/** Pid in a lock's file; undefined where there is none. */
const holderOf = (lock: string): number | undefined => {
  const pid = /"pid":(\d+)/.exec(existsSync(lock) ? readFileSync(lock, 'utf8') : '')?.[1];
  return pid === undefined ? undefined : Number(pid);
};
