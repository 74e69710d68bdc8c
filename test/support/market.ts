// A marketplace as users add one: a git repository whose release branch is a release, under an address that only its world knows.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult, World } from './host-world.ts';

export type Market = {
  /** For `plugin marketplace add`. */
  readonly address: string;
  /** Puts a release onto the branch. */
  readonly publish: (folder: string) => void;
  /** Runs `claude plugin …` in a folder with nothing in it. */
  readonly plugin: (...words: readonly string[]) => Promise<RunResult>;
};

/** Builds a release into `folder`. */
export const makeRelease = (folder: string, ...flags: readonly string[]): string => (JSON.parse(execFileSync(process.execPath, ['release.config.mjs', folder, ...flags], { encoding: 'utf8' })) as { folder: string }).folder;

/** Makes the repository, with an empty main branch beside the release one. */
export const openMarket = (world: World): Market => {
  const repository = join(world.dir, 'market');
  const empty = join(world.home, 'empty');
  for (const folder of [repository, empty]) mkdirSync(folder);
  const git = (...args: readonly string[]): void => void execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: repository, env: { PATH: process.env['PATH'] ?? '', HOME: world.home } });
  const address = 'https://git.invalid/second-brain.git';
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Sources are elsewhere');
  git('checkout', '-q', '-b', 'release');
  writeFileSync(join(world.home, '.gitconfig'), `[url "file://${repository}/.git"]\n\tinsteadOf = ${address}\n`);
  return {
    address: `${address}#release`,
    publish: (folder) => {
      for (const name of readdirSync(repository)) if (name !== '.git') rmSync(join(repository, name), { recursive: true });
      cpSync(folder, repository, { recursive: true });
      git('add', '-A');
      git('commit', '-q', '-m', 'Release');
    },
    plugin: (...words) => world.run([world.binary, 'plugin', ...words], { cwd: empty }),
  };
};
