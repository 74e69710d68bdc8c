import { describe, expect, it } from 'vitest';
import { collisionsOf } from '../../../src/main/pass/collision.ts';
import type { Numbered } from '../../../src/main/records.ts';
import type { IndexLine } from '../../../src/main/surfaces.ts';

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
