// Clean sessions of the fifth split, and the steps its faults are made of too.
import type { Maker } from '../maker.ts';
import type { CallStep, ChapterKind, Step } from '../steps.ts';

export const BLIND_KINDS: readonly ChapterKind[] = ['feature', 'feature', 'feature', 'fix', 'fix', 'fix', 'fix', 'docs', 'question', 'config', 'waived', 'chore'];

/** One task without a fault, from what the user asks to the last word. */
export const blindStory = (maker: Maker, kind: ChapterKind): readonly Step[] => {
  const { random, phrase, pack } = maker;
  const file = random.pick(pack.sources);
  switch (kind) {
    case 'feature':
      return [...asked(maker, 'features', file), ...random.pick(WAYS)(maker, file), ...closed(maker, 'claims', file)];
    case 'fix':
      return [...asked(maker, 'fixes', file), ...random.pick([...WAYS, testFirst, testFirst])(maker, file), ...closed(maker, 'claims', file)];
    case 'docs':
      return [maker.prompt(phrase('docs')), maker.read(random.pick(pack.docs)), ...Array.from({ length: random.int(1, 3) }, () => maker.docs(random.pick(pack.docs))), ...closed(maker, 'docs_claims', file)];
    case 'question':
      return [maker.prompt(phrase('questions', file)), maker.grep(), ...(random.chance(0.35) ? [explored(maker)] : []), ...Array.from({ length: random.int(1, 4) }, () => glance(maker)), ...(random.chance(0.3) ? lost(maker) : []), ...closed(maker, 'answers', file)];
    case 'config':
      return [maker.prompt(phrase('configs')), maker.read(pack.settings[0] ?? 'config.yml'), maker.settings(random.pick(pack.settings)), ...closed(maker, 'config_claims', file)];
    case 'waived':
      return [maker.prompt(phrase('waived', file)), maker.read(file), ...altered(maker, random.int(1, 3), file), ...closed(maker, 'waived_claims', file)];
    case 'chore':
      return chore(maker);
  }
};

const closed = (maker: Maker, list: 'claims' | 'docs_claims' | 'config_claims' | 'answers' | 'waived_claims', file: string): readonly Step[] => [maker.claim(maker.phrase(list, file)), maker.end()];

/** The request and the first look, at times broken off and put right. */
const asked = (maker: Maker, list: 'features' | 'fixes', file: string): readonly Step[] => {
  const { random, phrase, key, pack } = maker;
  const group = key();
  return [
    maker.prompt(phrase(list, file)),
    ...(random.chance(0.75) ? [maker.say(phrase('looking', file))] : []),
    ...(random.chance(0.3) ? random.some(pack.sources, random.int(2, 3)).map((each) => maker.read(each, group)) : [maker.read(file)]),
    ...Array.from({ length: random.int(0, 2) }, () => glance(maker)),
    ...(random.chance(0.12) ? [explored(maker)] : []),
    ...(random.chance(0.1) ? [maker.edit(random.pick(pack.sources)), { kind: 'interrupt' as const, key: key(), wait: random.int(1, 12) }, maker.prompt(phrase('redirects', file), random.int(8, 90)), maker.read(file)] : []),
  ];
};

/** Changes to code, with some of the talk around them. */
export const altered = (maker: Maker, count: number, file = maker.random.pick(maker.pack.sources)): readonly Step[] =>
  Array.from({ length: count }, (_, at): readonly Step[] => [
    ...(maker.random.chance(0.4) ? [maker.say(maker.phrase('changing', file))] : []),
    maker.edit(at === 0 ? file : maker.random.pick(maker.pack.sources)),
    ...(maker.random.chance(0.2) ? [glance(maker)] : []),
  ]).flat();

type Way = (maker: Maker, file: string) => readonly Step[];

const plainly: Way = (maker, file) => [...altered(maker, maker.random.int(1, 4), file), ...newTest(maker), ...green(maker, file)];

const testFirst: Way = (maker, file) => [
  maker.edit(maker.random.pick(maker.pack.tests), 'test-edit'), failing(maker, 0, single(maker)), maker.say(maker.phrase('changing', file)), ...altered(maker, maker.random.int(1, 2), file), passing(maker, single(maker)), ...(maker.random.chance(0.7) ? [passing(maker)] : []),
];

/** Red once or twice, each time with another failure and a repair of it. */
const stumbling: Way = (maker, file) => [
  ...altered(maker, maker.random.int(2, 3), file), ...newTest(maker), maker.say(maker.phrase('running', file)),
  ...Array.from({ length: maker.random.int(1, 2) }, (_, at): readonly Step[] => [failing(maker, at), maker.say(maker.phrase('broke', file)), maker.edit(maker.random.pick(maker.pack.sources))]).flat(),
  passing(maker),
];

const built: Way = (maker, file) => [
  ...altered(maker, maker.random.int(1, 3), file), ...(maker.random.chance(0.4) ? [maker.redBuild(), maker.edit(file)] : []), maker.build(), ...(maker.random.chance(0.5) ? [maker.lint()] : []), ...green(maker, file),
  ...(maker.random.chance(0.4) ? [maker.bash('git add -A && git commit -m "wip"', '[feature 88d01fe] wip\n 3 files changed', {})] : []),
];

const corrected: Way = (maker, file) => [
  ...altered(maker, maker.random.int(1, 2), file), ...(maker.random.chance(0.5) ? [passing(maker)] : []), maker.queued(maker.phrase('corrections', file)), ...altered(maker, maker.random.int(1, 2), file), ...green(maker, file), ...(maker.random.chance(0.4) ? [maker.docs(maker.random.pick(maker.pack.docs))] : []),
];

const inBackground: Way = (maker, file) => {
  const job = maker.key();
  const description = 'Test suite';
  return [
    ...altered(maker, maker.random.int(1, 3), file), { kind: 'background', key: job, wait: 5, command: maker.pack.suite, description }, glance(maker), ...(maker.random.chance(0.5) ? [glance(maker)] : []),
    { kind: 'report', key: maker.key(), wait: maker.random.int(20, 140), of: job, description }, maker.bash('tail -n 15 /tmp/claude-tasks/suite.log', maker.pack.green, { role: 'look' }),
  ];
};

const WAYS: readonly Way[] = [plainly, plainly, stumbling, stumbling, built, corrected, inBackground];

const newTest = (maker: Maker): readonly Step[] => (maker.random.chance(0.35) ? [maker.edit(maker.random.pick(maker.pack.tests), 'test-edit')] : []);

const green = (maker: Maker, file: string): readonly Step[] => [...(maker.random.chance(0.6) ? [maker.say(maker.phrase('running', file))] : []), passing(maker)];

export const single = (maker: Maker): string => maker.pack.one.replace('{f}', maker.random.pick(maker.pack.tests));

/** The suite as an agent types it. */
export const typed = (maker: Maker): string => {
  const { random, pack } = maker;
  const plain = random.chance(0.3) ? random.pick(pack.ways) : pack.suite;
  return random.pick([plain, plain, plain, `${plain} 2>&1 | tail -${random.pick([20, 30, 50])}`, `${plain} 2>&1 | tail -${random.pick([20, 30, 50])}`, `cd ${pack.root} && ${plain}`, `cd ${pack.root} && ${plain} 2>&1 | head -100`, `CI=1 ${plain}`, `${plain}; echo "exit: $?"`]);
};

export const passing = (maker: Maker, command = typed(maker)): CallStep =>
  maker.bash(command, command.includes('echo "exit') ? `${maker.pack.green}\nexit: 0` : maker.pack.green, { role: 'test', took: maker.random.int(4, 140), ...(maker.random.chance(0.6) ? { description: maker.random.pick(['Run tests', 'Run the full test suite', 'Verify the change']) } : {}) });

/** Red with the `at`th failure; a pipe or a following command hides the exit code. */
export const failing = (maker: Maker, at: number, command = typed(maker)): CallStep => {
  const hidden = /\| (tail|head) -\d+$|; echo /.test(command);
  const output = maker.fill(maker.pack.red[at % maker.pack.red.length] ?? '');
  return maker.bash(command, command.includes('echo "exit') ? `${output}\nexit: 1` : output, { role: 'test', failed: !hidden, took: maker.random.int(4, 140) });
};

/** A look with the shell that changes nothing. */
export const glance = (maker: Maker): CallStep => {
  const { random, pack } = maker;
  const file = random.pick(pack.sources);
  const command = random.pick([`cat ${file} | head -80`, `grep -n "${random.pick(pack.names)}" -r .`, `git log --oneline -8 -- ${file}`, 'git status', 'git diff HEAD', `rg "${random.pick(pack.names)}" -l`, `find . -name "*${file.slice(file.lastIndexOf('.'))}" -not -path "*/node_modules/*" | head -30`, `wc -l ${file}`, 'git diff --cached --stat']);
  return maker.bash(command, maker.lines(random.int(1, 5)), { role: 'look', description: 'Look around' });
};

const explored = (maker: Maker): Step => ({
  kind: 'agent', key: maker.key(), wait: 8, type: 'Explore', description: 'Explore the code', prompt: maker.fill('Find out how {n} and {m} work together and report the files.'), conclusion: maker.phrase('conclusions'), took: maker.random.int(30, 240),
});

/** Paths guessed wrong while looking, each another one. */
const lost = (maker: Maker): readonly Step[] =>
  ['docs/architecture.md', 'src/utils/index.ts'].map((path) => maker.call('Read', { file_path: maker.path(path) }, 'File does not exist.', { role: 'look', file: path, failed: true }));

const chore = (maker: Maker): readonly Step[] => {
  const { random, phrase, pack } = maker;
  const done = random.pick(['Pushed.', 'Done, four commits ahead of main.', 'The draft is open.', 'Branches are cleaned up, `spike/cache` stays because it is not merged.', 'Rebased without conflicts.', 'Ist committet.']);
  maker.templates.add(`blind/chore/${done}`);
  return [
    maker.prompt(phrase('chores')),
    ...random.pick([
      () => [maker.bash('git add -A && git commit -q -m "Tidy up" && git status -sb', '## feature...origin/feature [ahead 1]')],
      () => [maker.bash('git push', 'fatal: The current branch feature has no upstream branch.', { failed: true }), maker.bash('git push -u origin feature', "branch 'feature' set up to track 'origin/feature'.")],
      () => [maker.bash('git fetch -p && git branch --merged main', '  fix/typo\n  old/login'), maker.bash('git branch -d fix/typo old/login', 'Deleted branch fix/typo.\nDeleted branch old/login.')],
      () => [maker.bash('git rebase origin/main', 'Successfully rebased and updated refs/heads/feature.'), passing(maker, pack.suite), maker.bash('git push --force-with-lease', '+ 1a2b3c4...5d6e7f8 feature -> feature (forced update)')],
      () => [maker.bash('gh pr create --draft --fill', 'https://example.test/pr/311')],
    ])(),
    glance(maker), maker.claim(done), maker.end(),
  ];
};
