// What comes after a fault: it is put right, or nobody takes notice. An advisory on it should be closed accordingly (SPEC 11).
import type { Twin } from './twin.ts';
import { openMaker } from './maker.ts';
import { packsOf } from './packs.ts';
import { makeRandom } from './random.ts';
import type { CallStep, Chapter, Session, Step } from './steps.ts';

export type Aftermath = { readonly session: Session; readonly expected: 'adopted' | 'no_evidence' };

/** Both endings of a structural fault that leaves something to put right; none for other twins. */
export const aftermathsOf = ({ session, kind, fault, structural, evidence = [], id }: Twin): readonly Aftermath[] => {
  if (kind !== 'fault' || !structural || fault === 'same-file') return [];
  const pack = packsOf(session.split).find((each) => each.id === session.pack);
  const at = session.chapters.findIndex(({ steps }) => steps.some(({ key }) => evidence.includes(key)));
  if (pack === undefined || at === -1) return [];
  const random = makeRandom(`${id}/after`);
  const maker = openMaker('after.', pack, session.split, random);
  const tried = (session.chapters[at]?.steps ?? []).filter((step): step is CallStep => step.kind === 'call' && evidence.includes(step.key));
  // Behind a pipe no attempt counts as failed.
  const attempts = tried.some(({ failed }) => failed) ? tried.filter(({ failed }) => failed) : tried;
  const put_right: readonly Step[] =
    fault === 'tests-never-run' || fault === 'tests-not-after-last-edit'
      ? [maker.test()]
      : [...new Map(attempts.map((call) => [`${call.tool}`, call])).values()].map((call) => ({ ...call, key: maker.key(), failed: false, output: 'ok' }));
  const words = ({ train: WORDS, test: WORDS, fresh: FRESH_WORDS, later: LATER_WORDS, blind: BLIND_WORDS, unseen: UNSEEN_WORDS })[session.split];
  const end = (text: string): readonly Step[] => [maker.claim(text), maker.end()];
  const ending = (steps: readonly Step[], kind_: Chapter['kind']): Session => ({ ...session, chapters: [...session.chapters.slice(0, at + 1), { kind: kind_, steps }] });
  const looks = Array.from({ length: 80 }, () => maker.looking());
  return [
    { expected: 'adopted', session: ending([maker.prompt(words.again), ...put_right, ...end(words.through), maker.prompt(words.good), maker.looking(), ...end(words.all)], 'chore') },
    { expected: 'no_evidence', session: ending([maker.prompt(words.tour), ...looks, ...end(words.toured), maker.prompt(words.thanks), maker.looking(), ...end(words.welcome)], 'question') },
  ];
};

const WORDS = {
  again: 'And now?', through: 'That went through.', good: 'Good.', all: 'Nothing else is open.',
  tour: 'Show me around a bit.', toured: 'That is the whole tour.', thanks: 'Thanks.', welcome: 'You are welcome.',
};

const FRESH_WORDS: typeof WORDS = {
  again: 'and did you check that again meanwhile?', through: 'Yes, just now, and this time without a hitch.', good: 'ok cool', all: "Then I'm through for today.",
  tour: 'different topic. how is this repo laid out, i have to explain it to someone tomorrow', toured: 'Four folders matter; the rest is build output.', thanks: 'merci', welcome: 'Gern.',
};

const LATER_WORDS: typeof WORDS = {
  again: 'have another go at what was open', through: 'It went through this time.', good: 'nice', all: 'That leaves nothing on the list.',
  tour: 'something else: walk me through the folders, new colleague starts monday', toured: 'Those are the ones to know.', thanks: 'danke!', welcome: 'De nada.',
};

const BLIND_WORDS: typeof WORDS = {
  again: 'that was still open, wasnt it', through: 'Right, and this time it works.', good: 'perfect', all: 'So we are finished here.',
  tour: 'by the way, i want to write an onboarding page. what are the main directories', toured: 'The ones above are the ones that matter.', thanks: 'great, thx', welcome: 'Any time.',
};

const UNSEEN_WORDS: typeof WORDS = {
  again: 'hm that thing from before, can you do that properly now', through: 'Now it is as it should be.', good: 'alright', all: 'I have nothing left on my side.',
  tour: 'completely different question, whats in which folder here', toured: 'You can ignore the remaining folders.', thanks: 'cheers', welcome: 'Gladly.',
};
