// The two thread pools, and the only file that knows Piscina: forks (network only) and compute (projection, file tools).
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  decode, encode, type FileToolTask, type ForkResult, type ForksPayload, type ForksTask, type ForkTask, type ProjectResult, type ProjectTask, type SummaryResult, type SummaryTask,
} from '../workers/contract.ts';
import { END_MS, openLine, watchOver, wordsOf, type ForkHooks } from './fork-port.ts';
import type { ForkEnd, ToolReply, Usage } from './records.ts';

export type { ForkHooks };

export type PoolOptions = {
  /** Folder of the bundles `forks.cjs` and `compute.cjs`. */
  readonly dist: string;
  readonly fork_threads: number;
  /** Forks at once, over all threads. */
  readonly width: number;
  readonly compute_threads: number;
};

export type Pools = ReturnType<typeof openPools>;

/**
 * Both pools, each started by its first task. `fork` and `summarize` never reject: a dead thread or a fork that does
 * not stop is a result with a cause. `project` rejects when its thread dies. `close` ends every thread.
 */
export const openPools = ({ dist, fork_threads, width, compute_threads }: PoolOptions) => {
  const forks = openLane({
    filename: join(dist, 'forks.cjs'), name: 'run', atomics: 'async', minThreads: fork_threads, maxThreads: fork_threads,
    concurrentTasksPerWorker: Math.ceil(width / fork_threads), env: {},
  });
  const compute = openLane({
    filename: join(dist, 'compute.cjs'), atomics: 'async', minThreads: 0, maxThreads: compute_threads, concurrentTasksPerWorker: 1, idleTimeout: COMPUTE_IDLE_MS, env: {},
  });
  const live = new Set<(because: ForkEnd) => void>();
  /** The prefix handed over last, and the threads that hold it: the forks of a pass share one copy on each. */
  let shared: { readonly prefix: Uint8Array; readonly threads: Set<number> } = { prefix: NOTHING, threads: new Set() };

  const overPort = async <T>(task: ForksTask, on: ForkHooks, hard_ms: number, signal: AbortSignal | undefined, failed: (failure: Failure) => T): Promise<T> => {
    const started_at = Date.now();
    const { port1, port2 } = new MessageChannel();
    const line = openLine(port1, on);
    const prefix = task.kind === 'fork' ? task.prefix : NOTHING;
    // The prefix goes beside the message: the codec would copy it twice on either side.
    const bytes = encode(task.kind === 'fork' ? { ...task, prefix: NOTHING } : task);
    const payload: { -readonly [K in keyof ForksPayload<MessagePort>]: ForksPayload<MessagePort>[K] } = { bytes, port: port2 };
    const moved: (ArrayBuffer | MessagePort)[] = [bytes.buffer, port2];
    const sent = forks.send(payload, moved, (thread) => {
      if (prefix.length === 0) return;
      if (shared.prefix !== prefix) shared = { prefix, threads: new Set() };
      if (!shared.threads.has(thread)) {
        shared.threads.add(thread);
        const copy = new Uint8Array(prefix);
        payload.prefix = copy;
        moved.push(copy.buffer);
      } else payload.prefix = 'held';
    });
    const stop = watchOver({ hard_ms, signal, cancel: line.cancel, end: sent.end, grace_ms: task.kind === 'fork' ? task.limits.grace_ms : END_MS });
    live.add(stop.now);
    try {
      return decode<T & object>(await sent.result);
    } catch (error) {
      return failed({ end: stop.because() ?? 'crashed', usage: line.spent(), usage_unknown: sent.started(), started_at, cause: wordsOf(error) });
    } finally {
      stop.clear();
      live.delete(stop.now);
      port1.close();
    }
  };

  const onCompute = async <T>(task: ProjectTask | FileToolTask, hard_ms: number): Promise<T> => {
    const bytes = encode(task);
    const sent = compute.send(bytes, [bytes.buffer]);
    const timer = setTimeout(sent.end, hard_ms);
    try {
      return decode<T & object>(await sent.result);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    /** One detector's run. `signal`'s reason, a ForkEnd, says why it is cancelled. */
    fork: (task: ForkTask, on: ForkHooks, signal?: AbortSignal): Promise<ForkResult> =>
      overPort(task, on, task.limits.deadline_ms + task.limits.grace_ms, signal, ({ end, usage, usage_unknown, started_at, cause }) => ({
        detector: task.detector.name, end, feedback: { verdict: 'silent' }, usage, requests: 0, started_at, took_ms: Date.now() - started_at, model: task.provider.model,
        pilot: task.pilot, tool_text: '', usage_unknown, cause,
      })),

    /** A summary; '' with a cause when there is none. */
    summarize: (task: SummaryTask, on: ForkHooks = {}, signal?: AbortSignal): Promise<SummaryResult> =>
      overPort(task, on, task.timeout_ms, signal, ({ usage, usage_unknown, cause }) => ({ text: '', usage, usage_unknown, cause })),

    project: (task: ProjectTask): Promise<ProjectResult> => onCompute(task, PROJECT_MS),

    fileTool: (task: FileToolTask): Promise<ToolReply> =>
      onCompute<ToolReply>(task, task.deadline_ms + END_MS).catch((error: unknown) => ({ ok: false, text: `${task.tool} did not finish: ${wordsOf(error)}` })),

    /** Threads running now. */
    threads: (): { readonly forks: number; readonly compute: number } => ({ forks: forks.threads(), compute: compute.threads() }),

    close: async (): Promise<void> => {
      for (const stop of live) stop('cancelled');
      await Promise.all([forks.close(), compute.close()]);
    },
  };
};

const NOTHING = new Uint8Array();

type Failure = { readonly end: ForkEnd; readonly usage: Usage; readonly usage_unknown: boolean; readonly started_at: number; readonly cause: string };

const COMPUTE_IDLE_MS = 10_000;
// A range of a few MB takes well under a second; this only frees what would wait for ever.
const PROJECT_MS = 60_000;

type Sent = {
  readonly result: Promise<Uint8Array>;
  /** Ends the thread the task runs on, and with it every task on that thread. */
  readonly end: () => void;
  /** Whether a thread has had it: one that none had room for has spent nothing. */
  readonly started: () => boolean;
};

type PiscinaOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;
type Balancer = NonNullable<PiscinaOptions['loadBalancer']>;
type Placed = { readonly placed: (thread: number) => void };

/** One pool, made on first use, with the one thing Piscina lacks for shared threads: ending the thread of a given task. */
const openLane = (options: PiscinaOptions & { readonly concurrentTasksPerWorker: number }) => {
  let pool: Piscina | undefined;
  let closed = false;

  const drop = (broken: Piscina): Promise<void> => {
    if (pool === broken) pool = undefined;
    return broken.destroy();
  };
  const opened = (): Piscina => {
    if (pool !== undefined) return pool;
    const made = new Piscina({ ...options, loadBalancer: (task, workers) => leastBusy(task, workers, options.concurrentTasksPerWorker) });
    // A thread that fails before its first task leaves the queue without anyone: reject it, and start afresh next time.
    made.on('error', () => void (made.threads.length === 0 && drop(made)));
    pool = made;
    return made;
  };

  return {
    /** `placed` is told the thread just before the payload is posted to it, and may still complete both. */
    send: (payload: object, transferList: (ArrayBuffer | MessagePort)[], placed: (thread: number) => void = () => undefined): Sent => {
      if (closed) return { result: Promise.reject(new Error('the pools are closed')), end: () => undefined, started: () => false };
      const mine = opened();
      let thread: number | undefined;
      // Under this symbol Piscina hands an object of ours to the balancer, and to nobody else.
      const task = Object.assign(payload, { [Piscina.queueOptionsSymbol]: { placed: (id: number) => { thread = id; placed(id); } } satisfies Placed });
      const started = (): boolean => thread !== undefined;
      if (options.concurrentTasksPerWorker === 1) {
        // Alone on its thread: Piscina's own abort takes it out of the queue, or ends its thread.
        const abort = new AbortController();
        return { result: mine.run(task, { transferList, signal: abort.signal }), end: () => abort.abort(), started };
      }
      // With a signal Piscina would give each task a thread to itself, so shared threads are ended by hand.
      let giveUp: (error: Error) => void = () => undefined;
      const cut = new Promise<never>((_, reject) => { giveUp = reject; });
      const result: Promise<Uint8Array> = Promise.race([mine.run(task, { transferList }), cut]);
      const end = (): void => {
        giveUp(new Error('it did not stop'));
        void mine.threads.find(({ threadId }) => threadId === thread)?.terminate();
      };
      return { result, end, started };
    },
    threads: (): number => pool?.threads.length ?? 0,
    close: async (): Promise<void> => {
      closed = true;
      if (pool !== undefined) await drop(pool);
    },
  };
};

const leastBusy = (task: Parameters<Balancer>[0], workers: Parameters<Balancer>[1], most: number): ReturnType<Balancer> => {
  const free = workers.filter(({ currentUsage }) => currentUsage < most).sort((a, b) => a.currentUsage - b.currentUsage)[0];
  if (free === undefined) return null;
  const options: Placed | null = Reflect.get(task, Piscina.queueOptionsSymbol);
  options?.placed(free.id);
  return free;
};
