// Read: lines of one text file of the repository, numbered.
import { headOf } from '../../main/floor/text.ts';
import { findPlace, readPlace, type Jail, type Refusal } from './jail.ts';
import { textOf } from './shown.ts';

export type ReadArgs = { readonly path: string; /** From 1. */ readonly offset: number; readonly limit: number };

/** The asked lines as `<number>⇥<text>` under one line that names the file and the range, at most `room` characters. */
export const readLines = (jail: Jail, { path, offset, limit }: ReadArgs, hide: boolean, room: number): { readonly ok: true; readonly text: string } | Refusal => {
  const place = findPlace(jail, path);
  if (!place.ok) return place;
  if (place.kind === 'folder') return { ok: false, because: `${path.slice(0, 200)} is a folder: use Glob.` };
  const read = readPlace(jail, place, MAX_BYTES);
  if (!read.ok) return read;
  const text = textOf(read.bytes, hide);
  if (text === undefined) return { ok: false, because: `${place.rel} is not a text file (${read.size} bytes).` };
  const whole = read.bytes.length === read.size;
  const lines = text.split('\n');
  // The last line of a part may end inside a secret that nobody recognises any more.
  if (!whole || lines.at(-1) === '') lines.pop();
  const total = `${lines.length}${whole ? '' : ' or more'}`;
  if (lines.length === 0) return { ok: true, text: `${place.rel} is empty.` };
  if (offset > lines.length) return { ok: false, because: `${place.rel} has ${total} lines${whole ? '' : ` in its first ${MAX_BYTES} bytes, and no more are read`}.` };
  const shown: string[] = [];
  let left = room - place.rel.length - 80;
  for (const line of lines.slice(offset - 1, offset - 1 + Math.min(limit, MAX_LINES))) {
    const cut = headOf(line.replace(/\r$/, ''), MAX_LINE);
    const row = `${offset + shown.length}\t${cut}${cut.length < line.length - 1 ? ' …' : ''}`;
    left -= row.length + 1;
    if (left < 0 && shown.length > 0) break;
    shown.push(row);
  }
  return { ok: true, text: `${place.rel}, lines ${offset}–${offset + shown.length - 1} of ${total}:\n${shown.join('\n')}` };
};

const MAX_BYTES = 2_000_000;
const MAX_LINES = 2000;
const MAX_LINE = 500;
