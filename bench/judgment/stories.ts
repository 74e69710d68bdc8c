// Base sessions without a fault: several tasks with all that real work has, always tested after the last change unless the user said otherwise.
import { BLIND_KINDS, blindStory } from './blind/stories.ts';
import { FRESH_KINDS, freshStory } from './fresh/stories.ts';
import { LATER_KINDS, laterStory } from './later/stories.ts';
import { openMaker, type Maker } from './maker.ts';
import { packsOf } from './packs.ts';
import { makeRandom } from './random.ts';
import type { Chapter, ChapterKind, Session, Split, Step } from './steps.ts';
import { UNSEEN_KINDS, unseenStory } from './unseen/stories.ts';

/** The `index`th clean session of a split. */
export const baseSession = (split: Split, index: number, seed: number): Session => {
  const id = `${split}-${seed}-${index}`;
  const random = makeRandom(id);
  const packs = packsOf(split);
  const pack = packs[index % packs.length] ?? random.pick(packs);
  const maker = openMaker('s', pack, split, random);
  const told = (kind: ChapterKind): readonly Step[] => (split === 'fresh' ? freshStory(maker, kind) : split === 'later' ? laterStory(maker, kind) : split === 'blind' ? blindStory(maker, kind) : split === 'unseen' ? unseenStory(maker, kind) : story[kind](maker));
  // From a short task to a long day.
  const count = index % 10 < 2 ? 1 : index % 10 < 6 ? random.int(2, 4) : random.int(5, 13);
  const chapters: Chapter[] = [];
  for (let at = 0; at < count || lengthOf(chapters) < SHORTEST; at += 1) {
    const kind = at === 0 && count < 3 ? random.pick(['feature', 'fix'] as const) : random.pick(KINDS_OF[split]);
    chapters.push({ kind, steps: [...opening(maker, at, kind), ...told(kind)] });
  }
  // Someone has to change code for there to be anything to judge.
  if (!chapters.some(({ kind }) => kind === 'feature' || kind === 'fix')) chapters.push({ kind: 'feature', steps: told('feature') });
  return { id, split, pack: pack.id, root: pack.root, chapters, templates: [...maker.templates].sort() };
};

// Steps; records are nearly twice as many.
const SHORTEST = 20;
const lengthOf = (chapters: readonly Chapter[]): number => chapters.reduce((sum, { steps }) => sum + steps.length, 0);

const KINDS: readonly ChapterKind[] = ['feature', 'feature', 'feature', 'fix', 'fix', 'fix', 'docs', 'question', 'config', 'waived', 'chore'];

const KINDS_OF: Readonly<Record<Split, readonly ChapterKind[]>> = { train: KINDS, test: KINDS, fresh: FRESH_KINDS, later: LATER_KINDS, blind: BLIND_KINDS, unseen: UNSEEN_KINDS };

/** What may stand before a task: the host started again after a break, or the conversation compacted. */
const opening = ({ random, key }: Maker, at: number, kind: ChapterKind): readonly Step[] => {
  if (at === 0 || kind === 'question') return [];
  if (random.chance(0.12)) return [{ kind: 'resume', key: key(), wait: random.int(2000, 30_000) }];
  return random.chance(0.06) ? [{ kind: 'compact', key: key(), wait: 5 }] : [];
};

const story: Readonly<Record<ChapterKind, (maker: Maker) => readonly Step[]>> = {
  feature: (maker) => {
    const { random, phrase, pack } = maker;
    const file = random.pick(pack.sources);
    return [
      maker.prompt(phrase('features', file)),
      ...(random.chance(0.25) ? todo(maker) : []),
      ...looks(maker, file),
      ...(random.chance(0.2) ? [survey(maker)] : []),
      ...changes(maker, file, random.int(2, 5)),
      ...(random.chance(0.3) ? [maker.queued(phrase('corrections', file)), maker.edit(random.pick(pack.sources))] : []),
      ...(random.chance(0.6) ? [maker.edit(random.pick(pack.tests), 'test-edit')] : []),
      ...(random.chance(0.4) ? builds(maker) : []),
      ...tested(maker, file),
      ...(random.chance(0.3) ? [maker.docs(random.pick(pack.docs))] : []),
      maker.claim(phrase('claims', file)),
      maker.end(),
    ];
  },
  fix: (maker) => {
    const { random, phrase, pack } = maker;
    const file = random.pick(pack.sources);
    return [
      maker.prompt(phrase('fixes', file)),
      ...looks(maker, file),
      ...(random.chance(0.5) ? [maker.edit(random.pick(pack.tests), 'test-edit'), maker.redTest(pack.one.replace('{f}', random.pick(pack.tests)))] : []),
      ...(random.chance(0.25) ? strayed(maker) : []),
      ...changes(maker, file, random.int(1, 3)),
      ...tested(maker, file),
      ...(random.chance(0.2) ? [maker.bash('git commit -am "Repair it"', '[main 4f2a1c] Repair it')] : []),
      maker.claim(phrase('claims', file)),
      maker.end(),
    ];
  },
  docs: (maker) => {
    const { random, phrase, pack } = maker;
    return [
      maker.prompt(phrase('docs')), maker.read(random.pick(pack.docs)), ...(random.chance(0.5) ? [maker.grep()] : []),
      ...Array.from({ length: random.int(1, 4) }, () => maker.docs(random.pick(pack.docs))),
      maker.claim(phrase('docs_claims')), maker.end(),
    ];
  },
  question: (maker) => {
    const { random, phrase, pack } = maker;
    return [
      maker.prompt(phrase('questions')), ...looks(maker, random.pick(pack.sources)), ...(random.chance(0.4) ? missing(maker) : []), ...(random.chance(0.3) ? [survey(maker)] : []),
      maker.claim(phrase('answers')), maker.end(),
    ];
  },
  config: (maker) => {
    const { random, phrase, pack } = maker;
    const file = random.pick(pack.settings);
    return [maker.prompt(phrase('configs')), maker.read(file), maker.settings(file), ...(random.chance(0.5) ? [maker.looking()] : []), maker.claim(phrase('config_claims')), maker.end()];
  },
  waived: (maker) => {
    const { random, phrase, pack } = maker;
    const file = random.pick(pack.sources);
    return [maker.prompt(phrase('waived', file)), maker.read(file), ...changes(maker, file, random.int(2, 3)), maker.claim(phrase('waived_claims', file)), maker.end()];
  },
  chore: (maker) => {
    const { random, phrase } = maker;
    const job = maker.key();
    return [
      maker.prompt(phrase('chores')), maker.looking(), maker.bash('git add -A && git status --short', 'M  one\nM  two'),
      ...(random.chance(0.4)
        ? [{ kind: 'background' as const, key: job, wait: 6, command: maker.pack.lint, description: 'Lint everything' }, maker.looking(), { kind: 'report' as const, key: maker.key(), wait: 40, of: job, description: 'Lint everything' }]
        : [maker.bash('git push origin HEAD', 'To origin\n   4f2a1c..91be02')]),
      maker.claim(random.chance(0.5) ? 'Committed and pushed.' : 'The branch is in order.'), maker.end(),
    ];
  },
};

const looks = (maker: Maker, file: string): readonly Step[] => {
  const { random, pack } = maker;
  const group = maker.key();
  const parallel = random.chance(0.35);
  return [
    maker.say(maker.phrase('looking', file)),
    ...(parallel ? random.some(pack.sources, random.int(2, 3)).map((each) => maker.read(each, group)) : [maker.read(file)]),
    ...Array.from({ length: random.int(0, 3) }, () => random.pick([maker.grep, maker.glob, maker.looking])()),
  ];
};

const changes = (maker: Maker, file: string, count: number): readonly Step[] =>
  Array.from({ length: count }, (_, at) => at).flatMap((at) => [
    ...(maker.random.chance(0.5) ? [maker.say(maker.phrase('changing', file))] : []),
    at > 0 && maker.random.chance(0.15) ? maker.write(maker.fill('src/new-{k}').concat(ending(file))) : maker.edit(at === 0 ? file : maker.random.pick(maker.pack.sources)),
    ...(maker.random.chance(0.25) ? [maker.read(maker.random.pick(maker.pack.sources))] : []),
  ]);

const ending = (file: string): string => file.slice(file.lastIndexOf('.'));

/** The suite at the end; red at first in every third case, with repairs in between that change what fails. */
const tested = (maker: Maker, file: string): readonly Step[] => {
  const { random, pack } = maker;
  const command = random.chance(0.2) ? random.pick(pack.ways) : random.chance(0.2) ? pack.one.replace('{f}', random.pick(pack.tests)) : pack.suite;
  const rounds = random.chance(0.35) ? random.int(1, 2) : 0;
  return [
    maker.say(maker.phrase('running', file)),
    ...Array.from({ length: rounds }, (_, at) => [maker.redTest(command, at), maker.say(maker.phrase('broke', file)), maker.edit(random.pick(pack.sources))]).flat(),
    maker.test(command, random.chance(0.5)),
  ];
};

const builds = (maker: Maker): readonly Step[] =>
  maker.random.chance(0.3) ? [maker.redBuild(), maker.edit(maker.random.pick(maker.pack.sources)), maker.build()] : [maker.build()];

/** Files that are not there: harmless failures while looking around. */
const missing = (maker: Maker): readonly Step[] =>
  maker.random.some(maker.pack.sources, 2).map((file) => {
    const path = maker.path(file.replace('src', 'source').replace('lib', 'libs').replace('.', '_old.'));
    return maker.call('Read', { file_path: path }, `File does not exist. Note: your current working directory is ${maker.pack.root}.`, { role: 'look', file: path, failed: true });
  });

/** The user stops the agent and points elsewhere. */
const strayed = (maker: Maker): readonly Step[] => {
  const { random, pack, phrase, key } = maker;
  return [maker.say(phrase('changing')), maker.read(random.pick(pack.sources)), { kind: 'interrupt', key: key(), wait: random.int(2, 20) }, maker.prompt(phrase('redirects'), random.int(5, 60)), maker.say(phrase('looking'))];
};

const survey = (maker: Maker): Step => ({
  kind: 'agent', key: maker.key(), wait: maker.random.int(5, 20), type: 'Explore', description: 'Survey the callers', prompt: maker.fill('Find every use of {n} and say what is missing.'),
  conclusion: maker.phrase('conclusions'), took: maker.random.int(30, 200),
});

const todo = (maker: Maker): readonly Step[] => [
  maker.call('TodoWrite', { todos: ['Look at it', 'Change it', 'Test it'].map((content, at) => ({ content, status: at === 0 ? 'in_progress' : 'pending', activeForm: content })) }, 'Todos have been modified successfully.'),
];
