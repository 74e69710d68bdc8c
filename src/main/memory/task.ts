// Which task a session is at (SPEC 6): by how the session started, and by a soft split when the goal plainly changes.
import type { Numbered, Stamp } from '../records.ts';

export type TaskChoice =
  | { readonly kind: 'new'; readonly because: 'startup' | 'clear' | 'nothing-to-continue' }
  | { readonly kind: 'continue'; readonly because: 'resume' | 'compact' | 'same-session' | 'unknown-source' }
  | { readonly kind: 'branch'; readonly because: 'fork' };

/**
 * What a SessionStart means. `source` as the host says it, absent when a monitor finds a session already running;
 * `prior` says whose task was found: of this very session, of the session it was forked from, or none.
 * A source we do not know continues: a missed boundary costs some irrelevant prefix, a false one the whole memory.
 */
export const chooseTask = (source: string | undefined, prior: 'own' | 'origin' | 'none'): TaskChoice => {
  if (source === 'clear') return { kind: 'new', because: 'clear' };
  if (prior === 'none') return { kind: 'new', because: source === 'startup' ? 'startup' : 'nothing-to-continue' };
  if (prior === 'origin') return { kind: 'branch', because: 'fork' };
  // A session starts up once: the same session's startup again is a signal read twice.
  if (source === undefined || source === 'startup' || source === 'fork') return { kind: 'continue', because: 'same-session' };
  if (source === 'resume' || source === 'compact') return { kind: 'continue', because: source };
  return { kind: 'continue', because: 'unknown-source' };
};

/** `t-` and 12 hex digits of the given entropy (at least 6 random bytes). */
export const taskId = (entropy: Uint8Array): string => `t-${hexOf(entropy, 6)}`;

/** The nonce of the task's frames: 16 hex digits of other entropy (at least 8 random bytes). */
export const taskNonce = (entropy: Uint8Array): string => hexOf(entropy, 8);

const hexOf = (entropy: Uint8Array, bytes: number): string => {
  if (entropy.length < bytes) throw new Error(`${bytes} random bytes needed, ${entropy.length} given`);
  return Buffer.from(entropy.subarray(0, bytes)).toString('hex');
};

/** Whether what a pass brought back still belongs where it started; if not, its advice dies `moved-on` (SPEC 3). */
export const isCurrent = (stamp: Stamp, now: Pick<Stamp, 'session' | 'task' | 'generation'>): boolean =>
  stamp.session === now.session && stamp.task === now.task && stamp.generation === now.generation;

/** Words and path parts by which a prompt can be told to belong to a task. */
export type Terms = ReadonlySet<string>;

/** The task's terms: its goal, and every text and path its window holds. */
export const taskTerms = (goal: string, observations: readonly Numbered[]): Terms => {
  const terms = new Set(termsOf(goal));
  for (const { text, paths } of observations) {
    for (const term of termsOf(text)) terms.add(term);
    for (const path of paths ?? []) for (const term of termsOf(path)) terms.add(term);
  }
  return terms;
};

export type Split = { readonly split: true } | { readonly split: false; readonly because: 'turn-running' | 'not-human' | 'too-short' | 'shared-terms' };

// Fewer say too little of a goal: "now commit that", "try again please".
const MIN_TERMS = 5;

/** The structural proxy of SPEC 6: a human prompt after a finished turn that shares no path and no term with the task. */
export const splitsTask = (prompt: { readonly text: string; readonly human: boolean; readonly turn_finished: boolean }, task: Terms): Split => {
  if (!prompt.human) return { split: false, because: 'not-human' };
  if (!prompt.turn_finished) return { split: false, because: 'turn-running' };
  const terms = termsOf(prompt.text);
  if (terms.size < MIN_TERMS) return { split: false, because: 'too-short' };
  for (const term of terms) if (task.has(term)) return { split: false, because: 'shared-terms' };
  return { split: true };
};

/** Lower-case words of four letters or digits and more that say what something is about. */
const termsOf = (text: string): Terms => {
  const terms = new Set<string>();
  for (const [word] of text.slice(0, MAX_SCANNED).toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const stem = word.replace(/(?:ing|ed|es|s)$/, '');
    if (stem.length >= 4 && !COMMON.has(word)) terms.add(stem);
  }
  return terms;
};

const MAX_SCANNED = 20_000;

// Words of any request: sharing them says nothing.
const COMMON: Terms = new Set(
  (
    'about above after again also always another because been before being below between both change could does doing done down each else ' +
    'even every file files from further give have having here into just keep know like line lines long look made make many more most much ' +
    'must need never next only other over please prompt same shall should show some something still such sure take tell than thank thanks that ' +
    'their them then there these they thing things think this those through tool under until update used user using very want what when where ' +
    'which while will with within without work would write your'
  ).split(' '),
);
