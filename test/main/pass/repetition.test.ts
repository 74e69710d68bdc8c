import { describe, expect, it } from 'vitest';
import { isAskedFor } from '../../../src/main/pass/repetition.ts';
import type { Numbered } from '../../../src/main/records.ts';

/** `> prompt`, `end` for the end of a turn; anything else is a call. */
const stream = (...lines: readonly string[]): Numbered[] =>
  lines.map((line, at): Numbered => {
    const shared = { n: at + 1, at, uuid: `u${at}`, raw_chars: 1 };
    if (line.startsWith('> ')) return { ...shared, kind: 'prompt', human: true, text: `[prompt] ${line.slice(2)}` };
    return line === 'end' ? { ...shared, kind: 'note', note: 'turn-end', text: '[note]' } : { ...shared, kind: 'tool', tool: 'Bash', text: `[tool] ${line}` };
  });
const ordered = (prompt: string): boolean => isAskedFor(stream(`> ${prompt}`, 'make', 'make', 'make'), 2, 4);

describe('isAskedFor', () => {
  it.each([
    'run the suite 3 times and count', 'run it x5 please', 'start it 10x, i want numbers', 'is that test flaky?', 'put it in a loop over night', 'retry until it answers', 'keep polling the endpoint',
    'see if it fails every time', 'run them back to back', '/loop 5m check the deploy', 'wait for the pod',
    'lass die Tests bitte dreimal laufen', 'starte das mehrmals', 'probier es, bis es klappt', 'ich will wissen ob das jedes Mal passiert', 'lance les tests plusieurs fois', 'fais-le en boucle', 'repítelo varias veces', 'hasta que responda: hasta que conteste',
    'roda isso cinco vezes', 'eseguilo più volte', 'テストを3回実行して', '何度も試して', '把测试跑三遍', '反复运行', '테스트를 3번 돌려줘', 'запусти три раза',
  ])('an order to repeat: %s', (prompt) => {
    expect(ordered(prompt)).toBe(true);
  });

  it.each([
    'fix the build', 'the page is broken again, have a look', 'build for x86 and arm', 'it saves twice on a double click', 'move the timeout to 30 s', 'starte den Server', 'corrige le calcul', 'arregla el error', '修复这个错误', '一度直して',
    'this is the third time this week', 'resize it to 1920x1080',
  ])('no order to repeat: %s', (prompt) => {
    expect(ordered(prompt)).toBe(false);
  });

  it('looks at the prompt that began the turn, though another was typed in since', () => {
    expect(isAskedFor(stream('> run it four times', 'ls', '> and keep the log', 'make', 'make', 'make'), 4, 6)).toBe(true);
  });

  it('an order of an earlier turn is done with', () => {
    expect(isAskedFor(stream('> run it four times', 'ls', 'end', '> now the build', 'make', 'make', 'make'), 5, 7)).toBe(false);
  });

  it('one more go is an order only between failures, and not after them', () => {
    expect(ordered('again, please')).toBe(false);
    expect(isAskedFor(stream('> build it', 'make', 'make', '> try again', 'make'), 2, 5)).toBe(true);
    expect(isAskedFor(stream('> build it', 'make', 'make', 'end', '> nochmal bitte', 'make'), 2, 6)).toBe(true);
    expect(isAskedFor(stream('> build it', 'make', 'make', 'make', '> try again'), 2, 4)).toBe(false);
  });

  it('what no person typed is no order', () => {
    const [prompt, ...calls] = stream('> run it four times', 'make', 'make', 'make');
    expect(isAskedFor([{ ...prompt, human: false } as Numbered, ...calls], 2, 4)).toBe(false);
  });
});
