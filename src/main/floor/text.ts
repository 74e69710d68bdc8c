// Text from outside: well-formed Unicode, cuts that split no character a reader sees, and the words of elision marks.

import { hashOf } from './paths.ts';

declare global {
  // Every Node we support has it; the ES2023 typings do not.
  interface String {
    toWellFormed(): string;
  }
}

/** `text` with every lone surrogate replaced by U+FFFD. */
export const wellFormed = (text: string): string => text.toWellFormed();

/** The longest start of `text` within `max` UTF-16 units that ends between two graphemes. */
export const headOf = (text: string, max: number): string => (text.length <= max ? text : text.slice(0, cutBefore(text, max)));

/** The longest end of `text` within `max` UTF-16 units that starts between two graphemes. */
export const tailOf = (text: string, max: number): string => (text.length <= max ? text : text.slice(cutAfter(text, text.length - max)));

/** `text` in at most `max` UTF-16 units, with an ellipsis in place of what is cut. */
export const shortened = (text: string, max: number): string => (text.length <= max ? text : `${headOf(text, max - 1)}…`);

/** The start of `text` on one line, in at most `max` UTF-16 units. */
export const shortLine = (text: string, max: number): string => shortened(headOf(text, max * 4).replaceAll(/\s+/g, ' ').trim(), max);

/** `38 lines, 5.2k chars`; below two lines only the characters count. */
export const sizeWords = (text: string): string => {
  const lines = countLines(text);
  return lines < 2 ? charWords(text.length) : `${lines} lines, ${charWords(text.length)}`;
};

/** Lines of `text`: a closing newline opens none. */
export const countLines = (text: string): number => {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

const charWords = (chars: number): string => `${chars < 1000 ? chars : `${thousands(chars)}k`} chars`;

const thousands = (chars: number): string => (chars < 99_950 ? (chars / 1000).toFixed(1) : String(Math.round(chars / 1000)));

/** Four hex digits of SHA-256: tells two texts apart without showing either. */
export const shortSha = (text: string): string => hashOf(text).slice(0, 4);

/**
 * The low byte of every character: several times faster to scan than the text. Characters beyond Latin-1 may pass for
 * ASCII here, so that what is found in it is a guess, and what is not found is not there.
 */
export const lowBytes = (text: string): Buffer => {
  const low = Buffer.allocUnsafe(text.length);
  low.write(text, 'latin1');
  return low;
};

// No grapheme that matters is longer; a run of marks beyond it may be split (never a surrogate pair).
const REACH = 64;

const cutBefore = (text: string, at: number): number => {
  for (let i = at; i > at - REACH; i -= 1) if (i <= 0 || isBoundary(text, i)) return Math.max(0, i);
  return splitsPair(text, at) ? at - 1 : at;
};

const cutAfter = (text: string, at: number): number => {
  for (let i = at; i < at + REACH; i += 1) if (i >= text.length || isBoundary(text, i)) return Math.min(i, text.length);
  return splitsPair(text, at) ? at + 1 : at;
};

const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;

const EXTENDS = /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u200d\u1160-\u11ff]/uy;
const FLAG = /[\u{1F1E6}-\u{1F1FF}]/uy;

/** Whether a reader sees two graphemes left and right of `at`; approximates UAX 29 without loading a segmenter. */
const isBoundary = (text: string, at: number): boolean => {
  const right = text.charCodeAt(at);
  const left = text.charCodeAt(at - 1);
  if (right < 0x300) return !(right === 0x0a && left === 0x0d);
  if (left === 0x200d || splitsPair(text, at)) return false;
  if (matchesAt(EXTENDS, text, at)) return false;
  if (!matchesAt(FLAG, text, at)) return true;
  let flags = 0;
  for (let i = at - 2; i >= 0 && flags < REACH && matchesAt(FLAG, text, i); i -= 2) flags += 1;
  return flags % 2 === 0;
};

const matchesAt = (sticky: RegExp, text: string, at: number): boolean => {
  sticky.lastIndex = at;
  return sticky.test(text);
};
