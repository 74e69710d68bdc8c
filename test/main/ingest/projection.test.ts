import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { projectLine, projectText } from '../../../src/main/ingest/projection.ts';
import type { Projected } from '../../../src/main/records.ts';
import type { ProjectionLimits } from '../../../src/workers/contract.ts';

const folder = new URL('../../fixtures/projection/', import.meta.url).pathname;
const limits: ProjectionLimits = { ...defaultKnobs().projection, sealed: ['.env', '.env.*', 'secrets/**'] };
const project = (record: unknown): Projected => projectLine(Buffer.from(JSON.stringify(record)), limits);
const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');

/** One line as a reader compares it: what it is, what is observed, and every other field. */
const render = ({ type, observations, ...rest }: Projected): string => {
  const shown = observations.map(({ text, ...fields }) => {
    const { at: _at, uuid: _uuid, ...told } = fields;
    return `${text}\n    ${JSON.stringify(told)}`;
  });
  const { at: _at, uuid: _uuid, parent: _parent, session: _session, ...told } = rest;
  return [`── ${type} ${JSON.stringify(told)}`, ...shown].join('\n');
};

describe('every rule, by golden', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl'))) {
    it(`projects ${name} as its golden shows`, () => {
      const shown = `${linesOf(join(folder, name)).map((line) => render(projectLine(Buffer.from(line), limits))).join('\n')}\n`;
      const golden = join(folder, name.replace('.jsonl', '.golden.txt'));
      if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(golden, shown);
      expect(existsSync(golden)).toBe(true);
      expect(shown).toBe(readFileSync(golden, 'utf8'));
    });

    it(`projects ${name} the same by the cheap way and by the plain parser`, () => {
      for (const line of linesOf(join(folder, name))) expect(projectLine(Buffer.from(line), limits)).toEqual(projectText(line, limits));
    });
  }
});

describe('recorded transcripts', () => {
  const samples = new URL('../../fixtures/samples/', import.meta.url).pathname;
  const files = existsSync(samples) ? readdirSync(samples, { recursive: true }).map(String).filter((file) => file.endsWith('.jsonl')) : [];

  it('hold no record of a kind we do not know, and no line that breaks us', () => {
    expect(files.length).toBeGreaterThan(0);
    const unknown = files.flatMap((file) => linesOf(join(samples, file)).map((line) => projectLine(Buffer.from(line), limits)).filter((item) => item.unknown === true));
    expect(unknown.map(({ type }) => type)).toEqual([]);
  });

  it('project the same by the cheap way and by the plain parser', () => {
    for (const file of files) for (const line of linesOf(join(samples, file))) expect(projectLine(Buffer.from(line), limits)).toEqual(projectText(line, limits));
  });
});

describe('lines that are no records', () => {
  it.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['{"type":"user"', 'bad-line'],
    ['[1,2]', 'bad-line'],
    ['null', 'bad-line'],
    ['"text"', 'bad-line'],
    ['7', 'bad-line'],
    ['\u0000\u0001', 'bad-line'],
    ['{}', 'untyped'],
    ['{"type":{}}', 'untyped'],
  ])('C3: %j is %s and observes nothing', (line, type) => {
    const item = projectLine(Buffer.from(line), limits);
    expect(item).toMatchObject({ type, observations: [], events: [], proofs: [] });
    expect(item.unknown).toBe(type === 'empty' ? undefined : true);
  });

  it('tolerates a byte order mark, a carriage return and bytes that are no UTF-8', () => {
    const record = '{"type":"user","message":{"content":"hi"}}';
    expect(projectLine(Buffer.from(`\ufeff${record}\r`), limits).observations[0]?.text).toBe('[prompt] hi');
    const broken = Buffer.concat([Buffer.from('{"type":"user","message":{"content":"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b"}}')]);
    expect(projectLine(broken, limits).observations[0]?.text).toBe('[prompt] a\ufffd\ufffdb');
  });

  it('replaces lone surrogates and isolates a record nested deeper than the stack', () => {
    expect(project({ type: 'user', message: { content: 'a\ud800b' } }).observations[0]?.text).toBe('[prompt] a\ufffdb');
    const deep = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"X","input":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}}`;
    expect(projectLine(Buffer.from(deep), limits).type).toBe('bad-line');
  });
});

describe('C4: content of any shape', () => {
  const texts: readonly (readonly [string, unknown, string])[] = [
    ['a string', 'one', 'one'],
    ['a list of blocks', [{ type: 'text', text: 'one' }], 'one'],
    ['a list of strings', ['one'], 'one'],
    ['a list with nulls', [null, 'one', 7], 'one'],
    ['a single block', { type: 'text', text: 'one' }, 'one'],
    ['null', null, ''],
    ['absent', undefined, ''],
    ['a number', 7, ''],
  ];
  const messages = (content: unknown): readonly unknown[] => [{ content }];

  it.each(texts)('reads a prompt whose content is %s', (_name, content, text) => {
    for (const message of messages(content)) {
      const item = project({ type: 'user', message });
      expect(item.observations.map((one) => one.text)).toEqual(text === '' ? [] : [`[prompt] ${text}`]);
    }
  });

  it.each(texts)('reads an answer whose content is %s', (_name, content, text) => {
    expect(project({ type: 'assistant', message: { content } }).observations.map((one) => one.text)).toEqual(text === '' ? [] : [`[text] ${text}`]);
  });

  it.each(texts)('reads a failure whose content is %s, whatever toolUseResult is', (_name, content, text) => {
    for (const toolUseResult of [undefined, null, 'Error: x', { stdout: 'x' }, ['x'], 7, true]) {
      const item = project({ type: 'user', toolUseResult, message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content }] } });
      expect(item.observations).toHaveLength(1);
      expect(item.observations[0]?.kind).toBe('error');
      if (text !== '') expect(item.observations[0]?.text).toBe('[error] one');
    }
  });

  it.each(texts)('takes a success whose content is %s for done, whatever toolUseResult is', (_name, content) => {
    for (const toolUseResult of [undefined, null, 'text', { structuredPatch: 'x' }, { structuredPatch: [null, 'x', { newStart: 'a' }] }, ['x'], 7]) {
      const item = project({ type: 'user', toolUseResult, message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] } });
      expect(item.observations.map(({ kind, text }) => [kind, text])).toEqual([['done', '[done]']]);
    }
  });

  it.each([null, undefined, 'text', 7, [], [[]]])('survives a message that is %j', (message) => {
    for (const type of ['user', 'assistant', 'attachment', 'system', 'queue-operation']) {
      expect(() => project({ type, message, attachment: message, content: message, toolUseResult: message, origin: message })).not.toThrow();
    }
  });

  it('survives any input of any tool', () => {
    for (const name of ['Bash', 'Edit', 'MultiEdit', 'Write', 'Agent', 'Read', 'Grep', 'TodoWrite', 'AskUserQuestion', 'ExitPlanMode', 'X', 7, null]) {
      for (const input of [null, undefined, 'text', 7, [], { command: 7, file_path: {}, edits: [null, 7], todos: 'x', questions: [null, { options: [1] }], plan: [] }]) {
        expect(project({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 7, name, input }] } }).observations).toHaveLength(1);
      }
    }
  });
});

describe('what is never observed', () => {
  it('F9: our advice in a hook attachment is proof of delivery, with its ids and its channel', () => {
    const record = (type: string) => ({ type: 'attachment', timestamp: '2026-05-04T10:00:00.000Z', attachment: { type, content: ['Second Brain sb-0123abcd: look'] } });
    expect(project(record('hook_additional_context'))).toMatchObject({ observations: [], proofs: [{ ids: ['sb-0123abcd'], channel: 'context' }] });
    expect(project(record('hook_system_message'))).toMatchObject({ observations: [], proofs: [{ ids: ['sb-0123abcd'], channel: 'message' }] });
  });

  it('counts a kind or block it does not know, and still reads the blocks beside it', () => {
    const item = project({ type: 'assistant', message: { content: [{ type: 'hologram' }, { type: 'text', text: 'seen' }] } });
    expect(item.unknown).toBe(true);
    expect(item.observations.map(({ text }) => text)).toEqual(['[text] seen']);
  });

  it('shows no successful result, thinking or image', () => {
    const secret = 'only the agent saw this';
    const line = JSON.stringify([
      project({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: `${secret} ${'x'.repeat(4000)}` }] }, toolUseResult: { stdout: secret } }),
      project({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: secret }] }, toolUseResult: { stdout: secret } }),
      project({ type: 'assistant', message: { content: [{ type: 'thinking', thinking: secret }, { type: 'image', source: { data: secret } }] } }),
      project({ type: 'user', isMeta: true, message: { content: secret } }),
      project({ type: 'user', isCompactSummary: true, message: { content: secret } }),
      project({ type: 'assistant', isSidechain: true, message: { content: secret } }),
    ]);
    expect(line).not.toContain(secret);
  });
});

describe('usage', () => {
  it('is given with its message id, and splits what was written to the cache', () => {
    const usage = { input_tokens: 3, output_tokens: 9, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 };
    const split = { ...usage, cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 6 } };
    const of = (value: unknown) => project({ type: 'assistant', message: { id: 'm', content: [], usage: value } }).usage;
    expect(of(usage)).toEqual({ message: 'm', usage: { input: 3, output: 9, cache_read: 5, cache_write_5m: 7, cache_write_1h: 0 } });
    expect(of(split)?.usage).toMatchObject({ cache_write_5m: 1, cache_write_1h: 6 });
    expect(of({ output_tokens: 'x' })).toBeUndefined();
  });
});

describe('what no real record holds', () => {
  const long = 'x'.repeat(1_000_000);
  const called = (input: unknown, more: object = {}): unknown => ({ type: 'assistant', uuid: 'u', message: { id: 'm', content: [{ type: 'tool_use', id: 'c', name: 'Read', input, ...more }] } });

  it.each([
    ['ids', { type: 'user', uuid: long, parentUuid: long, sessionId: long, promptId: long, forkedFrom: { sessionId: long }, message: { content: 'go' } }],
    ['a call’s id', called({}, { id: long })],
    ['a call’s name', called({}, { name: long })],
    ['a path', called({ file_path: long })],
    ['a path of an unknown tool', called({ path: long }, { name: 'Look' })],
    ['a cell', called({ notebook_path: 'a.ipynb', cell_id: long, edit_mode: long }, { name: 'NotebookEdit' })],
    ['what a call has started', { type: 'user', uuid: 'u', toolUseResult: { backgroundTaskId: long, agentId: long }, message: { content: [{ type: 'tool_result', tool_use_id: long, content: 'x' }] } }],
  ])('%s of a million characters leave nothing of that size', (_what, record) => {
    expect(JSON.stringify(project(record)).length).toBeLessThan(25_000);
  });

  it('a path that is cut keeps its end, and what is sealed stays sealed', () => {
    const [observation] = project(called({ file_path: `${'d/'.repeat(9000)}.env`, content: 'KEY=1' }, { name: 'Write' })).observations;
    expect(observation?.paths?.[0]).toMatch(/\/\.env$/);
    expect(observation?.text).toContain('sealed]');
  });

  it('F8: a secret in a name is no name that is kept', () => {
    const secret = `sk-ant-api03-${'Zq7Rw2Lm9Xc4Vb8N'}`;
    for (const before of [0, 40, 185, 195]) {
      const name = `${'n '.repeat(before / 2)}${secret}`;
      for (const record of [called({}, { name }), { type: name }, { type: 'system', subtype: name }, { type: 'queue-operation', operation: 'remove', content: 'x', reason: name }]) {
        expect(JSON.stringify(project(record))).not.toContain(secret.slice(4, 20));
      }
    }
  });

  it.each(['-000001-01-01T00:00:00Z', '1969-12-31T00:00:00Z', 'NaN', '', 12, null])('the timestamp %s is no time', (timestamp) => {
    expect(project({ type: 'user', uuid: 'u', timestamp, message: { content: 'go' } }).at).toBeUndefined();
  });
});
