import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { similarity, tokensOf } from '../../../src/main/speak/similar.ts';

const THRESHOLD = 0.6;

/** Findings in the wordings a model finds for them, pass after pass. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'tests not run': [
    'No tests have been run since src/parser.ts was edited',
    'Tests were not run after the edits to src/parser.ts',
    'src/parser.ts was changed but the test suite has not been run',
    'Changes to src/parser.ts were never followed by a test run',
    'No test run seen after src/parser.ts was modified',
    'The test suite was never executed after changing src/parser.ts',
    'Edits in src/parser.ts remain untested: no test command was run',
    'src/parser.ts:40 was edited and no tests ran afterwards',
    'After modifying src/parser.ts the tests have not been executed',
    'Tests still not run since the changes in src/parser.ts',
    'The edited src/parser.ts has not been exercised by any test run',
    'No run of the tests followed the update of src/parser.ts',
    'The work on src/parser.ts was declared done, but tests were never run after the edits',
    'Unverified edits: src/parser.ts changed, tests not run',
    'src/parser.ts was rewritten, and no vitest run was seen since',
    'Since the change to src/parser.ts nothing has run the tests',
    'Editing src/parser.ts was not followed by running tests',
    'It appears tests were not run after src/parser.ts was touched',
    'The agent edited src/parser.ts and finished without running the tests',
    'Test execution is missing after the changes to src/parser.ts',
  ],
  'command repeats': [
    '`npm run build` failed four times with the same error',
    'npm run build has now failed 4 times in a row',
    'The build command npm run build keeps failing: 4 attempts',
    'Four failures of npm run build without a change between',
    'npm run build was retried 4 times and failed each time',
  ],
  'rewritten code': [
    'Commit e8ac6d7 rewrote lib/queue.ts two days ago',
    'lib/queue.ts was rewritten two days ago in e8ac6d7',
    'e8ac6d7 changed lib/queue.ts only two days ago',
    'The history shows lib/queue.ts was rewritten in commit e8ac6d7',
  ],
  'helper exists': [
    'A retry helper already exists in lib/retry.ts',
    'lib/retry.ts already has a helper for retries',
    'There is an existing retry helper in lib/retry.ts',
  ],
  'no tests added': [
    'No tests were added for the new function in src/lexer.ts',
    'The new function in src/lexer.ts has no test coverage',
  ],
  'tests not run elsewhere': ['No tests have been run since src/server.ts was edited', 'Tests were not run after the edits to src/server.ts'],
  deploy: ['The version was bumped but no deploy command was seen', 'Version bumped without a deployment'],
  docs: ['The README still describes the removed flag --fast', 'README.md documents --fast, a flag that was removed'],
  constraint: ['The user asked in #4 to leave config/prod.yaml alone, and #31 edits it', 'config/prod.yaml was edited in #31 though the user asked to leave it alone'],
  collision: ['Another session edited src/parser.ts four minutes ago', 'src/parser.ts was edited by another session 4 minutes ago'],
};

describe('similarity', () => {
  test.each(Object.entries(FAMILIES))('A14: the wordings of "%s" fall together with one said before', (_name, wordings) => {
    const said = [tokensOf(wordings[0] ?? '')];
    for (const wording of wordings.slice(1)) {
      const best = Math.max(...said.map((one) => similarity(one, tokensOf(wording))));
      expect(best, wording).toBeGreaterThanOrEqual(THRESHOLD);
      said.push(tokensOf(wording));
    }
  });

  const pairs = Object.entries(FAMILIES).flatMap(([a, left]) => Object.entries(FAMILIES).flatMap(([b, right]) => (a < b ? [[a, b, left, right] as const] : [])));
  test.each(pairs)('A14: "%s" and "%s" stay apart', (_a, _b, left, right) => {
    for (const one of left) for (const other of right) expect(similarity(tokensOf(one), tokensOf(other)), `${one} / ${other}`).toBeLessThan(THRESHOLD);
  });

  test('a path with a line or a root before it is the same place', () => {
    expect(tokensOf('/home/dev/project/src/a.ts:12')).toEqual(tokensOf('src/a.ts'));
    expect(tokensOf('src\\a.ts')).toEqual(tokensOf('src/a.ts'));
  });

  test('it is symmetric, within 0 and 1, and 1 for the same text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const [left, right] = [tokensOf(a), tokensOf(b)];
        const score = similarity(left, right);
        expect(score).toBe(similarity(right, left));
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        if (left.length > 0) expect(similarity(left, left)).toBe(1);
      }),
    );
  });

  test('words of other scripts count too', () => {
    expect(similarity(tokensOf('テスト 未実行 src/解析.ts'), tokensOf('src/解析.ts テスト 未実行'))).toBe(1);
  });
});
