// Sessions with MCP servers, one each, on the main thread (SPEC 7.2). Loaded only when a detector is granted one; the one file of main with a network.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, JSONRPCMessageSchema, ListToolsResultSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../floor/failure.ts';
import { endGroup } from '../floor/process-file.ts';
import { redact } from '../floor/redact.ts';
import { headOf, tailOf, wellFormed } from '../floor/text.ts';
import type { ToolReply } from '../records.ts';
import type { OnRecord } from './children-file.ts';
import { parseServer, type McpServer } from './mcp-config.ts';
import { cappedLines } from './mcp-lines.ts';
import { resultReply, wireName, type McpListing } from './mcp-result.ts';

export type McpOptions = {
  /** Environment of the servers; a server's own `env` is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Where servers run. Not the repository: `npx` would take programs out of it. */
  readonly cwd: string;
  readonly children: OnRecord;
  readonly log: (line: string) => void;
  readonly limits?: Partial<McpLimits>;
};

export type McpLimits = {
  readonly start_ms: number;
  /** Bytes of one message. */
  readonly message_bytes: number;
  /** Bytes a server may say without having been asked anything. */
  readonly unasked_bytes: number;
  /** A server that failed is tried again after this. */
  readonly retry_ms: number;
};

export type Mcp = ReturnType<typeof openMcp>;

const LIMITS: McpLimits = { start_ms: 20_000, message_bytes: 2_000_000, unasked_bytes: 64_000_000, retry_ms: 300_000 };
const MAX_TOOLS = 64;
const MAX_PAGES = 8;
const MAX_TEXT = 12_000;
const LEAVE_MS = 300;

type Session = {
  readonly key: string;
  tools: readonly McpListing[];
  client: Client | undefined;
  problem: string | undefined;
  failed_at: number;
};

/** Nothing is started before `connect`. No method rejects: a server that fails is a problem in one line, and its tools are absent. */
export const openMcp = ({ env, cwd, children, log, limits }: McpOptions) => {
  const { start_ms, message_bytes, unasked_bytes, retry_ms } = { ...LIMITS, ...limits };
  const sessions = new Map<string, Session>();
  let turn: Promise<void> = Promise.resolve();
  let closed = false;

  const fail = (name: string, session: Session, why: string): void => {
    if (session.problem !== undefined || sessions.get(name) !== session) return;
    session.problem = `MCP server ${name}: ${oneLine(why)}; detectors go on without it`;
    session.failed_at = Date.now();
    session.tools = [];
    log(session.problem);
  };

  const open = async (name: string, key: string, raw: unknown): Promise<void> => {
    const session: Session = { key, tools: [], client: undefined, problem: undefined, failed_at: 0 };
    sessions.set(name, session);
    const read = parseServer(raw);
    if (!read.ok) return fail(name, session, read.why);
    const { transport, hint } = transportTo(read.server, { env, cwd, children, message_bytes, unasked_bytes });
    const client = new Client({ name: 'second-brain', version: '1' }, { capabilities: {} });
    session.client = client;
    Object.assign(client, { onclose: () => fail(name, session, `it ended${hint()}`) });
    try {
      await within(start_ms, async () => {
        await client.connect(transport, { timeout: start_ms });
        session.tools = await listTools(name, client, start_ms);
      });
    } catch (error) {
      const why = error === LATE || (error instanceof Error && /timed out/i.test(error.message)) ? `no answer in ${start_ms / 1000} s` : messageOf(error);
      fail(name, session, `${why}${hint()}`);
      await client.close();
    }
    if (closed) await client.close();
  };

  const connectNow = async (servers: Readonly<Record<string, unknown>>, wanted: readonly string[]): Promise<void> => {
    const gone = [...sessions].filter(([name, { key }]) => !wanted.includes(name) || key !== JSON.stringify(servers[name]));
    for (const [name] of gone) sessions.delete(name);
    await Promise.all(gone.map(([, { client }]) => client?.close()));
    const missing = [...new Set(wanted)].filter((name) => {
      const session = sessions.get(name);
      return !closed && (session === undefined || (session.problem !== undefined && Date.now() - session.failed_at >= retry_ms));
    });
    await Promise.all(missing.map((name) => open(name, JSON.stringify(servers[name]) ?? '', servers[name])));
  };

  return {
    /** Sessions with exactly the wanted servers; resolves when each is there or has failed. */
    connect: (servers: Readonly<Record<string, unknown>>, wanted: readonly string[]): Promise<void> => {
      turn = turn.then(() => connectNow(servers, wanted));
      return turn;
    },

    /** Tools of the living servers, sorted by name on the wire; of two with one name the first (HAZARDS E1). */
    tools: (): readonly McpListing[] => {
      const byName = new Map<string, McpListing>();
      for (const [, { tools, problem }] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (problem === undefined) for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
      }
      return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    call: async ({ server, tool }: Pick<McpListing, 'server' | 'tool'>, args: Readonly<Record<string, unknown>>, timeout_ms: number, hide: boolean): Promise<ToolReply> => {
      const session = sessions.get(server);
      if (session?.client === undefined || session.problem !== undefined) return { ok: false, text: `The server ${server} is not there.` };
      try {
        // Not `callTool`: that would compile the server's own schemas.
        const result = await session.client.request({ method: 'tools/call', params: { name: tool, arguments: { ...args } } }, CallToolResultSchema, { timeout: timeout_ms, maxTotalTimeout: timeout_ms });
        return resultReply(result, hide, MAX_TEXT);
      } catch (error) {
        return { ok: false, text: `${server} gave no result: ${oneLine(messageOf(error))}` };
      }
    },

    problems: (): readonly string[] => [...sessions.values()].flatMap(({ problem }) => (problem === undefined ? [] : [problem])),

    /** Ends every session and every server's process group. */
    close: async (): Promise<void> => {
      closed = true;
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map(({ client }) => client?.close()));
    },
  };
};

const listTools = async (server: string, client: Client, timeout: number): Promise<readonly McpListing[]> => {
  const found: McpListing[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_TOOLS; page += 1) {
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, ListToolsResultSchema, { timeout });
    for (const { name: tool, description = '', inputSchema, annotations } of tools.slice(0, MAX_TOOLS - found.length)) {
      const name = wireName(server, tool);
      found.push({ server, tool, name, read_only: annotations?.readOnlyHint === true, definition: { name, description: wellFormed(headOf(description, 1000)), input_schema: inputSchema } });
    }
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
};

type TransportOptions = Pick<McpOptions, 'env' | 'cwd' | 'children'> & Pick<McpLimits, 'message_bytes' | 'unasked_bytes'>;
/** `hint` is what the server said last that was no message: why it failed, mostly. */
type Opened = { readonly transport: Transport; readonly hint: () => string };

const transportTo = (server: McpServer, options: TransportOptions): Opened => {
  if (server.kind === 'stdio') return stdioTransport(server, options);
  const http: unknown = new StreamableHTTPClientTransport(new URL(server.url), { fetch: cappedFetch(options) });
  return { transport: http as Transport, hint: () => '' };
};

/** A child in its own process group that speaks lines on stdout; stderr is read from the first byte and a tail of it kept (HAZARDS F1). */
const stdioTransport = ({ command, args, env }: Extract<McpServer, { kind: 'stdio' }>, options: TransportOptions): Opened => {
  let child: ChildProcessWithoutNullStreams | undefined;
  let tail = '';
  let unasked = 0;
  const said = (text: string): void => void (tail = tailOf(tail + text, 2000));

  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const made = spawn(command, [...args], { cwd: options.cwd, env: { ...options.env, ...env }, detached: true, stdio: 'pipe', windowsHide: true });
        child = made;
        const ended = options.children(made.pid);
        made.on('spawn', resolve);
        made.on('error', (error) => reject(new Error(`cannot start ${command} (${'code' in error ? String(error.code) : error.message})`)));
        made.on('exit', () => {
          ended();
          endGroup(made.pid, 'SIGKILL');
        });
        made.on('close', () => transport.onclose?.());
        made.stdin.on('error', () => undefined); // EPIPE: its end is told by close
        made.stderr.on('data', (chunk: Buffer) => said(chunk.toString('utf8')));
        const take = cappedLines(options.message_bytes, {
          line: (text) => {
            unasked += LINE_COST;
            if (unasked > options.unasked_bytes) return;
            const message = parseMessage(text);
            if (message === undefined) said(`${text.slice(0, 500)}\n`);
            else transport.onmessage?.(message);
          },
          tooLong: (id, bytes) => {
            if (id === undefined) return said(`a message of ${bytes} bytes\n`);
            transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message: `its answer has ${bytes} bytes, over ${options.message_bytes}` } });
          },
        });
        made.stdout.on('data', (chunk: Buffer) => {
          unasked += chunk.length;
          if (unasked <= options.unasked_bytes) return take(chunk);
          said('it talks without end\n');
          endGroup(made.pid, 'SIGKILL');
        });
      }),
    send: (message) => {
      if (child === undefined || child.exitCode !== null) return Promise.reject(new Error('the server has ended'));
      unasked = 0;
      child.stdin.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close: async () => {
      const ending = child;
      child = undefined;
      if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return transport.onclose?.();
      const gone = new Promise<void>((resolve) => void ending.once('close', () => resolve()));
      ending.stdin.end();
      // Asked at once, so that it also ends when this process does not live to see it.
      endGroup(ending.pid, 'SIGTERM');
      const timer = setTimeout(() => endGroup(ending.pid, 'SIGKILL'), LEAVE_MS);
      // Processes that left the group may hold its pipes.
      const patience = setTimeout(() => {
        ending.stdout.destroy();
        ending.stderr.destroy();
      }, 4 * LEAVE_MS);
      await gone;
      clearTimeout(timer);
      clearTimeout(patience);
    },
  };
  return { transport, hint: () => (tail.trim() === '' ? '' : ` (it said: ${tailOf(tail.trim(), 160)})`) };
};

/** What a line counts for beside its bytes: short ones cost time, not room. */
const LINE_COST = 1000;

const parseMessage = (line: string): JSONRPCMessage | undefined => {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const read = JSONRPCMessageSchema.safeParse(JSON.parse(line));
    return read.success ? read.data : undefined;
  } catch {
    return undefined; // a banner or a prompt, not JSON
  }
};

/** `fetch` for one server: no redirects, and no message over the cap. */
const cappedFetch =
  ({ message_bytes, unasked_bytes }: TransportOptions) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'error' });
    if (response.body === null) return response;
    const events = response.headers.get('content-type')?.includes('text/event-stream') === true;
    let size = 0;
    let whole = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        // An event ends at an empty line; anything else is one message as a whole.
        const end = events ? Math.max(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).lastIndexOf('\n\n'), Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).lastIndexOf('\r\n\r\n')) : -1;
        size = end === -1 ? size + chunk.length : chunk.length - end;
        whole += chunk.length;
        if (size > message_bytes) controller.error(new Error(`its answer has over ${message_bytes} bytes`));
        else if (whole > unasked_bytes) controller.error(new Error('it talks without end'));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counted), { status: response.status, statusText: response.statusText, headers: response.headers });
  };

const LATE = new Error('late');

const within = async (ms: number, act: () => Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => void (timer = setTimeout(() => reject(LATE), ms)));
  const acting = act();
  acting.catch(() => undefined); // after the deadline nobody waits for it
  try {
    await Promise.race([acting, late]);
  } finally {
    clearTimeout(timer);
  }
};

const oneLine = (text: string): string => headOf(redact(wellFormed(text)).replace(/[\p{Cc}\s]+/gu, ' ').trim(), 300);
