// Which repository a directory belongs to, read from the files git keeps (SPEC 4, 6): git itself is never run.
import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { unlessClosed } from '../floor/json-file.ts';

/** `root` is the working tree's; `git_dir` the common directory that all worktrees of the repository share. Real paths. */
export type Repository = { readonly root: string; readonly git_dir: string };

/** The repository around `cwd`. Outside of one, and where nothing can be read, both are the real path of `cwd`. */
export const findRepository = (cwd: string): Repository => {
  const start = realOf(cwd) ?? resolve(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    const git_dir = commonDir(join(folder, '.git'));
    if (git_dir !== undefined) return { root: folder, git_dir };
    if (dirname(folder) === folder) return { root: start, git_dir: start };
  }
};

/** Which of these paths, relative to `root`, are not there any more; paths that lead out of it are not looked at. */
export const goneFrom = (root: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => {
    const inside = relative(root, resolve(root, path));
    return inside !== '' && !isAbsolute(inside) && !inside.split(sep).includes('..') && unlessClosed(() => lstatSync(join(root, inside))) === undefined;
  });

/** `.git` is the directory, or in a worktree or submodule a file that names it; a worktree's own names the common one. */
const commonDir = (dot_git: string): string | undefined => {
  const kind = kindOf(dot_git);
  if (kind === undefined) return undefined;
  const named = kind === 'folder' ? dot_git : /^gitdir: (.+)$/m.exec(head(dot_git) ?? '')?.[1]?.trim();
  if (named === undefined) return undefined;
  const own = realOf(resolve(dirname(dot_git), named));
  if (own === undefined) return undefined;
  const common = head(join(own, 'commondir'))?.trim();
  const shared = common === undefined || common === '' ? own : realOf(resolve(own, common));
  // What merely has the name is none: every repository has a HEAD.
  return shared !== undefined && kindOf(join(shared, 'HEAD')) === 'file' ? shared : undefined;
};

const kindOf = (path: string): 'file' | 'folder' | undefined => {
  const found = unlessClosed(() => statSync(path));
  return found?.isDirectory() === true ? 'folder' : found?.isFile() === true ? 'file' : undefined;
};

const realOf = (path: string): string | undefined => unlessClosed(() => realpathSync(path));

/** The file's first 4 kB: what we look for is one line. Only of plain files, since opening a pipe would wait. */
const head = (path: string): string | undefined => {
  if (kindOf(path) !== 'file') return undefined;
  return unlessClosed(() => {
    const fd = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(4096);
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(fd);
    }
  });
};
