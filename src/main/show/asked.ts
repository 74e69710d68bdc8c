// /second-brain-run: what came of the look that was asked for, or why there was none (SPEC 12).
import type { HoldReason } from '../records.ts';
import { plain, wrap } from './plain.ts';

const HELD: Readonly<Record<HoldReason, string>> = {
  floor: 'a pass had only just started',
  'too-little': 'too little is new',
  'no-activity': 'nothing is new since the last pass',
  muted: 'it is muted; config set mute.all false lets it look again',
  budget: 'the budget is spent; stats shows which one',
  busy: 'another pass was still running',
  'own-turn': 'this turn is one that it started itself',
  'not-enrolled': 'this workspace is not watched; config set enable.default true changes that',
  paused: 'it is paused',
};

/** Nobody is there to ask. */
export const noMonitorText = (program: string, width: number): string => wrap(`No monitor watches this session, so nobody can look now. It starts with the session; if it should be there, run ${program} doctor`, width);

/** A reply as shown: the verdicts, or why there was no pass. */
export const askedText = ({ text, hold }: { readonly text: string; readonly hold?: HoldReason }, width: number): string => {
  const said = plain(text)
    .split('\n')
    .map((each) => wrap(each, width, '  '))
    .join('\n');
  if (hold === undefined) return said === '' ? 'It looked, and has nothing to say.' : said;
  const why = wrap(`No pass: ${HELD[hold] ?? plain(String(hold))}.`, width);
  return said === '' ? why : `${why}\n${said}`;
};

/** Nobody answered in time. */
export const unansweredText = (wait_s: number, alive: boolean): string =>
  alive ? `No answer within ${wait_s} s. The look goes on; stats and why show what comes of it.` : 'The monitor ended meanwhile; a new session starts it again.';
