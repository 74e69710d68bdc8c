import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostBinary } from '../../../src/main/entry/host-provider.ts';

let dir = '';
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'sb-binary-')));
  mkdirSync(join(dir, 'proj'));
  for (const name of ['claude', 'proj/claude']) writeFileSync(join(dir, name), '');
  symlinkSync(join(dir, 'proj'), join(dir, 'link'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the program of the session', () => {
  const told = (path: string | undefined): string | undefined => hostBinary({ pid: 0 }, { CLAUDE_CODE_EXECPATH: path }, join(dir, 'proj'));

  test('told by a variable counts only where it lies outside of the project, in whatever words', () => {
    expect(told(join(dir, 'claude'))).toBe(join(dir, 'claude'));
    for (const path of [join(dir, 'proj', 'claude'), `${dir}/link/claude`, `${dir}/proj/../proj/claude`, 'claude', './proj/claude', join(dir, 'gone'), '', undefined]) expect(told(path), path).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')('is told by its own process where the system can', () => {
    expect(hostBinary({ pid: process.pid }, { CLAUDE_CODE_EXECPATH: join(dir, 'claude') }, dir)).toBe(realpathSync(process.execPath));
  });
});
