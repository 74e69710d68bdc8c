// One live session: its files opened, its transcript read forward, its observer stepped. The monitor calls, this decides nothing.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { remove } from '../floor/disk-file.ts';
import { writeJson } from '../floor/json-file.ts';
import { keepLease, LEASE_MS, releaseLock, takeLock } from '../floor/lock-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { emptyQueue } from '../ingest/queue.ts';
import { isForgotten, readTombstones } from '../memory/forgotten-file.ts';
import { findRepository } from '../memory/git-file.ts';
import { ledgerStock, writeLedger } from '../memory/ledger-file.ts';
import { citedPaths } from '../memory/ledger.ts';
import { add, begin, due, end, hear, lookForClaims, openObserver, tend } from '../observer.ts';
import { readSpent } from '../pass/budget-file.ts';
import { readSharedPrompt } from '../pass/catalogue-file.ts';
import type { OnRecord } from '../pass/children-file.ts';
import { isKeyRefused } from '../pass/providers.ts';
import { dropBell, readBell, writeBell } from '../speak/bell-file.ts';
import { bellLine, IDLE_FOR_MS, mayRing } from '../speak/finish-gate.ts';
import { firingsOf } from '../speak/gate-count-file.ts';
import { listClaims, listMail } from '../speak/mailbox-file.ts';
import { hasRequests, putReply, takeRequests } from '../speak/request-file.ts';
import { writeStatus } from '../speak/status-file.ts';
import { writeTurn } from '../speak/turn-file.ts';
import { abandonPass } from '../speaking.ts';
import { digestOf, statusOf, turnOf } from '../surfacing.ts';
import { dropAll } from '../tasking.ts';
import { announce, offerHost, unsay } from './announce.ts';
import { openCapture } from './capture.ts';
import { openReader } from './reader.ts';
import { restore, type SessionAsk } from './restore.ts';
import { openTools } from './tools.ts';
import type { Detector, Ledger, PassReason, Signal } from '../records.ts';
import type { TurnFile } from '../surfaces.ts';
import type { Pass, Setup, Watching } from '../watching.ts';
import type { OpenJudge } from './judge.ts';
import type { LazyPools } from './lazy-pools.ts';
import type { Runtime } from './runtime.ts';

export type SessionOptions = SessionAsk & {
  readonly host: string;
  readonly host_pid: number;
  readonly runtime: Runtime;
  /** The monitor that has the session may not have had the time to beat. */
  readonly patient: boolean;
  readonly cwd: string;
  readonly knobs: () => Knobs;
  readonly catalogue: () => readonly Detector[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly children: OnRecord;
  readonly judge: OpenJudge;
  readonly pools: () => LazyPools;
  readonly ports: Pick<Setup, 'fork' | 'summarize'>;
  readonly notices: () => readonly string[];
  /** The provider asked us to keep still. */
  readonly paused: () => boolean;
  readonly ring: (line: string) => void;
};

export type LiveSession = ReturnType<typeof openSession>;

/** Opens the session, or says that another living monitor has it. */
export const openSession = (options: SessionOptions, now: number) => {
  const { paths, session, transcript, log } = options;
  if (!takeLock(paths.lease(session), now, options.patient)) return undefined;
  unsay(paths, session);
  const { restored, notes, tombstone, since, fresh } = restore(options, now);
  let plan_mode = false;
  const tools = openTools({
    dist: options.runtime.dist, workspace: options.workspace, cwd: options.cwd, env: options.env, children: options.children, log,
    fileTool: (task) => options.pools().fileTool(task),
    knobs: options.knobs,
    plan_mode: () => plan_mode,
    last_write_at: () => reader.lastWriteAt(),
  });
  let beaten_at = -Infinity;
  let closed: 'moved-on' | 'ended' | 'forgotten' | 'taken' | undefined;

  /** Whether there is still anything to do here: asked after every wait, since a process that was suspended never knows. */
  const isOurs = (): boolean => {
    const at = Date.now();
    // No lease is taken from one who has beaten this lately.
    if (closed !== undefined || (at >= beaten_at && at - beaten_at < BEAT_MS)) return closed === undefined;
    beaten_at = at;
    if (keepLease(paths.lease(session), at)) return true;
    log(`${session} was taken by another monitor while this one stood still`);
    leave(at, 'taken');
    return false;
  };

  const w = openObserver(
    setupOf(options, tools, async (task, hooks, abort) => {
      const made = await options.ports.summarize(task, hooks, abort);
      isOurs();
      return made;
    }),
    restored,
    now,
  );
  if (w.position !== undefined && w.position.path !== transcript) w.position = undefined;
  w.position ??= tombstone;

  add(w, notes, now);

  const reader = openReader(w, {
    options, tombstone, since, fresh, isOurs,
    orphan: options.source === 'fork' && restored.ledger === undefined,
    sealed: () => tools.denials().sealed,
  });
  let running: Promise<void> | undefined;
  let turn_written = '';
  let status_at = 0;
  /** Advice a bell was rung for: each once, whatever became of the bell. */
  const rung = new Set<string>();

  const start = async (because: PassReason, at: number): Promise<void> => {
    const { provider } = await options.judge.choose();
    if (!isOurs()) return;
    // What was projected under the old rules must not be sent under the new ones.
    if (tools.refresh().tightened) {
      w.queue = emptyQueue;
      add(w, [{ kind: 'note', note: 'gap', at, uuid: `denied-${at}`, text: '[note] what waited here was dropped: a new rule denies reading', raw_chars: 0 }], at);
      return;
    }
    // Not awaited: a slow server's tools join a later pass.
    void tools.connect(options.catalogue().filter(({ enabled }) => enabled));
    if (provider.kind === 'local') offerHost(paths, options, at);
    else announce(paths, options, provider, at);
    const asked = takeRequests(paths, session, at);
    const pass = await begin(w, because, at);
    if (isOurs()) surface(at);
    const results = await pass.results;
    const done = Date.now();
    if (!isOurs()) return abandonPass(w, pass, results, done);
    end(w, pass, results, done);
    for (const { id } of asked) putReply(paths, session, { v: 1, id, at: done, text: linesOf(pass, w).join('\n'), ...(pass.refused === undefined ? {} : { hold: pass.refused }) });
    if (results.some(({ cause }) => isKeyRefused(cause))) options.judge.refused();
    surface(done);
    lookForBell(done);
  };

  /** What is due now: clocks, a pass, the bell, the files people read. Returns when to ask again though nothing has come. */
  const step = (at: number, enrolled: boolean): number => {
    if (!isOurs()) return at + QUIET_MS;
    if (options.knobs().mute.all) w.pass?.cancel.abort('cancelled');
    let again_at = at + QUIET_MS;
    tend(w, at);
    lookForClaims(w, at);
    w.asked ||= hasRequests(paths, session);
    if (running === undefined) {
      const decision = due(w, at, readSpent(paths, w.setup, at), enrolled, options.paused());
      if (!decision.go && w.asked) {
        w.asked = false;
        for (const { id } of takeRequests(paths, session, at)) putReply(paths, session, { v: 1, id, at, text: '', hold: decision.because });
      }
      if (!decision.go) again_at = Math.min(again_at, decision.again_at ?? again_at);
      else {
        running = start(decision.because, at)
          .catch((error: unknown) => {
            w.pass = undefined;
            log(`a pass failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
          })
          .finally(() => {
            running = undefined;
          });
      }
    }
    lookForBell(at);
    writeTurnFile(at);
    const status_due = status_at + options.knobs().loop.status_interval_s * 1000;
    if (at >= status_due) surface(at);
    else again_at = Math.min(again_at, status_due);
    const box = paths.mailbox(session);
    const restless = running !== undefined || w.session.state === 'stopping' || listMail(box).length > 0 || listClaims(box).length > 0;
    return restless ? at : again_at;
  };

  const writeTurnFile = (at: number): void => {
    const turn = turnOf(w, at);
    const { at: _, ...rest } = turn;
    const text = JSON.stringify(rest);
    if (text === turn_written) return;
    turn_written = text;
    writeTurn(paths.turn(session), turn);
  };

  let cited: { readonly facts: Ledger['facts']; readonly paths: readonly string[] } | undefined;
  const surface = (at: number): void => {
    status_at = at;
    writeStatus(paths.status(session), statusOf(w, at, { spent: readSpent(paths, w.setup, at), enrolled: true, paused: options.paused(), ledgers: ledgerStock(paths), notices: [...options.notices(), ...options.judge.problems(), ...tools.problems()] }));
    writeTurnFile(at);
    const digest = options.knobs().delivery.resume_digest ? digestOf(w.ledger) : undefined;
    if (cited?.facts !== w.ledger.facts) cited = { facts: w.ledger.facts, paths: citedPaths(w.ledger).slice(-DIGEST_CITES).map((path) => resolve(options.workspace, path)).filter((path) => existsSync(path)) };
    if (digest !== undefined) writeJson(paths.digest(session), { v: 1, text: digest, at, cites: cited.paths });
    else remove(paths.digest(session));
  };

  const lookForBell = (at: number): void => {
    const knobs = options.knobs();
    const bell = readBell(paths.bell(options.host));
    if (bell !== undefined && at - bell.at > BELL_MS) {
      dropBell(paths.bell(options.host));
      // It may have become a turn of the model's: no other before the person speaks.
      w.wake_used = true;
    }
    const turn: TurnFile = turnOf(w, at);
    const unrung = listMail(paths.mailbox(session)).filter(({ advice }) => !rung.has(advice.id));
    const verdict = mayRing(unrung, {
      session, host_pid: options.host_pid, turn, muted: knobs.mute.all, attended: w.attended, background: w.background, fired: firingsOf(paths, w.ledger.task, at), now: at,
      idle_since: w.session.state === 'idle' ? w.session.since : undefined,
      wake: knobs.delivery.wake,
      bell_outstanding: bell !== undefined && at - bell.at <= BELL_MS,
    });
    if (!verdict.speak) return;
    rung.add(verdict.mail.advice.id);
    const nonce = randomBytes(6).toString('hex');
    writeTurnFile(at);
    writeBell(paths.bell(options.host), { nonce, at });
    options.ring(bellLine(nonce));
  };

  /** Stops everything of ours; state is safe when this returns. `forgotten` and `taken` write nothing back: it must stay gone, or is another's. */
  const leave = (at: number, because: NonNullable<typeof closed>): void => {
    closed = because;
    w.left.abort(because);
    w.pass?.cancel.abort('cancelled');
    void tools.close();
    try {
      if (because === 'forgotten' || because === 'taken') return;
      if (because === 'moved-on') dropAll(w, 'moved-on', at);
      unsay(paths, session);
      writeLedger(paths, { ...w.ledger, touched_at: at, ...(w.position === undefined ? {} : { position: w.position }) });
      surface(at);
    } finally {
      releaseLock(paths.lease(session));
    }
  };

  return {
    session, transcript,
    watching: (): Watching => w,
    read: reader.read,
    step, surface,
    hear: (signal: Signal, at: number): void => {
      if (!isOurs()) return;
      if (signal.permission_mode !== undefined) plan_mode = signal.permission_mode === 'plan';
      reader.hear(signal, at);
      hear(w, signal, at);
    },
    /** Milliseconds until a bell may ring, if that is ahead: left to the tick it would come up to a second late. */
    untilBell: (at: number): number => (w.session.since + IDLE_FOR_MS > at ? w.session.since + IDLE_FOR_MS - at : Infinity),
    isForgotten: (): boolean => isForgotten({ task: w.ledger.task, workspace: options.workspace, since: w.ledger.created_at }, readTombstones(paths)),
    isTaken: (): boolean => closed === 'taken',
    close: (at: number, because: 'moved-on' | 'ended' | 'forgotten'): void => {
      if (isOurs()) leave(at, because);
    },
    idle: (): Promise<void> => running ?? Promise.resolve(),
  };
};

/** What a person who asked is told: this pass's lines, and who did not run and why. */
const linesOf = (pass: Pass, w: Watching): readonly string[] => [
  ...(w.last_pass?.pass === pass.stamp.pass ? w.last_pass.lines : []),
  ...pass.skipped.filter(({ because }) => because !== 'disabled').map(({ detector, because }) => `${detector}: not asked (${because})`),
];
/** A beat is due when this has passed. */
const BEAT_MS = LEASE_MS / 6;
// With nothing in the mailbox and nothing under way only clocks of minutes and more are left to look at.
const QUIET_MS = 10_000;
/** A bell nobody answered this long was swallowed by a dialog or another hook; the next one may ring. */
const BELL_MS = 60_000;
/** Files that a resumed session's first words look for. */
const DIGEST_CITES = 20;
const setupOf = (options: SessionOptions, tools: ReturnType<typeof openTools>, summarize: Setup['summarize']): Setup => {
  const { paths, session, workspace, cwd, host, host_pid, runtime, knobs, catalogue, judge, ports, log } = options;
  return {
    paths, session, workspace, cwd, host, host_pid, knobs, catalogue, log,
    git_dir: findRepository(cwd).git_dir,
    version: runtime.version,
    shared_prompt: readSharedPrompt(runtime.prompts),
    judge: judge.current,
    fork: ports.fork,
    summarize,
    tool: tools.tool,
    lead: tools.lead,
    mcp_tools: tools.mcp_tools,
    capture: openCapture({ paths, session, knobs, log }),
    entropy: () => randomBytes(16),
  };
};
