import { describe, expect, test } from 'vitest';
import { parseServer } from '../../../src/main/pass/mcp-config.ts';
import { resultReply, wireName } from '../../../src/main/pass/mcp-result.ts';
import { cappedLines } from '../../../src/main/pass/mcp-lines.ts';

describe('a server of the config', () => {
  test('is a program or an address', () => {
    expect(parseServer({ command: 'npx', args: ['-y', 'x'], env: { A: 'b' } })).toEqual({ ok: true, server: { kind: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'b' } } });
    expect(parseServer({ command: 'x' })).toEqual({ ok: true, server: { kind: 'stdio', command: 'x', args: [], env: {} } });
    for (const url of ['https://x.example/mcp', 'http://localhost:1/', 'http://127.0.0.1:9/mcp', 'http://[::1]:9/']) expect(parseServer({ url }), url).toMatchObject({ ok: true });
  });

  test('and anything else is said in words', () => {
    for (const raw of [undefined, null, 'npx', [], {}, { command: '' }, { command: 'a\0b' }, { command: 'a', args: 'b' }, { command: 'a', args: [1] }, { command: 'a', env: { A: 1 } }, { url: 'ftp://x' }, { url: 'x' }, { url: 'http://x.example' }, { url: 'http://127.0.0.1.example.com' }, { url: 'https://x', command: 'y' }]) {
      expect(parseServer(raw), JSON.stringify(raw)).toMatchObject({ ok: false, why: expect.any(String) });
    }
  });
});

describe('names on the wire', () => {
  test('stay as they are when they fit, else carry a mark that keeps them apart', () => {
    expect(wireName('files', 'read_text-file')).toBe('mcp__files__read_text-file');
    const odd = ['a b', 'a_b', 'a/b', 'ü', '', 'x'.repeat(80), `${'x'.repeat(80)}y`, '__proto__'].map((tool) => wireName('s', tool));
    expect(new Set(odd).size).toBe(odd.length);
    for (const name of odd) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe('results', () => {
  const text = (result: Parameters<typeof resultReply>[0]): string => resultReply(result, true, 200).text;

  test('F3: what is said twice counts once', () => {
    expect(text({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } })).toBe('{"a":1}');
    expect(text({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
    expect(text({ structuredContent: { a: 1 } })).toBe('{"a":1}');
    expect(text({ content: [{ type: 'image', mimeType: 'image/png' }], structuredContent: { a: 1 } })).toBe('{"a":1}\n[image image/png, not shown]');
  });

  test('resources and links are text, unknown parts are left out, secrets hidden, length capped', () => {
    expect(text({ content: [{ type: 'resource', resource: { uri: 'u:1', text: 'body' } }, { type: 'resource_link', uri: 'u:2' }, { type: 'later' }, null, 7] })).toBe('u:1:\nbody\nu:2');
    expect(text({ content: [] })).toBe('(no content)');
    expect(text({ content: [{ type: 'text', text: `${'x'.repeat(130)} sk-ant-api03-abcdefghijklmnopqrstuvwx${' y'.repeat(200)}` }] })).not.toContain('abcdef');
    expect(text({ content: [{ type: 'text', text: 'y '.repeat(500) }] }).length).toBeLessThanOrEqual(200);
    expect(resultReply({ content: [], isError: true }, true, 100).ok).toBe(false);
  });
});

describe('lines', () => {
  const feed = (max: number, chunks: readonly string[]): readonly string[] => {
    const out: string[] = [];
    const take = cappedLines(max, { line: (line) => out.push(line), tooLong: (id, bytes) => out.push(`<${id ?? '?'} ${bytes}>`) });
    for (const chunk of chunks) take(Buffer.from(chunk));
    return out;
  };

  test('F3: cut anywhere they are the same, and a long one is only counted', () => {
    const long = `{"jsonrpc":"2.0","id":12,"result":"${'x'.repeat(5000)}"}`;
    const last = `{"result":"${'x'.repeat(5000)}","jsonrpc":"2.0","id":7}`;
    const inner = `{"result":{"structuredContent":{"id":5${'5'.repeat(5000)}}}}`;
    const whole = `{"a":"é"}\n\n${long}\nb\n${last}\n${inner}\nc\nrest`;
    const expected = ['{"a":"é"}', '', `<12 ${long.length}>`, 'b', `<7 ${last.length}>`, `<? ${inner.length}>`, 'c'];
    expect(feed(1000, [whole])).toEqual(expected);
    for (const size of [1, 7, 255, 1000, 1001, 4096]) {
      const bytes = Buffer.from(whole);
      const out: string[] = [];
      const take = cappedLines(1000, { line: (line) => out.push(line), tooLong: (id, count) => out.push(`<${id ?? '?'} ${count}>`) });
      for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
      expect(out, String(size)).toEqual(expected);
    }
  });
});
