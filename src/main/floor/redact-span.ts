// What the parts of the secret table share: a place in a text, and looking at one place only.

/** A secret at [start, end) of a text. */
export type Span = { readonly start: number; readonly end: number; readonly kind: string };

/** What `sticky` matches exactly at `at`, or nothing. */
export const matchAt = (sticky: RegExp, text: string, at: number): string => {
  if (at < 0) return '';
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
};

/** By low byte: what tokens and names are made of, [A-Za-z0-9_-]. */
export const IN_WORD = Uint8Array.from({ length: 256 }, (_, code) => (code < 128 && /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0));

/** Long, of digits and letters mixed, and not words joined by dashes: what a random key looks like. */
export const isEntropic = (value: string): boolean => {
  if (value.length < 16 || !/^[\w+/=.~-]+$/.test(value) || value.startsWith('/')) return false;
  const digits = value.replace(/\D+/g, '').length;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return digits >= 2 && /[A-Za-z]/.test(value) && (digits >= 5 || mixed) && new Set(value).size >= 8 && !/\.[A-Za-z]{1,4}$/.test(value);
};
