// Asks git for the latest commits that touched some files. The repository is not trusted: nothing its configuration names is run.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { inFolder } from '../floor/folder-file.ts';
import { COMMIT_FORMAT, COMMIT_START } from './leads.ts';

export type HistoryAsk = {
  /** The working tree's root, a real path: paths are relative to it. */
  readonly root: string;
  readonly paths: readonly string[];
  /** `childEnv`: built from scratch. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
};

/**
 * `git log --numstat` of the paths in `COMMIT_FORMAT`, in git's own order: dates say little of a rebased or imported
 * history. What was found in time; '' without git or a repository. Never rejects.
 */
export const recentCommits = ({ root, paths, env, timeout_ms }: HistoryAsk): Promise<string> =>
  paths.length === 0
    ? Promise.resolve('')
    : new Promise((resolve) => {
        const args = [...INERT, 'log', ...PLAIN, `--format=${COMMIT_FORMAT}`, '--', ...paths];
        const asked = inFolder(root, (cwd) =>
          execFile(
            'git', args,
            { cwd, env: { ...env, ...ALONE, GIT_CEILING_DIRECTORIES: dirname(root) }, timeout: timeout_ms, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES, windowsHide: true },
            // Whatever ended it early, the last commit may be cut short.
            (error, stdout) => resolve(error === null ? stdout : stdout.slice(0, Math.max(0, stdout.lastIndexOf(COMMIT_START)))),
          ),
        );
        if (asked === undefined) resolve('');
      });

const PLAIN = [
  '-n', '8', '--numstat', '--no-color', '--no-decorate', '--no-notes', '--no-mailmap', '--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-renames', '--encoding=UTF-8',
];

/** What a repository's own configuration could name as a program to run: none of it counts. */
const INERT = ['--no-pager', '--literal-pathspecs', '--no-replace-objects', '-c', 'safe.bareRepository=explicit', '-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat', '-c', 'log.showSignature=false', '-c', 'gpg.program=/dev/null', '-c', 'diff.external=', '-c', 'core.sshCommand=false'];

/** No one else's configuration, no prompts, no transport: objects that are not here stay missing instead of being fetched. */
const ALONE = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_COUNT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_SSH_COMMAND: 'false', GIT_PAGER: 'cat', GIT_ATTR_NOSYSTEM: '1' };

const MAX_BYTES = 400_000;
