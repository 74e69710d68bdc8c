// Events as a hostile or broken endpoint may send them: folding never throws, counts stay sane, and broken calls are told as such.
import { array, assert, constantFrom, dictionary, jsonValue, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicFork } from '../../../src/workers/model/anthropic.ts';
import type { Dialect } from '../../../src/workers/model/exchange.ts';
import { openaiFork } from '../../../src/workers/model/openai.ts';
import { providerOf, taskOf } from '../../support/fork-task.ts';

const odd = jsonValue({ maxDepth: 2 });
const block = oneof(odd, record({ type: constantFrom('text', 'tool_use', 'thinking', 'redacted_thinking', 'other'), id: odd, name: odd, input: odd, text: odd }, { requiredKeys: ['type'] }));
const usage = oneof(odd, dictionary(constantFrom('input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'prompt_tokens', 'completion_tokens', 'cache_creation', 'prompt_tokens_details'), odd));
const anthropicEvent = record(
  {
    type: constantFrom('message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop', 'error', 'ping', 'later'),
    index: oneof(constantFrom(0, 1), odd),
    content_block: block,
    delta: oneof(odd, record({ type: constantFrom('text_delta', 'input_json_delta', 'thinking_delta', 'signature_delta'), text: odd, partial_json: odd, thinking: odd, stop_reason: odd }, { requiredKeys: ['type'] })),
    message: oneof(odd, record({ usage })),
    usage,
    error: odd,
    content: oneof(odd, array(block, { maxLength: 3 })),
  },
  { requiredKeys: ['type'] },
);
const call = oneof(odd, record({ index: odd, id: odd, function: oneof(odd, record({ name: odd, arguments: odd })) }));
const message = oneof(odd, record({ content: odd, reasoning_content: odd, refusal: odd, tool_calls: oneof(odd, array(call, { maxLength: 3 })), function_call: odd }));
const openaiEvent = record({ choices: oneof(odd, array(oneof(odd, record({ delta: message, message, finish_reason: odd }, { requiredKeys: [] })), { maxLength: 2 })), usage, error: odd }, { requiredKeys: [] });

const sane = (dialect: Dialect, events: readonly Readonly<Record<string, unknown>>[], kind: 'event' | 'whole'): void => {
  const folder = dialect.folder();
  for (const data of events) folder.take({ kind, data });
  for (const count of Object.values(folder.usage() ?? {})) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(folder.chars()).toBeGreaterThanOrEqual(0);
  const end = folder.end();
  if (!end.ok) return void expect(end.cause.length).toBeLessThanOrEqual(60);
  for (const { id, name } of end.said.calls) expect([typeof id, typeof name]).toEqual(['string', 'string']);
  // What was said goes back in the next request: it must make a body that parses.
  const rounds = [{ said: end.said, results: [] }];
  const again = dialect === anthropic ? anthropicFork(task, rounds, { auto_choice: false }) : openaiFork(openaiTask, rounds, { auto_choice: false, reasoning: 'send' });
  JSON.parse(new TextDecoder().decode(again.body()));
};

const task = taskOf(providerOf('anthropic', 'http://127.0.0.1:9'));
const openaiTask = taskOf(providerOf('openai', 'http://127.0.0.1:9'));
const anthropic = anthropicFork(task, [], { auto_choice: false });
const openai = openaiFork(openaiTask, [], { auto_choice: false });

describe.each(['event', 'whole'] as const)('E8: odd answers as %s', (kind) => {
  it('of the messages format never throw', () => assert(property(array(anthropicEvent, { maxLength: 8 }), (events) => sane(anthropic, events, kind)), { numRuns: 500 }));
  it('of the chat format never throw', () => assert(property(array(openaiEvent, { maxLength: 8 }), (events) => sane(openai, events, kind)), { numRuns: 500 }));
});
