// What the parts of the secret table share: a place in a text, and looking at one place only.

/** A secret at [start, end) of a text. */
export type Span = { readonly start: number; readonly end: number; readonly kind: string };

/** What `sticky` matches exactly at `at`, or nothing. */
export const matchAt = (sticky: RegExp, text: string, at: number): string => {
  if (at < 0) return '';
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
};

/** By low byte: 1 for each of `members`. Made at every start of a hook, so by the shortest way. */
export const tableOf = (members: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const member of members) table[member.charCodeAt(0)] = 1;
  return table;
};

/** What tokens and names are made of, [A-Za-z0-9_-]. */
export const IN_WORD = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-');

/** Long, of digits and letters mixed, and not words joined by dashes: what a random key looks like. */
export const isEntropic = (value: string): boolean => {
  if (value.length < 16 || !/^[\w+/=.~%-]+$/.test(value) || value.startsWith('/')) return false;
  const digits = value.replace(/\D+/g, '').length;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return digits >= 2 && /[A-Za-z]/.test(value) && (digits >= 5 || mixed) && new Set(value).size >= 8 && !/\.[A-Za-z]{1,4}$/.test(value);
};
