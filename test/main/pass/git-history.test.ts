import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childEnv } from '../../../src/main/pass/child-env.ts';
import { recentCommits } from '../../../src/main/pass/git-history.ts';
import { commitLines } from '../../../src/main/pass/leads.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sb-git-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const env = (): Record<string, string> => childEnv({ env: { PATH: process.env['PATH'], HOME: root }, root, exec_path: process.execPath, real: (folder) => folder });
const git = (...args: readonly string[]): void => void execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', '-c', 'init.defaultBranch=main', ...args], { cwd: root, stdio: 'ignore', env: { ...env(), GIT_CONFIG_NOSYSTEM: '1' } });
const commit = (path: string, text: string, message: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  git('add', '-A');
  git('commit', '-qm', message);
};
const ask = (paths: readonly string[]): Promise<string> => recentCommits({ root, paths, env: env(), timeout_ms: 10_000 });

describe('recentCommits', () => {
  test('brings the commits of these files only, newest first, with what they did to them', async () => {
    git('init', '-q');
    commit('lib/retry.ts', 'a\nb\n', 'Add the retry queue');
    commit('lib/other.ts', 'x\n', 'Something else');
    commit('lib/retry.ts', 'b\n', 'Drop half of the queue');
    const lines = commitLines(await ask(['lib/retry.ts']), Date.now(), Date.now() + 1000).split('\n');
    expect(lines.slice(1).map((line) => line.replace(/^- [0-9a-f]{7,} /, ''))).toEqual(['within the last hour: Drop half of the queue [lib/retry.ts +0 -1]', 'within the last hour: Add the retry queue [lib/retry.ts +2 -0]']);
  });

  test('F4: tells nothing of a repository that a link in the place of this one leads to', async () => {
    git('init', '-q');
    commit('a.ts', 'a', 'one');
    expect(await ask(['a.ts'])).toContain('one');
    const moved = `${root}-moved`;
    renameSync(root, moved);
    symlinkSync(moved, root);
    expect(await ask(['a.ts'])).toBe('');
    rmSync(moved, { recursive: true });
  });

  test('has nothing to say outside of a repository, without git, without paths, and when time is up', async () => {
    expect(await ask(['a.ts'])).toBe('');
    git('init', '-q');
    commit('a.ts', 'a', 'one');
    expect(await ask([])).toBe('');
    expect(await recentCommits({ root, paths: ['a.ts'], env: { PATH: '/nowhere' }, timeout_ms: 5000 })).toBe('');
    const slow = join(root, 'slow');
    mkdirSync(slow);
    writeFileSync(join(slow, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    expect(await recentCommits({ root, paths: ['a.ts'], env: { PATH: `${slow}:${process.env['PATH']}` }, timeout_ms: 100 })).toBe('');
    expect(await ask(['a.ts'])).toContain('one');
  });

  test('a commit with an old date does not end the history: the order is git’s', async () => {
    git('init', '-q');
    commit('a.ts', 'a', 'one');
    writeFileSync(join(root, 'a.ts'), 'b');
    git('-c', 'core.hooksPath=/dev/null', 'commit', '-qam', 'rebased from long ago', '--date=2001-02-03T04:05:06Z');
    execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', 'commit', '-q', '--amend', '--no-edit'], { cwd: root, env: { ...env(), GIT_COMMITTER_DATE: '2001-02-03T04:05:06Z' } });
    const lines = commitLines(await ask(['a.ts']), Date.now(), Date.now() + 1000).split('\n').slice(1);
    expect(lines.map((line) => /(?:one|rebased from long ago)/.exec(line)?.[0])).toEqual(['rebased from long ago', 'one']);
    expect(lines[0]).toMatch(/ \d{4} days ago: /);
  });

  test('what was found before time ran out is kept, but for a commit cut short', async () => {
    const slow = join(root, 'slow');
    mkdirSync(slow);
    writeFileSync(join(slow, 'git'), `#!/bin/sh\nprintf '\\036abcdef0\\0371700000000\\037Whole\\037\\037\\n\\n1\\t0\\ta.ts\\n\\036abcdef1\\03717000'\nexec sleep 60\n`, { mode: 0o755 });
    const raw = await recentCommits({ root, paths: ['a.ts'], env: { PATH: `${slow}:${process.env['PATH']}` }, timeout_ms: 1000 });
    expect(commitLines(raw, 1_700_000_000_000, 0)).toContain('Whole [a.ts +1 -0]');
    expect(raw).not.toContain('abcdef1');
  });

  test('a path is a path: neither an option nor a pattern', async () => {
    git('init', '-q');
    commit('a.ts', 'a', 'one');
    expect(await ask(['--output=stolen', ':(glob)*', '*'])).toBe('');
    expect(existsSync(join(root, 'stolen'))).toBe(false);
  });

  test('F3: nothing that the repository configures is run', async () => {
    git('init', '-q');
    writeFileSync(join(root, '.gitattributes'), '* diff=evil filter=evil\n');
    commit('a.ts', 'a', 'one');
    commit('a.ts', 'b', 'two');
    const trap = join(root, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\ntouch '${join(root, 'sprung')}'\nexit 0\n`, { mode: 0o755 });
    for (const hook of ['post-index-change', 'reference-transaction']) writeFileSync(join(root, '.git', 'hooks', hook), `#!/bin/sh\n'${trap}'\n`, { mode: 0o755 });
    appendFileSync(join(root, '.git', 'config'), [
      `[core]\n\tpager = ${trap}\n\tfsmonitor = ${trap}\n\tsshCommand = ${trap}\n\teditor = ${trap}\n\taskPass = ${trap}\n\tgitProxy = ${trap}`,
      `[diff]\n\texternal = ${trap}\n[diff "evil"]\n\tcommand = ${trap}\n\ttextconv = ${trap}\n[filter "evil"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\tprocess = ${trap}`,
      `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${trap}\n[pager]\n\tlog = ${trap}\n[alias]\n\tlog = !${trap}\n[credential]\n\thelper = ${trap}\n`,
    ].join('\n'));
    const text = await ask(['a.ts']);
    expect(text).toContain('two');
    expect(existsSync(join(root, 'sprung'))).toBe(false);
  });

  test('F3: objects that are missing are not fetched', async () => {
    git('init', '-q');
    commit('a.ts', 'one line\n', 'one');
    const trap = join(root, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\ntouch '${join(root, 'sprung')}'\nexit 1\n`, { mode: 0o755 });
    const blob = execFileSync('git', ['rev-parse', 'HEAD:a.ts'], { cwd: root, encoding: 'utf8', env: env() }).trim();
    rmSync(join(root, '.git', 'objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    appendFileSync(join(root, '.git', 'config'), `[remote "origin"]\n\turl = ext::${trap}\n\tpromisor = true\n\tuploadpack = ${trap}\n[protocol "ext"]\n\tallow = always\n[protocol]\n\tallow = always\n`);
    expect(await ask(['a.ts'])).toBe('');
    expect(existsSync(join(root, 'sprung'))).toBe(false);
  });
});
