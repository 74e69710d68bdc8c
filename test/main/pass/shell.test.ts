import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { readCommand, sameCommand } from '../../../src/main/pass/shell.ts';

const same = (a: string, b: string): boolean => sameCommand(readCommand(a), readCommand(b));

describe('sameCommand', () => {
  it.each([
    ['npm test', 'npm  test '],
    ['npm test', 'npm test 2>&1'],
    ['npm test', 'npm test 2>&1 | tail -40'],
    ['npm test', 'npm test > out.log 2>&1'],
    ['npm test', 'npm test &> /tmp/out.txt'],
    ['npm test', 'npm test 2>/dev/null | head -n 20'],
    ['npm test', 'npm test | tee "log file.txt"'],
    ['npm test', 'cd /repo && npm test'],
    ['cd /repo && npm test', 'cd "/repo/" ; npm test'],
    ['cd packages/api && npm test', 'cd /home/dev/packages/api && npm test'],
    ['npm test', '(cd /repo && npm test)'],
    ['npm test', 'CI=1 npm test'],
    ['npm test', 'env CI=1 NODE_ENV="test x" npm test'],
    ['npm test', 'export CI=1 && npm test'],
    ['npm test', 'timeout 60 npm test'],
    ['npm test', 'timeout -k 5 2m npm test'],
    ['npm test', 'time npm test'],
    ['npm test', 'npm run test'],
    ['npm test', 'npm run -s test'],
    ['npm test', 'npm t'],
    ['npm test', 'npm test --silent'],
    ['npm test', 'npm test; echo "exit: $?"'],
    ['npm test', 'npm test || true'],
    ['npm test', 'set -e\nnpm test'],
    ['npm test', 'bash -c "npm test"'],
    ['npm test', "bash -lc 'cd /repo && npm test 2>&1'"],
    ['npm test', '# run the tests\nnpm test'],
    ['npm run migrate -- --env staging', 'npm  run  migrate  --  --env staging'],
    ['vitest run src/a.test.ts', 'npx vitest run ./src/a.test.ts'],
    ['vitest run src/a.test.ts', 'npx --yes vitest run "src/a.test.ts" --no-color'],
    ['vitest run', './node_modules/.bin/vitest run'],
    ['vitest run', 'vitest run --testTimeout=20000'],
    ['pytest tests/', 'python3 -m pytest tests -v'],
    ['pytest tests', 'pytest -vv tests --tb=short'],
    ['go test ./...', 'go test -v ./... -timeout 30s'],
    ['cargo test', 'cargo test --verbose'],
    ['make build', "make 'build'"],
    ['docker compose up -d', 'docker compose up -d 2>&1 | tail -5'],
    ['npm \\\n  test', 'npm test'],
  ])('%j is %j in other clothes', (a, b) => {
    expect(same(a, b)).toBe(true);
  });

  it.each([
    ['npm test', 'npm run build'],
    ['npm test', 'npm test -- src/a.test.ts'],
    ['npm test', 'yarn test'],
    ['npm test', 'sudo npm test'],
    ['npm test', 'npm test && npm run lint'],
    ['npm test -- -t one', 'npm test -- -t two'],
    ['cd a && npm test', 'cd b && npm test'],
    ['pytest tests/a.py', 'pytest tests/b.py'],
    ['pytest -k one', 'pytest -k two'],
    ['go test ./...', 'go test ./pkg/...'],
    ['grep foo a.txt', 'grep -v foo a.txt'],
    ['cat a | grep x', 'cat a | grep y'],
    ['node -v', 'node'],
    ['docker run -v /a:/b img', 'docker run -v /a:/c img'],
    ['rm a b', 'rm "a b"'],
    ['git push', 'git push --force'],
    ['make -j4', 'make'],
    ['echo a', 'echo b'],
    ['psql -c "select 1"', 'psql -c "select 2"'],
    ['python a.py', 'python b.py'],
    ['cat <<EOF > a\none\nEOF', 'cat <<EOF > a\ntwo\nEOF'],
    ['npm run migrate -- --env staging', 'npm run migrate -- --env production'],
    ['curl http://a/x', 'curl http://a/y'],
  ])('%j is not %j', (a, b) => {
    expect(same(a, b)).toBe(false);
  });
});

describe('readCommand', () => {
  it('names every simple command', () => {
    expect(readCommand('cd x && FOO=1 npx vitest run a.ts 2>&1 | tail -20; git status').parts).toEqual(['vitest run a.ts', 'git status']);
  });

  it('takes any text in time that grows with its length only', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '|', '&', ';', '>', '<', '(', ')', '#', '\n', '=', '-', '1', '$') }), (text) => typeof readCommand(text).text === 'string'));
    for (const piece of ['"', "'", '(', ')', '\\', '>', '&&', 'a=', '-', '/', 'x;', 'bash -c "']) expect(readCommand(piece.repeat(4000)).text.length).toBeLessThan(60_000);
  });
});
