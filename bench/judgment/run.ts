// Every session of each split through one judge: clean bases, twins of each fault, and what came after.
import { aftermathsOf } from './aftermath.ts';
import { faultsOf, twinsOf } from './faults.ts';
import { play, type Pipeline, type Played } from './play.ts';
import { recordedSessions } from './recorded.ts';
import type { Case } from './score.ts';
import { baseSession } from './stories.ts';
import { stepsOf, type Session, type Split } from './steps.ts';
import { transcript, type Transcript } from './transcript.ts';
import type { Twin } from './twin.ts';

export type RunOptions = {
  readonly seed: number;
  /** Clean base sessions per split. */
  readonly bases: Readonly<Record<Split, number>>;
  /** Of how many of them each structural fault gets twins; half as many for the others and for what comes after. */
  readonly twins: number;
  readonly splits: readonly Split[];
  /** Folder of recorded sessions, played with the train split. */
  readonly recorded?: string;
  readonly progress: (done: number, all: number) => void;
};

export type Job = { readonly session: Session; readonly label: Pick<Case, 'kind' | 'lenses'> & Partial<Pick<Case, 'fault' | 'structural' | 'what' | 'expected'>>; readonly twin?: Omit<Twin, 'session'> };

/** All cases, in the order of their making, which is the same for the same options. */
export const runAll = async (options: RunOptions, pipeline: Pipeline): Promise<readonly Case[]> => {
  const jobs = options.splits.flatMap((split) => jobsOf(split, options));
  const cases: Case[] = [];
  for (const { id, root, written, label } of options.splits.includes('train') && options.recorded !== undefined ? recordedSessions(options.recorded) : []) {
    const { said, scores, passes, tokens, usd } = await play({ id, root, written }, pipeline);
    cases.push({ ...label, ...ending(written), id, split: 'train', said, scores, passes, tokens, ...(usd === undefined ? {} : { usd }) });
  }
  for (const job of jobs) {
    cases.push(await caseOf(job, pipeline));
    options.progress(cases.length, jobs.length);
  }
  return cases;
};

/** The sessions of a split with their labels. */
export const jobsOf = (split: Split, { seed, bases, twins }: Pick<RunOptions, 'seed' | 'bases' | 'twins'>): readonly Job[] => {
  const sessions = Array.from({ length: bases[split] }, (_, at) => baseSession(split, at, seed));
  const base = sessions.map((session): Job => ({ session, label: { kind: 'base', lenses: [] } }));
  const twin = faultsOf(split).flatMap((fault) =>
    sessions.map((session) => twinsOf(fault, session)).filter((all) => all.length > 0).slice(0, fault.structural ? twins : Math.ceil(twins / 2)).flatMap((all, at) => all.map((each) => ({ each, at }))).flatMap(({ each, at }): readonly Job[] => {
      const { session, ...rest } = each;
      const { fault: name, structural, lenses, what } = rest;
      return [
        { session, twin: rest, label: { kind: rest.kind, fault: name, structural, lenses, what } },
        ...(at < twins / 2 ? aftermathsOf(each) : []).map(({ session: after, expected }): Job => ({ session: after, twin: rest, label: { kind: 'aftermath', fault: name, structural, lenses, what, expected } })),
      ];
    }),
  );
  return [...base, ...twin];
};

const caseOf = async (job: Job, pipeline: Pipeline): Promise<Case> => {
  const { session, twin } = job;
  const written = transcript(session.id, session.root, stepsOf(session));
  const piece = { id: session.id, root: session.root, written, ...(twin?.evidence === undefined ? {} : { evidence: twin.evidence }), ...(twin?.neighbours === undefined ? {} : { neighbours: twin.neighbours }) };
  return labelled(job, written, await play(piece, pipeline));
};

/** What was played, with the label it is scored by. */
export const labelled = ({ session, label, twin }: Job, written: Transcript, played: Played): Case => {
  const { said, scores, passes, tokens, usd } = played;
  const onset = recordOf(written, twin?.onset);
  const shows = Math.min(...(twin?.evidence ?? []).map((key) => recordOf(written, key) ?? Infinity));
  const closed = label.kind === 'aftermath' ? closedOf(played, label.lenses, Number.isFinite(shows) ? shows : 0) : undefined;
  return {
    ...label, said, scores, passes, tokens,
    id: twin === undefined ? session.id : `${twin.id}${label.kind === 'aftermath' ? `/${label.expected ?? ''}` : ''}`,
    split: session.split,
    ...(usd === undefined ? {} : { usd }),
    ...(onset === undefined ? {} : { onset }),
    ...(Number.isFinite(shows) ? { shows } : {}),
    ...(closed === undefined ? {} : { closed }),
    ...ending(written),
  };
};

const ending = (written: Transcript): Pick<Case, 'end' | 'hours'> => ({ end: { record: written.lines.length - 1, at: written.times.at(-1) ?? 0 }, hours: activeHours(written.times) });

const recordOf = (written: Transcript, key: string | undefined): number | undefined => (key === undefined ? undefined : written.places.get(key)?.record);

/** The verdict of the first advisory on the fault that the agent was told; `open` when it was never closed. */
const closedOf = ({ said, outcomes }: Played, lenses: readonly string[], shows: number): string | undefined => {
  const hit = said.find(({ lens, record, to }) => to === 'agent' && lenses.includes(lens) && record >= shows);
  return hit === undefined ? undefined : (outcomes.get(hit.id) ?? 'open');
};

const LONGEST_GAP_MS = 300_000;

/** Time at work: of a pause the first five minutes. */
export const activeHours = (times: readonly number[]): number =>
  times.reduce((sum, time, at) => sum + Math.min(LONGEST_GAP_MS, Math.max(0, time - (times[at - 1] ?? time))), 0) / 3_600_000;
