// What a turn-end pass came to, for the user: one line for the status line, and a text when there is anything to tell.
import type { Because, ForkResult, GateDecision } from '../records.ts';
import { quoteLine } from './sanitise.ts';

export type TurnReport = {
  /** At most 80 characters, e.g. `last turn: all silent`. */
  readonly line: string;
  /** Absent when every detector was silent: then there is nothing worth a message. */
  readonly text?: string;
};

const LINE_CAP = 80;

/** The report on a turn-end pass, detectors in name order; `decisions` are the gate's on what they advised. */
export const turnReport = (results: readonly ForkResult[], decisions: readonly GateDecision[]): TurnReport => {
  const rows = [...results].sort((a, b) => (a.detector < b.detector ? -1 : 1)).map((result) => rowOf(result, decisions.find(({ advice }) => advice.kind === result.detector)));
  const count = (what: Row['what']): number => rows.filter((row) => row.what === what).length;
  const parts = [
    words(count('told'), 'told to the agent'),
    words(count('shown'), 'for you'),
    words(count('dropped') + count('unsaid'), 'kept back'),
    words(count('settled'), 'settled'),
    words(count('open'), 'still open'),
    words(count('failed'), 'without an answer'),
  ].filter((part) => part !== '');
  if (rows.length === 0) return { line: 'last turn: nothing was asked' };
  if (parts.length === 0) return { line: 'last turn: all silent' };
  const line = quoteLine(`last turn: ${parts.join(', ')}`, LINE_CAP);
  if (rows.every(({ what }) => what === 'silent' || what === 'failed' || what === 'unsaid')) return { line };
  return { line, text: rows.map(({ text }) => text).join('\n') };
};

type Row = { readonly what: 'told' | 'shown' | 'dropped' | 'unsaid' | 'settled' | 'open' | 'failed' | 'silent'; readonly text: string };

const words = (count: number, what: string): string => (count === 0 ? '' : `${count} ${what}`);

const ANSWERED: ReadonlySet<string> = new Set(['feedback', 'no-match', 'prose']);

/** What nothing shows to be true, what is no words to say, and what is too unsure even for the user reaches nobody: not by this way either. */
const UNSAID: ReadonlySet<Because> = new Set(['no-evidence', 'unfit', 'below-human-floor']);

const rowOf = (result: ForkResult, decision: GateDecision | undefined): Row => {
  const { detector, end, feedback } = result;
  if (!ANSWERED.has(end)) return { what: 'failed', text: `${detector}: no answer (${end})` };
  if (feedback.verdict === 'resolved') return { what: 'settled', text: `${detector}: settled${checkedOf(result)}` };
  if (feedback.verdict === 'still_open') return { what: 'open', text: `${detector}: still open${checkedOf(result)}` };
  if (feedback.verdict === 'silent' || decision === undefined) return { what: 'silent', text: `${detector}: silent${checkedOf(result)}` };
  if (!decision.speak && UNSAID.has(decision.because)) return { what: 'unsaid', text: `${detector}: kept back, ${decision.because}` };
  const said = `“${decision.advice.headline}” (${decision.advice.confidence.toFixed(2)})`;
  if (!decision.speak) return { what: 'dropped', text: `${detector}: kept back, ${decision.because}: ${said}` };
  return decision.to === 'agent' ? { what: 'told', text: `${detector}: told to the agent: ${said}` } : { what: 'shown', text: `${detector}: for you: ${said}` };
};

const checkedOf = ({ feedback }: ForkResult): string => (feedback.checked === undefined || feedback.checked === '' ? '' : ` (${quoteLine(feedback.checked, 120)})`);
