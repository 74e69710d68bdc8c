// The scripted model as a process of its own: the Messages API over loopback, a log of every request, and a control socket.
// Bundled and started by host-world.ts inside the closed network:
//   node host-model.mjs --script FILE --log FILE --port N --control SOCKET --owner PID
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { isMainLoop, pickTurn, type Script, type ScriptBlock, type ScriptState, type Turn, type WireBody } from './host-script.ts';

type Reply = { why: string; content?: readonly object[]; usage?: object; error?: object };
type Counters = { requests: number; lastSize: number };

const main = (): void => {
  const { values } = parseArgs({
    options: { script: { type: 'string' }, log: { type: 'string' }, port: { type: 'string' }, control: { type: 'string' }, owner: { type: 'string' } },
  });
  let script: Script = JSON.parse(readFileSync(values.script ?? '', 'utf8'));
  const state: ScriptState = { queue: [...(script.turns ?? [])], used: new Map() };
  const counters: Counters = { requests: 0, lastSize: 0 };
  serveModel(() => script, state, counters, values.log ?? '').listen(Number(values.port), '127.0.0.1', () => {
    serveControl((path, body) => {
      if (path === '/push') state.queue.push(...(JSON.parse(body) as Turn[]));
      if (path === '/script') script = { ...script, ...(JSON.parse(body) as Script) };
      return { requests: counters.requests, queued: state.queue.length };
    }).listen(values.control);
  });
  endWithOwner(Number(values.owner));
};

const serveModel = (script: () => Script, state: ScriptState, counters: Counters, log: string): Server =>
  createServer(async (request, response) => {
    const at = Date.now();
    const text = await readBody(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = parseBody(text);
    const n = ++counters.requests;
    let reply: Reply = { why: path };
    if (path === '/v1/messages' && request.method === 'POST') {
      const { turn, why } = pickTurn(script(), state, body);
      reply = { why };
      await answer(response, turn, body, reply, counters);
    } else if (path === '/v1/messages/count_tokens') sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
    else if (path.startsWith('/v1/models')) sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: 'no such model' } });
    else sendJson(response, 200, {});
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !/key|auth|cookie/.test(name)));
    appendFileSync(log, `${JSON.stringify({ n, at, done_at: Date.now(), method: request.method, path, headers, body, reply })}\n`);
  });

const answer = async (response: ServerResponse, turn: Turn, body: WireBody, reply: Reply, counters: Counters): Promise<void> => {
  if (turn.delay_ms !== undefined) await pause(turn.delay_ms);
  if (turn.error !== undefined) {
    reply.error = turn.error;
    sendJson(response, turn.error.status, { type: 'error', error: { type: turn.error.type ?? 'api_error', message: turn.error.message ?? 'scripted error' } });
    return;
  }
  const content = (turn.content ?? []).map(toBlock);
  const usage = usageOf(turn, body, content, counters);
  reply.content = content;
  reply.usage = usage;
  const stop_reason = turn.stop_reason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  const message = { id: newId('msg_01'), type: 'message', role: 'assistant', model: body.model, content, stop_reason, stop_sequence: null, usage };
  if (body.stream === true) await stream(response, message, turn.chunk_delay_ms ?? 0);
  else sendJson(response, 200, message);
};

type Block = { readonly type: string; readonly [key: string]: unknown };

const toBlock = (block: ScriptBlock): Block => {
  if (typeof block === 'string') return { type: 'text', text: block };
  if ('type' in block && typeof block.type === 'string') return { ...block, type: block.type };
  if ('tool' in block) return { type: 'tool_use', id: block['id'] ?? newId('toolu_01'), name: block.tool, input: block['input'] };
  return { type: 'thinking', thinking: block['thinking'], signature: newId('EqScripted') };
};

// As a prompt cache would bill it: what the request before held is read, the rest is written.
const usageOf = (turn: Turn, body: WireBody, content: readonly object[], counters: Counters): Record<string, unknown> => {
  const size = Math.ceil(JSON.stringify(body).length / 4);
  const read = Math.min(counters.lastSize, size);
  if (isMainLoop(body)) counters.lastSize = size;
  return {
    input_tokens: 3,
    cache_creation_input_tokens: size - read,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: size - read, ephemeral_1h_input_tokens: 0 },
    output_tokens: Math.ceil(JSON.stringify(content).length / 4),
    service_tier: 'standard',
    ...turn.usage,
  };
};

type Message = { readonly content: readonly Block[]; readonly stop_reason: string; readonly usage: Record<string, unknown> };

const stream = async (response: ServerResponse, message: Message, chunkDelay: number): Promise<void> => {
  const emit = (type: string, data: object): unknown => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'request-id': newId('req_01') });
  emit('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } } });
  emit('ping', {});
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = partsOf(block);
    emit('content_block_start', { index, content_block: start });
    for (const delta of deltas) {
      emit('content_block_delta', { index, delta });
      if (chunkDelay > 0) await pause(chunkDelay);
    }
    emit('content_block_stop', { index });
  }
  emit('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: message.usage['output_tokens'] } });
  emit('message_stop', {});
  response.end();
};

const partsOf = (block: Block): { start: object; deltas: object[] } => {
  if (block.type === 'text') return { start: { type: 'text', text: '' }, deltas: chunks(String(block['text'])).map((text) => ({ type: 'text_delta', text })) };
  if (block.type === 'tool_use') {
    const deltas = chunks(JSON.stringify(block['input'])).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return { start: { ...block, input: {} }, deltas };
  }
  if (block.type === 'thinking') {
    const deltas: object[] = chunks(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return { start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, { type: 'signature_delta', signature: block['signature'] }] };
  }
  return { start: block, deltas: [] };
};

// By code points, so that no pair of surrogates is torn.
const chunks = (text: string): string[] => text.match(/[\s\S]{1,400}/gu) ?? [''];

const serveControl = (handle: (path: string, body: string) => object): Server =>
  createServer(async (request, response) => {
    const body = await readBody(request);
    sendJson(response, 200, handle(request.url ?? '', body));
  });

/** When the test's process is gone without having cleaned up, nothing of its closed network may live on. */
const endWithOwner = (owner: number): void => {
  const mine = readlinkSync('/proc/self/ns/net');
  if (networkOf(String(owner)) === mine) throw new Error('the scripted model only runs in a network of its own');
  setInterval(() => {
    if (isAlive(owner)) return;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
      if (networkOf(pid) === mine) endProcess(Number(pid));
    }
    process.exit(0);
  }, 1000);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const networkOf = (pid: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined; // gone meanwhile, or not ours to look at
  }
};

const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // gone meanwhile
  }
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

const parseBody = (text: string): WireBody => {
  try {
    return JSON.parse(text) as WireBody;
  } catch {
    return {};
  }
};

const sendJson = (response: ServerResponse, status: number, value: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req_01') });
  response.end(JSON.stringify(value));
};

const newId = (prefix: string): string => prefix + randomBytes(9).toString('hex');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

main();
