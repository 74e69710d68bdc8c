import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterNewline, eachLine, isBlank, LINE_LIMITS } from '../../../src/main/ingest/lines.ts';
import { readSpan } from '../../../src/main/ingest/seek.ts';

const over = (bytes: Uint8Array, most = Number.MAX_SAFE_INTEGER) => {
  const counted = { bytes: 0 };
  const read = (into: Uint8Array, at: number): number => {
    const got = Math.max(0, Math.min(into.length, most, bytes.length - at));
    into.set(bytes.subarray(at, at + got));
    counted.bytes += got;
    return got;
  };
  return { read, counted };
};

const linesOf = (bytes: Uint8Array, chunk: number, most?: number): { readonly lines: readonly string[]; readonly offset: number; readonly rest: string | undefined } => {
  const lines: string[] = [];
  const scan = eachLine(over(bytes, most).read, 0, bytes.length, (line) => void lines.push(Buffer.from(line).toString('utf8')), { ...LINE_LIMITS, chunk });
  return { lines, offset: scan.offset, rest: scan.rest === undefined ? undefined : Buffer.from(scan.rest).toString('utf8') };
};

describe('lines', () => {
  test('C1, C2: the chunk size and short reads never change the lines', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), fc.string({ maxLength: 10 }), fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 70 }), (texts, last, chunk, most) => {
        const whole = texts.map((text) => text.replaceAll('\n', ' ').toWellFormed());
        const rest = last.replaceAll('\n', ' ');
        const bytes = Buffer.from([...whole, rest].join('\n'), 'utf8');
        const got = linesOf(bytes, chunk, most);
        expect(got.lines).toEqual(whole);
        expect(got.rest).toBe(rest);
        expect(got.offset).toBe(bytes.length - Buffer.byteLength(rest));
      }),
    );
  });

  test('a buffer that still holds what was read before never shows through', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', 'é'), { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (parts, size, most) => {
        const bytes = Buffer.from(parts.join(''), 'utf8');
        const lines: string[] = [];
        const scan = eachLine(over(bytes, most).read, 0, bytes.length, (line) => void lines.push(Buffer.from(line).toString('utf8')), { ...LINE_LIMITS, buffer: Buffer.alloc(size, '\n') });
        expect([...lines, Buffer.from(scan.rest ?? []).toString('utf8')]).toEqual(parts.join('').split('\n'));
      }),
    );
  });

  test('C2: a character across every 64 KiB boundary stays whole', () => {
    for (const mark of ['中', '🧠']) {
      for (let shift = 0; shift < 4; shift += 1) {
        const line = `${'x'.repeat(65_536 - shift)}${mark}${'y'.repeat(65_536 - shift)}${mark}`;
        expect(linesOf(Buffer.from(`${line}\n`, 'utf8'), 65_536).lines).toEqual([line]);
      }
    }
  });

  test('a line without its newline is not consumed', () => {
    expect(linesOf(Buffer.from('one\ntwo'), 4)).toEqual({ lines: ['one'], offset: 4, rest: 'two' });
  });

  test('a line over the limit is counted, and the next one is read', () => {
    const lines: string[] = [];
    const bytes = Buffer.from(`a\n${'b'.repeat(50)}\nc\n`);
    const scan = eachLine(over(bytes).read, 0, bytes.length, (line) => void lines.push(Buffer.from(line).toString()), { chunk: 8, max_line: 20 });
    expect(lines).toEqual(['a', 'c']);
    expect(scan).toMatchObject({ skipped: 1, offset: bytes.length });
  });

  test('an endless line over the limit keeps nothing in memory', () => {
    const bytes = Buffer.from('b'.repeat(500));
    expect(eachLine(over(bytes).read, 0, bytes.length, () => true, { chunk: 8, max_line: 20 })).toMatchObject({ offset: 0, rest: undefined, skipped: 0 });
  });

  test('every byte is read once', () => {
    const bytes = Buffer.from(`${'x'.repeat(1_000_000)}\n`.repeat(3));
    const { read, counted } = over(bytes);
    eachLine(read, 0, bytes.length, () => true);
    expect(counted.bytes).toBe(bytes.length);
  });

  test('a reader that stops is told where it stopped', () => {
    const bytes = Buffer.from('a\nb\nc\n');
    expect(eachLine(over(bytes).read, 0, bytes.length, (line) => Buffer.from(line).toString() !== 'b').offset).toBe(4);
  });

  test('a newline is found across chunks', () => {
    expect(afterNewline(over(Buffer.from('abcdef\ng')).read, 0, 8, 3)).toBe(7);
    expect(afterNewline(over(Buffer.from('abcdef')).read, 0, 6, 3)).toBeUndefined();
  });

  test('a blank line is one of spaces and returns only', () => {
    expect(isBlank(Buffer.from(' \r'))).toBe(true);
    expect(isBlank(Buffer.from('\0'))).toBe(false);
  });

  test('a span past the end is as long as the file allows', () => {
    expect(readSpan(over(Buffer.from('abc'), 1).read, 1, 9).toString()).toBe('bc');
  });
});
