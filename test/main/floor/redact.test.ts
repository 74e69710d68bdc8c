import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/main/floor/redact.ts';
import { cpuMs } from '../../support/cpu.ts';
import { body, hex, NAMED, TOKENS } from '../../support/secrets.ts';

const HARMLESS = [
  'const token = getToken()',
  'password: string',
  'password: process.env.PASSWORD,',
  'secret: ${SECRET}',
  'client_secret=<your secret>',
  'max_tokens: 4096',
  'the key is under the mat, the secret is out, token by token',
  'key: value',
  'a%20key%20value, /token%2Fpath%3Fkey%3Dname and password%3A%20string',
  'primary_key: id',
  'keyboard: qwertz',
  'task-0123456789abcdefghij and risk-assessment-of-2026',
  'PWD=/home/dev/shop',
  `commit ${hex(40)}`,
  '550e8400-e29b-41d4-a716-446655440000',
  'git@github.com:a/b.git and https://example.com/@scope/name',
  'user.password = user_password;',
  '-----BEGIN CERTIFICATE-----',
  '<?xml version="1.0"?> author: somebody, authority, authenticate',
];

describe('redact', () => {
  it.each(TOKENS)('F8: replaces a %s token anywhere in a text', (kind, token) => {
    for (const text of [token, `use ${token} now`, `"${token}"`, `X=${token}`, `next%3D${token}`, `line\\n${token}`, `über ${token} 中`]) {
      expect(redact(text)).not.toContain(token.slice(-12));
      expect(redact(text)).toMatch(/\[redacted:[a-z-]+ [0-9a-f]{4}\]/);
    }
    expect(redact(`use ${token} now`)).toMatch(new RegExp(`^use \\[redacted:${kind} [0-9a-f]{4}\\] now$`));
  });

  it.each(NAMED)('F8: replaces the value in %s', (text, secret, kind) => {
    const shown = redact(text);
    expect(shown).not.toContain(secret);
    expect(shown.replace(/\[redacted:([a-z-]+) [0-9a-f]{4}\]/, '$1')).toBe(text.replace(secret, kind));
  });

  it.each(HARMLESS)('leaves %s alone', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('gives one secret the same mark everywhere and another one another', () => {
    const [first, again, other] = [redact('PASSWORD=hunter2'), redact('PASSWORD=hunter2'), redact('PASSWORD=hunter3')];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(['# ', ' * ', '// ', '+', '| ', '"', '! '])('F8: takes all of a key whose lines begin with %j', (lead) => {
    const lines = [`-----BEGIN EC ${'PRIVATE'} KEY-----`, body(64), body(64, undefined, 5), `-----END EC ${'PRIVATE'} KEY-----`, 'after'];
    expect(redact(lines.map((line) => `${lead}${line}`).join('\n'))).not.toMatch(new RegExp(`${body(12)}|${body(12, undefined, 5)}`));
  });

  it('takes all of a key whose end was cut off', () => {
    const cut = `before -----BEGIN ${'PRIVATE'} KEY-----\n${body(64)}\n${body(20)}`;
    expect(redact(cut)).toMatch(/^before \[redacted:private-key [0-9a-f]{4}\]$/);
  });

  it('hides a secret that a cut behind it would split, wherever the cut is', () => {
    const token = TOKENS[3]?.[1] ?? '';
    const text = `a ${token} b`;
    for (let at = 0; at <= text.length; at += 1) expect(redact(text).slice(0, at)).not.toContain(token.slice(4, 12));
  });

  const parts = fc.constantFrom(...TOKENS.map(([, token]) => token), ...NAMED.map(([text]) => text), ...HARMLESS, ' ', '\n', '=', ':', '"', "'", '\\', '@', '://', '-', '[redacted:', ']', 'key', 'password');

  it('is idempotent, and well-formed where its input is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string({ unit: 'grapheme' })), { maxLength: 12 }), (pieces) => {
        const once = redact(pieces.join(''));
        expect(redact(once)).toBe(once);
        expect(once.isWellFormed()).toBe(pieces.join('').isWellFormed());
      }),
      { numRuns: 500 },
    );
  });

  const hostile = ['a', 'key=', 'password=', 'token="', 'sk-', 'eyJ', '-----BEGIN ', `-----BEGIN ${'PRIVATE'} KEY-----"`, '://a:b', '://aaaa@', '@', '\\"', 'Authorization: Bearer ', 'cookie: ', 'curl -u a:b ', 'abcdefghijklmnopqrst ', 'eyJhbGciOiJIUzI1NiJ9.', 'pass --key ', 'key\t', 'secret:=', 'secret%3D', 'key%'];
  it.each(hostile)('takes time in proportion to its input when that is only %j', (unit) => {
    const took = (size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      let best = Infinity;
      for (let round = 0; round < 4; round += 1) {
        const start = cpuMs();
        redact(text);
        best = Math.min(best, cpuMs() - start);
      }
      return best;
    };
    took(20_000);
    // Four times the input: quadratic would be sixteen times the time.
    expect(took(200_000)).toBeLessThan(10 * took(50_000) + 30);
  });
});
