import * as fc from 'fast-check';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { compacted } from '../../../src/main/memory/compaction.ts';
import { renderPrefix } from '../../../src/main/memory/prefix.ts';
import { toolSet } from '../../../src/main/memory/tools.ts';
import { appendBlock, readWindow, startWindow } from '../../../src/main/memory/window-file.ts';
import { append, emptyWindow, number, observationBlock, type Window } from '../../../src/main/memory/window.ts';

let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-window-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const position = (offset: number) => ({ path: '/t.jsonl', dev: 1, ino: 2, offset, hash: 'h' });
const begin = (task = 't-1'): Window => {
  const window = emptyWindow({ task, nonce: '0123456789abcdef', generation: 0, ledger_text: 'goal: x' });
  startWindow(paths, window);
  return window;
};
const pass = (window: Window, texts: readonly string[], n: number): Window => {
  const numbered = number(window, texts.map((text) => ({ kind: 'text', at: 1, uuid: 'u', text, raw_chars: text.length, paths: ['a'] }) as const));
  const block = observationBlock('observations', numbered, { pass: n, at: n, position: position(n) });
  expect(appendBlock(paths, window, block, numbered)).toBe(true);
  return append(window, block, numbered);
};
const prefixOf = (window: Window): string =>
  Buffer.from(renderPrefix({ wire: 'anthropic', model: 'm', tools: toolSet({ name: 'f', description: 'd', input_schema: {} }, []).tools, system: 's', workspace_root: '/r', window, cache_ttl: '5m' }).bytes).toString('hex');

describe('the window’s log', () => {
  it('gives a restart the same window and the same prefix, byte for byte', () => {
    let i = 0;
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }), { maxLength: 5 }), (episodes) => {
        i += 1;
        let window = begin(`t-${i}`);
        for (const [n, texts] of episodes.entries()) window = pass(window, texts, n);
        const { window: again, dropped, aside } = readWindow(paths, `t-${i}`);
        expect(again).toEqual(window);
        expect(again === undefined ? '' : prefixOf(again)).toBe(prefixOf(window));
        expect([dropped, aside]).toEqual([0, []]);
      }),
      { numRuns: 40 },
    );
  });

  it('drops a half-written last line, says how much, and goes on cleanly behind it', () => {
    const one = pass(begin(), ['a'], 1);
    const path = paths.windowLog('t-1', 0);
    const whole = readFileSync(path).length;
    pass(one, ['lost half-way'], 2);
    truncateSync(path, whole + 25);
    const { window, dropped } = readWindow(paths, 't-1');
    expect(window).toEqual(one);
    expect(dropped).toBe(25);
    if (window === undefined) throw new Error('no window');
    const two = pass(window, ['b'], 2);
    expect(readWindow(paths, 't-1').window).toEqual(two);
  });

  it('B6: cut at any byte, reads as a window that once was, or not at all', () => {
    const stages = [begin()];
    for (let n = 1; n <= 3; n += 1) stages.push(pass(stages.at(-1) ?? begin(), [`text ${n}`, 'é 🙂'], n));
    const path = paths.windowLog('t-1', 0);
    const bytes = readFileSync(path);
    for (let end = 0; end <= bytes.length; end += 7) {
      writeFileSync(path, bytes.subarray(0, end));
      const { window } = readWindow(paths, 't-1');
      if (window !== undefined) expect(stages).toContainEqual(window);
    }
  });

  it('sets a damaged log aside and reports it', () => {
    const window = pass(begin(), ['a'], 1);
    appendFileSync(paths.windowLog('t-1', 0), '{"block":\n');
    appendBlock(paths, window, { kind: 'note', pass: 1, at: 1, text: 'n' });
    const { window: again, aside } = readWindow(paths, 't-1');
    expect(again).toBe(undefined);
    expect(aside).toEqual([`${paths.windowLog('t-1', 0)}.bad`]);
    expect(readWindow(paths, 't-1')).toEqual({ dropped: 0, aside: [] });
  });

  it('sets a log of a newer version aside', () => {
    writeFileSync(join(data, 'x'), '');
    begin();
    writeFileSync(paths.windowLog('t-1', 0), `${JSON.stringify({ v: 2, task: 't-1' })}\n`);
    expect(readWindow(paths, 't-1').aside.length).toBe(1);
  });

  it('replaces the old generation by the new, whole', () => {
    const window = pass(pass(begin(), ['a', 'b'], 1), ['c'], 2);
    const next = compacted(window, 'goal: x, facts', window.blocks.slice(1));
    startWindow(paths, next);
    expect(readdirSync(paths.tasks)).toEqual(['t-1.window.1.jsonl']);
    const { window: again } = readWindow(paths, 't-1');
    expect(again).toEqual(next);
    expect(again?.next_n).toBe(4);
    expect(again?.position).toEqual(position(2));
  });

  it('takes the newer generation when a crash left both, and the older when the newer is unreadable', () => {
    const window = pass(begin(), ['a'], 1);
    const old = readFileSync(paths.windowLog('t-1', 0));
    startWindow(paths, compacted(window, 'new', window.blocks));
    writeFileSync(paths.windowLog('t-1', 0), old);
    expect(readWindow(paths, 't-1').window?.generation).toBe(1);
    writeFileSync(paths.windowLog('t-1', 1), 'no log\n');
    expect(readWindow(paths, 't-1').window?.generation).toBe(0);
  });

  it('is not made anew by an append after it was forgotten', () => {
    const window = begin();
    rmSync(paths.tasks, { recursive: true });
    expect(appendBlock(paths, window, { kind: 'note', pass: 1, at: 1, text: 'n' })).toBe(false);
    expect(existsSync(paths.tasks)).toBe(false);
    expect(readWindow(paths, 't-1')).toEqual({ dropped: 0, aside: [] });
  });

  it('keeps the windows of other tasks apart', () => {
    begin('t-1');
    begin('t-11');
    startWindow(paths, { ...begin('t-1'), generation: 5 });
    expect(readWindow(paths, 't-11').window?.task).toBe('t-11');
  });
});

describe('a log that another version or another hand wrote', () => {
  const write = (change: (block: Record<string, unknown>, observation: Record<string, unknown>) => void): void => {
    const window = begin();
    const numbered = number(window, [{ kind: 'text', at: 1, uuid: 'u', text: 'seen', raw_chars: 4, paths: ['a'] }]);
    const line = JSON.parse(JSON.stringify({ block: observationBlock('observations', numbered, { pass: 1, at: 1, position: position(3) }), observations: numbered }));
    change(line.block, line.observations[0]);
    appendFileSync(paths.windowLog('t-1', 0), `${JSON.stringify(line)}\n`);
  };

  it('is read when it is whole, whatever it holds besides', () => {
    write((block, observation) => Object.assign(block, { later: 1 }) && Object.assign(observation, { later: {} }));
    expect(readWindow(paths, 't-1').window?.observations).toHaveLength(1);
  });

  it.each([
    ['paths that are no list', (_: object, seen: object) => Object.assign(seen, { paths: 5 })],
    ['a path that is no text', (_: object, seen: object) => Object.assign(seen, { paths: [null] })],
    ['a command that is no text', (_: object, seen: object) => Object.assign(seen, { command: {} })],
    ['an observation of no kind', (_: object, seen: object) => Object.assign(seen, { kind: null })],
    ['an observation without a time', (_: object, seen: object) => Object.assign(seen, { at: 'now' })],
    ['numbers as texts', (block: object) => Object.assign(block, { from: '1', to: '1' })],
    ['a first number and no last', (block: object) => Object.assign(block, { to: undefined })],
    ['a position that leads nowhere', (block: object) => Object.assign(block, { position: { path: 1 } })],
  ])('is set aside for %s: nothing that reads the window looks again', (_what, change) => {
    write((block, observation) => void change(block, observation));
    expect(readWindow(paths, 't-1')).toMatchObject({ aside: [expect.stringContaining('.bad')] });
    expect(readWindow(paths, 't-1').window).toBeUndefined();
  });
});
