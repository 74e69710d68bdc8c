import { describe, expect, it } from 'vitest';
import { collisionsOf, repeatFailures, repeatOutcomes } from '../../../src/main/pass/structure.ts';
import type { Numbered } from '../../../src/main/records.ts';
import type { IndexLine } from '../../../src/main/surfaces.ts';

/** `!cmd` fails, `cmd` succeeds (folded), `~cmd` succeeds in a later episode, `?cmd` has no result, `&cmd` goes to the background. */
const stream = (...commands: readonly string[]): Numbered[] => {
  const seen: Numbered[] = [];
  const add = (observation: Partial<Numbered> & Pick<Numbered, 'kind' | 'text'>): void => {
    const n = seen.length + 1;
    seen.push({ at: n * 1000, uuid: `u${n}`, raw_chars: 1, n, ...observation });
  };
  commands.forEach((marked, at) => {
    const mark = '!~?&'.includes(marked[0] ?? '') ? marked[0] : '';
    const command = mark === '' ? marked : marked.slice(1);
    const call = `c${at}`;
    add({ kind: 'tool', tool: 'Bash', call, command, text: `[tool] Bash\n  ${command}${mark === '' ? ' → done' : ''}` });
    if (mark === '!') add({ kind: 'error', tool: 'Bash', call, text: '[error] Bash: Exit code 1\n\n> pkg@1.0.0 test\nSqlError: no such table\n  at x.js:1' });
    if (mark === '~') add({ kind: 'done', tool: 'Bash', call, text: '[done] Bash' });
    if (mark === '&') add({ kind: 'done', tool: 'Bash', call, launches: 'b1', text: '[done] Bash' });
  });
  return seen;
};
const repeat = { name: 'repeat-failure', config: {} };
const found = (commands: readonly string[], over: Partial<Parameters<typeof repeatFailures>[2]> = {}) => repeatFailures(stream(...commands), repeat, { from: 1, ...over });

describe('repeatFailures', () => {
  it('finds one command that failed three times in other clothes, and cites the failures', () => {
    const [match, ...more] = found(['!npm test', '!cd /repo && npm test 2>&1 | tail', 'ls', '!CI=1  npm test']);
    expect(more).toEqual([]);
    expect(match).toMatchObject({
      detector: 'repeat-failure', headline: '`npm test` has failed 3 times with no success between', evidence: ['#2', '#4', '#7'],
      body: 'The attempts differ in looks only. The latest one ended with: SqlError: no such table', stale_if: ['npm test* → done'],
    });
    expect(match?.key).toMatch(/^repeat-failure:npm-test:[0-9a-f]{8}$/);
  });

  it.each<[string, string[], number]>([
    ['two failures', ['!npm test', '!npm test'], 0],
    ['a success between', ['!npm test', '!npm test', 'npm test', '!npm test'], 0],
    ['a success between, told in a later episode', ['!npm test', '!npm test', '~npm test', '!npm test'], 0],
    ['a run without result between', ['!npm test', '!npm test', '?npm test', '!npm test'], 1],
    ['a run in the background between', ['!npm test', '!npm test', '&npm test', '!npm test'], 1],
    ['another command’s success between', ['!npm test', '!npm test', 'npm run build', '!npm test'], 1],
    ['three different commands', ['!npm test -- a', '!npm test -- b', '!npm test -- c'], 0],
    ['one command in three packages', ['!cd a && npm test', '!cd b && npm test', '!cd c && npm test'], 0],
    ['one package by three names', ['!cd /r/a && npm test', '!npm test', '!cd a && npm test'], 1],
    ['two commands, both failing thrice', ['!x 1', '!y 1', '!x 1', '!y 1', '!x 1', '!y 1'], 2],
    ['failures after a success', ['npm test', '!npm test', '!npm test', '!npm test'], 1],
  ])('%s: %j gives %i', (_, commands, count) => {
    expect(found(commands)).toHaveLength(count);
  });

  it('counts from the catalogue’s number, and not below two', () => {
    expect(repeatFailures(stream('!x', '!x'), { name: 'r', config: { min_failures: 2 } }, { from: 1 })).toHaveLength(1);
    expect(repeatFailures(stream('!x'), { name: 'r', config: { min_failures: 1 } }, { from: 1 })).toHaveLength(0);
    expect(repeatFailures(stream('!x', '!x', '!x'), { name: 'r', config: { min_failures: 'four' } }, { from: 1 })).toHaveLength(1);
  });

  it('leaves out what did not grow in this episode, what was said, and what lies before the watch', () => {
    const three = ['!npm test', '!npm test', '!npm test', 'ls'];
    expect(found(three, { from: 7 })).toEqual([]);
    expect(found(three, { from: 6 })).toHaveLength(1);
    expect(found(three, { since: 3 })).toEqual([]);
    expect(found(three, { told: new Set(found(three).map(({ key }) => key)) })).toEqual([]);
  });

  it('puts the latest first', () => {
    expect(found(['!x 1', '!x 1', '!x 1', '!y 1', '!y 1', '!y 1']).map(({ headline }) => headline.slice(0, 5))).toEqual(['`y 1`', '`x 1`']);
  });

  it('is linear: a thousand failing commands read in one pass', () => {
    expect(found(Array.from({ length: 1000 }, (_, at) => `!npm test ${at % 300}`))).toHaveLength(300);
  });
});

describe('repeatOutcomes', () => {
  it('closes an advisory as adopted when the command went through later', () => {
    const seen = stream('!npm test', '!npm test', '!npm test', '!npm test', 'cd /r && npm test');
    const key = repeatFailures(seen.slice(0, 6), repeat, { from: 1 })[0]?.key ?? '';
    expect(repeatOutcomes(seen, [{ id: 'sb-1', key, after: 6 }])).toEqual([{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#9'] }]);
    expect(repeatOutcomes(seen, [{ id: 'sb-1', key, after: 9 }, { id: 'sb-2', key: 'other', after: 0 }])).toEqual([]);
  });
});

describe('collisionsOf', () => {
  const line = (task: string, cwd: string, paths: readonly string[], over: Partial<IndexLine> = {}): IndexLine => ({ task, session: task, cwd, git_dir: '/r/.git', goal: `goal of ${task}`, paths, at: 1, ...over });
  const written: Numbered[] = [{ kind: 'tool', at: 1, uuid: 'u', raw_chars: 1, n: 5, text: '[tool] Edit /r/src/a.ts', paths: ['/r/src/a.ts'], writes: true }];
  const collide = (others: readonly IndexLine[], told: ReadonlyMap<string, number> = new Map(), now = 1e9) =>
    collisionsOf({ detector: { name: 'cross-task-collision' }, mine: line('me', '/r', ['src/a.ts', 'src/b.ts']), written, others, told, now });

  it('tells the agent about the same file in the same checkout, once per file per hour', () => {
    const { matches, told } = collide([line('x', '/r/packages', ['src/a.ts'])]);
    expect(matches).toMatchObject([{ key: 'cross-task-collision:src/a.ts', human_only: false, evidence: ['#5', 'src/a.ts'], headline: expect.stringContaining('`src/a.ts` in this checkout') }]);
    expect(collide([line('x', '/r', ['src/a.ts'])], told).matches).toEqual([]);
    expect(collide([line('x', '/r', ['src/a.ts', 'src/b.ts'])], told).matches).toMatchObject([{ key: 'cross-task-collision:src/b.ts' }]);
    expect(collide([line('x', '/r', ['src/a.ts'])], told, 1e9 + 3_600_000).matches).toHaveLength(1);
  });

  it.each(['/r2', '/r/.claude/worktrees/x', '/r/.worktrees/y'])('tells only the person about a separate worktree (%s)', (cwd) => {
    expect(collide([line('x', cwd, ['src/a.ts'])]).matches).toMatchObject([{ human_only: true, headline: expect.stringContaining('another worktree') }]);
  });

  it('gathers files into one match, the same checkout before a worktree', () => {
    const { matches, told } = collide([line('w', '/r2', ['src/b.ts']), line('x', '/r', ['src/a.ts']), line('y', '/r', ['src/a.ts', 'src/b.ts'])]);
    expect(matches).toMatchObject([{ human_only: false, headline: expect.stringContaining('2 of the same files') }]);
    expect([...told.keys()].sort()).toEqual(['src/a.ts', 'src/b.ts']);
  });

  it('is silent about other repositories, other files and its own lines', () => {
    expect(collide([line('x', '/r', ['src/c.ts']), line('me', '/r', ['src/a.ts']), line('x', '/r', ['src/a.ts'], { git_dir: '/s/.git' })]).matches).toEqual([]);
  });
});
