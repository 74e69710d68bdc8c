// Asks git for the latest commits that touched some files. The repository is not trusted: nothing its configuration names is run.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { COMMIT_FORMAT } from './leads.ts';

export type HistoryAsk = {
  /** The working tree's root: paths are relative to it. */
  readonly root: string;
  readonly paths: readonly string[];
  /** Commits of the month before. */
  readonly now: number;
  /** `childEnv`: built from scratch. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
};

/** `git log --numstat` of the paths in `COMMIT_FORMAT`, newest first; '' without git, without a repository, or when it takes too long. Never rejects. */
export const recentCommits = ({ root, paths, now, env, timeout_ms }: HistoryAsk): Promise<string> =>
  paths.length === 0
    ? Promise.resolve('')
    : new Promise((resolve) => {
        const args = [...INERT, 'log', ...PLAIN, `--since=${new Date(Math.max(0, now - MONTH_MS)).toISOString()}`, `--format=${COMMIT_FORMAT}`, '--', ...paths];
        execFile(
          'git', args,
          { cwd: root, env: { ...env, ...ALONE, GIT_CEILING_DIRECTORIES: dirname(root) }, timeout: timeout_ms, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES, windowsHide: true },
          // Whatever went wrong, there is no lead then.
          (error, stdout) => resolve(error === null ? stdout : ''),
        );
      });

/** Longer ago is nobody's recent work. */
const MONTH_MS = 30 * 86_400_000;

const PLAIN = [
  '-n', '8', '--numstat', '--no-color', '--no-decorate', '--no-notes', '--no-mailmap', '--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-renames', '--encoding=UTF-8',
];

/** What a repository's own configuration could name as a program to run: none of it counts. */
const INERT = ['--no-pager', '--literal-pathspecs', '--no-replace-objects', '-c', 'safe.bareRepository=explicit', '-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat', '-c', 'log.showSignature=false', '-c', 'gpg.program=/dev/null', '-c', 'diff.external=', '-c', 'core.sshCommand=false'];

/** No one else's configuration, no prompts, no transport: objects that are not here stay missing instead of being fetched. */
const ALONE = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_COUNT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_SSH_COMMAND: 'false', GIT_PAGER: 'cat', GIT_ATTR_NOSYSTEM: '1' };

const MAX_BYTES = 400_000;
