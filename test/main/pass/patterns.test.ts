import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { isWhole, isWithin, occurs, readPattern } from '../../../src/main/pass/patterns.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 12 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*'), maxLength: 8 });
const asRegex = (literal: string): string => literal.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');

describe('patterns', () => {
  it.each([
    ['npm test', 'run NPM TEST now', true],
    ['git rebase*onto', 'git rebase -i --onto main', true],
    ['onto*git rebase', 'git rebase -i --onto main', false],
    ['*', 'anything', false],
    ['', 'anything', false],
  ])('%j in %j: %s', (literal, hay, want) => {
    expect(occurs(literal, hay)).toBe(want);
  });

  it.each([
    ['src/*.ts', 'src/a/b.ts', true],
    ['src/*.ts', 'src/a.tsx', false],
    ['*.ts', '.ts', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['make', 'make', true],
    ['make', 'makefile', false],
  ])('%j is the whole of %j: %s', (literal, hay, want) => {
    expect(isWhole(readPattern(literal), hay)).toBe(want);
  });

  it('agree with the regex they stand for', () => {
    fc.assert(fc.property(pattern, text, (literal, hay) => isWhole(readPattern(literal), hay) === new RegExp(`^${asRegex(literal)}$`).test(hay)), { numRuns: 2000 });
    fc.assert(fc.property(pattern.filter((literal) => /[^*]/.test(literal)), text, (literal, hay) => isWithin(readPattern(literal), hay) === new RegExp(asRegex(literal)).test(hay)), { numRuns: 2000 });
  });
});
