// The cheap gate before the table of secrets: most texts hold none, and a projection looks at all of them (PERF 2). Kept apart
// from the table, whose every byte a hook loads.
import { CLUES } from './redact-names.ts';
import { IN_WORD, type Span } from './redact-span.ts';
import { findUrlPasswords, hasMark, judgeRun, RUN } from './redact-tokens.ts';

/** Whether `redact` would replace anything in `text`: the table's own judges say so. */
export const holdsSecret = (text: string): boolean => {
  const { length } = text;
  if (length + BEYOND > SCRATCH.length) return true; // the table looks itself
  // The low byte of every character: found there is a guess, and not found is not there. Behind the end stands no letter.
  SCRATCH.write(text, 'latin1');
  const low = SCRATCH.fill(0, length, length + BEYOND).subarray(0, length + BEYOND);
  const found: Span[] = [];
  if (low.indexOf(AT) !== -1) findUrlPasswords(text, low, found);
  return found.length > 0 || holdsOther(text, low, found);
};

const AT = 0x40;
const BEYOND = 8;
// Memory, not state: a buffer for each text would be most of a projection's garbage.
const SCRATCH = Buffer.allocUnsafeSlow(65_536);

const holdsOther = (text: string, low: Buffer, found: Span[]): boolean => {
  for (let at = nextGuess(low, 0); at !== -1; at = nextGuess(low, at + 2)) {
    if (isNamed(text, low, at, found) || isToken(text, low, at, found) || isToken(text, low, at + 1, found)) return true;
  }
  return false;
};

/**
 * The next even place where the second half of a clue stands, or the 16th letter of a run at it or behind it; -1 for none.
 * Two bytes a step and nothing called within: several times faster than a loop that judges too.
 */
const nextGuess = (low: Buffer, from: number): number => {
  const first = FIRST;
  const second = SECOND;
  const inWord = IN_WORD;
  let begun = from === 0 ? 0 : (first[pairAt(low, from - 2)] as number);
  let run = runTo(low, from - 1);
  for (let i = from; i < low.length - 1; i += 2) {
    const left = low[i] as number;
    const right = low[i + 1] as number;
    const half = (run + 1) & -(inWord[left] as number);
    run = (half + 1) & -(inWord[right] as number);
    const pair = ((left & 31) << 5) | (right & 31);
    if ((begun & (second[pair] as number)) !== 0 || half === RUN || run === RUN) return i;
    begun = first[pair] as number;
  }
  return -1;
};

/** Two letters, five bits each: case is folded, and what else is, the judges sort out. */
const pairAt = (low: Buffer, at: number): number => (((low[at] as number) & 31) << 5) | ((low[at + 1] as number) & 31);

/** Letters of a run up to `at`, at most one more than a token needs. */
const runTo = (low: Buffer, at: number): number => {
  let run = 0;
  while (run <= RUN && at - run >= 0 && IN_WORD[low[at - run] as number] === 1) run += 1;
  return run;
};

const isNamed = (text: string, low: Buffer, at: number, found: Span[]): boolean => {
  const hits = at === 0 ? 0 : (FIRST[pairAt(low, at - 2)] as number) & (SECOND[pairAt(low, at)] as number);
  for (let left = hits; left !== 0; ) {
    const bit = 31 - Math.clz32(left);
    left ^= 1 << bit;
    const clue = CLUES[bit >> 1];
    if (clue !== undefined && clue[2](text, low, at - 2 + (bit & 1) - clue[1], found) > 0) return true;
  }
  return false;
};

const isToken = (text: string, low: Buffer, at: number, found: Span[]): boolean => {
  const start = at + 1 - RUN;
  if (IN_WORD[low[start] as number] !== 1 || runTo(low, at) !== RUN) return false;
  let end = at + 1;
  while (IN_WORD[low[end] as number] === 1) end += 1;
  if (hasMark(low, start, end)) judgeRun(text, low, start, end, found);
  return found.length > 0;
};

/** What stands before and behind a clue's letters in its word; any letter where nothing is told. */
const AROUND: Readonly<Record<string, string>> = { ssw: 'a*', ssp: 'ah', ecr: 'se', ede: 'rn', riz: 'oa', oki: 'oe', oke: 'tn', aut: '*h', bea: '*r', egi: 'bn', url: 'c*' };

/**
 * By pair of letters (five bits each, so that case is folded): two bits a clue, set where the pair is the one at `from` of
 * its letters, or the one before, for clues that start at an odd place.
 */
const pairsFrom = (from: 0 | 2): Int32Array => {
  const table = new Int32Array(1024);
  for (const [clue, [letters]] of CLUES.entries()) {
    const [before = '*', behind = '*'] = AROUND[letters] ?? '';
    const word = `${before}${letters}${behind}`;
    for (let any = 0; any < (word.includes('*') ? 32 : 1); any += 1) {
      const code = (at: number): number => (word[at] === '*' ? any : word.charCodeAt(at) & 31);
      for (const odd of [0, 1]) (table[(code(from + 1 - odd) << 5) | code(from + 2 - odd)] as number) |= 1 << (2 * clue + odd);
    }
  }
  return table;
};

const FIRST = pairsFrom(0);
const SECOND = pairsFrom(2);
