// Pieces of HTML. Whatever comes from a session passes through `esc`, whatever goes into a script through `scriptJson`.
import { plain } from './plain.ts';

/** Text as text, in content and in quoted attributes alike; what would steer a reader's eye or terminal is made visible. */
export const esc = (text: string): string => plain(text).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);

/** The same, of at most `most` characters once escaped: a page has only so much room, whatever a text is made of. */
export const escCut = (text: string, most: number): string => {
  const whole = esc(text.slice(0, most));
  if (text.length <= most && whole.length <= most) return whole;
  // Neither half an escape nor half a character may stand at the end.
  return `${whole.slice(0, most - 1).replace(/&[#\d]*$/, '').replace(/[\ud800-\udbff]$/, '')}…`;
};

/** JSON that no parser of HTML takes for markup. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Code of ours inside a script element: what would end the element early is broken up. */
export const scriptCode = (code: string): string => code.replace(/<(?=\/script|!--)/gi, '\\x3c');

/** A cell: text is escaped, `html` is ours already. */
export type Cell = string | number | { readonly html: string };

export type Column = { readonly head: string; readonly numeric?: boolean };

/** A table with a caption that screen readers announce; the first cell of each row heads it. Closing tags are left out where HTML lets us. */
export const table = (caption: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string =>
  scroller(
    caption,
    `<table><caption>${esc(caption)}</caption><thead><tr>${columns.map(({ head, numeric }) => `<th scope=col${numeric === true ? ' class=n' : ''}>${esc(head)}`).join('')}</thead><tbody>\n${rows
      .map((row) => `<tr>${row.map((cell, at) => (at === 0 ? `<th scope=row>${shown(cell)}` : `<td${columns[at]?.numeric === true ? ' class=n' : ''}>${shown(cell)}`)).join('')}`)
      .join('\n')}</tbody></table>`,
  );

/** What may be wider than the page scrolls by itself, by keyboard too. */
const scroller = (name: string, html: string): string => `<div class=scroll role=region tabindex=0 aria-label="${esc(name)}">${html}</div>`;

const shown = (cell: Cell): string => (typeof cell === 'object' ? cell.html : esc(String(cell)));

/** Something to open, by mouse or keyboard, without a script. */
export const fold = (summary: string, html: string, open = false): string => `<details${open ? ' open' : ''}><summary>${esc(summary)}</summary>${html}</details>`;

/** Parts of a whole as a bar, for the eye alone: the figures stand beside it. Percent of the width. */
export const bar = (parts: readonly { readonly kind: string; readonly from?: number; readonly percent: number }[]): Cell => ({
  html: `<span class=bar aria-hidden=true>${parts.map(({ kind, from, percent }) => `<i class="${kind}" style="${from === undefined ? '' : `left:${Math.min(98, tenth(from))}%;`}width:${tenth(percent)}%"></i>`).join('')}</span>`,
});

const tenth = (n: number): number => (Number.isFinite(n) ? Math.round(Math.min(100, Math.max(0, n)) * 10) / 10 : 0);
