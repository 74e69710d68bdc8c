// Literal patterns with `*` for any run of characters: no regex, so no pattern from outside can backtrack. Case never counts.

/** A pattern read once, for texts that the caller has lower-cased. */
export type Pattern = { readonly pieces: readonly string[] };

export const readPattern = (pattern: string): Pattern => ({ pieces: pattern.toLowerCase().split('*') });

/** Whether it occurs somewhere in `lowered`. A pattern of nothing but `*` occurs nowhere: it says nothing. */
export const isWithin = ({ pieces }: Pattern, lowered: string): boolean => pieces.some((piece) => piece !== '') && inOrder(pieces, lowered, 0, lowered.length);

/** Whether it describes the whole of `lowered`. */
export const isWhole = ({ pieces }: Pattern, lowered: string): boolean => {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return lowered === first;
  if (lowered.length < first.length + last.length || !lowered.startsWith(first) || !lowered.endsWith(last)) return false;
  return inOrder(pieces.slice(1, -1), lowered, first.length, lowered.length - last.length);
};

/** `isWithin` for a single use. */
export const occurs = (pattern: string, text: string): boolean => isWithin(readPattern(pattern), text.toLowerCase());

/** Each piece behind the one before it; the earliest place is always the best one, so nothing is tried twice. */
const inOrder = (pieces: readonly string[], text: string, from: number, to: number): boolean => {
  let at = from;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > to) return false;
    at = found + piece.length;
  }
  return true;
};
