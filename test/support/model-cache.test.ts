// The modelled cache behaves like a provider's: what tests on cache use rest on.
import { expect, it } from 'vitest';
import { CACHE_LIMITS, openCache, refuseMarks, stripMarks } from './model-cache.ts';

const block = (text: string, ttl?: '5m' | '1h'): string =>
  `{"type":"text","text":"${text}"${ttl === undefined ? '' : `,"cache_control":{"type":"ephemeral"${ttl === '1h' ? ',"ttl":"1h"' : ''}}`}}`;
const body = (...blocks: readonly string[]): Buffer => Buffer.from(`{"messages":[{"role":"user","content":[${blocks.join(',')}]}]}`);
const LONG = 'w'.repeat(8000);

it('a written prefix is read once it is visible, by longer bodies too, and only under the same settings', () => {
  const cache = openCache(CACHE_LIMITS);
  const pilot = cache.lookUp(body(block(LONG, '5m'), block('a')), 's', 0);
  expect(pilot.charge.write_5m).toBeGreaterThan(1900);
  expect(cache.lookUp(body(block(LONG, '5m'), block('b')), 's', 1).charge.read).toBe(0);
  pilot.commit();
  expect(cache.lookUp(body(block(LONG, '5m'), block('b')), 's', 2).charge).toMatchObject({ read: pilot.charge.write_5m, write_5m: 0 });
  const next = cache.lookUp(body(block(LONG), block(LONG, '5m'), block('a')), 's', 3).charge;
  expect(next.read).toBe(pilot.charge.write_5m);
  expect(next.write_5m).toBeGreaterThan(1900);
  expect(cache.lookUp(body(block(LONG, '5m')), 'other', 3).charge.read).toBe(0);
  expect(cache.lookUp(body(block(`x${LONG}`, '5m')), 's', 3).charge.read).toBe(0);
});

it('an entry dies with its time, which each read renews, and small prefixes are never kept', () => {
  const cache = openCache(CACHE_LIMITS);
  cache.lookUp(body(block(LONG, '5m')), 's', 0).commit();
  expect(cache.lookUp(body(block(LONG, '5m')), 's', 299_000).charge.read).toBeGreaterThan(0);
  expect(cache.lookUp(body(block(LONG, '5m')), 's', 590_000).charge.read).toBeGreaterThan(0);
  expect(cache.lookUp(body(block(LONG, '5m')), 's', 900_000).charge.read).toBe(0);
  const small = cache.lookUp(body(block('short', '5m')), 's', 0);
  small.commit();
  expect(small.charge).toMatchObject({ write_5m: 0, write_1h: 0 });
  expect(cache.lookUp(body(block('short', '5m')), 's', 1).charge.read).toBe(0);
});

it('an entry more than twenty blocks behind the mark is not found', () => {
  const cache = openCache(CACHE_LIMITS);
  cache.lookUp(body(block(LONG, '5m')), 's', 0).commit();
  const after = (n: number) => cache.lookUp(body(block(LONG), ...Array.from({ length: n - 1 }, () => block('x')), block('x', '5m')), 's', 1).charge.read;
  expect(after(20)).toBeGreaterThan(0);
  expect(after(21)).toBe(0);
});

it('E3: more than four marks are refused; E4: so is a long one behind a short one', () => {
  const marks = (...ttls: readonly ('5m' | '1h')[]) => refuseMarks(stripMarks(body(...ttls.map((ttl) => block('x', ttl)))).marks);
  expect(marks('5m', '5m', '5m', '5m')).toBeUndefined();
  expect(marks('1h', '1h', '5m', '5m')).toBeUndefined();
  expect(marks('5m', '5m', '5m', '5m', '5m')).toContain('maximum of 4');
  expect(marks('5m', '1h')).toContain('must not come after');
});
