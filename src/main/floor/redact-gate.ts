// The cheap gate before the table of secrets: most texts hold none, and a projection looks at all of them (PERF 2). Kept apart
// from the table, whose every byte a hook loads.
import { CLUES } from './redact-names.ts';
import { IN_WORD, type Span } from './redact-span.ts';
import { findUrlPasswords, hasMark, judgeRun, RUN } from './redact-tokens.ts';

/** Whether `redact` would replace anything in `text`: the table's own judges say so. */
export const holdsSecret = (text: string): boolean => {
  const { length } = text;
  if (!LITTLE_ENDIAN) return true; // the table looks itself
  const low = length + BEYOND > SCRATCH.length ? Buffer.allocUnsafeSlow((length + BEYOND) & ~3) : SCRATCH;
  // The low byte of every character: found there is a guess, and not found is not there. Behind the end stands no letter.
  low.write(text, 'latin1');
  for (let at = length; at < length + BEYOND && at < low.length; at += 1) low[at] = 0;
  const found: Span[] = [];
  if (text.includes('@')) findUrlPasswords(text, low.subarray(0, length), found);
  return found.length > 0 || holdsOther(text, low, low === SCRATCH ? SCRATCH_GROUPS : new Uint32Array(low.buffer), found);
};

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const BEYOND = 8;
// Memory, not state: a buffer for each text would be most of a projection's garbage.
const SCRATCH = Buffer.allocUnsafeSlow(65_536);
const SCRATCH_GROUPS = new Uint32Array(SCRATCH.buffer);

const holdsOther = (text: string, low: Buffer, groups: Uint32Array, found: Span[]): boolean => {
  const end = (text.length + 3) >> 2;
  for (let group = nextGuess(groups, 0, end); group < end; group = nextGuess(groups, group + 1, end)) {
    if (isNamed(text, low, 4 * group, found)) return true;
    if (rowBefore(groups, group + 1) === ROW && isToken(text, low, 4 * group, found)) return true;
  }
  return false;
};

/**
 * The next group of four bytes in which a clue may end or which is the third in a row of nothing but letters of a run; `end`
 * for none. Two bytes a look and nothing called within: several times faster than a loop that judges too.
 */
const nextGuess = (groups: Uint32Array, from: number, end: number): number => {
  const kinds = kindsOfPairs();
  let before = from === 0 ? 0 : (kinds[(groups[from - 1] as number) >>> 16] as number);
  let row = rowBefore(groups, from);
  for (let group = from; group < end; group += 1) {
    const four = groups[group] as number;
    const left = kinds[four & 0xffff] as number;
    const right = kinds[four >>> 16] as number;
    row = (row + 1) & -(left & right & ALL_WORD);
    if (((before & (left >> SECOND)) | (left & (right >> SECOND))) !== 0 || row === ROW) return group;
    before = right;
  }
  return end;
};

/** Groups in a row before `from` that hold nothing but letters of a run, counted up to one more than ROW. */
const rowBefore = (groups: Uint32Array, from: number): number => {
  let row = 0;
  while (row <= ROW && row < from && isWhole(groups[from - row - 1] as number)) row += 1;
  return row;
};

const isWhole = (four: number): boolean => IN_WORD[four & 0xff] === 1 && IN_WORD[(four >> 8) & 0xff] === 1 && IN_WORD[(four >> 16) & 0xff] === 1 && IN_WORD[four >>> 24] === 1;

/** Whether one of the clues that end in the group at `at` tells a secret. */
const isNamed = (text: string, low: Buffer, at: number, found: Span[]): boolean => {
  for (let start = Math.max(0, at - 2); start < at + 2; start += 1) {
    const hit = CLUE_BY[folded(low[start] as number, low[start + 1] as number, low[start + 2] as number)] as number;
    const clue = hit === 0 ? undefined : CLUES[hit - 1];
    if (clue !== undefined && clue[2](text, low, start - clue[1], found) > 0) return true;
  }
  return false;
};

// Five bits of a letter fold case; what else they fold, the judges sort out.
const folded = (a: number, b: number, c: number): number => ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);

// A clue's number and one; 0 for none.
const CLUE_BY = new Uint8Array(1 << 15);
for (const [clue, [letters]] of CLUES.entries()) CLUE_BY[folded(letters.charCodeAt(0), letters.charCodeAt(1), letters.charCodeAt(2))] = clue + 1;

/** Whole groups in any run of 16, wherever it starts. */
const ROW = 3;

const isToken = (text: string, low: Buffer, at: number, found: Span[]): boolean => {
  let start = at;
  while (start > 0 && IN_WORD[low[start - 1] as number] === 1) start -= 1;
  let end = at + 1;
  while (IN_WORD[low[end] as number] === 1) end += 1;
  if (end - start >= RUN && hasMark(low, start, end)) judgeRun(text, low, start, end, found);
  return found.length > 0;
};

/** What stands before and behind a clue's letters in its word; any letter where nothing is told. */
const AROUND: Readonly<Record<string, string>> = { ssw: 'a*', ssp: 'ah', ecr: 'se', ede: 'rn', riz: 'oa', oki: 'oe', oke: 'tn', aut: '*h', bea: '*r', egi: 'bn', url: 'c*' };


/** A pair of letters of a run. */
const ALL_WORD = 1;
/** Seven bits for pairs that begin a clue; so far above them seven for those that end it. */
const SECOND = 8;

/**
 * By two bytes, the first one low. A clue's three letters lie in two pairs, in one of two ways; the clues share seven bits,
 * since what a bit of another clue lets through is judged anyway. Made at the first look: a start has no time for it.
 */
const kindsOfPairs = (): Uint16Array => (KINDS[0x6161] === 0 ? filled(KINDS) : KINDS);

const KINDS = new Uint16Array(65_536);

const filled = (kinds: Uint16Array): Uint16Array => {
  const row = Uint16Array.from(IN_WORD); // ALL_WORD where a letter stands
  for (let second = 0; second < 256; second += 1) if (IN_WORD[second] === 1) kinds.set(row, second << 8);
  for (const [clue, [letters]] of CLUES.entries()) {
    const [before = '*', behind = '*'] = AROUND[letters] ?? '';
    const codes = [...`${before}${letters}${behind}`].map((letter) => (letter === '*' ? ANY : Uint8Array.of(letter.charCodeAt(0), letter.charCodeAt(0) & 0x5f)));
    for (const odd of [0, 1]) {
      const bit = 2 << ((2 * clue + odd) % 7);
      mark(kinds, codes[1 - odd] ?? ANY, codes[2 - odd] ?? ANY, bit);
      mark(kinds, codes[3 - odd] ?? ANY, codes[4 - odd] ?? ANY, bit << SECOND);
    }
  }
  return kinds;
};

const mark = (kinds: Uint16Array, left: Uint8Array, right: Uint8Array, bit: number): void => {
  for (let i = 0; i < left.length; i += 1) for (let j = 0; j < right.length; j += 1) (kinds[(left[i] as number) | ((right[j] as number) << 8)] as number) |= bit;
};

const ANY = new Uint8Array(256).map((_, code) => code);
