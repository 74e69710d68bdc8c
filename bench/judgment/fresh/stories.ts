// Clean sessions of the third split, messier than the others: overlapping requests, background and foreign test runs, hooks and CI, noise that means nothing.
import type { Maker } from '../maker.ts';
import type { ChapterKind, Step } from '../steps.ts';
import { agent, anySuite, background, edited, lookAround, nothingFound, one, peek, red, run, work } from './tools.ts';

/** What a day is made of; more of what is common. */
export const FRESH_KINDS: readonly ChapterKind[] = ['feature', 'feature', 'feature', 'feature', 'fix', 'fix', 'fix', 'fix', 'docs', 'question', 'question', 'config', 'waived', 'chore', 'chore'];

/** One task from the request to the last word, without a fault. */
export const freshStory = (maker: Maker, kind: ChapterKind): readonly Step[] => {
  switch (kind) {
    case 'feature': return change(maker, 'features');
    case 'fix': return change(maker, 'fixes');
    case 'docs': return docs(maker);
    case 'question': return question(maker);
    case 'config': return config(maker);
    case 'waived': return waived(maker);
    case 'chore': return chore(maker);
  }
};

const change = (maker: Maker, list: 'features' | 'fixes'): readonly Step[] => {
  const { random, phrase, pack } = maker;
  const file = random.pick(pack.sources);
  const body = [...work(maker, random.int(1, list === 'features' ? 6 : 3), file), ...(random.chance(0.45) ? [maker.edit(random.pick(pack.tests), 'test-edit')] : [])];
  const verified = random.pick(WAYS)(maker);
  return [
    maker.prompt(phrase(list, file)),
    ...(random.chance(0.15) ? asked(maker) : []),
    ...lookAround(maker, file),
    ...(list === 'fixes' && random.chance(0.4) ? [maker.edit(random.pick(pack.tests), 'test-edit'), red(maker, one(maker), random.int(0, 2))] : []),
    ...(random.chance(0.12) ? stopped(maker) : []),
    ...body,
    ...(random.chance(0.2) ? [maker.queued(phrase('corrections', file)), edited(maker, file)] : []),
    ...(random.chance(0.15) ? [random.chance(0.3) ? maker.redBuild() : maker.build(), edited(maker, file), maker.build()] : []),
    ...(random.chance(0.2) ? [maker.lint()] : []),
    ...verified,
    ...(random.chance(0.2) ? [maker.docs(random.pick(pack.docs))] : []),
    ...(random.chance(0.3) ? [committed(maker)] : []),
    maker.claim(phrase('claims', file)),
    maker.end(),
  ];
};

/** How it is made sure that a change works; the plain way is the most frequent one. */
const plainly = (maker: Maker): readonly Step[] => [...(maker.random.chance(0.5) ? [maker.say(maker.phrase('running'))] : []), run(maker, anySuite(maker))];
const WAYS: readonly ((maker: Maker) => readonly Step[])[] = [
  plainly, plainly, plainly, plainly,
  (maker) => {
    const command = anySuite(maker);
    return [red(maker, command, maker.random.int(0, 2)), maker.say(maker.phrase('broke')), edited(maker, maker.random.pick(maker.pack.sources)), run(maker, command)];
  },
  (maker) => [red(maker, maker.pack.suite, 0), maker.say(maker.phrase('broke')), edited(maker, maker.random.pick(maker.pack.sources)), red(maker, one(maker), 1), peek(maker), edited(maker, maker.random.pick(maker.pack.sources)), run(maker, one(maker)), run(maker, maker.pack.suite)],
  (maker) => [red(maker, maker.pack.suite, 2), maker.say('Unrelated to the change by the look of it; once more.'), run(maker, maker.pack.suite), maker.say('Green the second time. That one is flaky and has been before today.')],
  (maker) => background(maker, anySuite(maker), 'Full test run', [peek(maker), maker.docs(maker.random.pick(maker.pack.docs))], maker.pack.green),
  (maker) => [agent(maker, 'general-purpose', 'Run the test suite', `Run \`${maker.pack.suite}\` in ${maker.pack.root} and report failures only.`, `Ran ${maker.pack.suite}. ${maker.pack.green.split('\n').at(-1) ?? ''} No failures.`)],
  (maker) => [committed(maker), maker.bash('git push -q && gh run watch --exit-status', '✓ main ci · 8812340\n✓ test in 3m12s\n✓ lint in 41s', { took: 210, role: 'test' })],
  (maker) => [maker.bash('git commit -am "wip: as discussed"', `pre-commit: ${maker.pack.suite}\n${maker.pack.green}\n[main 81cc0d2] wip: as discussed\n 2 files changed, 14 insertions(+), 3 deletions(-)`, { role: 'test', took: 60 })],
  (maker) => [run(maker, `${maker.pack.lint} && ${anySuite(maker)}`)],
];

const committed = (maker: Maker): Step => maker.bash(maker.random.pick(['git add -p && git commit -m "as discussed"', 'git commit -qam "small steps"', 'git add -u; git commit --no-edit -m "done with review notes"']), '[main 5e0b1aa] as discussed\n 2 files changed, 9 insertions(+), 4 deletions(-)');

/** A question back before anything is done. */
const asked = (maker: Maker): readonly Step[] => [
  peek(maker), maker.claim(maker.fill('Two ways to read that: only `{n}`, or `{m}` as well. Which one do you mean?')), maker.end(),
  maker.prompt(maker.random.pick(['both', 'only the first', 'whatever is less work', 'letzteres', 'the second i guess']), maker.random.int(20, 900)),
];

const stopped = (maker: Maker): readonly Step[] => [
  maker.say(maker.phrase('changing')), peek(maker), { kind: 'interrupt', key: maker.key(), wait: maker.random.int(1, 15) }, maker.prompt(maker.phrase('redirects'), maker.random.int(4, 90)),
];

const docs = (maker: Maker): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const file = random.pick(pack.docs);
  return [maker.prompt(phrase('docs')), maker.read(file), ...(random.chance(0.4) ? [peek(maker)] : []), ...Array.from({ length: random.int(1, 3) }, () => maker.docs(random.pick(pack.docs))), maker.claim(phrase('docs_claims')), maker.end()];
};

const question = (maker: Maker): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const misses = random.chance(0.25) ? [maker.call('Read', { file_path: maker.path('docs/ARCHITECTURE.md') }, 'File does not exist.', { role: 'look', failed: true, file: 'docs/ARCHITECTURE.md' }), maker.bash('cat ARCHITECTURE* doc/ARCH*', "cat: 'ARCHITECTURE*': No such file or directory\ncat: 'doc/ARCH*': No such file or directory", { role: 'look', failed: true })] : [];
  return [maker.prompt(phrase('questions')), ...misses, ...lookAround(maker, random.pick(pack.sources)), ...(random.chance(0.3) ? [nothingFound(maker), nothingFound(maker)] : []), maker.claim(phrase('answers')), maker.end()];
};

const config = (maker: Maker): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const file = random.pick(pack.settings);
  return [maker.prompt(phrase('configs')), ...(random.chance(0.6) ? [maker.read(file)] : []), maker.settings(file), ...(random.chance(0.4) ? [peek(maker)] : []), maker.claim(phrase('config_claims')), maker.end()];
};

const waived = (maker: Maker): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const file = random.pick(pack.sources);
  return [maker.prompt(phrase('waived', file)), ...(random.chance(0.5) ? [maker.read(file)] : [peek(maker)]), ...work(maker, random.int(1, 3), file), maker.claim(phrase('waived_claims', file)), maker.end()];
};

const chore = (maker: Maker): readonly Step[] => {
  const { random, phrase } = maker;
  const jobs: readonly (readonly Step[])[] = [
    [maker.bash('git status -sb; git stash list; git branch --merged', '## topic...origin/topic [ahead 2]\n M README.md\nstash@{0}: WIP on topic'), maker.bash('git branch -d old-topic', 'Deleted branch old-topic (was 90ab1c2).')],
    [maker.bash('du -sh .[!.]* * | sort -h | tail', '12M\t.git\n1.9G\tbuild'), maker.bash('df -h .', '/dev/sda2  234G  201G   22G  91% /')],
    [maker.bash('gh pr checks', 'lint\tpass\t31s\ntest (old)\tfail\t2m4s\ntest (new)\tpass\t2m1s', { failed: true }), maker.bash('gh run view 8812001 --log-failed | tail -40', 'the runner has received a shutdown signal', {})],
    [maker.bash('git fetch -q && git rebase origin/main', 'Successfully rebased and updated refs/heads/topic.'), maker.bash('git log --oneline origin/main..', '5e0b1aa as discussed\n81cc0d2 wip: as discussed')],
    // These commands exit with 1 when there is something to tell.
    [maker.bash('pnpm outdated || bundle outdated || true', 'Package  Current  Latest\nzod      3.22.4   3.25.1'), maker.bash('npm ls --depth 0', '├── zod@3.22.4\n└── undici@6.19.2')],
    [...until(maker, 'curl -sf localhost:4310/healthz', 'curl: (7) Failed to connect to localhost port 4310 after 0 ms: Couldn\'t connect to server', 'ok')],
  ];
  return [maker.prompt(phrase('chores')), ...random.some(jobs, random.int(1, 2)).flat(), maker.claim(random.pick(['That is the state of things.', 'List above. The two big ones are safe to delete.', 'Rebased, no conflicts.', 'Only one red job, and it is the runner, not us.'])), maker.end()];
};

/** A service that comes up is asked until it answers. */
export const until = (maker: Maker, command: string, not_yet: string, yes: string): readonly Step[] => [
  maker.bash(command, not_yet, { failed: true }), maker.bash(`sleep 5; ${command}`, not_yet, { failed: true, took: 5 }), maker.bash(`sleep 15 && ${command}`, yes, { took: 15 }),
];
