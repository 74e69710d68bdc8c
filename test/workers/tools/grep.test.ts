import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';
import type { ToolReply } from '../../../src/main/records.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-grep-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const write = (folder: string, path: string, text: string | Buffer): void => {
  mkdirSync(dirname(join(root, folder, path)), { recursive: true });
  writeFileSync(join(root, folder, path), text);
};

const grep = (folder: string, args: Record<string, unknown>, deadline_ms = 5000, redact = true): ToolReply =>
  answerFileTool({ kind: 'file-tool', tool: 'Grep', args, root: join(root, folder), denied: [], deadline_ms, redact });

const EVIL = [
  '(a+)+$', '(.*a){25}', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a|a)*b', '(a|aa)+$', '(a*)*b', '(.*)*x', '(x+x+)+y', '([a-zA-Z]+)*1', '(a{1,100}){1,10}b', '\\w*\\w*\\w*\\w*!', '(.*.*.*.*.*)=',
  'a{500}b', '(?i)(a|A)+B', '.*.*.*.*.*.*z', '(a?){40}a{40}', '((a+)?)+c', '((a{50}){20})b', '(\\pL+)+\\d', '.{900}z', '(.{0,500}a){2}z', '(a+){10}(a+){10}!', '(([a-z]+)*)*#', '^(a+)*$b',
  '(?s)(.+)+\\z!', '(a|b|ab)*c', '(.+)\\s(.+)\\s(.+)', '[\\s\\S]{1000}z', '(?:a+b?)+c', '(aa|a)+\\b!', '\\pL{1000}\\pL{1000}\\pL{1000}', '(.{0,1000}){1}(.{0,1000}){1}(.{0,1000}){1}z', '(?i)\\pL{1000}\\d',
];

describe('expressions', () => {
  test('F7: expressions that backtrack for ever elsewhere answer within the deadline on 50 kB of a', () => {
    write('evil', 'a.txt', `${'a'.repeat(50_000)}\n`);
    write('evil', 'b.txt', `${'a'.repeat(49_999)}!\n${'ab '.repeat(15_000)}`);
    for (const pattern of EVIL) {
      const reply = grep('evil', { pattern }, 5000);
      expect(reply.text, pattern).not.toContain('time ran out');
      expect(reply.text, pattern).toMatch(/^(?:[ab]\.txt:\d+: |No line matches|That expression)/);
    }
  });

  test('F7: the deadline ends a long search with what it has, and says so', () => {
    for (let n = 0; n < 40; n += 1) write('long', `f${String(n).padStart(2, '0')}.txt`, `${'a'.repeat(5000)}\n`.repeat(180));
    const reply = grep('long', { pattern: '(.*a){25}$' }, 100);
    expect(reply.ok).toBe(true);
    expect(reply.text).toContain('[time ran out');
  });

  test('F7: what is too long, repeats too much or is no expression is refused in a sentence', () => {
    expect(grep('evil', { pattern: 'a'.repeat(301) })).toEqual({ ok: false, text: 'An expression has 1 to 300 characters.' });
    expect(grep('evil', { pattern: '\\pL{1000}'.repeat(33) }).text).toBe('That expression repeats too much: use smaller counts.');
    for (const pattern of ['(', '[z-a]', '(?=a)', '\\1', 'a{2000}', '*']) expect(grep('evil', { pattern }).text, pattern).toMatch(/^That expression cannot be read \(/);
    expect(grep('evil', {}).text).toBe('Grep needs a pattern.');
    expect(grep('evil', { pattern: 5 }).text).toBe('Grep needs a pattern.');
    expect(grep('evil', { pattern: 'a', glob: '[' }).text).toBe('That glob cannot be read.');
  });
});

describe('answers', () => {
  test('matches carry path and line, in the order of names', () => {
    write('plain', 'b/two.ts', 'one\n  const retry = 2; // x\n');
    write('plain', 'a.ts', 'retry\r\nretry');
    expect(grep('plain', { pattern: 'retry' }).text).toBe('a.ts:1: retry\na.ts:2: retry\nb/two.ts:2: const retry = 2; // x');
    expect(grep('plain', { pattern: 'retry', glob: '*.ts', path: 'b' }).text).toBe('b/two.ts:2: const retry = 2; // x');
    expect(grep('plain', { pattern: '^retry$' }).text).toBe('a.ts:1: retry\na.ts:2: retry');
    expect(grep('plain', { pattern: 'nowhere' }).text).toBe('No line matches.');
    expect(grep('plain', { pattern: 'retry', path: 'a.ts' }).text).toBe('a.ts:1: retry\na.ts:2: retry');
  });

  test('what git ignores, binaries and large files are left out', () => {
    write('ignored', '.gitignore', 'dist/\n*.log\n!keep.log\n');
    write('ignored', 'dist/x.js', 'needle\n');
    write('ignored', 'a.log', 'needle\n');
    write('ignored', 'keep.log', 'needle\n');
    write('ignored', '.git/x', 'needle\n');
    write('ignored', 'bin', Buffer.from('needle\0\n'));
    write('ignored', 'big.txt', `needle\n${'x'.repeat(1_000_001)}`);
    expect(grep('ignored', { pattern: 'needle' }).text).toBe('keep.log:1: needle\n[1 files over 1 MB were not searched]');
    expect(grep('ignored', { pattern: 'needle', path: 'dist' }).text).toBe('dist/x.js:1: needle');
  });

  test('many matches are cut with a word about it, and the answer stays small', () => {
    for (let n = 0; n < 30; n += 1) write('many', `f${n}.txt`, `needle ${'word '.repeat(60)}\n`.repeat(50));
    const { text } = grep('many', { pattern: 'needle' });
    expect(text.length).toBeLessThanOrEqual(12_000);
    expect(text).toContain('[more matches in this file]');
    expect(text).toContain('[there are more matches');
  });

  test('a long line is shown where it matches, and text stays well-formed', () => {
    write('lines', 'x.txt', `${'😀'.repeat(400)}needle${'😀'.repeat(400)}\n`);
    write('lines', 'y.txt', `${'x'.repeat(60_000)}needle\n`);
    write('lines', 'z.txt', Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('needle\n')]));
    const { text } = grep('lines', { pattern: 'needle' });
    expect(text).toContain('needle');
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain('z.txt:1: \uFFFD');
    expect(text).toContain('[of 1 long lines only the first 50000 characters were searched]');
  });
});

describe('secrets', () => {
  const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwx';
  const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEAx'.repeat(3)}\nQUJDREVG\n-----END RSA PRIVATE KEY-----\n`;

  test('F8: no expression shows a secret or feels one out', () => {
    write('secret', 'conf.ts', `const key = '${KEY}';\n${PEM}after = 1\n`);
    for (const pattern of ['sk-ant', 'abcdefghij', 'MIIEpA', '^QUJD', 'redacted|sk-ant-api03-a', 'x.*']) {
      const { text } = grep('secret', { pattern });
      expect(text).not.toMatch(/abcdefgh|MIIEpA|QUJD/);
    }
    // Right and wrong guesses get one answer.
    expect(grep('secret', { pattern: 'sk-ant-api03-a' })).toEqual(grep('secret', { pattern: 'sk-ant-api03-b' }));
    expect(grep('secret', { pattern: 'redacted|sk-ant-api03-a' })).toEqual(grep('secret', { pattern: 'redacted|sk-ant-api03-b' }));
    // Lines below a key keep their numbers.
    expect(grep('secret', { pattern: 'after' }).text).toBe('conf.ts:6: after = 1');
    expect(grep('secret', { pattern: 'sk-ant' }, 5000, false).text).toContain(KEY);
  });
});
