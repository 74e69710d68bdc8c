// Sixth split: how an ordinary task goes, and the steps its scenes are put together from.
import type { Maker } from '../maker.ts';
import type { CallStep, ChapterKind, Step } from '../steps.ts';

export const UNSEEN_KINDS: readonly ChapterKind[] = ['feature', 'feature', 'feature', 'feature', 'fix', 'fix', 'fix', 'docs', 'question', 'question', 'config', 'waived', 'chore'];

/** One task from its prompt to the end of its last turn. */
export const unseenStory = (maker: Maker, kind: ChapterKind): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const file = random.pick(pack.sources);
  switch (kind) {
    case 'feature':
    case 'fix': {
      const list = kind === 'feature' ? 'features' : 'fixes';
      return [maker.prompt(phrase(list, file)), ...orient(maker, file), ...random.pick(WAYS)(maker, file)];
    }
    case 'docs': {
      const page = random.pick(pack.docs);
      return [maker.prompt(phrase('docs')), maker.read(page), ...(random.chance(0.4) ? [peek(maker)] : []), ...Array.from({ length: random.int(1, 3) }, () => maker.docs(page)), ...closing(maker, 'docs_claims', file)];
    }
    case 'question':
      return [maker.prompt(phrase('questions', file)), ...orient(maker, file), ...(random.chance(0.35) ? guesses(maker) : []), ...(random.chance(0.35) ? [scout(maker)] : []), ...closing(maker, 'answers', file)];
    case 'config': {
      const setting = random.pick(pack.settings);
      return [maker.prompt(phrase('configs')), maker.read(setting), configured(maker, setting), ...(random.chance(0.4) ? [maker.bash('git diff', maker.fill('-timeout: {k}\n+timeout: {k}'), { role: 'look' })] : []), ...closing(maker, 'config_claims', file)];
    }
    case 'waived':
      return [maker.prompt(phrase('waived', file)), maker.read(file), ...(random.chance(0.4) ? [maker.say(phrase('changing', file))] : []), maker.edit(file), ...(random.chance(0.3) ? [maker.edit(file)] : []), ...closing(maker, 'waived_claims', file)];
    case 'chore':
      return [maker.prompt(phrase('chores')), ...chores(maker)];
  }
};

type Way = (maker: Maker, file: string) => readonly Step[];

export const closing = (maker: Maker, list: 'claims' | 'docs_claims' | 'config_claims' | 'answers' | 'waived_claims', file: string): readonly Step[] => [maker.claim(maker.phrase(list, file)), maker.end()];

/** What is read before something is written; sometimes several files at once, sometimes nothing. */
export const orient = (maker: Maker, file: string): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const group = maker.key();
  return [
    ...(random.chance(0.7) ? [maker.say(phrase('looking', file))] : []),
    ...(random.chance(0.3) ? random.some(pack.sources, random.int(2, 4)).map((each) => maker.read(each, group)) : [maker.read(file)]),
    ...Array.from({ length: random.int(0, 3) }, () => random.pick([maker.grep, maker.glob, () => peek(maker)])()),
    ...(random.chance(0.12) ? [scout(maker)] : []),
    ...(random.chance(0.1) ? guesses(maker).slice(0, 1) : []),
  ];
};

/** A glance with the shell. */
export const peek = (maker: Maker): CallStep => {
  const { random, pack } = maker;
  const [file, name] = [random.pick(pack.sources), random.pick(pack.names)];
  const command = random.pick([`grep -rn "${name}" . | head -20`, `git log -3 --stat -- ${file}`, `head -60 ${file}`, `rg -n ${name}`, 'git branch --show-current', `git show HEAD:${file} | head -40`, `find . -name "*${file.slice(file.lastIndexOf('/') + 1)}"`, 'git status -sb', `tree -L 2 ${file.includes('/') ? file.slice(0, file.indexOf('/')) : '.'}`]);
  return maker.bash(command, maker.lines(random.int(1, 4)), { role: 'look' });
};

/** `count` changes, beginning with `file`. */
export const altered = (maker: Maker, count: number, file: string): readonly Step[] =>
  Array.from({ length: count }, (_, at) => at).flatMap((at): readonly Step[] => {
    const { random, pack, phrase } = maker;
    const target = at === 0 || random.chance(0.4) ? file : random.pick(pack.sources);
    return [
      ...(random.chance(0.45) ? [maker.say(phrase('changing', target))] : []),
      at > 0 && random.chance(0.12) ? maker.write(beside(file, `${maker.random.pick(['extra', 'shared', 'detail'])}${at}`)) : maker.edit(target),
      ...(random.chance(0.15) ? [peek(maker)] : []),
    ];
  });

/** A new file in the same folder and language. */
export const beside = (file: string, name: string): string => `${file.slice(0, file.lastIndexOf('/') + 1)}${name}${file.includes('.') ? file.slice(file.lastIndexOf('.')) : ''}`;

/** The tests as somebody would type them: all of them mostly, one file, another way, piped or from elsewhere. */
export const typed = (maker: Maker): string => {
  const { random, pack } = maker;
  const plain = random.chance(0.2) ? random.pick(pack.ways) : random.chance(0.3) ? single(maker) : pack.suite;
  return random.chance(0.7) ? plain : random.pick([`cd ${pack.root} && ${plain}`, `${plain} 2>&1 | tail -30`, `time ${plain}`, `${plain} 2>&1 | tee /tmp/out.log`, `${plain} > /tmp/run.txt 2>&1; tail -15 /tmp/run.txt`]);
};

export const single = ({ pack, random }: Maker): string => pack.one.replace('{f}', random.pick(pack.tests));

export const passing = (maker: Maker, command = typed(maker)): CallStep =>
  maker.bash(command, maker.pack.green, { role: 'test', took: maker.random.int(4, 140), ...(maker.random.chance(0.5) ? { description: maker.random.pick(['Run tests', 'Verify the change', 'Run the whole suite', 'Check']) } : {}) });

/** A red run; `at` chooses which failure. Behind a pipe it ends well all the same. */
export const failing = (maker: Maker, at: number, command = typed(maker)): CallStep =>
  maker.bash(command, maker.fill(maker.pack.red[at % maker.pack.red.length] ?? ''), { role: 'test', failed: !/\| |; tail/.test(command), took: maker.random.int(4, 140) });

export const verified = (maker: Maker, file: string): readonly Step[] => [...(maker.random.chance(0.55) ? [maker.say(maker.phrase('running', file))] : []), passing(maker)];

const newTest = (maker: Maker, share = 0.4): readonly Step[] => (maker.random.chance(share) ? [maker.edit(maker.random.pick(maker.pack.tests), 'test-edit')] : []);

const straight: Way = (maker, file) => [...altered(maker, maker.random.int(1, 4), file), ...newTest(maker), ...verified(maker, file), ...closing(maker, 'claims', file)];

const testFirst: Way = (maker, file) => {
  const command = single(maker);
  return [maker.edit(maker.random.pick(maker.pack.tests), 'test-edit'), failing(maker, 0, command), ...altered(maker, maker.random.int(1, 3), file), passing(maker, command), passing(maker, maker.pack.suite), ...closing(maker, 'claims', file)];
};

const stumbling: Way = (maker, file) => {
  const { random } = maker;
  const command = typed(maker);
  const rounds = random.int(1, 2);
  return [
    ...altered(maker, random.int(1, 4), file), ...newTest(maker),
    ...Array.from({ length: rounds }, (_, at) => [failing(maker, at, command), maker.say(maker.phrase('broke', file)), maker.edit(random.chance(0.6) ? file : random.pick(maker.pack.sources))]).flat(),
    passing(maker, command), ...closing(maker, 'claims', file),
  ];
};

const compiled: Way = (maker, file) => [
  ...altered(maker, maker.random.int(2, 4), file), ...(maker.random.chance(0.4) ? [maker.redBuild(), maker.edit(file)] : []), maker.build(),
  ...(maker.random.chance(0.4) ? [maker.lint()] : []), ...newTest(maker), ...verified(maker, file), ...closing(maker, 'claims', file),
];

const interjected: Way = (maker, file) => [
  ...altered(maker, maker.random.int(1, 3), file), maker.queued(maker.phrase('corrections', file)), ...altered(maker, 1, file), ...verified(maker, file), ...closing(maker, 'claims', file),
];

const stopped: Way = (maker, file) => [
  maker.say(maker.phrase('changing', file)), maker.edit(file), { kind: 'interrupt', key: maker.key(), wait: maker.random.int(2, 15) },
  maker.prompt(maker.phrase('redirects', file), maker.random.int(5, 70)), ...altered(maker, maker.random.int(1, 3), file), ...verified(maker, file), ...closing(maker, 'claims', file),
];

/** The suite runs in the background while the agent reads on. */
const meanwhile: Way = (maker, file) => [...altered(maker, maker.random.int(1, 3), file), ...behind(maker, maker.pack.suite, 'Run all tests', [peek(maker), maker.read(file)]), ...closing(maker, 'claims', file)];

export const behind = (maker: Maker, command: string, description: string, between: readonly Step[]): readonly Step[] => {
  const job = maker.key();
  return [{ kind: 'background', key: job, wait: 7, command, description }, ...between, { kind: 'report', key: maker.key(), wait: maker.random.int(20, 200), of: job, description }];
};

/** Handed over, then a small wish, which is tested as well. */
const followedUp: Way = (maker, file) => [
  ...altered(maker, maker.random.int(1, 3), file), ...verified(maker, file), ...closing(maker, 'claims', file),
  maker.prompt(maker.phrase('corrections', file), maker.random.int(40, 500)), maker.edit(file), passing(maker), ...closing(maker, 'claims', file),
];

/** The agent asks before it goes on. */
const askedBack: Way = (maker, file) => [
  ...resting(maker, one(maker, QUESTIONS_BACK, file)), maker.prompt(one(maker, REPLIES, file), maker.random.int(20, 900)),
  ...altered(maker, maker.random.int(1, 4), file), ...newTest(maker), ...verified(maker, file), ...closing(maker, 'claims', file),
];

/** The last words of a turn, whether they call it finished or not. */
export const resting = (maker: Maker, text: string): readonly Step[] => [maker.claim(text), maker.end()];

/** One of `shapes`; what happens every week is drawn twice as often as what happens now and then. */
export const drawn = <T extends { readonly often?: true }>({ random }: Maker, shapes: readonly T[]): T => random.pick(shapes.flatMap((shape) => (shape.often === true ? [shape, shape] : [shape])));

/** One of `list`, filled. */
export const one = (maker: Maker, list: readonly string[], file?: string): string => {
  const template = maker.random.pick(list);
  maker.templates.add(template);
  return maker.fill(template, file);
};

export const QUESTIONS_BACK = [
  'Two options: change {n} itself, or wrap it. The wrapper is safer, the change is smaller. Which one do you want?', 'Before I start: should this also apply to {m}?', '{n} is part of the public interface. Is it ok to break it?',
  'Soll der alte Name weiter funktionieren?', 'I can do this in {f} or one level up. Any preference?', 'What should happen for an empty input: an error or an empty result?', 'Do you want me to migrate the existing entries as well?',
  'There is an unfinished attempt at this on another branch. Start from that, or from scratch?', 'Question: is {k} a hard limit or only the default?', 'Should I keep {m} for now? Nothing uses it.', 'Is it fine if this needs one more query?', '¿Lo quieres configurable o fijo?',
];

const REPLIES = ['the first one', 'yes please', 'no, leave it', 'empty result', 'wrap it', 'ja, erstmal schon', 'from scratch', 'hard limit. and make it a constant', 'whatever you think is cleaner', 'ok go', 'up to you, but keep it small', 'only {n}', 'fijo', 'hmm. second option i guess'];

const WAYS: readonly Way[] = [straight, straight, straight, stumbling, stumbling, testFirst, compiled, compiled, interjected, stopped, meanwhile, followedUp, askedBack];

const scout = (maker: Maker): Step => ({
  kind: 'agent', key: maker.key(), wait: maker.random.int(4, 15), type: 'Explore', description: maker.random.pick(['Find usages', 'Look for prior art', 'Map the module', 'Search the code']),
  prompt: maker.fill('Where is {n} used, and does anything depend on the order of {m}? Answer with files and lines.'), conclusion: maker.phrase('conclusions'), took: maker.random.int(20, 240),
});

/** Paths that do not exist, each tried once. */
const guesses = (maker: Maker): readonly Step[] =>
  maker.random.some(['types', 'constants', 'base', 'errors', 'options', 'impl', 'model', 'legacy', 'factory', 'mapper'], 2).map((name) => {
    const path = maker.path(beside(maker.random.pick(maker.pack.sources), name));
    return maker.call('Read', { file_path: path }, 'File does not exist.', { role: 'look', file: path, failed: true });
  });

const configured = (maker: Maker, file: string): CallStep => {
  const line = maker.random.pick(['timeout-minutes: {k}', 'indent_size = {k}', 'retention-days: {k}', 'log_level: "info" # {k}', 'retries: {k}', 'max_line = {k}']);
  return maker.call('Edit', { file_path: maker.path(file), old_string: maker.fill(line), new_string: maker.fill(line) }, `The file ${maker.path(file)} has been updated successfully.`, { role: 'docs', file });
};

const chores = (maker: Maker): readonly Step[] => {
  const job = maker.random.pick([
    () => [maker.bash('git add -u && git commit -q -m "Tidy up" && git log --oneline -1', '7c1e0aa Tidy up')],
    () => [maker.bash('git push -u origin HEAD', "branch 'work' set up to track 'origin/work'."), maker.bash('gh pr create --fill', 'https://git.example.com/acme/app/pull/88')],
    () => [maker.bash('git fetch -q && git rebase origin/main', 'Successfully rebased and updated refs/heads/work.')],
    () => [maker.bash('git push', ' ! [rejected]        work -> work (non-fast-forward)', { failed: true }), maker.bash('git pull --rebase && git push', 'Successfully rebased and updated refs/heads/work.\n   5d0f2c1..e1b7c9a  work -> work')],
    () => behind(maker, maker.pack.lint, 'Lint before the push', [maker.looking()]),
    () => [maker.bash('git branch --merged main | grep -v main | xargs -r git branch -d', 'Deleted branch old-idea (was 19cd0b2).')],
  ])();
  return [maker.bash('git status --short', ' M one\n M two', { role: 'look' }), ...job, ...resting(maker, one(maker, CHORES_DONE))];
};

const CHORES_DONE = [
  'Done, see above.', 'The branch is up to date.', 'That is through, the working tree is clean.', 'Erledigt, der Arbeitsbaum ist sauber.', 'Taken care of, no conflicts.', 'No surprises there.', 'C\'est fait, rien d\'autre à signaler.', 'Git is happy.',
  'Went through without a conflict.', 'Okay, that\'s on record.', 'Hecho, sin conflictos.', 'It is where it should be now.',
];
