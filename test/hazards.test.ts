// Every hazard that has hurt others has a test that names it, and test/README.md says where.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROWS: Readonly<Record<string, number>> = { A: 14, B: 9, C: 9, D: 6, E: 8, F: 9 };
const rows = Object.entries(ROWS).flatMap(([letter, count]) => Array.from({ length: count }, (_, n) => `${letter}${n + 1}`));

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== 'hazards.test.ts')
  .map((name) => ({ name, text: readFileSync(join('test', name), 'utf8') }));

/** The row at the head of a title, alone or in a list: `A4:`, `D3, E4 and E6:`, `F4–F6:`. */
const names = (text: string, row: string): boolean => new RegExp(`['"\`(][^'"\`\\n]{0,40}\\b${row}(?=[:,– ]|-[A-F])`).test(text);

const table = (): string =>
  [
    '# Tests',
    '',
    '`npm test` runs everything that needs no host; `npm run e2e` drives the real host (root, tmux, iproute2). Folders mirror `src/`; `e2e/` runs the built plugin as processes, `e2e/host/` in the real host, `detectors/` every detector on small sessions, `support/` holds scripted models, hosts and records. Goldens are rewritten by `UPDATE_GOLDENS=1` only.',
    '',
    '## Hazards and the tests that name them',
    '',
    '| row | tests |',
    '| --- | --- |',
    ...rows.map((row) => `| ${row} | ${tests.filter(({ text }) => names(text, row)).map(({ name }) => name).sort().join(', ')} |`),
    '',
  ].join('\n');

test.each(rows)('%s is named by a test', (row) => {
  expect(tests.some(({ text }) => names(text, row))).toBe(true);
});

test('the table in test/README.md is current (npx vitest run test/hazards.test.ts -u rewrites it)', async () => {
  await expect(table()).toMatchFileSnapshot('README.md');
});
