// What PRIVACY.md shows of a session is what is really projected of it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every line of the sample is a line of the recorded session as it is projected, in its order', () => {
  const sample = /```\n([^]*?)\n```/.exec(readFileSync('PRIVACY.md', 'utf8'))?.[1]?.split('\n') ?? [];
  expect(sample.length).toBeGreaterThan(10);
  const projected = execFileSync(process.execPath, ['plugin/dist/command.cjs', 'project', 'test/fixtures/sessions/no-tests.jsonl'], { encoding: 'utf8' }).split('\n');
  let at = 0;
  for (const line of sample) {
    at = projected.indexOf(line, at) + 1;
    expect(at, line).toBeGreaterThan(0);
  }
});
