// A session with the real host in a test: type at it, read its screen, its transcript and what the scripted model saw.
//
//   const host = await startHost({ plugin: 'plugin', script: { fallback: { content: ['Done.'] } } });
//   await host.waitFor(/1 monitor/);
//   await host.prompt('hello');
//   await host.idle();
//   host.requests(); host.records(); await host.screen(); await host.stop();
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainLoop, isObserver, textOf, type Turn } from './host-script.ts';
import { orStop, pause, startWorld, waitUntil, type LoggedRequest, type RunResult, type World, type WorldOptions } from './host-world.ts';

export type HostOptions = WorldOptions & {
  /** Live in this world instead of a new one (a second session, a resume, a restart after a kill). */
  readonly world?: World;
  /** Plugin folder for `--plugin-dir`; none by default. */
  readonly plugin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Defaults to `acceptEdits`: the host's own default asks a model. */
  readonly permissionMode?: string;
  /** Tools that need no question; defaults to the usual ones. */
  readonly allow?: readonly string[];
};

export type Host = {
  readonly world: World;
  /** The host's own process: what its hooks and monitor see as CLAUDE_PID. */
  readonly pid: number;
  /** Types a prompt and presses Enter. */
  readonly prompt: (text: string) => Promise<void>;
  /** Types without Enter. */
  readonly type: (text: string) => Promise<void>;
  /** tmux key names: `Escape`, `Enter`, `C-c`, `Up`. */
  readonly keys: (...names: readonly string[]) => Promise<void>;
  /** The visible screen, without trailing blanks. */
  readonly screen: () => Promise<string>;
  /** The screen with what has scrolled off it. */
  readonly scrollback: () => Promise<string>;
  /** Waits until the screen or its scrollback matches; the error holds the screen. */
  readonly waitFor: (pattern: RegExp, timeoutMs?: number) => Promise<void>;
  /** Waits until no request is being answered and the screen has stood still for 600 ms. */
  readonly idle: (timeoutMs?: number) => Promise<void>;
  readonly push: (...turns: readonly Turn[]) => Promise<void>;
  /** Requests of the session's own loop so far (titles and other helper calls left out). */
  readonly requests: () => readonly LoggedRequest[];
  /** Requests of our own forks so far. */
  readonly observerRequests: () => readonly LoggedRequest[];
  /** The newest transcript in the world, or undefined before the first prompt. */
  readonly transcript: () => string | undefined;
  /** Its records, parsed. */
  readonly records: () => readonly HostRecord[];
  readonly alive: () => boolean;
  readonly kill: (signal?: NodeJS.Signals) => void;
  /** Leaves by `/exit` and waits for the process to end. */
  readonly exit: () => Promise<void>;
  /** Stops this host; and its world, unless the world was given. */
  readonly stop: () => Promise<void>;
};

export type HostRecord = { readonly type: string; readonly subtype?: string; readonly [key: string]: unknown };

const USUAL_TOOLS = ['Bash', 'Write', 'Edit', 'Read', 'Grep', 'Glob', 'Agent'];

/** Starts an interactive session and waits for its input box. */
export const startHost = async (options: HostOptions = {}): Promise<Host> => {
  const world = options.world ?? (await startWorld(options));
  const cwd = options.cwd ?? world.project;
  const pane = await world.open([world.binary, ...hostArgs(options)], { cwd, env: options.env ?? {} });
  const capture = async (...args: readonly string[]): Promise<string> =>
    (await world.tmux('capture-pane', '-t', pane.id, '-p', ...args)).replaceAll(/[ \t]+$/gm, '').trimEnd();
  const host: Host = {
    world,
    pid: pane.pid,
    prompt: async (text) => {
      await host.type(text);
      // The host takes an Enter that comes with the text for a line break of a paste: first the text, then a pause.
      const tail = text.replaceAll(/\s/g, '').slice(-12);
      for (let round = 0; round < 30 && !(await host.screen()).replaceAll(/\s/g, '').includes(tail); round += 1) await pause(100);
      await pause(300);
      await host.keys('Enter');
    },
    type: async (text) => void (await world.tmux('send-keys', '-t', pane.id, '-l', '--', text)),
    keys: async (...names) => void (await world.tmux('send-keys', '-t', pane.id, ...names)),
    screen: () => capture(),
    scrollback: () => capture('-S', '-2000'),
    waitFor: (pattern, timeoutMs = 20_000) =>
      waitUntil(async () => pattern.test(await host.scrollback()), timeoutMs, async () => `not seen: ${String(pattern)}\n${await host.scrollback()}`),
    idle: (timeoutMs = 60_000) => waitForIdle(host, timeoutMs),
    push: world.push,
    requests: () => mainRequests(world.requests()),
    observerRequests: () => world.requests().filter(({ path, body }) => path === '/v1/messages' && isObserver(body)),
    transcript: () => newestTranscript(world),
    records: () => readRecords(host.transcript()),
    alive: () => world.processes().some(({ pid }) => pid === pane.pid),
    kill: (signal = 'SIGKILL') => void (host.alive() && process.kill(pane.pid, signal)),
    exit: async () => {
      await host.prompt('/exit');
      await waitUntil(() => !host.alive(), 15_000, async () => `still there after /exit\n${await host.screen()}`);
    },
    stop: async () => {
      host.kill();
      if (options.world === undefined) await world.stop();
      else await waitUntil(() => !host.alive(), 5_000, 'the host survived its SIGKILL');
    },
  };
  if (options.world === undefined) await orStop(world, () => host.waitFor(/❯/));
  else await host.waitFor(/❯/);
  return host;
};

/** Runs `claude -p` to its end in a world of its own or the given one. `lines` are its stream-json output. */
export const runHeadless = async (prompt: string, options: HostOptions = {}): Promise<RunResult & { readonly lines: readonly HostRecord[]; readonly requests: readonly LoggedRequest[] }> => {
  const world = options.world ?? (await startWorld(options));
  try {
    const argv = [world.binary, ...hostArgs(options), '-p', '--output-format', 'stream-json', '--verbose', '--', prompt];
    const result = await world.run(argv, { cwd: options.cwd ?? world.project, env: options.env ?? {} });
    return { ...result, lines: parseLines(result.stdout), requests: mainRequests(world.requests()) };
  } finally {
    if (options.world === undefined) await world.stop();
  }
};

/** Everything a request told the model, system prompt left out, one string per message. */
export const toldTo = (request: LoggedRequest | undefined): readonly string[] => (request?.body.messages ?? []).map(({ role, content }) => `[${role}] ${textOf(content)}`);

const mainRequests = (requests: readonly LoggedRequest[]): readonly LoggedRequest[] =>
  requests.filter(({ path, body }) => path === '/v1/messages' && isMainLoop(body));

const hostArgs = (options: HostOptions): readonly string[] => [
  ...(options.plugin === undefined ? [] : ['--plugin-dir', options.plugin]),
  '--permission-mode',
  options.permissionMode ?? 'acceptEdits',
  ...(options.args ?? []),
  '--allowedTools',
  ...(options.allow ?? USUAL_TOOLS),
];

// The log has a request only once it is answered, so a running one shows as a moving screen (its spinner).
const waitForIdle = async (host: Host, timeoutMs: number): Promise<void> => {
  let last = '';
  let since = Date.now();
  await waitUntil(
    async () => {
      const state = `${host.world.requests().length}\n${await host.screen()}`;
      if (state !== last || /esc to interrupt/i.test(state)) since = Date.now();
      last = state;
      return Date.now() - since > 600;
    },
    timeoutMs,
    () => `never idle\n${last}`,
  );
};

const newestTranscript = (world: World): string | undefined => {
  const projects = join(world.config, 'projects');
  if (!existsSync(projects)) return undefined;
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name)).map((name) => join(projects, name));
  return files.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
};

const readRecords = (path: string | undefined): readonly HostRecord[] => (path === undefined ? [] : parseLines(readFileSync(path, 'utf8')));

const parseLines = (text: string): readonly HostRecord[] => text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line) as HostRecord);
