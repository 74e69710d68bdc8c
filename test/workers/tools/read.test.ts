import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';
import { redactInPlace } from '../../../src/main/floor/redact.ts';
import type { ToolReply } from '../../../src/main/records.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-read-'));
  mkdirSync(join(root, 'folder'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (args: Record<string, unknown>, text?: string | Buffer): ToolReply => {
  if (text !== undefined) writeFileSync(join(root, 'f.txt'), text);
  return answerFileTool({ kind: 'file-tool', tool: 'Read', args: { path: 'f.txt', ...args }, root, denied: [], deadline_ms: 1000, redact: true });
};

const PEM = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIAbcdefghijklmnop\nQUJDREVG\n-----END EC PRIVATE KEY-----';

describe('Read', () => {
  test('lines are numbered from one, and a range is a range', () => {
    expect(read({}, 'a\r\nb\nc\n').text).toBe('f.txt, lines 1–3 of 3:\n1\ta\n2\tb\n3\tc');
    expect(read({ offset: 2, limit: 1 }).text).toBe('f.txt, lines 2–2 of 3:\n2\tb');
    expect(read({ offset: '2', limit: null }).text).toBe('f.txt, lines 2–3 of 3:\n2\tb\n3\tc');
    expect(read({ offset: -4, limit: 'x' }).text).toContain('lines 1–3 of 3');
    expect(read({ offset: 9 })).toEqual({ ok: false, text: 'f.txt has 3 lines.' });
    expect(read({}, '').text).toBe('f.txt is empty.');
  });

  test('binaries, folders and nonsense are refused in a sentence', () => {
    expect(read({}, Buffer.from([1, 0, 2]))).toEqual({ ok: false, text: 'f.txt is not a text file (3 bytes).' });
    expect(read({ path: 'folder' })).toEqual({ ok: false, text: 'folder is a folder: use Glob.' });
    expect(read({ path: 7 })).toEqual({ ok: false, text: 'Read needs a path.' });
    expect(read({ path: 'x'.repeat(5000) })).toEqual({ ok: false, text: 'That is not a path.' });
    expect(read({ path: `${'x'.repeat(300)}` }).ok).toBe(false);
  });

  test('long lines and long files are cut, and never inside a character', () => {
    const { text } = read({}, `${'😀'.repeat(600)}\n${'line\n'.repeat(9000)}`);
    expect(text.length).toBeLessThanOrEqual(12_000);
    expect(text.isWellFormed()).toBe(true);
    expect(text.split('\n')[1]?.endsWith('😀 …')).toBe(true);
    const huge = read({ offset: 30_000, limit: 2 }, `${'a line of a large file, as long as any other\n'.repeat(100_000)}`);
    expect(huge.text).toMatch(/^f\.txt, lines 30000–30001 of \d+ or more:/);
    expect(read({ offset: 99_000 }).text).toMatch(/no more are read\.$/);
  });

  test('F8: secrets are gone, also where the part that is read ends inside one, and the lines below keep their numbers', () => {
    expect(read({ offset: 5 }, `a\n${PEM}\nb\n`).text).not.toMatch(/MHcC|QUJD/);
    expect(read({ offset: 6 }).text).toBe('f.txt, lines 6–6 of 6:\n6\tb');
    const filler = `${'x'.repeat(79)}\n`.repeat(25_000).slice(0, 2_000_000 - 12);
    expect(read({ offset: 24_000, limit: 2000 }, `${filler}sk-ant-api03-abcdefghijklmnopqrstuvwx\nend\n`).text).not.toContain('sk-ant');
  });
});

describe('redaction in place', () => {
  test('as many lines as before, with several keys, cut keys and marks that were there already', () => {
    const lines = (text: string): number => text.split('\n').length;
    for (const text of [
      `a\n${PEM}\nb\n${PEM}\n\n${PEM}\nc\n`, `${PEM}\n${PEM}`, `x [redacted:token 1a2b]\n${PEM}\ny`, `a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n!\nrest\n`, `key: "${PEM.replaceAll('\n', '\\n')}"\nb\n${PEM}\nq\n`,
    ]) {
      expect(lines(redactInPlace(text)), text).toBe(lines(text));
      expect(redactInPlace(text)).not.toMatch(/MHcC|QUJD|MIIE/);
    }
    expect(redactInPlace(`a\n${PEM}\nb`).split('\n').at(-1)).toBe('b');
  });
});
