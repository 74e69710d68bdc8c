// File contents as a model may see them: text only, secrets out, every line where it was.
import { redactInPlace } from '../../main/floor/redact.ts';

/** The text of a file's bytes, redacted when asked; undefined when they are not text. */
export const textOf = (bytes: Buffer, hide: boolean): string | undefined => {
  if (bytes.subarray(0, SNIFFED).includes(0)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return hide ? redactInPlace(text) : text;
};

const SNIFFED = 8192;
