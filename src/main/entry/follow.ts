// Follows the host from session to session: signals in, one session open at a time, a cycle at every change and whenever
// something is due; every second where changes are not told.
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEnrolled, loadConfig, workspaceOf } from '../floor/config-file.ts';
import type { Layer } from '../floor/config.ts';
import { defaultKnobs, type Knobs } from '../floor/knobs.ts';
import { isDiskTrouble } from '../floor/json-file.ts';
import { isFree, LEASE_MS, lockHolder, releaseLock, takeLock } from '../floor/lock-file.ts';
import type { Paths } from '../floor/paths.ts';
import { readSpool, spoolStart } from '../ingest/spool-file.ts';
import { openChildren, sweepChildren } from '../pass/children-file.ts';
import { ownOptions } from '../pass/options-file.ts';
import { filesOf, loadCatalogue, readSharedPrompt, type LoadedCatalogue } from '../pass/catalogue-file.ts';
import type { Signal } from '../records.ts';
import { openHostProvider } from './host-provider.ts';
import { openJudge } from './judge.ts';
import { lazyPools, type LazyPools } from './lazy-pools.ts';
import { openSession, type LiveSession } from './session.ts';
import { openRest, TICK_MS } from './rest.ts';
import { openStamps } from './stamps.ts';
import { sweep } from './sweep.ts';
import type { Host } from './host.ts';
import type { Runtime } from './runtime.ts';

export type FollowOptions = {
  readonly paths: Paths;
  readonly host: Host;
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly log: (line: string) => void;
  readonly ring: (line: string) => void;
  /** Called at every look into a watched session. */
  readonly watching?: () => void;
};

/** Starts that may wait for their first prompt; most are ghosts. */
const ANNOUNCED = 16;
const STANDBY_MS = 2000;
const QUIET_MS = 10_000;
const SAME_CALL_MS = 250;
const BACKLOG_MS = 5000;
/** No cycle for longer: this process was not run. */
const ASLEEP_MS = 20_000;
/** Less is a clock being trimmed. */
const SET_BACK_MS = 10_000;
const RATE_LIMIT_MS = 15 * 60_000;

export const openFollower = (options: FollowOptions) => {
  const { paths, host, runtime, env, log } = options;
  const lock = paths.monitorLock(host.name);
  let knobs: Knobs = defaultKnobs();
  let layers: readonly Layer[] | undefined;
  const config_stamps = openStamps();
  let problems: readonly string[] = [];
  let workspace = workspaceOf(options.cwd);
  let provider: { provider?: string; model?: string } = {};
  let loaded: LoadedCatalogue | undefined;
  let catalogue_problems: readonly string[] = [];
  let pools: LazyPools | undefined;
  let pools_size = '';
  let live: LiveSession | undefined;
  const announced = new Map<string, Signal>();
  let left: string | undefined;
  /** When this workspace came to be watched, if it was not from the start: what was said before is none of ours. */
  let awake_at: number | undefined;
  let was_enrolled: boolean | undefined;
  /** The last word of the session that another monitor watches; it is heard again until that one is gone. */
  let refused: Signal | undefined;
  /** The last word of the session that is watched here. */
  let last_word: Signal | undefined;
  let spool = spoolStart;
  let last_signal = { text: '', at: 0 };
  let swept_at = 0;
  /** By the clock that no one sets, ms. */
  let host_checked_at = -Infinity;
  let holds_lock = false;
  let started_at = 0;
  const rest = openRest();
  const stamps = openStamps();
  /** Whether the last look came to its end, and when to look again though nothing has changed. */
  let looked = false;
  let again_at = 0;
  /** The clock when last heeded, and by how much it has been set back since we began. */
  let seen_at = 0;
  let set_back = 0;
  /** When this process was last run again after a stop; the whole machine may have slept. */
  let woke_at = -Infinity;

  const judge = openJudge({ knobs: () => knobs, env, root: () => workspace, endpoints: paths.endpoints, log });

  const children = openChildren(paths.children(host.name));

  const hostProvider = openHostProvider({
    paths, host, env, children,
    pools: () => openedPools(),
    shared_prompt: () => readSharedPrompt(runtime.prompts),
    workspace: () => workspace,
    tools: () => live?.watching().tools ?? [],
    max_output: () => knobs.budget.max_output_tokens,
    now: Date.now,
  });

  /** Opened at the first use, and anew when their size has changed and nobody is at work in them. */
  const openedPools = (): LazyPools => {
    const { fork_threads, max_parallel_forks } = knobs.loop;
    const size = `${fork_threads}.${max_parallel_forks}`;
    if (pools !== undefined && pools_size !== size && live?.watching().pass === undefined) {
      void pools.close();
      pools = undefined;
    }
    if (pools === undefined) pools_size = size;
    return (pools ??= lazyPools({ dist: runtime.dist, fork_threads, width: max_parallel_forks, compute_threads: 2 }));
  };

  const configFiles = (): readonly string[] => [paths.config, paths.workspaceConfig(workspace), ...filesOf(knobs.catalogue.file)];

  /** Reads the configuration again when a file of it has changed, and says so. Mute and enrolment take effect at once. */
  const refresh = (): boolean => {
    if (!config_stamps.changed(configFiles(), rest.found)) return false;
    const config = loadConfig({ paths, workspace, env, options: ownOptions(provider, { workspace, env }), ...(layers === undefined ? {} : { last: layers }) });
    ({ knobs, layers } = config);
    loaded = undefined;
    logNew(config.problems, problems);
    ({ problems } = config);
    // By the time of the change and not of its notice: a prompt may lie between the two.
    if (was_enrolled === false && enrolled()) awake_at = Math.max(...[paths.config, paths.workspaceConfig(workspace)].map(changedAt));
    was_enrolled = enrolled();
    return true;
  };

  /** Read when first asked for, and again after a change: watching begins without it. */
  const catalogue = (): LoadedCatalogue => {
    if (loaded === undefined) {
      loaded = loadCatalogue({ bundle: runtime.catalogue, prompts: runtime.prompts, file: knobs.catalogue.file, overrides: knobs.detectors });
      logNew(loaded.problems, catalogue_problems);
      catalogue_problems = loaded.problems;
    }
    return loaded;
  };

  const logNew = (now: readonly string[], before: readonly string[]): void => {
    for (const problem of now) if (!before.includes(problem)) log(problem);
  };

  const enrolled = (): boolean => isEnrolled(knobs, workspace);

  const hear = async (signal: Signal, now: number): Promise<void> => {
    if (signal.provider !== undefined || signal.model !== undefined) {
      const next = { ...(signal.provider === undefined ? {} : { provider: signal.provider }), ...(signal.model === undefined ? {} : { model: signal.model }) };
      if (JSON.stringify(next) !== JSON.stringify(provider)) {
        provider = next;
        config_stamps.forget();
      }
    }
    // A start only announces: ghosts start too, and nothing ever happens in them (HAZARDS B1).
    if (signal.event === 'SessionStart' && signal.source !== 'compact') {
      announced.set(signal.session, signal);
      for (const [session] of announced) if (announced.size > ANNOUNCED) announced.delete(session);
      if (live?.session === signal.session) live.hear(signal, now);
      return;
    }
    if (signal.event === 'SessionEnd') {
      if (refused?.session === signal.session) refused = undefined;
      if (live?.session !== signal.session) return;
      await live.read(now, true);
      live.hear(signal, now);
      shut(now, 'ended');
      left = signal.session;
      return;
    }
    if (live?.session !== signal.session && signal.agent_id === undefined) turnTo(signal, now);
    if (live?.session !== signal.session) return;
    last_word = signal;
    if (signal.event === 'Stop' || signal.event === 'StopFailure') await live.read(now);
    // The user's own work comes first: one login, one limit.
    if (signal.event === 'StopFailure' && signal.reason === 'rate_limit') hostProvider.pause(now + RATE_LIMIT_MS);
    live.hear(signal, now);
  };

  /** The first prompt or tool event of a session makes it the one that is watched. */
  const turnTo = (signal: Signal, now: number): void => {
    if (live !== undefined) {
      left = live.session;
      shut(now, 'moved-on');
    }
    const next = workspaceOf(signal.cwd);
    // That another workspace was not watched says nothing of this one.
    if (next !== workspace) was_enrolled = awake_at = undefined;
    workspace = next;
    config_stamps.forget();
    refresh();
    refused = enrolled() ? refused : undefined;
    if (!enrolled()) return;
    const start = announced.get(signal.session);
    const source = start?.source ?? signal.source;
    live = openSession(
      {
        paths, host: host.name, host_pid: host.pid, runtime, session: signal.session, transcript: signal.transcript, cwd: signal.cwd, workspace,
        source, origin: left, started: start?.at,
        since: awake_at,
        patient: now - woke_at < LEASE_MS,
        knobs: () => knobs,
        catalogue: () => catalogue().detectors,
        env, children,
        judge,
        pools: openedPools,
        ports: {
          fork: (task, hooks, abort) =>
            task.provider.kind === 'host' ? hostProvider.fork(task, hooks, abort) : openedPools().fork(task, { ...hooks, learnt: judge.learnt }, abort),
          summarize: (task, hooks, abort) => (task.provider.kind === 'host' ? hostProvider.summarize(task, hooks, abort) : openedPools().summarize(task, hooks, abort)),
        },
        notices: () => [...problems, ...catalogue().problems],
        paused: () => judge.current().provider.kind === 'host' && hostProvider.pausedUntil() > Date.now(),
        log,
        ring: options.ring,
      },
      now,
    );
    if (live !== undefined && start !== undefined) live.hear(start, now);
    if (live !== undefined) announced.delete(signal.session);
    if (live === undefined && refused?.session !== signal.session) log(`${signal.session} is watched by another monitor; standing by`);
    refused = live === undefined ? signal : undefined;
  };

  const shut = (now: number, because: 'moved-on' | 'ended' | 'forgotten'): void => {
    const closing = live;
    live = undefined;
    try {
      closing?.close(now, because);
    } catch (error) {
      log(`leaving ${closing?.session ?? 'a session'} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  /** One cycle: configuration, signals, transcript, what is due; nothing but a few stats while nothing is. Errors cost the cycle, never the process. */
  const cycle = async (): Promise<void> => {
    const now = Date.now();
    const by = seen_at - now;
    if (seen_at > 0 && -by > ASLEEP_MS) woke_at = now;
    seen_at = now;
    if (by > SET_BACK_MS) settle(by, now);
    rest.follow([...configFiles(), ...files()]);
    rest.over();
    const changed = stamps.changed(files(), rest.found);
    if (!refresh() && !changed && looked && now < again_at) return;
    looked = false;
    again_at = now + QUIET_MS;
    const before = live;
    await look(now);
    if (live !== undefined) options.watching?.();
    // The files of another session were not looked at.
    looked = live === before;
  };

  const files = (): readonly string[] => [paths.spool(host.name), ...(live === undefined ? [] : [live.transcript, `${paths.requests(live.session)}/`, paths.forgotten])];

  /** Until the next cycle. False when the host is gone. */
  const untilNext = async (gone: () => boolean): Promise<boolean> => {
    const now = Date.now();
    const due = Math.min(again_at - now, QUIET_MS);
    let is_gone = false;
    rest.follow([...configFiles(), ...files()]);
    await rest.rest(Math.min(looked && due > 0 ? due : TICK_MS, live?.untilBell(now) ?? Infinity), () => {
      const at = performance.now();
      if (at - host_checked_at >= STANDBY_MS) {
        host_checked_at = at;
        is_gone = gone();
      }
      const by = seen_at - Date.now();
      if (is_gone || by > SET_BACK_MS || -by > ASLEEP_MS) return true;
      seen_at -= by;
      return false;
    });
    return !is_gone;
  };

  /** A clock set back makes times to come of our stamps: they go back with it, and the session is opened anew as by a restart. */
  const settle = (by: number, now: number): void => {
    log(`the clock was set back by ${Math.round(by / 1000)} s`);
    set_back += by;
    started_at -= by;
    swept_at = now;
    looked = false;
    if (awake_at !== undefined) awake_at -= by;
    if (spool.retired_at !== undefined) spool = { ...spool, retired_at: now };
    if (live === undefined) return;
    const { session, transcript } = live;
    turnTo({ v: 1, event: 'SessionStart', at: now, session, transcript, cwd: live.watching().setup.cwd }, now);
  };

  const look = async (now: number): Promise<void> => {
    if (!enrolled() && live !== undefined) shut(now, 'moved-on');
    const read = readSpool(paths.spool(host.name), spool, host.since - set_back, now);
    spool = read.position;
    if (read.bad > 0) log(`${read.bad} lines of the spool are no signals`);
    const standing_by = refused;
    for (const signal of newest(read.signals)) {
      if (!isNews(signal)) continue;
      try {
        await hear(signal, now);
      } catch (error) {
        log(`a signal (${signal.event}) failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        // The session could not be opened on a sick disk: heard again until it can be.
        if (live === undefined && isDiskTrouble(error) && signal.event !== 'SessionEnd' && signal.agent_id === undefined) refused = signal;
      }
    }
    if (refused !== undefined) {
      again_at = now + STANDBY_MS;
      if (refused === standing_by && isFree(paths.lease(refused.session), now, now - woke_at < LEASE_MS)) await hear(refused, now);
    }
    if (live === undefined || !enrolled()) return;
    if (live.isForgotten()) {
      log('a watched task was forgotten on request');
      shut(now, 'forgotten');
      return;
    }
    await live.read(now);
    again_at = live.step(Date.now(), true);
    if (live.isTaken()) {
      live = undefined;
      refused = last_word;
      return;
    }
    if (now - swept_at >= knobs.ledger.sweep_interval_s * 1000) {
      swept_at = now;
      for (const line of sweep(paths, knobs, now)) log(line);
    }
  };

  /** Taking over, the host's old signals tell where it is, not what has just happened: the last session's start and its last word do. */
  const newest = (signals: readonly Signal[]): readonly Signal[] => {
    const before = signals.filter(({ at }) => at < started_at - BACKLOG_MS);
    const last = before.findLast(({ agent_id }) => agent_id === undefined);
    const start = before.findLast(({ event, session }) => event === 'SessionStart' && session === last?.session);
    return signals.filter((signal) => signal === start || signal === last || !before.includes(signal));
  };

  /** Two copies of one hook tell the same thing some 30 ms apart (HAZARDS A4). */
  const isNews = (signal: Signal): boolean => {
    const { at, ...rest } = signal;
    const text = JSON.stringify(rest);
    const repeated = last_signal.text === text && Math.abs(at - last_signal.at) < SAME_CALL_MS;
    last_signal = { text, at };
    return !repeated;
  };

  const mayWatch = (): boolean => {
    try {
      return lockHolder(lock) === undefined && takeLock(lock);
    } catch (error) {
      log(`the monitor's lock cannot be taken: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  };

  return {
    run: async (gone: () => boolean): Promise<void> => {
      while (!(holds_lock = mayWatch())) {
        if (gone()) return;
        await sleep(STANDBY_MS);
      }
      started_at = Date.now();
      try {
        for (const pid of sweepChildren(paths.hosts)) log(`ended ${pid}, a child that a monitor before this one had left`);
      } catch (error) {
        log(`what a monitor before this one has left could not be ended: ${error instanceof Error ? error.message : String(error)}`);
      }
      do {
        try {
          await cycle();
        } catch (error) {
          log(`a cycle failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        }
      } while (await untilNext(gone));
    },
    close: (now: number): void => {
      rest.close();
      shut(now, 'ended');
      hostProvider.close();
      if (holds_lock) releaseLock(lock);
    },
  };
};

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
