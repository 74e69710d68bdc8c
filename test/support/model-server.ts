// A scripted model behind real HTTP(S), for tests and the bench: both wire formats, a modelled prompt cache, delays, every fault.
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CACHE_LIMITS, openCache, openPrefixCache, refuseMarks, stripMarks, type CacheLimits, type Charge } from './model-cache.ts';
import { anthropicDocument, anthropicFrames, openaiDocument, openaiFrames, type Frame, type Said } from './model-frames.ts';

export type Wire = 'anthropic' | 'openai';

/** How an answer goes wrong on the wire. `after`: what still arrives before. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | { readonly kind: 'reset' | 'hang'; readonly after: 'nothing' | 'headers' | 'first-event' | 'half' }
  | { readonly kind: 'cut' } // ends cleanly in mid-answer
  | { readonly kind: 'half-json' } // an event's JSON is torn, then the connection closes
  | { readonly kind: 'gzip' | 'document' | 'empty' | 'crlf' }
  | { readonly kind: 'content-type'; readonly type: string }
  | { readonly kind: 'text'; readonly text: string } // something that is no answer at all
  | { readonly kind: 'error-event'; readonly type: string };

export type Timing = {
  /** Milliseconds to the first event, tokens per second behind it (0: at once), round trip of the link. */
  readonly ttft_ms: number;
  readonly tokens_per_s: number;
  readonly rtt_ms: number;
};

export type ModelRequest = {
  readonly n: number;
  readonly wire: Wire;
  readonly raw: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly at: number;
  /** The user's last words: the tail in a first request. */
  readonly tail: string;
  /** How many rounds of tool results it carries. */
  readonly rounds: number;
};

export type Scripted = Said & { readonly fault?: Fault; readonly timing?: Partial<Timing> };
export type Script = (request: ModelRequest) => Scripted;

export type Logged = ModelRequest & { charge: Charge; first_event_at?: number; ended_at?: number; readonly socket: number };

export type ModelServer = {
  readonly url: string;
  readonly ca?: string;
  readonly requests: readonly Logged[];
  /** GETs, which only warm sockets. */
  readonly knocks: () => number;
  readonly connections: () => number;
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly script: Script;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly timing?: Partial<Timing>;
  readonly cache?: Partial<CacheLimits>;
  readonly now?: () => number;
};

const NO_CHARGE: Charge = { input: 0, read: 0, write_5m: 0, write_1h: 0 };
const sleep = (ms: number): Promise<void> => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms)));

/** Listens on a free loopback port. Anthropic under /v1/messages, OpenAI under /v1/chat/completions. */
export const openModelServer = async ({ script, tls, timing = {}, cache = {}, now = Date.now }: Options): Promise<ModelServer> => {
  const limits = { ...CACHE_LIMITS, ...cache };
  const caches = { anthropic: openCache(limits), openai: openPrefixCache(limits) };
  const base: Timing = { ttft_ms: 0, tokens_per_s: 0, rtt_ms: 0, ...timing };
  const requests: Logged[] = [];
  const sockets = new Map<Socket, { readonly n: number; fresh: boolean }>();
  let connections = 0;
  let knocks = 0;

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const raw = Buffer.concat(parts);
    const socket = sockets.get(req.socket);
    const handshakes = socket?.fresh === true ? (tls === undefined ? 1 : 2) : 0;
    if (socket !== undefined) socket.fresh = false;
    await sleep(base.rtt_ms * (handshakes + 0.5));
    const path = (req.url ?? '').split('?')[0] ?? '';
    const wire: Wire | undefined = path.endsWith('/v1/messages') ? 'anthropic' : path.endsWith('/chat/completions') ? 'openai' : undefined;
    if (req.method !== 'POST' || wire === undefined) {
      knocks += req.method === 'GET' ? 1 : 0;
      await sleep(base.rtt_ms / 2);
      return void res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    }
    const body = parseBody(raw);
    const request: Logged = { n: requests.length, wire, raw, body, headers: req.headers, at: now(), ...gist(body), charge: NO_CHARGE, socket: socket?.n ?? -1 };
    requests.push(request);
    const answer = script(request);
    await respond(request, answer, res);
    request.ended_at = now();
  };

  const respond = async (request: Logged, answer: Scripted, res: ServerResponse): Promise<void> => {
    const { wire, raw, body } = request;
    const pace: Timing = { ...base, ...answer.timing };
    const { fault } = answer;
    const refused = wire === 'anthropic' ? refuseMarks(stripMarks(raw).marks) : undefined;
    if (refused !== undefined) return refuse(res, 400, {}, { type: 'error', error: { type: 'invalid_request_error', message: refused } });
    if (fault?.kind === 'status') {
      await sleep(pace.rtt_ms / 2);
      return refuse(res, fault.status, fault.headers ?? {}, fault.body ?? { type: 'error', error: { type: 'scripted_error', message: 'scripted' } });
    }
    const settings = JSON.stringify([body['model'], body['tool_choice'], body['thinking'], body['output_config'], body['reasoning_effort']]);
    const { charge, commit } = caches[wire].lookUp(raw, settings, now());
    request.charge = charge;
    if (fault?.kind === 'reset' && fault.after === 'nothing') return void res.socket?.resetAndDestroy();
    if (fault?.kind === 'hang' && fault.after === 'nothing') return;
    const model = String(body['model']);
    if (fault?.kind === 'document' || body['stream'] !== true) {
      await sleep(pace.ttft_ms + pace.rtt_ms / 2);
      commit();
      const document = wire === 'anthropic' ? anthropicDocument(answer, model, charge) : openaiDocument(answer, model, charge);
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    }
    const frames = wire === 'anthropic' ? anthropicFrames(answer, model, charge) : openaiFrames(answer, model, charge);
    await stream(request, frames, fault, pace, commit, res);
  };

  const stream = async (request: Logged, frames: readonly Frame[], fault: Fault | undefined, pace: Timing, commit: () => void, res: ServerResponse): Promise<void> => {
    const type = fault?.kind === 'content-type' ? fault.type : 'text/event-stream; charset=utf-8';
    const zipped = fault?.kind === 'gzip';
    res.writeHead(200, { 'content-type': type, ...(zipped ? { 'content-encoding': 'gzip' } : {}) });
    if (fault?.kind === 'empty') return void res.end();
    if (fault?.kind === 'text') return void res.end(fault.text);
    if (fault?.kind === 'reset' && fault.after === 'headers') return res.flushHeaders(), await sleep(5), void res.socket?.resetAndDestroy();
    if (fault?.kind === 'hang' && fault.after === 'headers') return res.flushHeaders();
    await sleep(pace.ttft_ms + pace.rtt_ms / 2);
    commit();
    request.first_event_at = now();
    if (zipped) return void res.end(gzipSync(frames.map((frame) => render(frame)).join('')));
    const half = Math.ceil(frames.length / 2);
    const stop = fault?.kind === 'reset' || fault?.kind === 'hang' ? (fault.after === 'first-event' ? 1 : half) : fault?.kind === 'cut' || fault?.kind === 'half-json' ? half : fault?.kind === 'error-event' ? 2 : frames.length;
    // Paced by a schedule, not by sleeping per event: timers would add up.
    const begun = performance.now();
    let tokens = 0;
    for (const frame of frames.slice(0, stop)) {
      tokens += frame.tokens;
      if (pace.tokens_per_s > 0) await sleep(begun + (tokens * 1000) / pace.tokens_per_s - performance.now());
      if (res.destroyed) return;
      res.write(fault?.kind === 'crlf' ? render(frame).replaceAll('\n', '\r\n') : render(frame));
    }
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'reset') return await sleep(5), void res.socket?.resetAndDestroy();
    if (fault?.kind === 'half-json') return void res.end('data: {"type":"content_block_delta","index":0,"del');
    if (fault?.kind === 'error-event') return void res.end(render({ name: 'error', data: { type: 'error', error: { type: fault.type, code: fault.type, message: 'scripted' } }, tokens: 0 }));
    res.end();
  };

  const onRequest = (req: IncomingMessage, res: ServerResponse): void => void handle(req, res).catch(() => res.destroy()); // the client has left
  const server = tls === undefined ? createHttp(onRequest) : createHttps(tls, onRequest);
  server.keepAliveTimeout = 300_000;
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.set(socket, { n: connections, fresh: true });
    connections += 1;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    ...(tls === undefined ? {} : { ca: tls.cert }),
    requests,
    knocks: () => knocks,
    connections: () => connections,
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const render = ({ name, data }: Frame): string => `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const refuse = (res: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: unknown): void =>
  void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));

const parseBody = (raw: Buffer): Readonly<Record<string, unknown>> => JSON.parse(raw.toString('utf8')) as Readonly<Record<string, unknown>>;

type Message = { readonly role: string; readonly content: string | null | readonly { readonly type: string; readonly text?: string }[] };

const gist = (body: Readonly<Record<string, unknown>>): { readonly tail: string; readonly rounds: number } => {
  const messages = body['messages'] as readonly Message[];
  const said = messages.findLast(({ role, content }) => role === 'user' && (typeof content === 'string' || content?.some(({ type }) => type === 'text') === true))?.content ?? '';
  const tail = typeof said === 'string' ? said : (said.findLast(({ type }) => type === 'text')?.text ?? '');
  const rounds = messages.filter(({ role }) => role === 'assistant').length;
  return { tail, rounds };
};
