// Leaves payload out and says so: structure first, caps second, and what is cut leaves its size, its hash and its locators.
import { hash } from 'node:crypto';
import { headOf, sizeWords, tailOf } from '../floor/text.ts';
import { locatorsIn } from './locators.ts';

/** A cut shorter than its own mark is not worth one. */
const SLACK = 40;

/**
 * `…[+38 lines, 5.2k chars, sha 9f2c; paths: a/b.go:12, c.yaml]` for `text` between `from` and `to`. A locator that the
 * cut splits is harvested whole; one that `shown` holds is not repeated.
 */
export const mark = (text: string, from: number, to: number, harvestMax: number, shown = ''): string => {
  const cut = text.slice(from, to);
  const paths = locatorsIn(text.slice(wordStart(text, from), wordEnd(text, to)), harvestMax, shown);
  return `…[+${sizeWords(cut)}, sha ${fingerprint(cut)}${paths.length === 0 ? '' : `; paths: ${paths.join(', ')}`}]`;
};

/** Four hex digits that tell two cuts apart; of a long one its ends and its length are hashed. */
const fingerprint = (cut: string): string => {
  const hashed = cut.length <= 2 * HASHED ? cut : `${cut.slice(0, HASHED)}${cut.length}${cut.slice(-HASHED)}`;
  return hash('sha256', hashed, 'hex').slice(0, 4);
};

const HASHED = 512;

const wordStart = (text: string, at: number): number => {
  let start = at;
  while (start > 0 && at - start < LONGEST_WORD && !/\s/.test(text.charAt(start - 1))) start -= 1;
  return start;
};

const wordEnd = (text: string, at: number): number => {
  let end = at;
  while (end < text.length && end - at < LONGEST_WORD && !/\s/.test(text.charAt(end))) end += 1;
  return end;
};

/** How far a split word is followed: a locator with its line. */
const LONGEST_WORD = 240;

/** What replaces a body that may not be shown at all: not even its hash or paths. */
export const sealedMark = (cut: string): string => `…[+${sizeWords(cut)}, sealed]`;

/** The first `cap` characters and a mark for the rest. */
export const keepHead = (text: string, cap: number, harvestMax: number): string => {
  if (text.length <= cap + SLACK) return text;
  const head = headOf(text, cap);
  return head + mark(text, head.length, text.length, harvestMax, head);
};

/** Two thirds of `cap` from the start, a third from the end, and a mark between. */
export const keepEnds = (text: string, cap: number, harvestMax: number): string => {
  if (text.length <= cap + SLACK) return text;
  const head = headOf(text, Math.ceil((cap * 2) / 3));
  const tail = tailOf(text, cap - head.length);
  return `${head}${mark(text, head.length, text.length - tail.length, harvestMax, `${head} ${tail}`)}\n${tail}`;
};

export type CommandLimits = { readonly bash_cap: number; readonly heredoc_head: number; readonly harvest_max: number };

/** A shell command with the bodies of heredocs and long quoted literals elided, then capped. */
export const keepCommand = (command: string, limits: CommandLimits): string => {
  let left = limits.bash_cap;
  let out = '';
  for (const { start, keep, cut } of piecesOf(command, limits.heredoc_head)) {
    if (cut === 0 && command.length - start <= left + SLACK) return out + command.slice(start);
    if (keep > left + SLACK) {
      const head = headOf(command.slice(start, start + keep), left);
      return out + head + mark(command, start + head.length, command.length, limits.harvest_max, out + head);
    }
    const end = start + keep + cut;
    out += command.slice(start, start + keep);
    left = Math.max(0, left - keep);
    if (cut === 0) continue;
    out += mark(command, start + keep, end, limits.harvest_max, out);
    if (command.charAt(end - 1) === '\n') out += '\n';
  }
  return out;
};

/** `command` without the bodies of heredocs whose line names a path that `isSealed`. */
export const sealCommand = (command: string, isSealed: (path: string) => boolean): string => {
  if (!command.includes('<<')) return command;
  let out = '';
  let done = 0;
  for (const { start, end, line } of bodiesOf(command)) {
    if (line === undefined || !line.split(/[\s<>'"=;|&()]+/).some(isSealed)) continue;
    out += `${command.slice(done, start)}${sealedMark(command.slice(start, end))}\n`;
    done = end;
  }
  return out + command.slice(done);
};

/** From `start`, `keep` characters stay and the `cut` behind them go. */
type Piece = { readonly start: number; readonly keep: number; readonly cut: number };

function* piecesOf(command: string, head: number): Generator<Piece> {
  let from = 0;
  for (const { start, end } of bodiesOf(command)) {
    const shown = headOf(command.slice(start, start + head + 2), head).length;
    if (end - start - shown <= SLACK) continue;
    yield { start: from, keep: start - from + shown, cut: end - start - shown };
    from = end;
  }
  yield { start: from, keep: command.length - from, cut: 0 };
}

/** `line`: the heredoc's own line; a literal has none. */
type Body = { readonly start: number; readonly end: number; readonly line?: string };

const HEREDOC = /<<-?[ \t]*(?:'([\w.-]{1,64})'|"([\w.-]{1,64})"|\\?([\w.-]{1,64}))/y;

/** Heredoc bodies and the insides of quoted literals, in order, none within another. */
function* bodiesOf(command: string): Generator<Body> {
  const waiting: string[] = [];
  let lineStart = 0;
  for (let i = nextSign(command, 0); i !== -1; i = nextSign(command, i)) {
    const sign = command.charAt(i);
    if (sign === '\\') {
      i += 2;
    } else if (sign === '<') {
      HEREDOC.lastIndex = i;
      const heredoc = command.startsWith('<<<', i) ? null : HEREDOC.exec(command);
      const word = heredoc?.[1] ?? heredoc?.[2] ?? heredoc?.[3];
      if (word !== undefined) waiting.push(word);
      i += heredoc?.[0].length ?? (command.startsWith('<<<', i) ? 3 : 1);
    } else if (sign === '\n') {
      const line = command.slice(lineStart, i);
      i += 1;
      for (const word of waiting.splice(0)) {
        const end = endOfHeredoc(command, i, word);
        if (end > i) yield { start: i, end, line };
        i = end;
      }
      lineStart = i;
    } else {
      const close = closing(command, i + 1, sign);
      if (close > i + 1) yield { start: i + 1, end: close };
      i = close + 1;
    }
  }
}

const SIGNS = /["'<\n\\]/g;

const nextSign = (command: string, from: number): number => {
  SIGNS.lastIndex = from;
  return SIGNS.exec(command)?.index ?? -1;
};

/** Where the line `word` starts; the command's end when it never comes. */
const endOfHeredoc = (command: string, from: number, word: string): number => {
  for (let line = from; line < command.length; ) {
    const next = command.indexOf('\n', line);
    const end = next === -1 ? command.length : next;
    if (end - line <= word.length + 64 && command.slice(line, end).trim() === word) return line;
    line = end + 1;
  }
  return command.length;
};

/** The closing quote; the command's end when there is none. */
const closing = (command: string, from: number, quote: string): number => {
  for (let i = from; i < command.length; i += 1) {
    const end = command.indexOf(quote, i);
    if (end === -1) return command.length;
    if (quote === "'") return end;
    let slashes = 0;
    while (end - slashes - 1 >= from && command.charAt(end - slashes - 1) === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
    i = end;
  }
  return command.length;
};
