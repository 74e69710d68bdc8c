import { describe, expect, test } from 'vitest';
import { isStale, occurs } from '../../../src/main/speak/stale.ts';

describe('stale', () => {
  test.each([
    ['npm test', '[tool] Bash\n  cd app && npm test -- --watch', true],
    ['npm*test', 'npm run -s test', true],
    ['NPM Test', 'npm   test', true],
    ['git push*--force', 'git push origin main --force', true],
    ['git push*--force', 'git push --for\n--force', false],
    ['docker build * .', 'docker build \\\n  -t x .', true],
    ['go test', 'go  vet', false],
    ['test*npm', 'npm test', false],
    ['*', 'anything', false],
    ['', 'anything', false],
    ['a*b', 'a b', false],
    ['src/a.ts', '[tool] Edit src/a.ts', true],
    ['npm run build* → done', '[tool] Bash — "Build"\n  npm run build 2>&1 → done', true],
    ['npm run build* → done', '[tool] Bash npm run build', false],
    ['(a+)+$', 'aaaa', false],
    ['测试*运行', '测试 已 运行', true],
    ['运行*测试用例', '运行 全部 测试用例', true],
  ])('%j in %j: %s', (pattern, text, expected) => {
    expect(occurs([pattern], text)).toBe(expected);
  });

  test('what was done or asked for answers, talk and failures do not', () => {
    const at = (kind: 'tool' | 'prompt' | 'agent' | 'text' | 'error' | 'done' | 'note') => isStale(['npm test'], [{ kind, text: 'npm test' }]);
    expect([at('tool'), at('prompt'), at('agent')]).toEqual([true, true, true]);
    expect([at('text'), at('error'), at('done'), at('note')]).toEqual([false, false, false, false]);
  });

  test('a command is searched whole, beyond what its rendering shows', () => {
    expect(isStale(['deploy.sh'], [{ kind: 'tool', text: '[tool] Bash …', command: 'x && ./deploy.sh' }])).toBe(true);
  });

  test('without patterns or later activity nothing is stale', () => {
    expect(isStale([], [{ kind: 'tool', text: 'npm test' }])).toBe(false);
    expect(isStale(['npm test'], [])).toBe(false);
  });
});
