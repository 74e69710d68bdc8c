// Text from a session made safe for a terminal, and laid out in columns. Everything shown passes through here.

/** Control characters, escape sequences and bidi controls become visible or vanish; newlines and tabs stay. */
export const plain = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (char) => (char === '\u001b' ? '␛' : '·'))
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/g, '·');

/** One line of it, at most `width` characters, cut with `…`. */
export const line = (text: string, width: number): string => {
  const one = plain(text).replace(/\s+/g, ' ').trim();
  const chars = [...one];
  return chars.length <= width ? one : `${chars.slice(0, Math.max(1, width - 1)).join('')}…`;
};

/** Words wrapped to `width`, every line but the first behind `indent`; a word longer than a line is cut into pieces. */
export const wrap = (text: string, width: number, indent = ''): string => {
  const out: string[] = [];
  for (const paragraph of plain(text).split('\n')) {
    let current = '';
    for (const word of paragraph.split(' ').flatMap((long) => pieces(long, Math.max(8, width - indent.length)))) {
      const room = width - (out.length === 0 ? 0 : indent.length);
      if (current !== '' && current.length + 1 + word.length > room) {
        out.push(current);
        current = word;
      } else current = current === '' ? word : `${current} ${word}`;
    }
    out.push(current);
  }
  return out.join(`\n${indent}`);
};

const pieces = (word: string, size: number): readonly string[] => {
  if (word.length <= size) return [word];
  const chars = [...word];
  return Array.from({ length: Math.ceil(chars.length / size) }, (_, at) => chars.slice(at * size, (at + 1) * size).join(''));
};

/** Inert, and every line within `width`: what is longer is wrapped behind its own indent and two more. */
export const fit = (text: string, width: number): string =>
  plain(text)
    .split('\n')
    .map((each) => {
      if ([...each].length <= width) return each;
      const indent = /^ */.exec(each)?.[0] ?? '';
      return indent + wrap(each.slice(indent.length), width - indent.length, `${indent}  `);
    })
    .join('\n');

/** Rows in aligned columns; numbers to the right. */
export const columns = (rows: readonly (readonly (string | number)[])[], indent = '  '): string => {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, [...String(cell)].length)));
  return rows
    .map((row) =>
      `${indent}${row
        .map((cell, at) => {
          const pad = ' '.repeat((widths[at] ?? 0) - [...String(cell)].length);
          return typeof cell === 'number' || /^[\d.,]+[kM%]?$/.test(cell) ? pad + cell : cell + pad;
        })
        .join('  ')}`.trimEnd(),
    )
    .join('\n');
};

/** 1234 → `1.2k`, 2100000 → `2.1M`. */
export const count = (n: number): string => {
  if (n < 1000) return String(Math.round(n));
  if (n < 999_500) return `${(n / 1000).toFixed(n < 99_500 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
};

/** `4 s`, `12 min`, `3 h`, `2 days`. */
export const age = (ms: number): string => {
  const s = Math.max(0, ms) / 1000;
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} days`;
};

/** `15:02:11` in UTC offset `offset_min` (minutes east). */
export const clock = (at: number, offset_min = 0): string => new Date(at + offset_min * 60_000).toISOString().slice(11, 19);

export const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`);

export const usd = (n: number): string => (n < 0.01 && n > 0 ? '<$0.01' : `$${n.toFixed(2)}`);
