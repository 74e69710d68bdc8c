// What endpoints send in place of arguments, counts and error words.
import { anything, assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArgs, errorWord, joinBody } from '../../../src/workers/model/wire.ts';

describe('arguments', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['  ', {}],
    ['null', {}],
    ['None', {}],
    [null, {}],
    [undefined, {}],
    [{ a: 1 }, { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
  ])('E8: %j is read as %j', (raw, value) => expect(parseArgs(raw)).toEqual({ ok: true, value }));

  it.each(['{"a":', '[1]', '5', 'call me', 5, true, [], '"text"'])('E8: %j is invalid and never a guess', (raw) => expect(parseArgs(raw).ok).toBe(false));

  it('never throws', () => assert(property(anything(), (raw) => typeof parseArgs(raw).ok === 'boolean')));
});

it('error words pass only when they look like codes', () => {
  expect(errorWord('rate_limit_error')).toBe('rate_limit_error');
  expect(errorWord('Incorrect API key provided: sk-abc')).toBe('');
  expect(errorWord(5)).toBe('');
});

it('a body begins with the prefix’s bytes untouched', () => {
  const prefix = new TextEncoder().encode('{"model":"é');
  const body = joinBody(prefix, '"}');
  expect(Buffer.from(body.subarray(0, prefix.byteLength)).equals(Buffer.from(prefix))).toBe(true);
  expect(new TextDecoder().decode(body)).toBe('{"model":"é"}');
});
