// File contents as a model may see them: text only, secrets out, every line where it was.
import { redact } from '../../main/floor/redact.ts';

/** The text of a file's bytes, redacted when asked; undefined when they are not text. */
export const textOf = (bytes: Buffer, hide: boolean): string | undefined => {
  if (bytes.subarray(0, SNIFFED).includes(0)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return hide ? redactInPlace(text) : text;
};

const SNIFFED = 8192;

/** `redact` with as many newlines as before: a key block is one mark for many lines, and numbers below it must stay true. */
export const redactInPlace = (text: string): string => {
  const clean = redact(text);
  const missing = newlines(text) - newlines(clean);
  if (missing === 0) return clean;
  let out = '';
  let at = 0;
  for (const piece of clean.split(/(\[redacted:[\w-]{1,40} [0-9a-f]{4}\])/)) {
    if (piece.startsWith('[redacted:') && !text.startsWith(piece, at)) {
      out += piece;
      continue;
    }
    // What stands between two marks is the original word for word; a key's own lines are passed over.
    const close = text.startsWith('-----BEGIN ', at) ? text.indexOf('-----END ', at) : -1;
    const found = text.indexOf(piece, close === -1 ? at : close);
    const start = found === -1 ? text.indexOf(piece, at) : found;
    if (start === -1) return clean;
    out += '\n'.repeat(newlines(text.slice(at, start))) + piece;
    at = start + piece.length;
  }
  return out;
};

const newlines = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};
