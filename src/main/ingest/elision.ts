// Leaves payload out and says so: structure first, caps second, and what is cut leaves its size, its hash and its locators.
import { headOf, shortSha, sizeWords, tailOf } from '../floor/text.ts';
import { locatorsIn } from './locators.ts';

/** A cut shorter than its own mark is not worth one. */
const SLACK = 40;

/** `…[+38 lines, 5.2k chars, sha 9f2c; paths: a/b.go:12, c.yaml]`; locators that `kept` shows are not repeated. */
export const mark = (cut: string, harvestMax: number, kept = ''): string => {
  const paths = locatorsIn(cut, harvestMax, kept);
  return `…[+${sizeWords(cut)}, sha ${shortSha(cut)}${paths.length === 0 ? '' : `; paths: ${paths.join(', ')}`}]`;
};

/** What replaces a body that may not be shown at all: not even its hash or paths. */
export const sealedMark = (cut: string): string => `…[+${sizeWords(cut)}, sealed]`;

/** The first `cap` characters and a mark for the rest. */
export const keepHead = (text: string, cap: number, harvestMax: number): string => {
  if (text.length <= cap + SLACK) return text;
  const head = headOf(text, cap);
  return head + mark(text.slice(head.length), harvestMax, head);
};

/** Two thirds of `cap` from the start, a third from the end, and a mark between. */
export const keepEnds = (text: string, cap: number, harvestMax: number): string => {
  if (text.length <= cap + SLACK) return text;
  const head = headOf(text, Math.ceil((cap * 2) / 3));
  const tail = tailOf(text, cap - head.length);
  return `${head}${mark(text.slice(head.length, text.length - tail.length), harvestMax, head + tail)}\n${tail}`;
};

export type CommandLimits = { readonly bash_cap: number; readonly heredoc_head: number; readonly harvest_max: number };

/**
 * A shell command with the bodies of heredocs and long quoted literals elided, then capped. `isSealed` says which
 * paths' bodies go whole: a heredoc whose line names such a path keeps nothing.
 */
export const keepCommand = (command: string, limits: CommandLimits, isSealed: (path: string) => boolean): string => {
  let left = limits.bash_cap;
  let out = '';
  for (const piece of piecesOf(command, limits.heredoc_head, isSealed)) {
    const rest = command.slice(piece.start);
    if (rest.length <= left + SLACK && piece.cut === 0) return out + rest;
    const shown = command.slice(piece.start, piece.start + piece.keep);
    if (shown.length > left + SLACK) {
      const head = headOf(shown, left);
      return out + head + mark(rest.slice(head.length), limits.harvest_max, out + head);
    }
    out += shown;
    left = Math.max(0, left - shown.length);
    if (piece.cut === 0) continue;
    const body = command.slice(piece.start + piece.keep, piece.start + piece.keep + piece.cut);
    out += piece.sealed ? sealedMark(body) : mark(body, limits.harvest_max, out);
    if (body.endsWith('\n')) out += '\n';
  }
  return out;
};

/** From `start`, `keep` characters stay and the `cut` behind them go. */
type Piece = { readonly start: number; readonly keep: number; readonly cut: number; readonly sealed: boolean };

function* piecesOf(command: string, head: number, isSealed: (path: string) => boolean): Generator<Piece> {
  let from = 0;
  for (const { start, end, sealed } of bodiesOf(command, isSealed)) {
    const shown = sealed ? 0 : headOf(command.slice(start, start + head + 2), head).length;
    if (!sealed && end - start - shown <= SLACK) continue;
    yield { start: from, keep: start - from + shown, cut: end - start - shown, sealed };
    from = end;
  }
  yield { start: from, keep: command.length - from, cut: 0, sealed: false };
}

type Body = { readonly start: number; readonly end: number; readonly sealed: boolean };

const HEREDOC = /<<-?[ \t]*(?:'([\w.-]{1,64})'|"([\w.-]{1,64})"|\\?([\w.-]{1,64}))/y;

/** Heredoc bodies and the insides of quoted literals, in order, none within another. */
function* bodiesOf(command: string, isSealed: (path: string) => boolean): Generator<Body> {
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
        if (end > i) yield { start: i, end, sealed: line.split(/[\s<>'"=;|&()]+/).some(isSealed) };
        i = end;
      }
      lineStart = i;
    } else {
      const close = closing(command, i + 1, sign);
      if (close > i + 1) yield { start: i + 1, end: close, sealed: false };
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
