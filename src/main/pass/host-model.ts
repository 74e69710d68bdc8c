// The user's own CLI as the model: one print-mode child per fork, supervised from here (SPEC 7.1 host; contract k, m).
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { startTime, type ProcessId } from '../floor/process-file.ts';
import type { Usage } from '../records.ts';
import { killGroup, makeEmptyFolder, type OnRecord } from './children-file.ts';
import { parseHostLine, type HostResult } from './host-line.ts';

export type HostModelOptions = {
  /** The program that runs this session. */
  readonly execPath: string;
  readonly dataDir: string;
  readonly children: OnRecord;
  readonly model: string;
  readonly maxOutputTokens: number;
  /** The monitor's environment: endpoint and login are the host's own business. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
};

/** Whose child it is, and the file its system prompt lies in before the first `send`. */
export type Asker = { readonly id: string; readonly systemFile: string };

/** One user message's end. Usage and money are the result line's, this message's share of them. */
export type HostSent = { readonly cause?: string; readonly usage?: Usage; readonly usd?: number; readonly limited_until?: number };

/** How long a rate-limit sign silences us when it does not say itself: the user's own work comes first. */
const PAUSE_MS = 15 * 60_000;
/** What an idle child gets to leave by itself once its stdin has ended. */
const LEAVE_MS = 2_000;
const MAX_LINE = 4_000_000;

type Child = {
  readonly process: ChildProcessWithoutNullStreams;
  readonly id: ProcessId | undefined;
  readonly gone: Promise<void>;
  /** Takes the lines of the turn that runs. */
  turn: { readonly line: (text: string) => void; readonly end: (sent: HostSent) => void } | undefined;
  /** total_cost_usd is a running sum of the process. */
  usd: number;
};

/** Supervises the children. Nothing is started before the first `send`. */
export const createHostModel = (options: HostModelOptions) => {
  const children = new Map<string, Child>();
  let paused_until = 0;

  const start = (forkId: string, systemFile: string): Child => {
    const cwd = join(options.dataDir, 'empty');
    makeEmptyFolder(cwd);
    // Its own group, so that whatever it starts ends with it.
    const made = spawn(options.execPath, flags(options.model, systemFile), { cwd, env: childEnv(options), detached: true, stdio: 'pipe', windowsHide: true });
    let left: () => void = () => undefined;
    const child: Child = {
      process: made,
      id: made.pid === undefined ? undefined : { pid: made.pid, start: startTime(made.pid) },
      gone: new Promise((resolve) => (left = resolve)),
      turn: undefined,
      usd: 0,
    };
    children.set(forkId, child);
    const ended = options.children(made.pid);
    const leave = (cause: string): void => {
      if (children.get(forkId) === child) children.delete(forkId);
      ended();
      child.turn?.end({ cause });
      left();
    };
    made.on('error', (error) => leave(`host: cannot start (${'code' in error ? String(error.code) : 'error'})`));
    made.on('close', (code, signal) => leave(`host: process ended (${signal ?? code ?? 'unknown'})`));
    made.stdin.on('error', () => undefined); // EPIPE: its end is told by close
    made.stderr.resume();
    made.stdout.on('data', lines((line) => (line === undefined ? stop(child) : child.turn?.line(line))));
    return child;
  };

  /** One user message to the fork's child, which is started by its first. Resolves when the turn has ended, however. */
  const send = ({ id: forkId, systemFile }: Asker, content: readonly unknown[], onLine: (line: string) => void, signal?: AbortSignal): Promise<HostSent> => {
    if (options.now() < paused_until) return Promise.resolve({ cause: 'host: paused at a rate limit', limited_until: paused_until });
    if (signal?.aborted === true) return Promise.resolve({ cause: 'cut off' });
    const child = children.get(forkId) ?? start(forkId, systemFile);
    if (child.turn !== undefined) return Promise.resolve({ cause: 'host: the child is busy' });
    return new Promise((resolve) => {
      const cut = (): void => {
        stop(child);
        end({ cause: 'cut off' });
      };
      const end = (sent: HostSent): void => {
        if (child.turn === undefined) return;
        child.turn = undefined;
        signal?.removeEventListener('abort', cut);
        resolve(sent);
      };
      const line = (text: string): void => {
        const parsed = parseHostLine(text);
        if (parsed.kind === 'other') return;
        if (parsed.kind === 'limit') {
          pause(parsed.until ?? options.now() + PAUSE_MS);
          if (parsed.refused !== true) return;
          stop(child);
          return end({ cause: 'host: http 429', limited_until: paused_until });
        }
        onLine(text);
        if (parsed.kind === 'result') end(sentOf(parsed, child));
      };
      child.turn = { line, end };
      signal?.addEventListener('abort', cut, { once: true });
      child.process.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    });
  };

  const sentOf = (result: HostResult, child: Child): HostSent => {
    if (result.limited) pause(options.now() + PAUSE_MS);
    const usd = Math.max(0, (result.usd ?? child.usd) - child.usd);
    child.usd += usd;
    return { usage: result.usage, usd, ...(options.now() < paused_until ? { limited_until: paused_until } : {}) };
  };

  /** No child is asked before `until`: a rate limit of the user's is a sign to keep still. */
  const pause = (until: number): void => void (paused_until = Math.max(paused_until, until));

  /** The fork is over: its child may leave, and is killed when it stays. */
  const end = (forkId: string): void => {
    const child = children.get(forkId);
    if (child === undefined) return;
    if (child.turn !== undefined) return stop(child);
    child.process.stdin.end();
    const timer = setTimeout(() => stop(child), LEAVE_MS);
    void child.gone.then(() => clearTimeout(timer));
  };

  return {
    send,
    end,
    pause,
    pausedUntil: (): number => paused_until,
    /** Ends every child at once; resolves when all are gone. */
    close: async (): Promise<void> => {
      const all = [...children.values()];
      for (const child of all) stop(child);
      await Promise.all(all.map(({ gone }) => gone));
    },
  };
};

const stop = (child: Child): void => {
  if (child.id === undefined || !killGroup(child.id)) child.process.kill('SIGKILL');
};

const flags = (model: string, systemFile: string): string[] => [
  '-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--include-partial-messages', '--verbose',
  '--model', model, '--system-prompt-file', systemFile, '--tools', '', '--settings', '{"disableAllHooks":true}',
  '--strict-mcp-config', '--no-session-persistence', '--disable-slash-commands',
];

/** The host's environment without its messaging channel, without what steers node or us, with our mark. */
const childEnv = ({ env, maxOutputTokens }: HostModelOptions): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^(CLAUDE_CODE_MESSAGING_|SECOND_BRAIN_|NODE_OPTIONS$)/i.test(name))),
  SECOND_BRAIN_FORK: '1',
  CLAUDE_CODE_DISABLE_THINKING: '1',
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_MAX_RETRIES: '1', // its own ten outlast any fork
});

/** Whole lines of a stream; `undefined` for one that is too long to be anything of ours. */
const lines = (take: (line: string | undefined) => void): ((chunk: Buffer) => void) => {
  const decoder = new TextDecoder();
  let pending = '';
  return (chunk) => {
    pending += decoder.decode(chunk, { stream: true });
    if (pending.length > MAX_LINE && !pending.includes('\n')) return take(undefined);
    const parts = pending.split('\n');
    pending = parts.pop() ?? '';
    for (const part of parts) if (part !== '') take(part);
  };
};
