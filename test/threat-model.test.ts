// The threat model names the test behind each of its claims: here each of them is looked for.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const named = [...readFileSync('docs/threat-model.md', 'utf8').matchAll(/`(test\/[\w./-]+\.ts)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({ file, title }));

test('every row of the threat model names a test, or says that nothing holds it', () => {
  const rows = readFileSync('docs/threat-model.md', 'utf8').split('## Threats')[1]?.split('\n').filter((line) => /^\| (?!threat|---)/.test(line)) ?? [];
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/`test\/[\w./-]+\.ts` “/.test(row) && !row.endsWith('| — |'))).toEqual([]);
});

test.each(named)('$file: $title', ({ file, title }) => {
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(title);
});
