// Literal patterns with `*` for any run of characters: no regex, so no pattern from outside can backtrack.

/** Whether `pattern` occurs somewhere in `text`, case aside. Empty or bare `*` patterns match nothing: they say nothing. */
export const occurs = (pattern: string, text: string): boolean => {
  const parts = partsOf(pattern);
  if (parts.length === 0) return false;
  const hay = text.toLowerCase();
  let from = 0;
  for (const part of parts) {
    const at = hay.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
};

/** Whether `pattern` describes the whole of `text`, case aside. */
export const matches = (pattern: string, text: string): boolean => {
  const wanted = pattern.toLowerCase();
  const hay = text.toLowerCase();
  const pieces = wanted.split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return hay === wanted;
  if (!hay.startsWith(first) || !hay.endsWith(last) || hay.length < first.length + last.length) return false;
  return pieces.length === 2 || inOrder(pieces.slice(1, -1), hay.slice(first.length, hay.length - last.length));
};

const inOrder = (parts: readonly string[], hay: string): boolean => {
  let from = 0;
  for (const part of parts) {
    const at = hay.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
};

const partsOf = (pattern: string): string[] => pattern.toLowerCase().split('*').filter((part) => part !== '');
