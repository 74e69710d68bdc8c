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
  'linker error': [
    'cargo build keeps failing with the same linker error',
    'The same linker error came up in every cargo build',
    'cargo build: repeated failures, linker error each time',
    'Third failing cargo build, identical linker message',
    'Repeated cargo build failures without a change of approach',
    'cargo build has failed three times with an unresolved linker symbol',
  ],
  'finished untested': [
    'The work was declared finished, yet no test command has been observed',
    'The agent says the task is complete but the tests were not executed',
    'Completion was claimed without any test run',
    'No test run precedes the claim of completion',
    'The task was called done with tests never run',
  ],
  'stable API': [
    'The change contradicts the request in #4 to keep the API stable',
    '#4 asked for a stable API; #22 changes a signature',
    'API signature changed in #22 despite the wish in #4 to keep it stable',
  ],
  changelog: ['Version was bumped to 2.1.0 with no changelog entry', 'CHANGELOG has no entry for 2.1.0', 'The changelog does not mention 2.1.0'],
  'backoff exists': [
    'The retry loop duplicates lib/backoff.ts',
    'lib/backoff.ts already implements this retry loop',
    'A backoff implementation exists in lib/backoff.ts and the new retry loop repeats it',
  ],
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

  test.each([
    ['No tests were added for the changes in src/parser.ts', 'Tests were not run after the changes in src/parser.ts'],
    ['README.md was not updated after src/parser.ts changed', 'Tests were not run after src/parser.ts changed'],
    ['src/parser.ts was edited but never compiled', 'src/parser.ts was edited but never tested'],
    ['The build has not been run since src/parser.ts was edited', 'Tests have not been run since src/parser.ts was edited'],
    ['npm test failed four times in a row', 'npm run build failed four times in a row'],
    ['npm run lint failed 3 times in a row', 'npm run build failed 3 times in a row'],
    ['`npm run gen:a` has failed 3 times with no success between', '`npm run gen:b` has failed 3 times with no success between'],
    ['`make one` has failed 3 times with no success between', '`make two` has failed 4 times with no success between'],
    ['The user asked not to touch config.ts, which was edited', 'The user asked not to add dependencies, and package.json was edited'],
    ['A helper for this exists in lib/retry.ts', 'lib/retry.ts was rewritten two days ago'],
    ['`pytest tests/test_a.py` failed 3 times', '`pytest tests/test_b.py` failed 3 times'],
    ['Another session edited src/a.ts', 'Another session edited src/b.ts'],
    ['The migration was not applied', 'The tests were not applied'],
    ['docs/api.md was not updated', 'docs/guide.md was not updated'],
  ])('A14: close neighbours stay apart: %s / %s', (one, other) => {
    expect(similarity(tokensOf(one), tokensOf(other))).toBeLessThan(THRESHOLD);
  });

  // One names the file and the other does not: whether they are one finding is open.
  const OPEN = ['finished untested', 'tests not run', 'tests not run elsewhere'];
  const pairs = Object.entries(FAMILIES).flatMap(([a, left]) =>
    Object.entries(FAMILIES).flatMap(([b, right]) => (a < b && !(a === OPEN[0] && OPEN.includes(b)) ? [[a, b, left, right] as const] : [])),
  );
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
