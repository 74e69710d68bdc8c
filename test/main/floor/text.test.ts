import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, headOf, shortened, shortLine, shortSha, sizeWords, tailOf, wellFormed } from '../../../src/main/floor/text.ts';

const boundaries = (text: string): ReadonlySet<number> =>
  new Set([...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(({ index }) => index).concat(text.length));

describe('cuts', () => {
  const graphemes = fc.constantFrom('a', ' ', '中', 'é', 'e\u0301', '👍', '👍🏽', '👩‍👩‍👧', '🇦🇹', '🇩🇪', '\r\n', '한', '\u1112\u1161\u11ab', 'ü̈');
  const texts = fc.array(graphemes, { maxLength: 40 }).map((parts) => parts.join(''));

  it('fall between two graphemes, within the limit, at either end', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, max) => {
        const cuts = boundaries(text);
        const head = headOf(text, max);
        const tail = tailOf(text, max);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length <= max && tail.length <= max).toBe(true);
        expect(cuts.has(head.length)).toBe(true);
        expect(cuts.has(text.length - tail.length)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('never split a surrogate pair, even in a run of marks longer than any grapheme', () => {
    const text = `a${'\u0301'.repeat(300)}${'😀'.repeat(100)}`;
    for (let max = 0; max < text.length; max += 7) {
      expect(headOf(text, max).isWellFormed()).toBe(true);
      expect(tailOf(text, max).isWellFormed()).toBe(true);
    }
  });
});

describe('words and hashes', () => {
  it.each([
    ['', '0 chars'],
    ['one line', '8 chars'],
    ['a\nb', '2 lines, 3 chars'],
    ['a\nb\n', '2 lines, 4 chars'],
    ['x'.repeat(5243), '5.2k chars'],
    ['x\n'.repeat(60_000), '60000 lines, 120k chars'],
  ])('say how much %j is', (text, words) => {
    expect(sizeWords(text)).toBe(words);
  });

  it('count the lines of a text with and without a closing newline', () => {
    expect([countLines(''), countLines('a'), countLines('a\n'), countLines('a\n\nb')]).toEqual([0, 1, 1, 3]);
  });

  it('tell texts apart by four hex digits', () => {
    expect(shortSha('x')).toMatch(/^[0-9a-f]{4}$/);
    expect(shortSha('x')).not.toBe(shortSha('y'));
  });

  it('replace lone surrogates and nothing else', () => {
    expect(wellFormed('a\ud800b😀\udc00')).toBe('a\ufffdb😀\ufffd');
  });
});

it('what is shortened fits, on one line where one is asked for, and splits no character', () => {
  expect(shortened('abc', 3)).toBe('abc');
  expect(shortened('abcd', 3)).toBe('ab…');
  expect(shortened('a😀bc', 3)).toBe('a…');
  expect(shortLine(' a\n\t b  c ', 10)).toBe('a b c');
  expect(shortLine(`${'x'.repeat(39)}😀`, 10)).toBe(`${'x'.repeat(9)}…`);
});
