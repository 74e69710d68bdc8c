import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { appendIndex, compactIndexes, forgetIndex, readIndex } from '../../../src/main/memory/index-file.ts';
import { indexLine } from '../../../src/main/memory/index-line.ts';
import type { IndexLine } from '../../../src/main/surfaces.ts';
import { bundleScript } from '../../support/script.ts';

let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-index-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const limits = defaultKnobs().index;
const NOW = 10_000_000;
const line = (task: string, at = NOW, more: Partial<IndexLine> = {}): IndexLine => ({ task, session: `s-${task}`, cwd: '/r', git_dir: '/r/.git', goal: 'g', paths: ['a.ts'], at, ...more });
const me = { task: 't-me', session: 's-t-me', now: NOW };

describe('an index line', () => {
  const written = { task: 't', session: 's', cwd: '/r/x', git_dir: '/r/.git', goal: ' health \n probes ', at: 1, root: '/r' };

  it('names files relative to the repository, once each, and none outside', () => {
    expect(indexLine({ ...written, paths: ['/r/src/a.ts', 'src/a.ts', './b.ts', '/etc/passwd', '/r-other/c.ts', '../d.ts', '/r', ''] }, limits)).toEqual({
      task: 't', session: 's', cwd: '/r/x', git_dir: '/r/.git', goal: 'health probes', at: 1, paths: ['src/a.ts', 'b.ts'],
    });
  });

  it('holds the latest paths within its cap, and is none without any', () => {
    const paths40 = Array.from({ length: 60 }, (_, i) => `f${i}`);
    expect(indexLine({ ...written, paths: paths40 }, limits)?.paths).toEqual(paths40.slice(20));
    expect(indexLine({ ...written, paths: ['/elsewhere'] }, limits)).toBe(undefined);
    expect(indexLine({ ...written, goal: 'g'.repeat(5000), paths: ['a'] }, limits)?.goal.length).toBe(120);
  });
});

describe('the index', () => {
  it('shows what other tasks wrote lately: no expired line, none of its own, none from the future', () => {
    for (const each of [line('t-a'), line('t-old', NOW - limits.ttl_s * 1000 - 1), line('t-me'), line('t-x', NOW, { session: 's-t-me' }), line('t-later', NOW + 600_000)]) appendIndex(paths, each);
    appendFileSync(paths.index('/r/.git'), '{"task":"half\n[]\n{"task":1}\n');
    expect(readIndex(paths, '/r/.git', me, limits).map(({ task }) => task)).toEqual(['t-a']);
    expect(readIndex(paths, '/other/.git', me, limits)).toEqual([]);
  });

  it('is rewritten without expired lines, and removed when nothing is left', () => {
    appendIndex(paths, line('t-a'));
    appendIndex(paths, line('t-old', 0));
    appendIndex(paths, line('t-old', 0, { git_dir: '/q/.git' }));
    expect(compactIndexes(paths, NOW, limits)).toBe(true);
    expect(readFileSync(paths.index('/r/.git'), 'utf8').trim().split('\n').length).toBe(1);
    expect(existsSync(paths.index('/q/.git'))).toBe(false);
    expect(compactIndexes(paths, NOW, limits)).toBe(true);
  });

  it('forgets one task, or all', () => {
    for (const task of ['t-a', 't-b']) appendIndex(paths, line(task));
    forgetIndex(paths, 't-a');
    expect(readIndex(paths, '/r/.git', me, limits).map(({ task }) => task)).toEqual(['t-b']);
    forgetIndex(paths);
    expect(existsSync(paths.index('/r/.git'))).toBe(false);
  });

  it('takes racing writers: every line whole, none of theirs lost', async () => {
    expect(await write(await writer(), 6)).toEqual([0, 0, 0, 0, 0, 0]);
    const lines = readIndex(paths, '/r/.git', me, limits);
    expect(lines.length).toBe(600);
    expect(lines.every((each) => each.paths.length === 40)).toBe(true);
  });

  it('is rewritten under the hands of its writers without a torn line, and what they write after it stays', async () => {
    const script = await writer();
    const ended = new AbortController();
    const writing = write(script, 4).finally(() => ended.abort());
    let rewritten = 0;
    while (!ended.signal.aborted) {
      appendIndex(paths, line('t-old', 0));
      expect(compactIndexes(paths, NOW, limits)).toBe(true);
      rewritten += 1;
      await new Promise((next) => setTimeout(next, 5));
    }
    await writing;
    expect(rewritten).toBeGreaterThan(1);
    const text = readFileSync(paths.index('/r/.git'), 'utf8');
    for (const each of text.trim().split('\n')) expect(() => JSON.parse(each) as unknown).not.toThrow();
    // One that had opened the file before it was replaced and writes after we looked is lost: rare, and costs one warning.
    expect(readIndex(paths, '/r/.git', me, limits).length).toBeGreaterThan(360);
  });
});

/** A program that appends 100 long lines as the task named by its last argument. */
const writer = (): Promise<string> =>
  bundleScript(data, `
    import { appendIndex } from './memory/index-file.ts';
    import { pathsUnder } from './floor/paths.ts';
    const [, , data, who] = process.argv;
    for (let i = 0; i < 100; i += 1) {
      appendIndex(pathsUnder(data), { task: 't-' + who, session: 's', cwd: '/r', git_dir: '/r/.git', goal: 'g'.repeat(120), paths: Array.from({ length: 40 }, (_, k) => 'src/' + i + '/' + 'p'.repeat(100) + k), at: ${NOW} });
    }`);

/** Exit codes of so many writers at once. */
const write = (script: string, count: number): Promise<readonly (number | null)[]> =>
  Promise.all(
    Array.from({ length: count }, (_, who) => new Promise<number | null>((done) => spawn(process.execPath, [script, data, String(who)], { stdio: 'inherit' }).on('exit', done))),
  );
