// Finds the repository a folder belongs to by looking for `.git` upwards, without running git.
import { dirname, existsSync } from './disk-file.ts';

/** The nearest folder at or above `folder` that has a `.git` entry (a folder, or a file in worktrees and submodules). */
export const repositoryRoot = (folder: string): string | undefined => {
  for (let at = folder, above = ''; ; at = above) {
    if (existsSync(`${at}/.git`)) return at;
    above = dirname(at);
    if (above === at) return undefined;
  }
};
