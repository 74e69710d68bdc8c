// A scripted answer in each wire format: the events of a stream, or one document.
import type { Charge } from './model-cache.ts';

export type ScriptedCall = { readonly name: string; readonly args: unknown; readonly id?: string };

/** What the model says. `raw_args` of a call go on the wire as they are: broken JSON, nothing, an object. */
export type Said = {
  readonly text?: string;
  readonly calls?: readonly (ScriptedCall & { readonly raw_args?: unknown })[];
  readonly reasoning?: string;
  readonly stop?: string | null;
  /** Tokens of output; else a quarter of the characters. */
  readonly output_tokens?: number;
  /** Leave usage out, as some servers do. */
  readonly no_usage?: boolean;
};

/** One event and the tokens that have been produced with it, so that the server can pace it. */
export type Frame = { readonly name?: string; readonly data: unknown; readonly tokens: number };

const chunks = (text: string, size: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
const argsText = (call: ScriptedCall & { readonly raw_args?: unknown }): unknown => ('raw_args' in call ? call.raw_args : JSON.stringify(call.args));
export const outputTokens = (said: Said): number => said.output_tokens ?? Math.max(1, Math.ceil(JSON.stringify([said.text ?? '', said.calls ?? []]).length / 4));

export const anthropicUsage = (charge: Charge, output: number): unknown => ({
  input_tokens: charge.input,
  output_tokens: output,
  cache_read_input_tokens: charge.read,
  cache_creation_input_tokens: charge.write_5m + charge.write_1h,
  cache_creation: { ephemeral_5m_input_tokens: charge.write_5m, ephemeral_1h_input_tokens: charge.write_1h },
});

const stopOf = (said: Said): string | null => (said.stop === undefined ? ((said.calls ?? []).length > 0 ? 'tool_use' : 'end_turn') : said.stop);

export const anthropicFrames = (said: Said, model: string, charge: Charge): Frame[] => {
  const output = outputTokens(said);
  const frames: Frame[] = [];
  const add = (type: string, data: object, tokens = 0): void => void frames.push({ name: type, data: { type, ...data }, tokens });
  const usage = (count: number): object => (said.no_usage === true ? {} : { usage: anthropicUsage(charge, count) });
  add('message_start', { message: { id: 'msg_test', type: 'message', role: 'assistant', model, content: [], stop_reason: null, ...usage(1) } });
  add('ping', {});
  let index = 0;
  const block = (start: object, deltas: readonly object[]): void => {
    add('content_block_start', { index, content_block: start });
    for (const delta of deltas) add('content_block_delta', { index, delta }, 1);
    add('content_block_stop', { index });
    index += 1;
  };
  if (said.text !== undefined) block({ type: 'text', text: '' }, chunks(said.text, 16).map((text) => ({ type: 'text_delta', text })));
  for (const [n, call] of (said.calls ?? []).entries()) {
    const start = { type: 'tool_use', id: call.id ?? `toolu_${n}`, name: call.name, input: {} };
    const args = argsText(call);
    if (typeof args === 'string') block(start, chunks(args, 16).map((partial_json) => ({ type: 'input_json_delta', partial_json })));
    else block({ ...start, input: args }, []);
  }
  add('message_delta', { delta: { stop_reason: stopOf(said), stop_sequence: null }, ...usage(output) });
  add('message_stop', {});
  return frames;
};

export const anthropicDocument = (said: Said, model: string, charge: Charge): unknown => ({
  id: 'msg_test',
  type: 'message',
  role: 'assistant',
  model,
  content: [
    ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
    ...(said.calls ?? []).map((call, n) => ({ type: 'tool_use', id: call.id ?? `toolu_${n}`, name: call.name, input: 'raw_args' in call ? call.raw_args : call.args })),
  ],
  stop_reason: stopOf(said),
  ...(said.no_usage === true ? {} : { usage: anthropicUsage(charge, outputTokens(said)) }),
});

const openaiUsage = (charge: Charge, output: number): unknown => ({
  prompt_tokens: charge.input + charge.read,
  completion_tokens: output,
  total_tokens: charge.input + charge.read + output,
  prompt_tokens_details: { cached_tokens: charge.read },
});

const finishOf = (said: Said): string | null => (said.stop === undefined ? ((said.calls ?? []).length > 0 ? 'tool_calls' : 'stop') : said.stop);

export const openaiFrames = (said: Said, model: string, charge: Charge): Frame[] => {
  const frames: Frame[] = [];
  const chunk = (delta: object, finish_reason: string | null, tokens: number): void =>
    void frames.push({ data: { id: 'chat_test', object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason }] }, tokens });
  chunk({ role: 'assistant', content: null }, null, 0);
  for (const reasoning_content of chunks(said.reasoning ?? '', 16)) chunk({ reasoning_content }, null, 1);
  for (const content of chunks(said.text ?? '', 16)) chunk({ content }, null, 1);
  for (const [index, call] of (said.calls ?? []).entries()) {
    const args = argsText(call);
    chunk({ tool_calls: [{ index, id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: typeof args === 'string' ? '' : args } }] }, null, 1);
    if (typeof args === 'string') for (const piece of chunks(args, 16)) chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null, 1);
  }
  chunk({}, finishOf(said), 0);
  if (said.no_usage !== true) frames.push({ data: { id: 'chat_test', model, choices: [], usage: openaiUsage(charge, outputTokens(said)) }, tokens: 0 });
  frames.push({ data: '[DONE]', tokens: 0 });
  return frames;
};

export const openaiDocument = (said: Said, model: string, charge: Charge): unknown => ({
  id: 'chat_test',
  object: 'chat.completion',
  model,
  choices: [
    {
      index: 0,
      finish_reason: finishOf(said),
      message: {
        role: 'assistant',
        content: said.text ?? null,
        tool_calls: (said.calls ?? []).map((call, index) => ({ id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: argsText(call) } })),
      },
    },
  ],
  ...(said.no_usage === true ? {} : { usage: openaiUsage(charge, outputTokens(said)) }),
});
