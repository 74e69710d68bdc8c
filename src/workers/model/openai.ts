// The chat-completions format, as its many servers really speak it: tolerant reading, and quirks learnt from refusals.
import { isObject } from '../../main/floor/object.ts';
import type { ForkTask, SummaryTask } from '../contract.ts';
import { NO_USAGE } from '../../main/floor/usage.ts';
import type { Usage } from '../../main/records.ts';
import type { Quirks } from './anthropic.ts';
import type { Dialect, Folder } from './exchange.ts';
import type { Incoming } from './sse.ts';
import {
  asCount, asText, errorWord, joinBody, parseArgs, parseJson, tokensOf,
  type Call, type CallResult, type Round, type Watch,
} from './wire.ts';

/** A fork's question: the tail is a second user message, rounds follow as assistant and tool messages. */
export const openaiFork = (task: ForkTask, rounds: readonly Round[], quirks: Quirks): Dialect => ({
  body: () => {
    const messages = [{ role: 'user', content: task.tail }, ...rounds.flatMap((round) => roundMessages(round, quirks))];
    const choice = quirks.auto_choice ? 'auto' : 'required';
    return joinBody(task.prefix, `,${messages.map((message) => JSON.stringify(message)).join(',')}],${settings(task.limits.max_output_tokens, quirks)},"tool_choice":"${choice}"}`);
  },
  folder: openaiFolder,
  adapt: (error, watch) => adaptOpenai(error, quirks, watch),
  estimate: (bytes) => ({ ...NO_USAGE, input: tokensOf(bytes) }),
  errorWords: openaiErrorWords,
});

export const openaiSummary = (task: SummaryTask, quirks: Quirks): Dialect => ({
  body: () => {
    const head = JSON.stringify({
      model: task.provider.model,
      messages: [{ role: 'system', content: task.system }, { role: 'user', content: task.text }],
    });
    return joinBody(new Uint8Array(), `${head.slice(0, -1)},${settings(task.max_output_tokens, quirks)}}`);
  },
  folder: openaiFolder,
  adapt: (error, watch) => adaptOpenai(error, quirks, watch),
  estimate: (bytes) => ({ ...NO_USAGE, input: tokensOf(bytes) }),
  errorWords: openaiErrorWords,
});

const settings = (max: number, quirks: Quirks): string =>
  `"${quirks.completion_tokens === true ? 'max_completion_tokens' : 'max_tokens'}":${max},"stream":true${quirks.no_stream_options === true ? '' : ',"stream_options":{"include_usage":true}'}`;

type Echo = { readonly message: Readonly<Record<string, unknown>>; readonly reasoning: string };

const roundMessages = ({ said, results }: Round, quirks: Quirks): unknown[] => {
  const { message, reasoning } = said.echo as Echo; // made by this file's folder
  return [
    quirks.reasoning === 'send' ? { ...message, reasoning_content: reasoning } : message,
    ...results.map(({ id, text }: CallResult) => ({ role: 'tool', tool_call_id: id, content: text })),
  ];
};

/** One quirk per refusal, each at most once in each direction: what the error names is what changes. */
const adaptOpenai = (error: string, quirks: Quirks, watch: Watch): boolean => {
  if (error.includes('reasoning_content')) {
    quirks.reasoning = quirks.reasoning === 'send' ? 'drop' : 'send';
    watch.learnt({ reasoning: quirks.reasoning });
    return true;
  }
  if (!quirks.auto_choice && /tool_choice|thinking/.test(error)) {
    quirks.auto_choice = true;
    watch.learnt({ auto_choice: true });
    return true;
  }
  if (quirks.completion_tokens !== true && error.includes('max_tokens')) return (quirks.completion_tokens = true);
  if (quirks.no_stream_options !== true && error.includes('stream_options')) return (quirks.no_stream_options = true);
  return false;
};

type Part = { id: string; name: string; args: string; object?: unknown };

const openaiFolder = (): Folder => {
  const parts = new Map<string, Part>();
  let last = '';
  let usage: Usage | undefined;
  let chars = 0;
  let text = '';
  let reasoning = '';
  let finish = '';
  let ended = false;
  let failure: string | undefined;
  const call = (raw: unknown, position: number): void => {
    if (!isObject(raw)) return;
    const id = asText(raw['id']);
    // Servers index their pieces, or name an id, or send each call whole: a piece without either belongs to the last call.
    const key = typeof raw['index'] === 'number' ? `i${raw['index']}` : id !== '' ? `d${id}` : last === '' ? `p${position}` : last;
    last = key;
    const part = parts.get(key) ?? { id: '', name: '', args: '' };
    parts.set(key, part);
    const fn = isObject(raw['function']) ? raw['function'] : raw;
    if (part.id === '') part.id = id;
    if (part.name === '') part.name = asText(fn['name']);
    const args = fn['arguments'];
    if (typeof args === 'string') {
      part.args += args;
      chars += args.length;
    } else if (args !== undefined && args !== null) {
      part.object = args;
      chars += JSON.stringify(args).length;
    }
  };
  const message = (raw: unknown): void => {
    if (!isObject(raw)) return;
    const said = asText(raw['content']);
    const thought = asText(raw['reasoning_content']);
    text += said;
    reasoning += thought;
    chars += said.length + thought.length;
    if (asText(raw['refusal']) !== '') finish = 'refusal';
    const calls = raw['tool_calls'];
    if (Array.isArray(calls)) for (const [position, piece] of calls.entries()) call(piece, position);
    else if (isObject(raw['function_call'])) call({ index: 0, function: raw['function_call'] }, 0);
  };
  const take = (incoming: Incoming): void => {
    if (incoming.kind === 'done') return void (ended = true);
    const { data } = incoming;
    if (data['error'] !== undefined && data['error'] !== null) failure = errorWords(data) || 'error answer';
    usage = readUsage(data['usage']) ?? usage;
    const choice: unknown = Array.isArray(data['choices']) ? data['choices'][0] : undefined;
    if (!isObject(choice)) return;
    message(choice['delta'] ?? choice['message']);
    const reason = choice['finish_reason'];
    if (reason !== undefined && reason !== null && finish !== 'refusal') finish = asText(reason) || 'odd';
    if (incoming.kind === 'whole') ended = true;
  };
  return {
    take,
    usage: () => usage,
    chars: () => chars,
    end: () => {
      if (failure !== undefined) return { ok: false, end: 'provider-error', cause: failure };
      if (!ended && finish === '') return { ok: false, end: 'provider-error', cause: 'answer ended early' };
      if (finish === 'content_filter' || finish === 'refusal') return { ok: false, end: 'refused', cause: 'the model refused' };
      const calls = [...parts.values()].map(toCall);
      const message = {
        role: 'assistant',
        content: text === '' ? null : text,
        ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args.ok ? JSON.stringify(args.value) : '{}' } })) }),
      };
      return { ok: true, said: { calls, text, echo: { message, reasoning } satisfies Echo } };
    },
  };
};

const toCall = (part: Part, position: number): Call => ({
  id: part.id === '' ? `call_${position}` : part.id,
  name: part.name,
  args: parseArgs(part.object ?? part.args),
});

/** Input without what the cache served, which some servers report under another name. */
const readUsage = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined;
  const prompt = asCount(raw['prompt_tokens']);
  const output = asCount(raw['completion_tokens']);
  if (prompt === undefined && output === undefined) return undefined;
  const details = isObject(raw['prompt_tokens_details']) ? raw['prompt_tokens_details'] : {};
  const cached = Math.min(asCount(details['cached_tokens']) ?? asCount(raw['prompt_cache_hit_tokens']) ?? 0, prompt ?? 0);
  return { ...NO_USAGE, input: (prompt ?? 0) - cached, output: output ?? 0, cache_read: cached };
};

const openaiErrorWords = (document: string): string => {
  const value = parseJson(document);
  return isObject(value) ? errorWords(value) : '';
};

const errorWords = (document: Readonly<Record<string, unknown>>): string => {
  const error = document['error'];
  if (!isObject(error)) return '';
  return errorWord(error['code']) || errorWord(error['type']);
};
