// Scripted models as a process of their own, so that they take no time of the thread that is measured. Told by its argument.
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../test/support/certificate.ts';
import { feedbackCall } from '../test/support/fork-task.ts';
import { anthropicFrames, openaiFrames, type Frame, type Said } from '../test/support/model-frames.ts';
import { openModelServer, type Timing } from '../test/support/model-server.ts';

export type ModelOptions = {
  /** `cache`: the tests' model server, which models the prompt cache. `link`: waits and streams only, at next to no cost. */
  readonly kind: 'cache' | 'link';
  /** `link` only: plain HTTP when false. */
  readonly tls?: boolean;
  readonly timing: Timing;
  /** Tokens of each answer, an event each. */
  readonly output: number;
  /** `cache` only: each fork reads a file before it answers. */
  readonly tool: boolean;
};

export type ModelReady = { readonly url: string; readonly ca?: string };

const main = async (): Promise<void> => {
  const { kind, timing, output, tool, tls = true } = JSON.parse(process.argv[2] ?? '') as ModelOptions;
  // A token is an event of 16 characters; the call itself takes two.
  const answer: Said = { ...(output <= 2 ? {} : { text: 'It does hold up. '.repeat(output).slice(0, (output - 2) * 16) }), calls: [feedbackCall()], output_tokens: output };
  if (kind === 'link') return tell(await openLink(answer, timing, tls));
  const { url } = await openModelServer({ script: ({ rounds }) => (tool && rounds === 0 ? { calls: [{ name: 'Read', args: { path: 'a' } }] } : answer), timing });
  tell({ url });
};

const tell = (ready: ModelReady): void => void process.send?.(ready);

const sleep = (ms: number): Promise<void> => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms)));

/** A server that drains a body and streams the same answer on its schedule; a new connection's handshakes take two round trips more. */
const openLink = async (answer: Said, { ttft_ms, tokens_per_s, rtt_ms }: Timing, secure: boolean): Promise<ModelReady> => {
  const charge = { input: 100, read: 100_000, write_5m: 0, write_1h: 0 };
  const written = (frames: readonly Frame[]) => frames.map(({ name, data, tokens }) => ({ tokens, text: `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n` }));
  const frames = { anthropic: written(anthropicFrames(answer, 'scripted', charge)), openai: written(openaiFrames(answer, 'scripted', charge)) };
  const known = new WeakSet<object>();
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    for await (const part of req) void part;
    const fresh = !known.has(req.socket);
    known.add(req.socket);
    await sleep(rtt_ms * (fresh ? 2.5 : 0.5));
    if (req.method !== 'POST') {
      await sleep(rtt_ms / 2);
      return void res.writeHead(404).end();
    }
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    await sleep(ttft_ms + rtt_ms / 2);
    const begun = performance.now();
    let tokens = 0;
    for (const frame of frames[req.url?.includes('chat') === true ? 'openai' : 'anthropic']) {
      tokens += frame.tokens;
      if (tokens_per_s > 0) await sleep(begun + (tokens * 1000) / tokens_per_s - performance.now());
      res.write(frame.text);
    }
    res.end();
  };
  const tls = secure ? selfSigned() : undefined;
  const listen = (req: IncomingMessage, res: ServerResponse): void => void handle(req, res).catch(() => res.destroy());
  const server = tls === undefined ? createPlain(listen) : createServer(tls, listen);
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return tls === undefined ? { url: `http://${address}` } : { url: `https://${address}`, ca: tls.cert };
};

process.on('disconnect', () => process.exit(0));
if (process.argv[1]?.endsWith('/model.mjs') === true) await main();
