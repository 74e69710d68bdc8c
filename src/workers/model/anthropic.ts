// The messages format: what follows the shared prefix in the body, and an answer's events folded into what was said.
import { isObject } from '../../main/floor/object.ts';
import type { ForkTask, Provider, SummaryTask } from '../contract.ts';
import { NO_USAGE } from '../../main/floor/usage.ts';
import type { Usage } from '../../main/records.ts';
import type { Dialect, Folder } from './exchange.ts';
import type { Incoming } from './sse.ts';
import {
  asCount, asText, errorWord, joinBody, parseArgs, parseJson, tokensOf,
  type Call, type CallResult, type Round,
} from './wire.ts';

/** What an endpoint has taught us about its quirks; kept per thread and endpoint. */
export type Quirks = { auto_choice: boolean; reasoning?: 'send' | 'drop'; completion_tokens?: boolean; no_stream_options?: boolean };

/** A fork's question. tool_choice, thinking and max_tokens are the same in every request of a task. */
export const anthropicFork = (task: ForkTask, rounds: readonly Round[], quirks: Quirks): Dialect => ({
  body: () => {
    const turns = rounds.map(({ said, results }) => `,${JSON.stringify({ role: 'assistant', content: said.echo })},${JSON.stringify({ role: 'user', content: results.map(resultBlock) })}`);
    return joinBody(task.prefix, `,${JSON.stringify({ type: 'text', text: task.tail })}]}${turns.join('')}],${settings(task.limits.max_output_tokens, quirks)}}`);
  },
  folder: () => anthropicFolder(task.provider.cache_ttl),
  adapt: (error, watch) => adaptAnthropic(error, quirks, watch),
  estimate: (bytes) => estimateFork(task, bytes),
  errorWords: anthropicErrorWords,
});

export const anthropicSummary = (task: SummaryTask): Dialect => ({
  body: () =>
    joinBody(
      new Uint8Array(),
      JSON.stringify({
        model: task.provider.model,
        system: [{ type: 'text', text: task.system }],
        messages: [{ role: 'user', content: [{ type: 'text', text: task.text }] }],
        max_tokens: task.max_output_tokens,
        stream: true,
      }),
    ),
  folder: () => anthropicFolder(task.provider.cache_ttl),
  adapt: () => false,
  estimate: (bytes) => ({ ...NO_USAGE, input: tokensOf(bytes) }),
  errorWords: anthropicErrorWords,
});

/** Thinking is off beside a forced choice, which excludes it; an endpoint that refuses either gets neither (HAZARDS E6). */
const settings = (max_tokens: number, quirks: Quirks): string =>
  quirks.auto_choice
    ? `"max_tokens":${max_tokens},"stream":true,"tool_choice":{"type":"auto"}`
    : `"max_tokens":${max_tokens},"stream":true,"thinking":{"type":"disabled"},"tool_choice":{"type":"any"}`;

const resultBlock = ({ id, ok, text }: CallResult): unknown => ({ type: 'tool_result', tool_use_id: id, content: text, ...(ok ? {} : { is_error: true }) });

const adaptAnthropic = (error: string, quirks: Quirks, watch: { learnt: (what: { auto_choice: boolean }) => void }): boolean => {
  if (quirks.auto_choice || !/tool_choice|thinking/.test(error)) return false;
  quirks.auto_choice = true;
  watch.learnt({ auto_choice: true });
  return true;
};

/** The prefix as the cache would have billed it: written by the pilot, read by the rest; the remainder as plain input. */
const estimateFork = ({ prefix, pilot, provider }: ForkTask, bytes: number): Usage => {
  const shared = tokensOf(prefix.byteLength);
  const input = tokensOf(Math.max(0, bytes - prefix.byteLength));
  if (!pilot) return { ...NO_USAGE, input, cache_read: shared };
  return provider.cache_ttl === '1h' ? { ...NO_USAGE, input, cache_write_1h: shared } : { ...NO_USAGE, input, cache_write_5m: shared };
};

type Open = { readonly block: Readonly<Record<string, unknown>>; text: string; json: string; thinking: string; signature: string };

/** Folds events of the messages format, ping and unknown ones aside. Exported for the host's stream, which carries the same. */
export const anthropicFolder = (ttl: Provider['cache_ttl']): Folder => {
  const blocks = new Map<unknown, Open>();
  let usage: Usage | undefined;
  let chars = 0;
  let stop = '';
  let ended = false;
  let failure: string | undefined;
  const message = (raw: unknown): void => {
    if (isObject(raw)) usage = readUsage(raw['usage'], usage, ttl);
  };
  const delta = (index: unknown, raw: Readonly<Record<string, unknown>>): void => {
    const open = blocks.get(index);
    if (open === undefined) return;
    const piece = asText(raw['text']) + asText(raw['partial_json']) + asText(raw['thinking']);
    chars += piece.length;
    if (raw['type'] === 'text_delta') open.text += asText(raw['text']);
    else if (raw['type'] === 'input_json_delta') open.json += asText(raw['partial_json']);
    else if (raw['type'] === 'thinking_delta') open.thinking += asText(raw['thinking']);
    else if (raw['type'] === 'signature_delta') open.signature += asText(raw['signature']);
  };
  const event = (data: Readonly<Record<string, unknown>>): void => {
    const inner = data['delta'];
    switch (data['type']) {
      case 'message_start':
        return message(data['message']);
      case 'content_block_start':
        if (isObject(data['content_block'])) blocks.set(data['index'], { block: data['content_block'], text: '', json: '', thinking: '', signature: '' });
        return;
      case 'content_block_delta':
        if (isObject(inner)) delta(data['index'], inner);
        return;
      case 'message_delta':
        if (isObject(inner)) stop = asText(inner['stop_reason']);
        usage = readUsage(data['usage'], usage, ttl);
        return;
      case 'message_stop':
        ended = true;
        return;
      case 'error':
        failure = errorWords(data) || 'error event';
        return;
      default: // ping, and whatever comes later
    }
  };
  const whole = (data: Readonly<Record<string, unknown>>): void => {
    if (data['type'] === 'error' || isObject(data['error'])) return void (failure = errorWords(data) || 'error answer');
    message(data);
    stop = asText(data['stop_reason']);
    ended = Array.isArray(data['content']);
    for (const [index, block] of Array.isArray(data['content']) ? data['content'].entries() : []) {
      if (!isObject(block)) continue;
      chars += JSON.stringify(block).length;
      blocks.set(index, { block, text: '', json: '', thinking: '', signature: '' });
    }
  };
  return {
    take: (incoming: Incoming) => (incoming.kind === 'done' ? undefined : incoming.kind === 'whole' ? whole(incoming.data) : event(incoming.data)),
    usage: () => usage,
    chars: () => chars,
    end: () => {
      if (failure !== undefined) return { ok: false, end: 'provider-error', cause: failure };
      if (!ended) return { ok: false, end: 'provider-error', cause: 'answer ended early' };
      if (stop === 'refusal') return { ok: false, end: 'refused', cause: 'the model refused' };
      const content = [...blocks.values()];
      return { ok: true, said: { calls: content.flatMap(callOf), text: content.map(textOf).join(''), echo: content.flatMap(echoOf) } };
    },
  };
};

const textOf = ({ block, text }: Open): string => (block['type'] === 'text' ? asText(block['text']) + text : '');

const argsOf = ({ block, json }: Open): Call['args'] => parseArgs(json === '' ? block['input'] : json);

const callOf = (open: Open): Call[] =>
  open.block['type'] === 'tool_use' ? [{ id: asText(open.block['id']), name: asText(open.block['name']), args: argsOf(open) }] : [];

/** The assistant's blocks as the endpoint wants them back; thinking goes back untouched or not at all. */
const echoOf = (open: Open): unknown[] => {
  const { block, thinking, signature } = open;
  if (block['type'] === 'text') {
    const text = textOf(open);
    return text.trim() === '' ? [] : [{ type: 'text', text }]; // empty text blocks are refused
  }
  if (block['type'] === 'tool_use') {
    const args = argsOf(open);
    return [{ type: 'tool_use', id: block['id'], name: block['name'], input: args.ok ? args.value : {} }];
  }
  if (block['type'] === 'thinking') return [{ ...block, thinking: asText(block['thinking']) + thinking, signature: asText(block['signature']) + signature }];
  return block['type'] === 'redacted_thinking' ? [block] : [];
};

/** Counts of a usage object over those known before; absent ones keep their value. */
const readUsage = (raw: unknown, before: Usage | undefined, ttl: Provider['cache_ttl']): Usage | undefined => {
  if (!isObject(raw)) return before;
  const known = before ?? NO_USAGE;
  const written = asCount(raw['cache_creation_input_tokens']);
  const split = isObject(raw['cache_creation']) ? raw['cache_creation'] : {};
  const five = asCount(split['ephemeral_5m_input_tokens']) ?? (ttl === '5m' ? written : undefined);
  const hour = asCount(split['ephemeral_1h_input_tokens']) ?? (ttl === '1h' ? written : undefined);
  return {
    input: asCount(raw['input_tokens']) ?? known.input,
    output: asCount(raw['output_tokens']) ?? known.output,
    cache_read: asCount(raw['cache_read_input_tokens']) ?? known.cache_read,
    cache_write_5m: five ?? known.cache_write_5m,
    cache_write_1h: hour ?? known.cache_write_1h,
  };
};

const anthropicErrorWords = (document: string): string => {
  const value = parseJson(document);
  return isObject(value) ? errorWords(value) : '';
};

const errorWords = (document: Readonly<Record<string, unknown>>): string => {
  const error = document['error'];
  return isObject(error) ? errorWord(error['type']) : '';
};
