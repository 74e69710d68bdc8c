import { describe, expect, it } from 'vitest';
import { isSealed } from '../../../src/main/ingest/sealed.ts';

describe('sealed paths', () => {
  it.each([
    ['.env', '/home/dev/shop/.env', true],
    ['.env', 'src/env.ts', false],
    ['.env.*', 'a/.env.local', true],
    ['*.pem', 'certs/site.pem', true],
    ['*.pem', 'certs/pem/site.txt', false],
    ['secrets/**', 'deploy/secrets/a/b.yaml', true],
    ['./secrets/**', '/home/dev/secrets/x', true],
    ['**/private/*', 'a/b/private/key', true],
    ['**/private/*', 'a/b/private/deep/key', false],
    ['/etc/**', '/etc/shadow', true],
    ['//etc/**', '/etc/shadow', true],
    ['/etc/**', '/home/etc/x', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['id_?sa', '.ssh/id_rsa', true],
    ['', 'x', false],
  ])('%s and %s: %s', (pattern, path, covered) => {
    expect(isSealed(path, [pattern])).toBe(covered);
  });

  it('reads a path with backslashes', () => {
    expect(isSealed('C:\\shop\\.env', ['.env'])).toBe(true);
  });

  it('needs no more steps than pattern times path', () => {
    const start = performance.now();
    expect(isSealed(`${'a/'.repeat(2000)}b`, [`${'**/*a'.repeat(20)}/c`])).toBe(false);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

it('looks only at the end of what is longer than any path', () => {
  expect(isSealed(`${'x'.repeat(2_000_000)}/`, ['**/x*y'])).toBe(false);
  expect(isSealed(`${'x/'.repeat(1_000_000)}.env`, ['.env', 'x/.env'])).toBe(true);
});
