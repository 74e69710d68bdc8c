import { expect, it } from 'vitest';
import { isCommentOnly } from '../../../src/main/pass/comments.ts';

const edit = (...lines: readonly string[]): string => ['[tool] Edit /r/a (+1 -1) → done', ...lines].join('\n');

it.each<[string, string, boolean]>([
  ['/r/a.py', edit('+ # why', '- # what'), true],
  ['/r/a.ts', edit('+ // why', '+ ', '- // what'), true],
  ['/r/a.sql', edit('+ -- why'), true],
  ['/r/a.ts', edit('+ /* why */'), true],
  ['/r/a.ts', edit('+ /* why */ run();'), false],
  ['/r/a.c', edit('+ #define LIMIT 3'), false],
  ['/r/a.py', edit('+ # why', '+ x = 1'), false],
  ['/r/a.ts', edit('+ // why', '… 40 more lines'), false],
  ['/r/a.ts', '[tool] Edit /r/a.ts', false],
  ['/r/a.unknown', edit('+ // why'), false],
])('%s: %j touches only comments: %s', (path, text, expected) => {
  expect(isCommentOnly(text, path)).toBe(expected);
});
