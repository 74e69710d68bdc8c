// Forks over real HTTP on both wires: the tool loop, the bytes on the wire, retries, every fault, and nothing left behind.
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ForkResult } from '../../src/main/records.ts';
import type { ForkTask, SummaryResult } from '../../src/workers/contract.ts';
import { openForks } from '../../src/workers/forks.ts';
import { selfSigned } from '../support/certificate.ts';
import { feedbackCall, handOver, prefixOf, providerOf, taskOf } from '../support/fork-task.ts';
import { openModelServer, type Fault, type ModelServer, type Script, type Scripted } from '../support/model-server.ts';

const silentCall: Scripted = { calls: [feedbackCall()] };
const advise = { verdict: 'advise', headline: 'Tests were not run', body: 'No test command since #4.', confidence: 0.8, evidence: ['#4'] };

let forks = openForks();
const servers: ModelServer[] = [];
const serve = async (script: Script, more: Omit<Parameters<typeof openModelServer>[0], 'script'> = {}): Promise<ModelServer> => {
  const server = await openModelServer({ script, ...more });
  servers.push(server);
  return server;
};
const limits = (more: Partial<ForkTask['limits']> = {}): ForkTask['limits'] => ({ ...taskOf(providerOf('anthropic', 'http://x')).limits, ...more });
const until = async (ok: () => boolean): Promise<void> => {
  for (let tries = 0; !ok() && tries < 200; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
};

afterEach(async () => {
  await forks.close();
  for (const server of servers) await until(() => server.open() === 0);
  const left = servers.map((server) => server.open());
  await Promise.all(servers.splice(0).map((server) => server.close()));
  forks = openForks();
  expect(left.every((open) => open === 0), `sockets left open: ${left.join(', ')}`).toBe(true);
});
afterAll(() => forks.close());

describe.each(['anthropic', 'openai'] as const)('%s', (wire) => {
  it('a fork reads a file over main’s port and reports', async () => {
    const server = await serve(({ rounds }) => (rounds === 0 ? { text: 'Looking.', calls: [{ name: 'Read', args: { path: 'a.ts' } }] } : { calls: [feedbackCall(advise)] }));
    const { result, messages, tools, closed } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)), { tool: () => ({ ok: true, text: 'const a = 1;' }) });
    expect(result).toMatchObject({ end: 'feedback', requests: 2, tool_text: 'const a = 1;\n', feedback: { verdict: 'advise', headline: 'Tests were not run' } });
    expect(tools).toEqual([{ tool: 'Read', args: { path: 'a.ts' } }]);
    expect(messages.map(({ kind }) => kind).filter((kind) => kind === 'first-event')).toHaveLength(1);
    expect(closed).toBe(true);
    const second = server.requests[1]?.body['messages'] as { role: string; content: unknown }[];
    const result1 = JSON.stringify(second.at(-1));
    expect(result1).toContain('<tool-result-n1>\\nconst a = 1;\\n</tool-result-n1>');
    expect(second.map(({ role }) => role)).toEqual(wire === 'anthropic' ? ['user', 'assistant', 'user'] : ['system', 'user', 'user', 'assistant', 'tool']);
  });

  it('the bytes before the tail are the prefix, and the settings are the same in every request', async () => {
    const server = await serve(({ rounds }) => (rounds < 2 ? { calls: [{ name: 'Read', args: {} }] } : silentCall));
    const prefix = prefixOf(wire, ['<window-n1> naïve 中文 </window-n1>']);
    const tasks = ['one', 'two'].map((tail) => taskOf(providerOf(wire, server.url), { prefix, tail, id: tail }));
    for (const task of tasks) await handOver<ForkResult>(forks.run, task, { tool: () => ({ ok: true, text: 'x' }) });
    expect(server.requests).toHaveLength(6);
    for (const { raw } of server.requests) expect(raw.subarray(0, prefix.byteLength).equals(Buffer.from(prefix))).toBe(true);
    const settings = server.requests.map(({ body }) => JSON.stringify([body['model'], body['tool_choice'], body['thinking'], body['max_tokens'], body['stream']]));
    expect(new Set(settings).size).toBe(1);
    expect(settings[0]).toContain(wire === 'anthropic' ? '{"type":"any"}' : '"required"');
  });

  it('the prefix that a thread was given last is used for every fork that names it', async () => {
    const server = await serve(() => silentCall);
    const task = taskOf(providerOf(wire, server.url), { prefix: new Uint8Array() });
    const [one, two] = ['<window-n1> one </window-n1>', '<window-n1> two </window-n1>'].map((text) => prefixOf(wire, [text]));
    for (const prefix of [one, 'held', two, 'held', one] as const) await handOver<ForkResult>((payload) => forks.run({ ...payload, ...(prefix === undefined ? {} : { prefix }) }), task);
    const sent = server.requests.map(({ raw }) => [one, two].findIndex((prefix) => prefix !== undefined && raw.subarray(0, prefix.byteLength).equals(Buffer.from(prefix))));
    expect(sent).toEqual([0, 0, 1, 1, 0]);
  });

  it('usage is posted as it comes and adds up to the result', async () => {
    const server = await serve(() => ({ ...silentCall, output_tokens: 42 }));
    const { result, messages } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    const posted = messages.flatMap((message) => (message.kind === 'usage' ? [message.usage] : []));
    expect(posted.reduce((sum, usage) => sum + usage.output, 0)).toBe(42);
    expect(posted.reduce((sum, usage) => sum + usage.input, 0)).toBe(result.usage.input);
    expect(result.usage_estimated).toBeUndefined();
  });

  it.each([429, 500, 503, 529, 408])('a %i is asked again after what the endpoint says, and then succeeds', async (status) => {
    const server = await serve(({ n }) => (n === 0 ? { fault: { kind: 'status', status, headers: { 'retry-after-ms': '20' } } } : silentCall));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(result).toMatchObject({ end: 'feedback', requests: 2 });
  });

  it('a retry that would pass the deadline is not made', async () => {
    const server = await serve(() => ({ fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } } }));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(result).toMatchObject({ end: 'provider-error', requests: 1, cause: 'http 429 scripted_error', usage: { input: 0, output: 0 } });
  });

  it('D3: an endpoint that fails for good gets a bounded number of calls', async () => {
    const server = await serve(() => ({ fault: { kind: 'status', status: 500, headers: { 'retry-after-ms': '1' } } }));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(result).toMatchObject({ end: 'provider-error', requests: 5, feedback: { verdict: 'silent' } });
    expect(server.requests).toHaveLength(5);
  });

  it.each([400, 401, 403, 404, 413])('a %i is final, and its cause quotes no message of the endpoint', async (status) => {
    const server = await serve(() => ({ fault: { kind: 'status', status, body: { error: { type: 'some_error', message: 'key sk-test-dummy is bad' } } } }));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(result).toMatchObject({ end: 'provider-error', requests: 1, cause: `http ${status} some_error` });
  });

  const silentFaults: readonly (readonly [string, Fault, string, number])[] = [
    ['a reset in mid-stream', { kind: 'reset', after: 'half' }, 'provider-error', 1],
    ['a reset after the first event', { kind: 'reset', after: 'first-event' }, 'provider-error', 1],
    ['a hang before anything', { kind: 'hang', after: 'nothing' }, 'deadline', 1],
    ['a hang after the headers', { kind: 'hang', after: 'headers' }, 'deadline', 1],
    ['a hang in mid-stream', { kind: 'hang', after: 'half' }, 'deadline', 1],
    ['a stream that ends early', { kind: 'cut' }, 'provider-error', 1],
    ['half an event of JSON', { kind: 'half-json' }, 'provider-error', 1],
    ['an error event', { kind: 'error-event', type: 'overloaded_error' }, 'provider-error', 1],
    ['a page of HTML', { kind: 'text', text: '<html><body>Sign in</body></html>' }, 'provider-error', 2],
    ['broken JSON', { kind: 'text', text: '{"id": ' }, 'provider-error', 2],
    ['JSON of another kind', { kind: 'text', text: '{"detail":"Not Found"}' }, 'provider-error', 1],
    ['an empty answer', { kind: 'empty' }, 'provider-error', 2],
    ['resets of every connection', { kind: 'reset', after: 'nothing' }, 'provider-error', 2],
  ];
  it.each(silentFaults)('%s ends silent, with a cause, within deadline and grace', async (_name, fault, end, least) => {
    const server = await serve(() => ({ ...silentCall, fault }));
    const started = Date.now();
    const { result, closed } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url), { limits: limits({ deadline_ms: 700, grace_ms: 300 }) }));
    expect(result).toMatchObject({ end, feedback: { verdict: 'silent' }, cause: expect.stringMatching(/\w/) });
    expect(result.requests).toBeGreaterThanOrEqual(least);
    expect(Date.now() - started).toBeLessThan(3000);
    expect(closed).toBe(true);
  });

  it.each<[string, Fault]>([
    ['gzip', { kind: 'gzip' }],
    ['one JSON document', { kind: 'document' }],
    ['a stream called text/plain', { kind: 'content-type', type: 'text/plain' }],
    ['a stream called application/json', { kind: 'content-type', type: 'application/json' }],
    ['lines that end in CR LF', { kind: 'crlf' }],
  ])('an answer as %s is understood', async (_name, fault) => {
    const server = await serve(() => ({ calls: [feedbackCall(advise)], fault }));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(result).toMatchObject({ end: 'feedback', requests: 1, feedback: { verdict: 'advise' } });
    expect(result.usage.input).toBeGreaterThan(0);
  });

  it('a connection lost before the first event is tried again; after it, never', async () => {
    const server = await serve(({ n }) => (n === 0 ? { ...silentCall, fault: { kind: 'reset', after: 'headers' } } : silentCall));
    expect((await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)))).result).toMatchObject({ end: 'feedback', requests: 2 });
  });

  it('a fork that is cancelled stops at once and is charged what it had been told', async () => {
    const server = await serve(() => ({ ...silentCall, fault: { kind: 'hang', after: 'half' } }));
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url), { limits: limits({ deadline_ms: 60_000 }) }), {
      heard: (message, send) => message.kind === 'first-event' && setTimeout(() => send({ kind: 'cancel', because: 'cancelled' }), 30),
    });
    expect(result).toMatchObject({ end: 'cancelled', usage_estimated: true });
    expect(result.usage.input).toBeGreaterThan(0);
    await until(() => server.requests[0] === undefined || server.open() === 0);
    expect(server.open()).toBe(0);
  });

  it('E6: a refused forced choice is asked once more with auto, told to main, and not tried again', async () => {
    const choice = (body: Readonly<Record<string, unknown>>): string => JSON.stringify(body['tool_choice']);
    const server = await serve(({ body }) =>
      /any|required/.test(choice(body)) ? { fault: { kind: 'status', status: 400, body: { error: { type: 'invalid_request_error', message: 'tool_choice forces tool use, which is not compatible with thinking' } } } } : silentCall);
    const first = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(first.result).toMatchObject({ end: 'feedback', requests: 2 });
    expect(first.messages).toContainEqual({ kind: 'learnt', auto_choice: true });
    const second = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)));
    expect(second.result.requests).toBe(1);
    const prose = await serve(() => ({ text: 'All good.' }));
    const third = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, prose.url, { auto_choice: true })));
    expect(third.result).toMatchObject({ end: 'prose', feedback: { verdict: 'silent' } });
    expect(choice(prose.requests[0]?.body ?? {})).toContain('auto');
  });

  const odd: readonly (readonly [string, Scripted, string])[] = [
    ['broken JSON arguments', { calls: [{ ...feedbackCall(), raw_args: '{"verdict": "adv' }] }, 'bad-reply'],
    ['empty arguments', { calls: [{ ...feedbackCall(), raw_args: '' }] }, 'bad-reply'],
    ['None', { calls: [{ ...feedbackCall(), raw_args: 'None' }] }, 'bad-reply'],
    ['null', { calls: [{ ...feedbackCall(), raw_args: null }] }, 'bad-reply'],
    ['an object in place of a string', { calls: [{ ...feedbackCall(), raw_args: { verdict: 'silent' } }] }, 'feedback'],
    ['a list', { calls: [{ ...feedbackCall(), raw_args: '[1,2]' }] }, 'bad-reply'],
    ['a number', { calls: [{ ...feedbackCall(), raw_args: '7' }] }, 'bad-reply'],
    ['arguments encoded twice', { calls: [{ ...feedbackCall(), raw_args: JSON.stringify('{"verdict":"silent"}') }] }, 'feedback'],
    ['no calls and no text', {}, 'prose'],
    ['an odd finish reason', { ...silentCall, stop: 'eos' }, 'feedback'],
    ['a finish by length', { calls: [{ ...feedbackCall(), raw_args: '{"verdict":"advise","headline":"x' }], stop: wire === 'anthropic' ? 'max_tokens' : 'length' }, 'bad-reply'],
    ['a nameless call', { calls: [{ name: '', args: {} }] }, 'iterations'],
    ['missing usage', { ...silentCall, no_usage: true }, 'feedback'],
  ];
  it.each(odd)('E8: %s: no throw, no advice, budget still charged', async (_name, said, end) => {
    const server = await serve(() => said);
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url), { limits: limits({ iterations: 2 }) }));
    expect(result).toMatchObject({ end, feedback: { verdict: 'silent' } });
    expect(result.usage.input + result.usage.cache_read).toBeGreaterThan(0);
    expect(result.usage.output).toBeGreaterThan(0);
    expect(result.usage_estimated ?? false).toBe(said.no_usage === true);
  });

  it('a refusal of the model is silent and says so', async () => {
    const server = await serve(() => ({ text: 'No.', stop: wire === 'anthropic' ? 'refusal' : 'content_filter' }));
    expect((await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)))).result).toMatchObject({ end: 'refused', feedback: { verdict: 'silent' } });
  });

  it('a summary is one request without tools', async () => {
    const server = await serve(() => ({ text: 'They fixed the parser.', output_tokens: 9 }));
    const task = { kind: 'summary', id: 's', provider: providerOf(wire, server.url), system: 'Summarise.', text: '#1 …', timeout_ms: 2000, max_output_tokens: 500 } as const;
    const { result, messages } = await handOver<SummaryResult>(forks.run, task);
    expect(result).toMatchObject({ text: 'They fixed the parser.', usage: { output: 9 } });
    expect(messages.some(({ kind }) => kind === 'usage')).toBe(true);
    expect(server.requests[0]?.body['tools']).toBeUndefined();
    const hung = await serve(() => ({ fault: { kind: 'hang', after: 'nothing' } }));
    const late = await handOver<SummaryResult>(forks.run, { ...task, provider: providerOf(wire, hung.url), timeout_ms: 100 });
    expect(late.result).toMatchObject({ text: '', cause: expect.stringContaining('deadline') });
  });
});

describe('reasoning', () => {
  const scripted = (demands: boolean): Script => ({ rounds, body }) => {
    if (rounds === 0) return { reasoning: 'hm', calls: [{ name: 'Read', args: {} }] };
    const has = JSON.stringify(body['messages']).includes('"reasoning_content":"hm"');
    return has === demands ? silentCall : { fault: { kind: 'status', status: 400, body: { error: { message: demands ? 'reasoning_content must be passed back' : 'unknown field reasoning_content' } } } };
  };

  it.each([[true, undefined, 'send'], [false, 'send', 'drop']] as const)('E7: an endpoint that demands it (%s) is served, once learnt, at the first try', async (demands, before, after) => {
    const server = await serve(scripted(demands));
    const provider = providerOf('openai', server.url, before === undefined ? {} : { reasoning: before });
    const tool = () => ({ ok: true, text: 'x' });
    const first = await handOver<ForkResult>(forks.run, taskOf(provider), { tool });
    expect(first.result).toMatchObject({ end: 'feedback', requests: 3 });
    expect(first.messages).toContainEqual({ kind: 'learnt', reasoning: after });
    expect((await handOver<ForkResult>(forks.run, taskOf(provider), { tool })).result.requests).toBe(2);
  });
});

describe('openai endpoints that refuse a setting', () => {
  it.each(['max_tokens', 'stream_options'])('%s is left out from then on', async (field) => {
    const server = await serve(({ body }) => (field in body ? { fault: { kind: 'status', status: 400, body: { error: { message: `Unsupported parameter: '${field}'` } } } } : silentCall));
    const task = taskOf(providerOf('openai', server.url));
    expect((await handOver<ForkResult>(forks.run, task)).result).toMatchObject({ end: 'feedback', requests: 2 });
    expect((await handOver<ForkResult>(forks.run, task)).result.requests).toBe(1);
  });
});

describe('over TLS', () => {
  let tls: { readonly key: string; readonly cert: string };
  beforeAll(() => {
    tls = selfSigned();
  });

  it('sockets opened while the pilot runs carry the fan-out', async () => {
    const server = await serve(() => silentCall, { tls, timing: { ttft_ms: 150 } });
    const provider = providerOf('anthropic', server.url, { ca: tls.cert });
    await handOver<ForkResult>(forks.run, taskOf(provider, { pilot: true, warm: 7 }));
    expect(server.connections()).toBe(8);
    expect(server.knocks()).toBe(7);
    await Promise.all(Array.from({ length: 8 }, (_, n) => handOver<ForkResult>(forks.run, taskOf(provider, { id: `f${n}` }))));
    expect(server.connections()).toBe(8);
    expect(new Set(server.requests.slice(1).map(({ socket }) => socket)).size).toBe(8);
  });

  it('a certificate nobody vouches for is refused, whatever the environment says', async () => {
    const server = await serve(() => silentCall, { tls });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf('anthropic', server.url)));
      expect(result).toMatchObject({ end: 'provider-error', cause: 'connection: DEPTH_ZERO_SELF_SIGNED_CERT' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(server.requests).toHaveLength(0);
  });
});

it('the key goes to the configured address only: a redirect is not followed', async () => {
  const other = await serve(() => silentCall);
  for (const wire of ['anthropic', 'openai'] as const) {
    const server = await serve(() => ({ fault: { kind: 'status', status: 307, headers: { location: `${other.url}/v1/messages` } } }));
    expect((await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, server.url)))).result).toMatchObject({ end: 'provider-error', requests: 1, cause: expect.stringContaining('http 307') });
  }
  expect(other.requests).toHaveLength(0);
});

it('forks of one pass share the cache: the pilot writes the prefix, the rest read it', async () => {
  const server = await serve(() => silentCall);
  const provider = providerOf('anthropic', server.url);
  const prefix = prefixOf('anthropic', ['w'.repeat(20_000)]);
  const pilot = await handOver<ForkResult>(forks.run, taskOf(provider, { prefix, pilot: true }));
  expect(pilot.result.usage.cache_write_5m).toBeGreaterThan(4000);
  const rest = await Promise.all(['a', 'b', 'c'].map((tail) => handOver<ForkResult>(forks.run, taskOf(provider, { prefix, tail }))));
  for (const { result } of rest) expect(result.usage).toMatchObject({ cache_write_5m: 0, cache_read: pilot.result.usage.cache_write_5m });
});

it('the local provider answers without any request', async () => {
  const provider = { ...providerOf('anthropic', 'http://127.0.0.1:9'), kind: 'local' } as const;
  const detector = { ...taskOf(provider).detector, structural: 'repeat-failure' } as const;
  const { result, closed } = await handOver<ForkResult>(forks.run, taskOf(provider, { prefix: new Uint8Array(), detector }));
  expect(result).toMatchObject({ end: 'no-match', requests: 0, feedback: { verdict: 'silent' } });
  expect(closed).toBe(true);
});

it('a proxy from our configuration carries the requests', async () => {
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', (req, client: Socket) => {
    tunnels.push(req.url ?? '');
    const [host = '', port] = (req.url ?? '').split(':');
    const remote = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      remote.pipe(client).pipe(remote);
    });
    remote.on('error', () => client.destroy());
    client.on('error', () => remote.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const tls = selfSigned();
  const server = await serve(() => silentCall, { tls });
  const provider = providerOf('anthropic', server.url, { ca: tls.cert, proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  expect((await handOver<ForkResult>(forks.run, taskOf(provider))).result).toMatchObject({ end: 'feedback' });
  expect(tunnels).toEqual([new URL(server.url).host]);
  await forks.close();
  await new Promise((resolve) => proxy.close(resolve));
});

it('an address that nobody answers at ends silent', async () => {
  const gone = await openModelServer({ script: () => silentCall });
  await gone.close();
  for (const wire of ['anthropic', 'openai'] as const) {
    const { result } = await handOver<ForkResult>(forks.run, taskOf(providerOf(wire, gone.url), { limits: limits({ deadline_ms: 600, grace_ms: 200 }) }));
    expect(result).toMatchObject({ end: 'provider-error', cause: 'connection: ECONNREFUSED', usage: { input: 0 } });
  }
});

it('an address that is none costs the fork', async () => {
  const task = taskOf({ ...providerOf('anthropic', 'not an address') });
  expect((await handOver<ForkResult>(forks.run, task)).result).toMatchObject({ end: expect.stringMatching(/crashed|provider-error/), feedback: { verdict: 'silent' } });
});

it('reading the environment changes nothing: neither headers nor address of the SDK come from it', async () => {
  const server = await serve(() => silentCall);
  process.env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:9';
  process.env['ANTHROPIC_AUTH_TOKEN'] = 'other';
  try {
    expect((await handOver<ForkResult>(forks.run, taskOf(providerOf('anthropic', server.url)))).result.end).toBe('feedback');
  } finally {
    delete process.env['ANTHROPIC_BASE_URL'];
    delete process.env['ANTHROPIC_AUTH_TOKEN'];
  }
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-test-dummy');
});
