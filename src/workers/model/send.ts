// The only file that opens connections to a model: one undici agent per route and thread, warm between passes (SPEC 3, 7.1).
import { setMaxListeners } from 'node:events';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
// Without its resources, which are most of it and of which we use none.
import { BaseAnthropic } from '@anthropic-ai/sdk';
// By their files: undici's index loads fetch, WebSockets, caches and mocks as well.
import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { Provider } from '../contract.ts';

/** An HTTP answer: status, headers that steer retries, and the body, which the reader must end or cancel. */
export type HttpAnswer = {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
};

export type Sender = {
  /** Posts the bytes as they are. Rejects when the connection fails or the signal fires. */
  readonly post: (provider: Provider, body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<HttpAnswer>;
  /** Opens up to `n` further sockets by small GETs, so that a fan-out finds them warm. Resolves with how many answered. */
  readonly warm: (provider: Provider, n: number, signal: AbortSignal) => Promise<number>;
  readonly close: () => Promise<void>;
};

// What that index does with them: `request`, and `connect`, by which a proxy's agent asks its own.
Object.assign(Dispatcher.prototype, api);

/** Longer than the usual gap between two passes (loop.min_interval_s), within what servers tend to allow. */
const KEEP_ALIVE_MS = 120_000;
/** Behind our own watchdogs: the longest silence of a stream before undici gives the socket up. */
const BODY_TIMEOUT_MS = 120_000;
/** As many forks as the widest setting may have at once (loop.max_parallel_forks). */
const MAX_SOCKETS = 64;
const CONNECT_TIMEOUT_MS = 10_000;

/** Opens a thread's sender: nothing connects before the first post. `close` ends every socket at once. */
export const openSender = (): Sender => {
  const routes = new Map<string, Dispatcher>();
  const askAnthropic = openAnthropic();
  const route = (provider: Provider): Dispatcher => {
    const key = `${new URL(provider.base_url).protocol}\n${provider.proxy ?? ''}\n${provider.ca ?? ''}`;
    const known = routes.get(key);
    if (known !== undefined) return known;
    const made = openRoute(provider);
    routes.set(key, made);
    return made;
  };
  return {
    post: (provider, body, signal) => (provider.kind === 'anthropic' ? askAnthropic : postOpenai)(provider, body, signal, route(provider)),
    warm: async (provider, n, signal) => {
      const url = new URL('/', provider.base_url);
      setMaxListeners(n + 1, signal); // one of each knock; Node warns from the eleventh on
      const tries = Array.from({ length: n }, () => knock(url, route(provider), signal));
      const warm = (await Promise.all(tries)).filter(Boolean).length;
      // undici frees a socket one tick after its answer has ended: a post in the same tick would open another.
      await new Promise((resolve) => setImmediate(resolve));
      return warm;
    },
    close: async () => {
      await Promise.all([...routes.values()].map((dispatcher) => dispatcher.destroy()));
      routes.clear();
    },
  };
};

const openRoute = ({ base_url, proxy, ca }: Provider): Dispatcher => {
  const plain = base_url.startsWith('http:') && (proxy ?? '') === '';
  const tls = { ...(plain ? {} : { secureContext: rootsOf(ca) }), rejectUnauthorized: true, timeout: CONNECT_TIMEOUT_MS };
  const options = {
    connections: MAX_SOCKETS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0, // a slow first answer is the fork's deadline's business
    bodyTimeout: BODY_TIMEOUT_MS,
    allowH2: false, // parallel uploads would share one flow-control window
  };
  return proxy === undefined || proxy === ''
    ? new Agent({ ...options, connect: tls })
    : new ProxyAgent({ ...options, uri: proxy, requestTls: tls, proxyTls: tls });
};

/** Explicit roots: a repository can set NODE_EXTRA_CA_CERTS of this process. Reading them takes a while, once per route. */
const rootsOf = (ca: string | undefined): SecureContext => createSecureContext({ ca: [...rootCertificates, ...(ca === undefined ? [] : [ca])] });

type Asked = { readonly body: Uint8Array; readonly signal: AbortSignal; readonly dispatcher: Dispatcher; answer?: HttpAnswer };

type Ask = (provider: Provider, body: Uint8Array<ArrayBuffer>, signal: AbortSignal, dispatcher: Dispatcher) => Promise<HttpAnswer>;

/** Asks through the SDK, with one client for each address and key: to make one takes longer than all else it does for a request. */
const openAnthropic = (): Ask => {
  const clients = new Map<string, BaseAnthropic>();
  // The SDK says where to and with which headers. The bodies go past it: through fetch each is copied several times.
  // So does the signal: nothing holds the SDK's own while a body is read, and once it is collected it never fires.
  const asked = new WeakMap<object, Asked>();
  const clientOf = ({ key, base_url }: Provider): BaseAnthropic => {
    const name = `${base_url}\n${key}`;
    const known = clients.get(name);
    if (known !== undefined) return known;
    const made = new BaseAnthropic({
      apiKey: key,
      baseURL: base_url,
      maxRetries: 0, // ours know the fork's deadline
      timeout: 2 ** 31 - 1,
      logLevel: 'off',
      openTelemetry: false,
      fetch: async (url, init) => {
        const call = typeof init?.body === 'object' && init.body !== null ? asked.get(init.body) : undefined;
        if (call === undefined) throw new Error('the SDK sent a body of its own');
        call.answer = await ask(String(url), Object.fromEntries(new Headers(init?.headers)), call.body, call.signal, call.dispatcher);
        return new Response(null, { status: call.answer.status });
      },
    });
    clients.set(name, made);
    return made;
  };
  return async (provider, body, signal, dispatcher) => {
    const call: Asked = { body, signal, dispatcher };
    asked.set(body, call);
    try {
      await clientOf(provider).post('/v1/messages', { body, stream: true, signal, headers: { 'content-type': 'application/json' } }).asResponse();
    } catch (error) {
      if (call.answer === undefined) throw error; // else it is the SDK's word for a status that we have
    }
    if (call.answer === undefined) throw new Error('the SDK sent nothing');
    return call.answer;
  };
};

const postOpenai: Ask = (provider, body, signal, dispatcher) =>
  ask(
    `${provider.base_url.replace(/\/+$/, '')}/chat/completions`,
    { 'content-type': 'application/json', accept: 'text/event-stream', ...(provider.key === '' ? {} : { authorization: `Bearer ${provider.key}` }) },
    body, signal, dispatcher,
  );

/** Redirects are answers too: a key goes to the address that was configured and nowhere else. */
const ask = async (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array, signal: AbortSignal, dispatcher: Dispatcher): Promise<HttpAnswer> => {
  const answer = await dispatcher.request({ ...placeOf(new URL(url)), signal, method: 'POST', headers, body });
  const header = (name: string): string | undefined => [answer.headers[name]].flat()[0];
  return { status: answer.statusCode, header, body: unpacked(answer.body, header('content-encoding')) };
};

const placeOf = ({ origin, pathname, search }: URL): { readonly origin: string; readonly path: string } => ({ origin, path: `${pathname}${search}` });

/** We ask for no encoding; some servers encode all the same. */
const unpacked = (body: Readable, encoding: string | undefined): AsyncIterable<Uint8Array> => {
  const opened = OPENERS.get(encoding?.trim().toLowerCase() ?? '');
  // A failure of either stream reaches whoever reads the last.
  return opened === undefined ? body : pipeline(body, opened(), () => undefined);
};

const LOOSE = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const OPENERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(LOOSE)],
  ['x-gzip', () => createGunzip(LOOSE)],
  ['deflate', () => createInflate(LOOSE)],
  ['br', () => createBrotliDecompress()],
]);

/** One small GET without our key. Not HEAD: undici closes the socket after one. */
const knock = async (url: URL, dispatcher: Dispatcher, signal: AbortSignal): Promise<boolean> => {
  try {
    const { body } = await dispatcher.request({ ...placeOf(url), signal, method: 'GET', headersTimeout: CONNECT_TIMEOUT_MS });
    await body.dump();
    return true;
  } catch {
    return false; // the fan-out opens its own socket then
  }
};
