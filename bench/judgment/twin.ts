// What a fault is made of: the place it goes to, its renditions, and the cuts they make into a chapter.
import type { Maker } from './maker.ts';
import type { CallStep, Chapter, Session, Split, Step, Tuned } from './steps.ts';

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
  /** All that came before it. */
  readonly earlier: readonly Step[];
  readonly maker: Maker;
  /** Remembers a template the twin is made of, and returns it. */
  readonly use: <T extends string>(template: T) => T;
  /** What this split has in a list, and one of it. */
  readonly of: <T>(by: Readonly<Record<Tuned, readonly T[]>>) => readonly T[];
  readonly pick: <T>(by: Readonly<Record<Tuned, readonly T[]>>) => T;
};

/** What another session wrote, `seconds` before the step `before`. */
export type Neighbour = { readonly before: string; readonly seconds: number; readonly path: string; readonly cwd: string; readonly git_dir: string };

export type Rendition = {
  /** `open`: people would differ on whether a word is due; played and told, counted for nothing. */
  readonly kind: 'fault' | 'clean' | 'near' | 'open';
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
