// Text of any kind as one short line, for headlines and bodies that code writes.

/** White space folded, and cut with a mark at `max` characters. */
export const oneLine = (text: string, max: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max)}…`;
};
