// Twins: exactly one fault put into a clean session, the same place without it, and places that only look like it. All equally long.
import { BLIND_FAULTS } from './blind/scenes-failures.ts';
import { commandFaults } from './faults-commands.ts';
import { meaningFaults } from './faults-meaning.ts';
import { neighbourFaults } from './faults-neighbours.ts';
import { testFaults } from './faults-tests.ts';
import { FRESH_FAULTS } from './fresh/author.ts';
import { LATER_FAULTS } from './later/scenes.ts';
import { openMaker, type Maker } from './maker.ts';
import { packsOf } from './packs.ts';
import { makeRandom } from './random.ts';
import type { Chapter, Session, Split, Step, Tuned } from './steps.ts';
import { UNSEEN_FAULTS } from './unseen/author.ts';
import { editsIn, testsIn, type Fault, type Rendition, type Site, type Twin } from './twin.ts';

const FAULTS: readonly Fault[] = [...commandFaults, ...testFaults, ...neighbourFaults, ...meaningFaults];

export const faultsOf = (split: Split): readonly Fault[] => ({ train: FAULTS, test: FAULTS, fresh: FRESH_FAULTS, later: LATER_FAULTS, blind: BLIND_FAULTS, unseen: UNSEEN_FAULTS })[split];

/** The twins of one base session for one fault; none when no chapter of it can carry the fault, or the chosen one has no place for it. */
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
    earlier: base.chapters.slice(0, at).flatMap(({ steps }) => steps),
    use: (template) => {
      used.add(template);
      return template;
    },
    of: (by) => listOf(by, base.split),
    pick: (by) => random.pick(listOf(by, base.split)),
  };
  const made = fault.make(site);
  if (made.length === 0) return [];
  const renditions = evened(made, maker);
  const templates = [...new Set([...base.templates, ...maker.templates, ...used])].sort();
  return renditions.map(({ steps, ...rest }, index) => ({
    ...rest,
    id: `${base.id}/${fault.name}/${rest.kind}${rest.kind === 'near' ? index : ''}`,
    fault: fault.name, structural: fault.structural, lenses: fault.lenses, base: base.id,
    session: { ...base, templates, chapters: base.chapters.map((each, index_) => (index_ === at ? { ...each, steps } : each)) },
  }));
};

const listOf = <T>(by: Readonly<Record<Tuned, readonly T[]>>, split: Split): readonly T[] => {
  if (split !== 'train' && split !== 'test') throw new Error(`the split ${split} has no lists in common with others`);
  return by[split];
};

const carries = ({ kind, steps }: Chapter): boolean => (kind === 'feature' || kind === 'fix') && testsIn(steps).length > 0 && editsIn(steps).length > 0;

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
