import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';
import { compileGlob } from '../../../src/workers/tools/glob-pattern.ts';
import { isIgnored, parseIgnore } from '../../../src/workers/tools/ignore.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-glob-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const touch = (folder: string, ...paths: readonly string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(root, folder, path)), { recursive: true });
    writeFileSync(join(root, folder, path), '');
  }
};

const glob = (folder: string, pattern: unknown, path?: string): string =>
  answerFileTool({ kind: 'file-tool', tool: 'Glob', args: { pattern, ...(path === undefined ? {} : { path }) }, root: join(root, folder), denied: [], deadline_ms: 5000, redact: true }).text;

describe('patterns', () => {
  test('stars, classes and choices mean what they mean elsewhere', () => {
    const fits = (pattern: string, path: string): boolean | undefined => compileGlob(pattern)?.(path);
    const yes: [string, string][] = [
      ['*.ts', 'a.ts'], ['src/**/*.ts', 'src/a.ts'], ['src/**/*.ts', 'src/x/y/a.ts'], ['**/a', 'a'], ['**/a', 'x/a'], ['a/**', 'a/b/c'], ['?.ts', 'a.ts'], ['[ab].ts', 'a.ts'], ['[!ab].ts', 'c.ts'],
      ['[]x].ts', '].ts'], ['{a,b}.{ts,js}', 'b.js'], ['a.{ts,{js,mjs}}', 'a.mjs'], ['a+(b)$.ts', 'a+(b)$.ts'], ['\\*.ts', '*.ts'], ['a**b', 'axxb'], ['**', 'x/y'], ['[a-c]', 'b'], ['^a', '^a'],
    ];
    const no: [string, string][] = [['*.ts', 'x/a.ts'], ['?', '/'], ['[!a]', '/'], ['a/**', 'ab/c'], ['a.ts', 'axts'], ['\\*.ts', 'a.ts'], ['{a,b}', 'ab'], ['src/**/*.ts', 'srcx/a.ts'], ['.', 'a']];
    for (const [pattern, path] of yes) expect(fits(pattern, path), `${pattern} ${path}`).toBe(true);
    for (const [pattern, path] of no) expect(fits(pattern, path), `${pattern} ${path}`).toBe(false);
    for (const pattern of ['', '[', '{a', 'x'.repeat(301), '[z-a]']) expect(compileGlob(pattern), pattern).toBeUndefined();
  });

  test('F7: a pattern of many stars answers at once', () => {
    const fits = compileGlob('*a'.repeat(100) + 'b');
    expect(fits?.('a'.repeat(5000))).toBe(false);
  });
});

describe('Glob', () => {
  test('files that fit, one a line, by name; a bare pattern at any depth', () => {
    touch('plain', 'a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js');
    expect(glob('plain', '*.ts')).toBe('a.ts\nsrc/b.ts\nsrc/deep/c.ts');
    expect(glob('plain', 'src/*.{ts,js}')).toBe('src/b.ts\nsrc/d.js');
    expect(glob('plain', './src/**/*.ts')).toBe('src/b.ts\nsrc/deep/c.ts');
    expect(glob('plain', '**/*.ts', 'src')).toBe('src/b.ts\nsrc/deep/c.ts');
    expect(glob('plain', 'deep/*', 'src')).toBe('src/deep/c.ts');
    expect(glob('plain', '*.md')).toBe('No file fits.');
    expect(glob('plain', '*', 'a.ts')).toBe('a.ts is a file: use Read.');
    expect(glob('plain', '*', 'nowhere')).toBe('The repository has no such file: nowhere');
    expect(glob('plain', '../**')).toBe('No file fits.');
    expect(glob('plain', '[')).toBe('That pattern cannot be read.');
    expect(glob('plain', undefined)).toBe('Glob needs a pattern.');
  });

  test('many files are cut with a word about it', () => {
    touch('many', ...Array.from({ length: 260 }, (_, n) => `f${String(n).padStart(3, '0')}`));
    const lines = glob('many', '*').split('\n');
    expect(lines.length).toBe(201);
    expect(lines.at(-1)).toContain('there are more');
  });
});

describe('.gitignore', () => {
  test('fits as git says, rule by rule', () => {
    touch('git', '.gitignore', 'a.log', 'keep.log', 'dist/x', 'sub/dist/y', 'build', 'sub/build/z', 'sub/.gitignore', 'sub/only.txt', 'only.txt', 'doc/a.txt', 'doc/deep/b.txt', 'x y', '#hash', '!bang', 'foo[1].txt', 'foo1.txt', 'deep/a/b/c.tmp', 'sub/keep.log', 'lead/dist2/f', '{a,b}', 'trail');
    writeFileSync(
      join(root, 'git', '.gitignore'),
      ['# comment', '*.log', '!keep.log', 'dist/', '/build', 'doc/*.txt', '\\#hash', '\\!bang', 'foo\\[1\\].txt', '**/b/*.tmp', 'lead/**', '!lead/dist2/', '{a,b}', 'trail   ', '', '\r', 'x\\ y', '[', 'bad[z-a]'].join('\n'),
    );
    writeFileSync(join(root, 'git', 'sub', '.gitignore'), 'only.txt\nkeep.log\n!build/\n');
    execFileSync('git', ['init', '-q', join(root, 'git')], { env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' } });
    const told = execFileSync('git', ['-C', join(root, 'git'), 'ls-files', '-z', '--others', '--exclude-standard'], { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' } });
    expect(glob('git', '**').split('\n').sort()).toEqual(told.split('\0').filter((name) => name !== '').sort());
  });

  test('the deepest file decides, and its last rule that fits', () => {
    const files = [parseIgnore('', '*.txt\n/a\nb/\n'), parseIgnore('sub/', '!x.txt\n/a\n')];
    expect(isIgnored(files, 'sub/x.txt', false)).toBe(false);
    expect(isIgnored(files, 'sub/y.txt', false)).toBe(true);
    expect(isIgnored(files, 'sub/a', false)).toBe(true);
    expect(isIgnored(files, 'sub/c/a', false)).toBe(false);
    expect(isIgnored(files, 'b', false)).toBe(false);
    expect(isIgnored(files, 'b', true)).toBe(true);
  });
});
