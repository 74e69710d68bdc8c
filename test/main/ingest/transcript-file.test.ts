import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cutRanges, positionAt, readForward, readSlices, type Read, type ReadOptions } from '../../../src/main/ingest/transcript-file.ts';
import type { Position } from '../../../src/main/records.ts';
import { project, record } from '../../support/records.ts';

const OPTIONS: ReadOptions = { project, max_bytes: 2_000_000, history_chars: 240_000 };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-transcript-'));
  path = join(folder, 's1.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Seen = Extract<Read, { how: 'forward' | 'first-sight' | 'resynced' }>;
const seen = (read: Read): Seen => {
  if (read.how === 'missing' || read.how === 'not-a-transcript') throw new Error(`${read.how}: ${read.because}`);
  return read;
};
const read = (position: Position | undefined, more: Partial<ReadOptions> = {}): Seen => seen(readForward(path, position, { ...OPTIONS, ...more }));
const uuids = (from: Seen): readonly string[] => from.items.map(({ uuid }) => uuid ?? '?');
const lines = (from: number, to: number, text = 'words'): string => Array.from({ length: to - from }, (_, i) => `${record(`u${from + i}`, `${text} ${from + i}`)}\n`).join('');

/** Reads until nothing is left, as the observer does. */
const readAll = (position: Position | undefined, more: Partial<ReadOptions> = {}): { readonly uuids: readonly string[]; readonly position: Position; readonly bytes: number } => {
  let at = position;
  let scanned: number | undefined;
  let bytes = 0;
  const all: string[] = [];
  for (let round = 0; round < 10_000; round += 1) {
    const one = read(at, { ...more, ...(scanned === undefined ? {} : { scanned }) });
    all.push(...uuids(one));
    bytes += one.bytes_read;
    at = one.position;
    scanned = one.scanned;
    if (one.left === 0) return { uuids: all, position: at, bytes };
  }
  throw new Error('never done');
};

describe('reading forward', () => {
  test('B4: a file that is not there yet loses nothing: all of it is activity once it is', () => {
    const first = readForward(path, undefined, OPTIONS);
    expect(first.how).toBe('missing');
    writeFileSync(path, lines(0, 3));
    const second = read(first.how === 'missing' ? first.position : undefined);
    expect(second).toMatchObject({ how: 'forward', history: false });
    expect(uuids(second)).toEqual(['u0', 'u1', 'u2']);
  });

  test('what was read is not read again, and what is appended is', () => {
    writeFileSync(path, lines(0, 3));
    const first = read(undefined, { fresh: true });
    expect(first).toMatchObject({ how: 'forward', left: 0 });
    appendFileSync(path, lines(3, 5));
    const second = read(first.position);
    expect(uuids(second)).toEqual(['u3', 'u4']);
    expect(uuids(read(second.position))).toEqual([]);
    expect(second.position.uuid).toBe('u4');
  });

  test('C1: a record written in steps of one byte gives exactly one item, the same as a whole read', () => {
    writeFileSync(path, lines(0, 1));
    const whole = Buffer.from(`${record('u1', 'so 中 and 🧠')}\n`, 'utf8');
    let { position } = read(undefined, { fresh: true });
    let scanned: number | undefined;
    const items: unknown[] = [];
    for (const byte of whole) {
      appendFileSync(path, Uint8Array.of(byte));
      const one = read(position, scanned === undefined ? {} : { scanned });
      items.push(...one.items);
      ({ position, scanned } = one);
    }
    expect(items).toEqual([project(whole.subarray(0, -1))]);
  });

  test('any way of cutting the bytes and bounding the call gives the same items', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 500 }), (texts, cuts, max_bytes) => {
        const bytes = Buffer.from(texts.map((text, i) => `${record(`u${i}`, text)}\n`).join(''), 'utf8');
        rmSync(path, { force: true });
        let position: Position | undefined = seenOrMissing(readForward(path, undefined, OPTIONS));
        const got: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const step = cuts[turn % cuts.length] ?? 1;
          appendFileSync(path, bytes.subarray(at, at + step));
          at += step;
          const some = readAll(position, { max_bytes });
          got.push(...some.uuids);
          position = some.position;
        }
        expect(got).toEqual(texts.map((_, i) => `u${i}`));
      }),
      { numRuns: 40 },
    );
  });

  test('a call handles no more than its bytes, one line excepted', () => {
    writeFileSync(path, lines(0, 50));
    const one = read(undefined, { fresh: true, max_bytes: 1000 });
    expect(one.position.offset).toBeLessThanOrEqual(1000);
    expect(one.left).toBeGreaterThan(0);
    const all = readAll(undefined, { fresh: true, max_bytes: 10 });
    expect(all.uuids).toHaveLength(50);
  });

  test('a last record without newline is taken only when the session has ended', () => {
    writeFileSync(path, `${lines(0, 1)}${record('u1', 'last')}`);
    const open = read(undefined, { fresh: true });
    expect(uuids(open)).toEqual(['u0']);
    const ended = read(open.position, { ended: true, scanned: open.scanned });
    expect(uuids(ended)).toEqual(['u1']);
    appendFileSync(path, `\n${lines(2, 3)}`);
    expect(uuids(read(ended.position))).toEqual(['u2']);
  });

  test('half a last record is not taken when the session has ended', () => {
    writeFileSync(path, `${lines(0, 1)}${record('u1', 'last').slice(0, -4)}`);
    expect(read(undefined, { fresh: true, ended: true })).toMatchObject({ bad_lines: 0, items: [{ uuid: 'u0' }] });
  });

  test('C9: a damaged 24 MB line in the middle costs its bytes a fixed number of times', () => {
    const damage = Buffer.alloc(24 * 1024 * 1024, 'x');
    writeFileSync(path, lines(0, 2));
    let { position, scanned } = read(undefined, { fresh: true });
    let bytes = 0;
    const got: string[] = [];
    let bad = 0;
    const step = 1024 * 1024;
    for (let at = 0; at < damage.length; at += step) {
      appendFileSync(path, damage.subarray(at, at + step));
      const one = read(position, { scanned });
      bytes += one.bytes_read;
      ({ position, scanned } = one);
    }
    appendFileSync(path, `\n${lines(2, 4)}`);
    for (let left = 1; left > 0; ) {
      const one = read(position, { scanned });
      bytes += one.bytes_read;
      bad += one.bad_lines;
      got.push(...uuids(one));
      ({ position, scanned, left } = one);
    }
    for (let again = 0; again < 20; again += 1) bytes += read(position).bytes_read;
    expect(got.filter((uuid) => uuid !== '?')).toEqual(['u2', 'u3']);
    expect(bad).toBe(1);
    expect(bytes).toBeLessThan(4 * damage.length);
  });
});

describe('first sight', () => {
  test('of a small file brings all of it as history', () => {
    writeFileSync(path, lines(0, 4));
    const first = read(undefined);
    expect(first).toMatchObject({ how: 'first-sight', history: true, left: 0 });
    expect(uuids(first)).toHaveLength(4);
    appendFileSync(path, lines(4, 5));
    expect(read(first.position)).toMatchObject({ how: 'forward', history: false, items: [{ uuid: 'u4' }] });
  });

  test('of a large file brings its end and leaves the rest unread', () => {
    writeFileSync(path, lines(0, 20_000));
    const first = read(undefined, { history_chars: 1000 });
    expect(first.position.offset).toBe(readFileSync(path).length);
    expect(uuids(first).at(-1)).toBe('u19999');
    expect(uuids(first).length).toBeLessThan(100);
    expect(first.bad_lines).toBe(0);
    expect(first.bytes_read).toBeLessThan(1_000_000);
  });

  test('of a file whose last line is larger than history may be starts behind it', () => {
    writeFileSync(path, `${lines(0, 2)}${record('big', 'x'.repeat(50_000))}\n`);
    const first = read(undefined, { history_chars: 100 });
    expect(first.items).toEqual([]);
    expect(first.position.offset).toBe(readFileSync(path).length);
  });

  test('of an empty file waits at its beginning', () => {
    writeFileSync(path, '');
    const first = read(undefined);
    expect(first.items).toEqual([]);
    appendFileSync(path, lines(0, 1));
    expect(read(first.position)).toMatchObject({ how: 'forward', items: [{ uuid: 'u0' }] });
  });
});

describe('C8: a file that others rewrite', () => {
  test('truncated to half and grown again: the known record is looked for, and its absence makes the rest history', () => {
    writeFileSync(path, lines(0, 10));
    const first = read(undefined, { fresh: true });
    truncateSync(path, Math.floor(first.position.offset / 2));
    const second = read(first.position);
    expect(second).toMatchObject({ how: 'first-sight', because: 'position lost: truncated', history: true });
    expect(second.position.offset).toBeLessThan(first.position.offset);
  });

  test('rewritten with pruned lines: goes on behind the last known record', () => {
    writeFileSync(path, lines(0, 10));
    const first = read(undefined, { fresh: true });
    writeFileSync(path, `${lines(0, 2)}${lines(7, 10)}${lines(10, 12)}`);
    const second = read(first.position);
    expect(second.how).toBe('resynced');
    expect(uuids(second)).toEqual(['u10', 'u11']);
  });

  test('rewritten in place at the same length: goes on behind the last known record', () => {
    writeFileSync(path, lines(0, 10));
    const first = read(undefined, { fresh: true });
    writeFileSync(path, lines(0, 10).replace('words 8', 'WORDS 8'));
    appendFileSync(path, lines(10, 11));
    expect(read(first.position)).toMatchObject({ how: 'resynced', because: 'rewritten', items: [{ uuid: 'u10' }] });
  });

  test('replaced by rename: goes on behind the last known record', () => {
    writeFileSync(path, lines(0, 10));
    const first = read(undefined, { fresh: true });
    const other = join(folder, 'other');
    copyFileSync(path, other);
    appendFileSync(other, lines(10, 12));
    renameSync(other, path);
    const second = read(first.position);
    expect(second).toMatchObject({ how: 'resynced', because: 'replaced' });
    expect(uuids(second)).toEqual(['u10', 'u11']);
  });

  test('a line that only names the known record is not taken for it', () => {
    writeFileSync(path, lines(0, 3));
    const first = read(undefined, { fresh: true });
    writeFileSync(path, `${record('u2', 'the record')}\n${record('u3', 'next', 'u2')}\n${record('u4', 'speaks of u2', 'u3')}\n`);
    expect(uuids(read(first.position))).toEqual(['u3', 'u4']);
  });

  test('a file full of the known uuid costs a bounded search', () => {
    writeFileSync(path, lines(0, 3));
    const first = read(undefined, { fresh: true });
    writeFileSync(path, Array.from({ length: 30_000 }, (_, i) => `${record(`v${i}`, 'x', 'u2')}\n`).join(''));
    const second = read(first.position, { history_chars: 100 });
    expect(second).toMatchObject({ how: 'first-sight', history: true });
  });
});

describe('what is no transcript', () => {
  test.each([
    ['another tool’s JSONL', '{"type":"response_item","payload":{}}\n{"role":"user","content":"hi"}\n'],
    ['user records without a session', '{"type":"user","text":"hi"}\n'],
    ['text', 'hello\nworld\n'],
    ['binary', Buffer.from([0, 1, 2, 255, 254, 10, 0, 0, 10])],
    ['numbers and lists', '1\n[]\nnull\n"x"\n'],
  ])('%s is refused with a reason', (_, content) => {
    writeFileSync(path, content);
    expect(readForward(path, undefined, OPTIONS)).toMatchObject({ how: 'not-a-transcript' });
    expect(readForward(path, undefined, { ...OPTIONS, fresh: true, ended: true })).toMatchObject({ how: 'not-a-transcript' });
  });

  test('B3: a folder, a path with a NUL and a path through a file are answers, not exceptions', () => {
    mkdirSync(path);
    expect(readForward(path, undefined, OPTIONS).how).toBe('not-a-transcript');
    expect(readForward('a\0b', undefined, OPTIONS).how).toBe('not-a-transcript');
    writeFileSync(join(folder, 'file'), '');
    expect(readForward(join(folder, 'file', 'x.jsonl'), undefined, OPTIONS).how).toBe('missing');
    expect(readForward(join(folder, 'C:\\Users\\me\\app.v2', '家'), undefined, OPTIONS).how).toBe('missing');
  });

  test('damage within a transcript is counted and passed: NULs, CRLF, lone surrogates', () => {
    writeFileSync(path, Buffer.concat([Buffer.from(`${record('u0', 'a')}\r\n\r\n\n`), Buffer.alloc(4096), Buffer.from(`\n${record('u1', '\ud800 lone')}\n{"half":\n`), Buffer.from(lines(2, 3))]));
    const one = read(undefined, { fresh: true });
    expect(uuids(one)).toEqual(['u0', '?', 'u1', '?', 'u2']);
    expect(one.bad_lines).toBe(2);
  });
});

describe('ranges for the pool', () => {
  test('cover what is left, cut at newlines, and give the same items', () => {
    writeFileSync(path, `${lines(0, 500)}${record('open', 'x')}`);
    const size = readFileSync(path).length;
    const ranges = cutRanges(path, 0, size, 3000);
    expect(ranges.length).toBeGreaterThan(5);
    expect(ranges[0]?.from).toBe(0);
    for (const [i, range] of ranges.entries()) {
      if (i > 0) expect(range.from).toBe(ranges[i - 1]?.to);
      expect(readFileSync(path)[range.to - 1]).toBe(10);
    }
    const end = ranges.at(-1)?.to ?? 0;
    const position = positionAt(path, end, 'u499');
    expect(position).toEqual(readAll(undefined, { fresh: true }).position);
  });

  test('of nothing, of a missing file and of one endless line are none', () => {
    expect(cutRanges(path, 0, 10, 5)).toEqual([]);
    writeFileSync(path, 'x'.repeat(100));
    expect(cutRanges(path, 0, 100, 5)).toEqual([]);
    expect(positionAt(path, 200, undefined)).toBeUndefined();
  });
});

describe('a file that nobody writes to any more, in slices', () => {
  const slices = (from: number, bytes: number) => [...readSlices(path, from, bytes, project)];
  const told = (from: number, bytes: number): readonly string[] => slices(from, bytes).flatMap(({ items }) => items.map(({ uuid }) => uuid ?? '?'));

  test('is told whole and in order, whatever the size of a slice, a line of many slices included', () => {
    writeFileSync(path, `${lines(0, 40)}${record('long', 'x'.repeat(20_000))}\n\n${lines(40, 80)}${record('last', 'no newline')}`);
    const all = told(0, 1e6);
    expect(all).toEqual([...Array.from({ length: 40 }, (_, i) => `u${i}`), 'long', ...Array.from({ length: 40 }, (_, i) => `u${40 + i}`), 'last']);
    for (const bytes of [1, 300, 5000]) expect(told(0, bytes)).toEqual(all);
    expect(slices(0, 300).length).toBeGreaterThan(20);
    expect(slices(0, 300).at(-1)?.done_bytes).toBe(readFileSync(path).length);
    expect(told(Buffer.byteLength(lines(0, 10)), 300)).toEqual(all.slice(10));
  });

  test('counts what is no record, half a last one included', () => {
    writeFileSync(path, `${lines(0, 2)}{"broken\n${lines(2, 3)}{"type":"user","uui`);
    for (const bytes of [10, 1e6]) expect(slices(0, bytes).reduce((bad, { bad_lines }) => bad + bad_lines, 0)).toBe(2);
    expect(told(0, 1e6)).toEqual(['u0', 'u1', '?', 'u2']);
    writeFileSync(path, `${lines(0, 2)}  `);
    expect(slices(0, 1e6)).toMatchObject([{ bad_lines: 0 }]);
  });

  test('is nothing when it is missing or empty', () => {
    expect(slices(0, 100)).toEqual([]);
    writeFileSync(path, '');
    expect(slices(0, 100)).toEqual([]);
  });
});

const seenOrMissing = (one: Read): Position | undefined => (one.how === 'not-a-transcript' ? undefined : one.position);
