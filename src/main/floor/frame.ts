// How text from the watched session is set apart from ours: in tags that carry the task's nonce (SPEC 6, Framing in).

/**
 * `text` between `<tag-nonce>` and `</tag-nonce>`, every `<` in it escaped, so that nothing inside can close the
 * frame or open one. `attributes` are ours and come with their leading space.
 */
export const frame = (tag: string, nonce: string, text: string, attributes = ''): string =>
  `<${tag}-${nonce}${attributes}>\n${escapeText(text)}\n</${tag}-${nonce}>`;

/** `<` as `&lt;`. Nothing is unescaped later: a text that already holds `&lt;` stays readable and harmless. */
const escapeText = (text: string): string => text.replaceAll('<', '&lt;');

/** Length of an escaped text in characters, without making it. */
export const escapedLength = (text: string): number => {
  let length = text.length;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) length += 3;
  return length;
};
