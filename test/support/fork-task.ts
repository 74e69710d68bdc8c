// A fork's task and its main side, for tests: a small window's prefix on either wire, and a port that answers tools.
import { MessageChannel } from 'node:worker_threads';
import type { Detector, ForkResult, ToolReply, ToolRequest } from '../../src/main/records.ts';
import { decode, encode, type ForkTask, type FromFork, type Provider, type SummaryResult, type SummaryTask, type ToFork } from '../../src/workers/contract.ts';
import { FEEDBACK_TOOL } from '../../src/main/pass/feedback.ts';

export const DETECTOR: Detector = {
  name: 'default', enabled: true, system: 'prompts/default.md', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {},
};

const READ = { description: 'Reads a file.', input_schema: { properties: { path: { type: 'string' } }, type: 'object' }, name: 'Read' };

/** The body's bytes to just behind the window's last block, as the contract says. */
export const prefixOf = (kind: Provider['kind'], window: readonly string[], ttl: '5m' | '1h' = '5m', model = 'claude-haiku-5-5'): Uint8Array => {
  if (kind === 'openai') {
    const tools = [FEEDBACK_TOOL, READ].map(({ name, description, input_schema }) => ({ type: 'function', function: { name, description, parameters: input_schema } }));
    const body = JSON.stringify({ model, tools, messages: [{ role: 'system', content: 'You watch.' }, { role: 'user', content: window.join('\n') }] });
    return new TextEncoder().encode(body.slice(0, -']}'.length));
  }
  const mark = ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' };
  const content = window.map((text, n) => ({ type: 'text', text, ...(n === window.length - 1 ? { cache_control: mark } : {}) }));
  const body = JSON.stringify({ model, tools: [FEEDBACK_TOOL, READ], system: [{ type: 'text', text: 'You watch.' }], messages: [{ role: 'user', content }] });
  return new TextEncoder().encode(body.slice(0, -']}]}'.length));
};

export const providerOf = (kind: 'anthropic' | 'openai', url: string, more: Partial<Provider> = {}): Provider => ({
  kind, base_url: kind === 'openai' ? `${url}/v1` : url, model: 'claude-haiku-5-5', key: 'sk-test-dummy', cache_ttl: '5m', auto_choice: false, ...more,
});

export const taskOf = (provider: Provider, more: Partial<ForkTask> = {}): ForkTask => ({
  kind: 'fork', id: 'f1', provider, prefix: prefixOf(provider.kind, ['<ledger-n1>\nnothing\n</ledger-n1>', '#1 [prompt] fix it']), tail: 'TAIL default', nonce: 'n1',
  detector: DETECTOR, grant: ['Read'],
  limits: { deadline_ms: 2000, grace_ms: 500, iterations: 6, max_output_tokens: 1024, token_budget: 1_000_000, body_cap: 700 },
  pilot: false, warm: 0, ...more,
});

export const feedbackCall = (feedback: object = { verdict: 'silent' }): { readonly name: string; readonly args: object } => ({ name: FEEDBACK_TOOL.name, args: feedback });

export type Seen = { readonly messages: FromFork[]; readonly tools: ToolRequest[] };

/** Hands the task over a real port, answers its tools, and collects what it posts; `cancel` is given to whoever wants to end it. */
export const handOver = async <R extends ForkResult | SummaryResult>(
  run: (payload: { bytes: Uint8Array; port: MessageChannel['port1'] }) => Promise<Uint8Array>,
  task: ForkTask | SummaryTask,
  answer: {
    readonly tool?: (request: ToolRequest) => ToolReply | Promise<ToolReply>;
    readonly heard?: (message: FromFork, send: (message: ToFork) => void) => void;
  } = {},
): Promise<Seen & { readonly result: R; readonly closed: boolean }> => {
  const { port1, port2 } = new MessageChannel();
  const messages: FromFork[] = [];
  const tools: ToolRequest[] = [];
  let closed = false;
  const send = (message: ToFork): void => port2.postMessage(encode(message));
  port2.on('message', (bytes: Uint8Array) => {
    const message = decode<FromFork>(bytes);
    messages.push(message);
    answer.heard?.(message, send);
    if (message.kind !== 'tool') return;
    tools.push({ tool: message.tool, args: message.args });
    const reply = answer.tool?.({ tool: message.tool, args: message.args });
    if (reply !== undefined) void Promise.resolve(reply).then((value) => send({ kind: 'tool-reply', seq: message.seq, reply: value }));
  });
  const gone = new Promise<void>((resolve) => port2.on('close', () => ((closed = true), resolve())));
  const result = decode<R>(await run({ bytes: encode(task), port: port1 }));
  await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 1000))]);
  return { result, messages, tools, closed };
};
