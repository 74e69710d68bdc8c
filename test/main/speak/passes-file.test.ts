import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appendPass, parsePassLine, readPasses } from '../../../src/main/speak/passes-file.ts';
import { sessionOf } from '../../support/report-session.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb-passes-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const { passes } = sessionOf(30);

test('what was appended is read back in order', () => {
  const path = join(dir, 'sessions', 's', 'passes.jsonl');
  for (const line of passes) appendPass(path, line);
  expect(readPasses(path)).toEqual({ lines: passes, bad: 0 });
});

test('a missing file has no passes', () => expect(readPasses(join(dir, 'none.jsonl'))).toEqual({ lines: [], bad: 0 }));

test('damaged, newer and foreign lines are counted and hide nothing', () => {
  const path = join(dir, 'passes.jsonl');
  const [first, second] = passes;
  if (first === undefined || second === undefined) throw new Error('no passes');
  appendPass(path, first);
  appendFileSync(path, '{"v":2}\n[]\nnull\n{"half":\n');
  appendPass(path, second);
  expect(readPasses(path)).toEqual({ lines: [first, second], bad: 4 });
});

test.each([
  ['no window', { window: undefined }],
  ['a usage with a text in it', { primary: { ...passes[0]?.primary, input: '7' } }],
  ['a time that is no number', { at: null }],
  ['marks that are no list', { marks: {} }],
  ['a fork without its usage', { forks: [{ ...passes[0]?.forks[0], usage: undefined }] }],
  ['a skip without a reason', { skipped: [{ detector: 'd' }] }],
])('%s is no pass', (_name, over) => expect(() => parsePassLine({ ...passes[0], ...over })).toThrow(TypeError));
