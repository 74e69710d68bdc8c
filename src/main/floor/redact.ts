// The one table of secrets: what leaves this machine or is stored passes here first, whole, before anything is cut (SPEC 5.3).
// No backtracking search runs over the text: cheap scans find places, bounded sticky patterns judge them.
import { findNamed } from './redact-names.ts';
import type { Span } from './redact-span.ts';
import { findTokens } from './redact-tokens.ts';
import { lowBytes, shortSha } from './text.ts';

/**
 * `text` with every secret-shaped part replaced by `[redacted:<kind> <4 hex of sha256>]`. Deterministic and
 * idempotent; time grows with the length of `text` only.
 */
export const redact = (text: string): string => redactBy(text, markOf);

/** `redact` with as many newlines as before: a key is one mark for many lines, and numbers below it must stay true. */
export const redactInPlace = (text: string): string => redactBy(text, (hidden, kind) => markOf(hidden, kind) + hidden.replace(/[^\n]+/g, ''));

type Mark = (hidden: string, kind: string) => string;

const markOf: Mark = (hidden, kind) => `[redacted:${kind} ${shortSha(hidden)}]`;

const redactBy = (text: string, mark: Mark): string => {
  let shown = text;
  // What a mark replaced may have hidden where the next secret starts. One look finds all but contrived ones.
  for (let look = 0, before = ''; look < LOOKS && shown !== before; look += 1) {
    before = shown;
    shown = once(shown, mark);
  }
  return shown;
};

const LOOKS = 8;

// Overlapping spans become one, named after the one that starts first: nothing of either may show.
const once = (text: string, mark: Mark): string => {
  const spans: Span[] = [];
  const low = lowBytes(text);
  findTokens(text, low, spans);
  findNamed(text, low, spans);
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let out = '';
  let done = 0;
  for (let i = 0; i < spans.length; ) {
    const { start, kind } = spans[i] as Span;
    let { end } = spans[i] as Span;
    for (i += 1; i < spans.length && (spans[i] as Span).start < end; i += 1) end = Math.max(end, (spans[i] as Span).end);
    out += text.slice(done, start) + mark(text.slice(start, end), kind);
    done = end;
  }
  return out + text.slice(done);
};
