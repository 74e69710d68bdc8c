import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRepository, goneFrom } from '../../../src/main/memory/git-file.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb git é ')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const gitDir = (path: string): string => {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  return path;
};

describe('the repository of a directory', () => {
  it('is found from a folder below it', () => {
    const git_dir = gitDir(join(base, 'r', '.git'));
    mkdirSync(join(base, 'r', 'a', 'b'), { recursive: true });
    expect(findRepository(join(base, 'r', 'a', 'b'))).toEqual({ root: join(base, 'r'), git_dir });
  });

  it('is shared by a worktree, which has a root of its own', () => {
    const git_dir = gitDir(join(base, 'r', '.git'));
    const own = join(git_dir, 'worktrees', 'w');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'commondir'), '../..\n');
    mkdirSync(join(base, 'w'));
    writeFileSync(join(base, 'w', '.git'), `gitdir: ${own}\n`);
    expect(findRepository(join(base, 'w'))).toEqual({ root: join(base, 'w'), git_dir });
  });

  it('of a submodule is the submodule’s own, by a relative path', () => {
    gitDir(join(base, 'r', '.git'));
    const own = gitDir(join(base, 'r', '.git', 'modules', 'sub'));
    mkdirSync(join(base, 'r', 'sub'));
    writeFileSync(join(base, 'r', 'sub', '.git'), 'gitdir: ../.git/modules/sub\n');
    expect(findRepository(join(base, 'r', 'sub'))).toEqual({ root: join(base, 'r', 'sub'), git_dir: own });
  });

  it('is told by real paths, through links', () => {
    const git_dir = gitDir(join(base, 'r', '.git'));
    symlinkSync(join(base, 'r'), join(base, 'link'));
    expect(findRepository(join(base, 'link'))).toEqual({ root: join(base, 'r'), git_dir });
  });

  it('is the directory itself where there is none, or only something of the name', () => {
    const cwd = join(base, 'plain');
    mkdirSync(cwd);
    expect(findRepository(cwd)).toEqual({ root: cwd, git_dir: cwd });
    writeFileSync(join(cwd, '.git'), 'nonsense');
    expect(findRepository(cwd)).toEqual({ root: cwd, git_dir: cwd });
    writeFileSync(join(cwd, '.git'), 'gitdir: /nowhere/at/all\n');
    expect(findRepository(cwd)).toEqual({ root: cwd, git_dir: cwd });
  });

  it('never throws on what a payload may name', () => {
    for (const cwd of [join(base, 'gone', 'deeper'), 'a\0b', 'x'.repeat(5000)]) expect(() => findRepository(cwd)).not.toThrow();
    symlinkSync(join(base, 'loop'), join(base, 'loop'));
    expect(() => findRepository(join(base, 'loop'))).not.toThrow();
  });
});

describe('files that are gone', () => {
  it('are told from those that are there and from what lies elsewhere', () => {
    mkdirSync(join(base, 'src'));
    writeFileSync(join(base, 'src', 'a.ts'), '');
    expect(goneFrom(base, ['src/a.ts', 'src/b.ts', '../elsewhere/c.ts', '/nowhere/d.ts', 'src/../e.ts', 'src/a.ts/f', 'x\0y'])).toEqual(['src/b.ts', 'src/../e.ts', 'src/a.ts/f', 'x\0y']);
  });
});
