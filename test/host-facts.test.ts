// The table of host facts names tests that exist.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('test/host-facts.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| [a-m] \|/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\||\|$/g, '').trim()));

test('every fact names a test that is there', () => {
  expect(rows.length).toBeGreaterThan(40);
  const missing = rows.filter(([, , file = '', title = '']) => {
    const names = [...readFileSync(`test/e2e/host/${file}.test.ts`, 'utf8').matchAll(/(?:\btest\(|\]\)\()\s*(['"`])(.*?)\1,/g)].map(([, , name]) => name ?? '');
    return title === '' || !names.some((name) => name.includes(title));
  });
  expect(missing).toEqual([]);
});
