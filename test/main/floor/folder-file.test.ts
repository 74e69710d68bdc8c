import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inFolder } from '../../../src/main/floor/folder-file.ts';

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-folder-')));
  for (const name of ['root', 'other']) {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, `in-${name}`), '');
  }
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('F4: a link that takes the folder’s place once it is held leads the child nowhere else', () => {
  const root = join(base, 'root');
  const told = inFolder(root, (path) => {
    renameSync(root, join(base, 'moved'));
    symlinkSync(join(base, 'other'), root);
    return spawnSync('ls', { cwd: path, encoding: 'utf8' }).stdout;
  });
  expect(told).toBe('in-root\n');
});

test('what is no folder, or not by its own path, is not entered; no file stays open', () => {
  const open = (): number => readdirSync('/proc/self/fd').length;
  const before = open();
  symlinkSync(join(base, 'root'), join(base, 'link'));
  const enter = (path: string): boolean | undefined => inFolder(path, () => true);
  expect(enter(join(base, 'root'))).toBe(true);
  for (const path of ['link', 'none', 'root/in-root', 'root/', '../x\0']) expect(enter(join(base, path)), path).toBeUndefined();
  expect(() => inFolder(base, () => { throw new Error('as it is'); })).toThrow('as it is');
  expect(open()).toBe(before);
});
