// hosts/<host>/bell: the one nonce that is outstanding, with its time (SPEC 4, 10). The monitor writes it, the hook that
// answers takes it.
import { move, readText, remove } from '../floor/disk-file.ts';
import { writeWhole } from '../floor/json-file.ts';

export type Bell = { readonly nonce: string; readonly at: number };

/** Notes the nonce before it is rung. */
export const writeBell = (path: string, bell: Bell): void => writeWhole(path, `${bell.nonce} ${bell.at}\n`);

/** The bell that rang and was not answered. */
export const readBell = (path: string): Bell | undefined => {
  const [nonce = '', at] = readText(path)?.split(' ') ?? [];
  return nonce ? { nonce, at: Number(at) } : undefined;
};

/**
 * Takes the bell if `nonce` is the outstanding one: of two copies of a hook that race to answer it, one is told `mine`,
 * the other `answered`. A bell that nobody noted is `unknown`.
 */
export const takeBell = (path: string, nonce: string): 'mine' | 'answered' | 'unknown' => {
  const taken = `${path}.taken`;
  if (readBell(path)?.nonce === nonce && move(path, taken)) return 'mine';
  return readBell(taken)?.nonce === nonce ? 'answered' : 'unknown';
};

/** Clears a bell that nobody answered. */
export const dropBell = (path: string): boolean => remove(path);
