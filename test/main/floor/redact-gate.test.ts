import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsSecret } from '../../../src/main/floor/redact-gate.ts';
import { redact } from '../../../src/main/floor/redact.ts';
import { cpuMs } from '../../support/cpu.ts';
import { NAMED, TOKENS } from '../../support/secrets.ts';

const secrets = [...TOKENS.map(([, token]) => token), ...NAMED.map(([text]) => text)];

describe('the gate before the table of secrets', () => {
  it.each(secrets)('F8: lets no text by that holds %j, wherever it starts', (secret) => {
    for (let before = 0; before < 40; before += 1) {
      for (const filler of [' ', 'é ', '中 ', 'plain words ']) {
        const text = `${filler.repeat(before)}${secret}\nand so on`;
        expect([text, holdsSecret(text)]).toEqual([text, true]);
      }
    }
  });

  const parts = fc.constantFrom(...secrets, ...secrets.map((secret) => secret.slice(0, -8)), ...secrets.map((secret) => secret.slice(4)), ' ', '\n', '=', ':', '"', '\\n', '@', '://', '-', 'key', 'password', 'Token', 'AUTH', 'a', 'Ł', 'į', '中文', 'ŀ', 'abcdefghijklmnopqrst', 'x'.repeat(15), 'getElementsByTagName', '/');

  it('F8: says exactly what the table says, whatever the text', () => {
    let held = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: parts }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) }), { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        if (redact(text) !== text) held += 1;
        expect(holdsSecret(text)).toBe(redact(text) !== text);
      }),
      { numRuns: 4000 },
    );
    expect(held).toBeGreaterThan(500);
  });

  it('F8: lets no secret by in a text longer than what it looks at in one piece, and convicts no innocent one', () => {
    for (const length of [65_520, 65_528, 65_529, 65_530, 65_531, 65_536, 200_000]) {
      const plain = 'plain words of no secret, '.repeat(length / 26 + 1).slice(0, length);
      expect([length, holdsSecret(plain), ...secrets.map((secret) => holdsSecret(`${plain} ${secret}`))]).toEqual([length, false, ...secrets.map(() => true)]);
    }
  });

  it('F8: takes no wide character for the one its low byte is', () => {
    const text = 'postgres://app:p4ss:wordŀ';
    expect([redact(text), holdsSecret(text)]).toEqual([text, false]);
  });

  it('sees the same in a text as in one that was looked at before it', () => {
    const long = `${'x'.repeat(15)}=`.repeat(100);
    expect([long, 'a', '', `${long}${secrets[0]}`, long].map(holdsSecret)).toEqual([false, false, false, true, false]);
  });

  it.each(['a', 'key=', 'token ', 'my_token_', 'password:', 'sk-', 'eyJ', '://a:b', '@', 'abcdefghijklmnopqrsT ', '://a@'])('takes time in proportion to a text of %j only', (unit) => {
    const took = (size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      let best = Infinity;
      for (let round = 0; round < 4; round += 1) {
        const start = cpuMs();
        for (let again = 0; again < 5; again += 1) holdsSecret(text);
        best = Math.min(best, cpuMs() - start);
      }
      return best;
    };
    took(10_000);
    expect(took(60_000)).toBeLessThan(10 * took(15_000) + 30);
  });
});
