import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { projectLine } from '../../../src/main/ingest/projection.ts';
import type { Projected } from '../../../src/main/records.ts';
import type { ProjectionLimits } from '../../../src/workers/contract.ts';
import { cpuMs } from '../../support/cpu.ts';

const limits: ProjectionLimits = { ...defaultKnobs().projection, sealed: ['.env'] };
const project = (record: unknown): Projected => projectLine(Buffer.from(JSON.stringify(record)), limits);
const wellFormed = (value: unknown): boolean =>
  typeof value === 'string' ? value.isWellFormed() : typeof value !== 'object' || value === null || Object.values(value).every(wellFormed);

describe('any input', () => {
  const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 });
  const keys = ['type', 'subtype', 'message', 'content', 'text', 'name', 'input', 'command', 'attachment', 'prompt', 'toolUseResult', 'is_error', 'tool_use_id', 'origin', 'kind', 'operation', 'usage', 'id', 'answers', 'questions', 'todos', 'edits', 'structuredPatch', 'file_path'];
  const values = fc.constantFrom<unknown>('user', 'assistant', 'attachment', 'system', 'queue-operation', 'tool_use', 'tool_result', 'text', 'queued_command', 'Bash', 'Edit', 'TodoWrite', 'a\ud800', '\udc00', true, null, 7, '<task-notification><status>completed</status><task-id>x</task-id>');
  const records = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, values, json, tie('list'), tie('record')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    record: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
  })).record;

  it('never makes it throw: bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => void projectLine(bytes, limits)), { numRuns: 300 });
  });

  it('never makes it throw, and yields well-formed texts and a known set of fields: records', () => {
    fc.assert(
      fc.property(records, (record) => {
        const item = project(record);
        expect(item.type).not.toBe('bad-line');
        expect(wellFormed(item.observations)).toBe(true);
        for (const { text } of item.observations) expect(text).toMatch(/^\[(prompt|text|tool|done|error|agent|note)\]/);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('F8: secrets', () => {
  const filler = 'abcdefGHIJKL0123456789mnopQRSTuvwxYZ';
  const secret = `ghp_${filler}`;
  const places: Record<string, (text: string) => unknown> = {
    'a prompt': (text) => ({ type: 'user', message: { content: text } }),
    'a mid-turn prompt': (text) => ({ type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: text } }),
    'a queue record': (text) => ({ type: 'queue-operation', operation: 'enqueue', content: text }),
    'a slash command': (text) => ({ type: 'user', message: { content: `<command-name>/x</command-name><command-args>${text}</command-args>` } }),
    narration: (text) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } }),
    'an API error': (text) => ({ type: 'assistant', isApiErrorMessage: true, message: { content: `API Error: ${text}` } }),
    'an error head': (text) => ({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: text }] } }),
    'an agent’s conclusion': (text) => ({ type: 'user', toolUseResult: { status: 'completed', agentId: 'a', content: text }, message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] } }),
    'an answer': (text) => ({ type: 'user', toolUseResult: { questions: [], answers: { q: text } }, message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] } }),
    'a notification': (text) => ({ type: 'user', origin: { kind: 'task-notification' }, message: { content: `<task-notification><task-id>b</task-id><status>failed</status><summary>Agent ${text}</summary><result>${text}</result></task-notification>` } }),
  };
  for (const tool of ['Bash', 'Edit', 'Write', 'Agent', 'Read', 'Grep', 'ExitPlanMode', 'TodoWrite', 'AskUserQuestion', 'WebFetch', 'mcp__a__b', 'Other']) {
    places[`the arguments of ${tool}`] = (text) => ({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't', name: tool, input: { command: text, description: text, file_path: text, old_string: text, new_string: text, content: text, prompt: text, pattern: text, plan: text, todos: [{ content: text }], questions: [{ question: text, options: [text] }], url: text, other: { deep: [text] } } }] },
    });
  }

  it.each(Object.entries(places))('in %s never show, wherever the cut falls', (_place, record) => {
    for (const pad of [0, 90, 115, 190, 380, 395, 1190, 1490, 10_640, 10_660]) {
      const line = JSON.stringify(project(record(`${'lorem ipsum '.repeat(1000).slice(0, pad)} ${secret} ${'dolor '.repeat(4000)}`)));
      for (let at = 4; at + 8 <= secret.length; at += 4) expect(line).not.toContain(secret.slice(at, at + 8));
    }
  });

  it('are left alone when redaction is off', () => {
    const line = Buffer.from(JSON.stringify({ type: 'user', message: { content: secret } }));
    expect(projectLine(line, { ...limits, redact: false }).observations[0]?.text).toBe(`[prompt] ${secret}`);
  });
});

describe('time', () => {
  const call = (name: string, input: unknown) => ({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name, input }] } });
  it.each<[string, (size: number) => unknown]>([
    ['an unbroken word', (size) => call('Bash', { command: 'x'.repeat(size) })],
    ['short lines', (size) => call('Write', { file_path: 'a', content: 'ab\n'.repeat(size / 3) })],
    ['nested quotes', (size) => call('Bash', { command: '"\'`'.repeat(size / 3) })],
    ['a prompt of paths', (size) => ({ type: 'user', message: { content: 'a/b.ts '.repeat(size / 7) } })],
    ['a failure of brackets', (size) => ({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: '[{('.repeat(size / 3) }] } })],
    ['many arguments', (size) => call('Other', Object.fromEntries(Array.from({ length: size / 20 }, (_, i) => [`key${i}`, 'value/of.ts'])))],
    ['a notification of tags', (size) => ({ type: 'user', message: { content: `<task-notification>${'<status>'.repeat(size / 8)}` } })],
  ])('grows in proportion to %s', (_name, record) => {
    const took = (size: number): number => {
      const line = Buffer.from(JSON.stringify(record(size)));
      let best = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const start = cpuMs();
        projectLine(line, limits);
        best = Math.min(best, cpuMs() - start);
      }
      return best;
    };
    took(60_000);
    expect(took(1_000_000)).toBeLessThan(10 * took(250_000) + 50);
  });
});
