// Clean sessions of the fourth split.
import { agent, background, edited, peek, red, run, work } from '../fresh/tools.ts';
import type { Maker } from '../maker.ts';
import type { ChapterKind, Step } from '../steps.ts';

export const LATER_KINDS: readonly ChapterKind[] = ['feature', 'feature', 'feature', 'feature', 'fix', 'fix', 'fix', 'fix', 'fix', 'docs', 'question', 'config', 'waived', 'chore'];

/** One task from the request to the last word, without a fault. */
export const laterStory = (maker: Maker, kind: ChapterKind): readonly Step[] => {
  const { random, phrase, pack } = maker;
  const file = random.pick(pack.sources);
  switch (kind) {
    case 'feature': case 'fix': return change(maker, kind === 'feature' ? 'features' : 'fixes', file);
    case 'docs': return [maker.prompt(phrase('docs')), maker.read(random.pick(pack.docs)), maker.docs(random.pick(pack.docs)), maker.claim(phrase('docs_claims')), maker.end()];
    case 'question': return [maker.prompt(phrase('questions', file)), ...looks(maker, file), maker.claim(phrase('answers', file)), maker.end()];
    case 'config': return [maker.prompt(phrase('configs')), maker.settings(random.pick(pack.settings)), maker.claim(phrase('config_claims')), maker.end()];
    case 'waived': return [maker.prompt(phrase('waived', file)), maker.read(file), ...work(maker, random.int(1, 3), file), maker.claim(phrase('waived_claims', file)), maker.end()];
    case 'chore': return [maker.prompt(phrase('chores')), ...random.pick(CHORES)(maker), maker.claim(random.pick(['Seven branches gone, two kept because they are not merged.', 'Mostly stock and orders, see above.', 'Not behind, three ahead.', 'One video of 80 MB, committed twice.'])), maker.end()];
  }
};

const CHORES: readonly ((maker: Maker) => readonly Step[])[] = [
  (maker) => [maker.bash('git for-each-ref --format="%(refname:short) %(committerdate:relative)" refs/heads', 'main 2 hours ago\nold/spike 5 months ago'), maker.bash('git branch -d old/spike', "error: The branch 'old/spike' is not fully merged.", { failed: true }), maker.bash('git log --oneline main..old/spike | wc -l', '4')],
  (maker) => [maker.bash('git log --since=1.week --format="%h %s"', '77aa012 orders: plural\n0d3f8c2 stock: guard'), maker.bash('git diff --stat @{1.week.ago}', ' 9 files changed, 120 insertions(+), 44 deletions(-)')],
  (maker) => [maker.bash('git fetch upstream', 'fatal: unable to access: Could not resolve host: code.example', { failed: true }), maker.bash('git fetch upstream', '', {}), maker.bash('git rev-list --left-right --count upstream/main...HEAD', '0\t3')],
];

const looks = (maker: Maker, file: string): readonly Step[] => [...(maker.random.chance(0.7) ? [maker.say(maker.phrase('looking', file))] : []), maker.read(file), ...Array.from({ length: maker.random.int(0, 3) }, () => (maker.random.chance(0.5) ? peek(maker) : maker.read(maker.random.pick(maker.pack.sources))))];

const change = (maker: Maker, list: 'features' | 'fixes', file: string): readonly Step[] => {
  const { random, phrase, pack } = maker;
  return [
    maker.prompt(phrase(list, file)), ...looks(maker, file),
    ...(random.chance(0.1) ? [maker.say(phrase('changing')), { kind: 'interrupt' as const, key: maker.key(), wait: 7 }, maker.prompt(phrase('redirects'), 20)] : []),
    ...work(maker, random.int(1, 5), file),
    ...(random.chance(0.4) ? [maker.edit(random.pick(pack.tests), 'test-edit')] : []),
    ...(random.chance(0.2) ? [maker.queued(phrase('corrections')), edited(maker, random.pick(pack.sources))] : []),
    ...(random.chance(0.3) ? [maker.redBuild(), edited(maker, file), maker.build()] : random.chance(0.3) ? [maker.lint()] : []),
    ...random.pick(VERIFIED)(maker),
    ...(random.chance(0.2) ? [maker.docs(random.pick(pack.docs))] : []),
    ...(random.chance(0.25) ? [maker.bash('git commit -qam "as asked"', '')] : []),
    maker.claim(phrase('claims', file)), maker.end(),
  ];
};

/** The command in one of the dresses people put it in. */
export const laterSuite = (maker: Maker): string => {
  const { random, pack } = maker;
  const plain = random.pick([pack.suite, pack.suite, ...pack.ways]);
  return random.pick([plain, plain, `${plain} | tee /tmp/last-run.txt`, `set -e; ${plain}`, `(${plain}) && echo fine`, `nice ${plain}`, `cd ${pack.root}; ${plain} 2>&1 | grep -E "fail|ok|pass"`]);
};

const plainly = (maker: Maker): readonly Step[] => [...(maker.random.chance(0.4) ? [maker.say(maker.phrase('running'))] : []), run(maker, laterSuite(maker))];
const VERIFIED: readonly ((maker: Maker) => readonly Step[])[] = [
  plainly, plainly, plainly, plainly, plainly,
  (maker) => [red(maker, maker.pack.suite, maker.random.int(0, 2)), maker.say(maker.phrase('broke')), edited(maker, maker.random.pick(maker.pack.sources)), run(maker, maker.pack.suite)],
  (maker) => background(maker, maker.pack.suite, 'everything', [maker.read(maker.random.pick(maker.pack.sources))], maker.pack.green),
  (maker) => [agent(maker, 'tester', 'check the whole thing', 'Run whatever this repository has for tests and tell me only what is red.', 'Ran all of it twice. Nothing is red.')],
  (maker) => [run(maker, `docker exec -w /app box ${maker.pack.suite}`)],
  (maker) => [run(maker, `for i in 1 2 3; do ${maker.pack.suite} || break; done`)],
];
