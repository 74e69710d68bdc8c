// The `host` provider put together: the user's own CLI, started per fork and supervised from main (SPEC 7.1).
import { readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { isCode, isMissing, unlessClosed, writeWhole } from '../floor/json-file.ts';
import type { Paths } from '../floor/paths.ts';
import { workspaceBlock } from '../memory/prefix.ts';
import type { OnRecord } from '../pass/children-file.ts';
import { createHostModel } from '../pass/host-model.ts';
import { hostSystem } from '../pass/host-system.ts';
import type { ForkHooks } from '../pools.ts';
import type { ForkResult, ToolDefinition } from '../records.ts';
import type { ForkTask, SummaryResult, SummaryTask } from '../../workers/contract.ts';
import type { Host } from './host.ts';
import type { LazyPools } from './lazy-pools.ts';

export type HostProviderOptions = {
  readonly paths: Paths;
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly children: OnRecord;
  readonly pools: () => Pick<LazyPools, 'fork' | 'summarize'>;
  readonly shared_prompt: () => string;
  readonly workspace: () => string;
  /** Every tool that the task's requests name: the children are told of them in words. */
  readonly tools: () => readonly ToolDefinition[];
  readonly max_output: () => number;
  readonly now: () => number;
};

/** Forks and summaries whose model is a child of ours; started with the first of them. */
export const openHostProvider = (options: HostProviderOptions) => {
  const { paths, host, env } = options;
  const written = new Map<string, string>();
  let model: ReturnType<typeof createHostModel> | undefined;
  let paused_until = 0;

  const fileOf = (name: string, system: string): string => {
    const file = join(paths.data, 'hosts', host.name, name);
    if (written.get(name) !== system) writeWhole(file, system);
    written.set(name, system);
    return file;
  };

  const opened = (name: string): ReturnType<typeof createHostModel> | undefined => {
    const execPath = hostBinary(host, env, options.workspace());
    return execPath === undefined ? undefined : (model ??= createHostModel({ execPath, dataDir: paths.data, children: options.children, model: name, maxOutputTokens: options.max_output(), env, now: options.now }));
  };

  /** Runs `ask` with a child of its own; `usd` is what the child says that has cost. */
  const withChild = async <T>(task: Pick<ForkTask, 'id' | 'provider'>, systemFile: string, signal: AbortSignal, ask: (hostSend: NonNullable<ForkHooks['hostSend']>) => Promise<T>): Promise<{ readonly result: T; readonly usd?: number }> => {
    const child = opened(task.provider.model);
    let usd: number | undefined;
    const hostSend: NonNullable<ForkHooks['hostSend']> = async (content, line) => {
      if (child === undefined) return { cause: 'host: its program was not found' };
      const sent = await child.send({ id: task.id, systemFile }, content, line, signal);
      if (sent.usd !== undefined) usd = (usd ?? 0) + sent.usd;
      return sent.cause === undefined ? {} : { cause: sent.cause };
    };
    try {
      const result = await ask(hostSend);
      return usd === undefined ? { result } : { result, usd };
    } finally {
      child?.end(task.id);
    }
  };

  return {
    fork: async (task: ForkTask, hooks: ForkHooks, signal: AbortSignal): Promise<ForkResult> => {
      const system = fileOf('system.txt', hostSystem(`${options.shared_prompt()}\n\n${workspaceBlock(options.workspace())}`, options.tools()));
      const { result, usd } = await withChild(task, system, signal, (hostSend) => options.pools().fork(task, { ...hooks, hostSend }, signal));
      return usd === undefined ? result : { ...result, usd };
    },
    /** Its child is told to condense and nothing of calls. */
    summarize: async (task: SummaryTask, hooks: ForkHooks, signal: AbortSignal): Promise<SummaryResult> =>
      (await withChild(task, fileOf('summary.txt', task.system), signal, (hostSend) => options.pools().summarize(task, { ...hooks, hostSend }, signal))).result,
    /** Session time until which it keeps still, after any sign of a rate limit. */
    pausedUntil: (): number => Math.max(paused_until, model?.pausedUntil() ?? 0),
    pause: (until: number): void => {
      paused_until = Math.max(paused_until, until);
      model?.pause(until);
    },
    close: (): void => void model?.close(),
  };
};

/** The program of this very session. Its own process tells; the variable can be set by a project, whose own programs do not count. */
export const hostBinary = (host: Pick<Host, 'pid'>, env: Readonly<Record<string, string | undefined>>, workspace: string): string | undefined => {
  if (process.platform !== 'linux' || host.pid === 0) {
    const told = env['CLAUDE_CODE_EXECPATH'] ?? '';
    const real = isAbsolute(told) ? unlessClosed(() => realpathSync(told)) : undefined;
    return real === undefined || real.startsWith(`${workspace}${sep}`) ? undefined : told;
  }
  try {
    return readlinkSync(`/proc/${host.pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch (error) {
    if (isMissing(error) || isCode(error, 'EACCES', 'EPERM', 'ESRCH')) return undefined;
    throw error;
  }
};
