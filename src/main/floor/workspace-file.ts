// Finds the repository a folder belongs to by looking for `.git` upwards, without running git.
import { dirname } from 'node:path';
import { existsSync } from './disk-file.ts';

/** The nearest folder at or above `folder` that has a `.git` entry (a folder, or a file in worktrees and submodules). */
export const repositoryRoot = (folder: string): string | undefined => {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(`${at}/.git`)) return at;
    if (dirname(at) === at) return undefined;
  }
};
