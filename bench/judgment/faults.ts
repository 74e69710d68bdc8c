// Twins: exactly one fault put into a clean session, the same place without it, and places that only look like it. All equally long.
import { commandFaults } from './faults-commands.ts';
import { meaningFaults } from './faults-meaning.ts';
import { neighbourFaults } from './faults-neighbours.ts';
import { testFaults } from './faults-tests.ts';
import { openMaker, type Maker } from './maker.ts';
import { packsOf } from './packs.ts';
import { makeRandom } from './random.ts';
import type { CallStep, Chapter, Session, Split, Step } from './steps.ts';

export type FaultName =
  | 'repeated-command'
  | 'tests-never-run'
  | 'tests-not-after-last-edit'
  | 'retry-loop'
  | 'same-file'
  | 'version-not-deployed'
  | 'docs-untouched'
  | 'constraint-broken'
  | 'goal-drift'
  | 'prior-art-rebuilt'
  | 'removal-re-added'
  | 'claim-contradicted';

export type Fault = {
  readonly name: FaultName;
  /** Countable without understanding: a rule must find it. */
  readonly structural: boolean;
  /** Detectors whose word on it counts as finding it. */
  readonly lenses: readonly string[];
  readonly make: (site: Site) => readonly Rendition[];
};

/** Where a fault goes: a chapter that changes code and tests it. */
export type Site = {
  readonly split: Split;
  readonly chapter: Chapter;
  readonly maker: Maker;
  /** Remembers a template the twin is made of, and returns it. */
  readonly use: <T extends string>(template: T) => T;
  /** One of the templates of this split. */
  readonly pick: <T>(by: Readonly<Record<Split, readonly T[]>>) => T;
};

/** What another session wrote, `seconds` before the step `before`. */
export type Neighbour = { readonly before: string; readonly seconds: number; readonly path: string; readonly cwd: string; readonly git_dir: string };

export type Rendition = {
  readonly kind: 'fault' | 'clean' | 'near';
  /** What it is, in words. */
  readonly what: string;
  readonly steps: readonly Step[];
  /** Fault: the step at which it can be known, and the steps that show it. */
  readonly onset?: string;
  readonly evidence?: readonly string[];
  readonly neighbours?: readonly Neighbour[];
};

export type Twin = {
  readonly id: string;
  readonly fault: FaultName;
  readonly structural: boolean;
  readonly lenses: readonly string[];
  readonly base: string;
  readonly session: Session;
} & Omit<Rendition, 'steps'>;

export const FAULTS: readonly Fault[] = [...commandFaults, ...testFaults, ...neighbourFaults, ...meaningFaults];

/** The twins of one base session for one fault; none when no chapter of it can carry the fault. */
export const twinsOf = (fault: Fault, base: Session): readonly Twin[] => {
  const random = makeRandom(`${base.id}/${fault.name}`);
  const places = base.chapters.flatMap((chapter, at) => (carries(chapter) ? [at] : []));
  if (places.length === 0) return [];
  const at = random.pick(places);
  const chapter = base.chapters[at];
  const pack = packsOf(base.split).find(({ id }) => id === base.pack);
  if (chapter === undefined || pack === undefined) throw new Error(`no place for ${fault.name} in ${base.id}`);
  const maker = openMaker(`${fault.name}.`, pack, base.split, random);
  const used = new Set<string>();
  const site: Site = {
    split: base.split, chapter, maker,
    use: (template) => {
      used.add(template);
      return template;
    },
    pick: (by) => random.pick(by[base.split]),
  };
  const renditions = evened(fault.make(site), maker);
  const templates = [...new Set([...base.templates, ...maker.templates, ...used])].sort();
  return renditions.map(({ steps, ...rest }, index) => ({
    ...rest,
    id: `${base.id}/${fault.name}/${rest.kind}${rest.kind === 'near' ? index : ''}`,
    fault: fault.name, structural: fault.structural, lenses: fault.lenses, base: base.id,
    session: { ...base, templates, chapters: base.chapters.map((each, index_) => (index_ === at ? { ...each, steps } : each)) },
  }));
};

const carries = ({ kind, steps }: Chapter): boolean => (kind === 'feature' || kind === 'fix') && testsIn(steps).length > 0 && editsIn(steps).length > 0;

export const testsIn = (steps: readonly Step[]): readonly CallStep[] => steps.filter((step): step is CallStep => step.kind === 'call' && step.role === 'test');
export const editsIn = (steps: readonly Step[]): readonly CallStep[] => steps.filter((step): step is CallStep => step.kind === 'call' && step.role === 'edit' && !step.failed);
export const claimIn = (steps: readonly Step[]): Step | undefined => steps.findLast((step) => step.kind === 'say' && step.claim === true);

/** `steps` with `block` before the chapter's claim. */
export const beforeClaim = (steps: readonly Step[], block: readonly Step[]): readonly Step[] => {
  const claim = claimIn(steps);
  const at = claim === undefined ? steps.length : steps.indexOf(claim);
  return [...steps.slice(0, at), ...block, ...steps.slice(at)];
};

/** `steps` with `text` as the claim. */
export const claiming = (steps: readonly Step[], text: string): readonly Step[] => {
  const claim = claimIn(steps);
  return steps.map((step) => (step === claim && step.kind === 'say' ? { ...step, text } : step));
};

/** `steps` with more words in the chapter's prompt. */
export const prompting = (steps: readonly Step[], text: (prompt: string) => string): readonly Step[] => {
  const prompt = steps.find(({ kind }) => kind === 'prompt');
  return steps.map((step) => (step === prompt && step.kind === 'prompt' ? { ...step, text: text(step.text) } : step));
};

/** Records a step becomes. */
const sizeOf = ({ kind }: Step): number => (kind === 'say' || kind === 'interrupt' || kind === 'report' ? 1 : kind === 'queued' ? 3 : 2);

/** Shorter renditions look around a little more, right behind the prompt. */
const evened = (renditions: readonly Rendition[], maker: Maker): readonly Rendition[] => {
  const sizes = renditions.map(({ steps }) => steps.reduce((sum, step) => sum + sizeOf(step), 0));
  const longest = Math.max(...sizes);
  return renditions.map((rendition, at) => {
    const missing = longest - (sizes[at] ?? 0);
    const filler = [...Array.from({ length: Math.floor(missing / 2) }, () => maker.looking()), ...(missing % 2 === 1 ? [maker.say(maker.phrase('looking'))] : [])];
    const prompt = rendition.steps.findIndex(({ kind }) => kind === 'prompt');
    return { ...rendition, steps: [...rendition.steps.slice(0, prompt + 1), ...filler, ...rendition.steps.slice(prompt + 1)] };
  });
};
