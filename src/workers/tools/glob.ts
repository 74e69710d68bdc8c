// Glob: the repository's files that fit a pattern.
import { compileGlob } from './glob-pattern.ts';
import { findPlace, type Jail, type Refusal } from './jail.ts';
import { beginWalk, walkFiles } from './walk.ts';

export type GlobArgs = { readonly pattern: string; readonly path: string };

/** One path a line, relative to the root; a pattern without a slash fits names at any depth. */
export const globFiles = (jail: Jail, { pattern, path }: GlobArgs, late: () => boolean, room: number): { readonly ok: true; readonly text: string } | Refusal => {
  const start = findPlace(jail, path);
  if (!start.ok) return start;
  if (start.kind === 'file') return { ok: false, because: `${start.rel} is a file: use Read.` };
  const filter = fileFilter(pattern);
  if (filter === undefined) return { ok: false, because: 'That pattern cannot be read.' };
  // The folders a pattern names literally are gone into at once; links in them are resolved and checked.
  const lead = literalLead(pattern);
  const from = lead === '' ? start : findPlace(jail, start.rel === '' ? lead : `${start.rel}/${lead}`);
  const walk = beginWalk();
  const found: string[] = [];
  let left = room - 200;
  if (from.ok && from.kind === 'folder') {
    // Behind a link the real path differs from what the pattern spells.
    const spelled = lead === '' ? '' : `${lead}/`;
    for (const file of walkFiles(jail, from, walk, late)) {
      const below = from.rel === '' ? file.rel : file.rel.slice(from.rel.length + 1);
      if (!filter(`${spelled}${below}`) || !findPlace(jail, file.rel).ok) continue;
      left -= file.rel.length + 1;
      if (left < 0 || found.length >= MAX_FILES) {
        walk.stopped = `there are more: name a folder or a narrower pattern`;
        break;
      }
      found.push(file.rel);
    }
  }
  const note = walk.stopped === undefined ? [] : [`[${walk.stopped}]`];
  return { ok: true, text: [...(found.length === 0 ? [walk.stopped === undefined ? 'No file fits.' : 'No file fits in what was looked at.'] : found), ...note].join('\n') };
};

/** A pattern as a test of paths; without a slash, of their last part. */
export const fileFilter = (pattern: string): ((path: string) => boolean) | undefined => {
  const bare = pattern.replace(/^(?:\.?\/)+/, '');
  const fits = compileGlob(bare);
  if (fits === undefined || bare.includes('/')) return fits;
  return (path) => fits(path.slice(path.lastIndexOf('/') + 1));
};

const MAX_FILES = 200;

const literalLead = (pattern: string): string => {
  const parts = pattern.replace(/^(?:\.?\/)+/, '').split('/').slice(0, -1);
  const end = parts.findIndex((part) => /[*?[\]{}\\]/.test(part) || part === '..' || part === '.');
  return parts.slice(0, end === -1 ? parts.length : end).join('/');
};
