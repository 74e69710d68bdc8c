// Makes a successful result's record cheap to parse: its long texts, which nobody reads, are left out before decoding.
import { HOLLOW } from './transcript.ts';

/** Texts up to this many bytes stay: ids, paths, kinds. */
const SHORT = 256;

/** HOLLOW as JSON spells it. */
const SPELLED = JSON.stringify(HOLLOW).slice(1, -1);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const RESULT = Buffer.from('"type":"tool_result"');
// Any of these (a failure, a text beside the result, an answer, an agent's conclusion, a refusal) needs its texts whole.
// Quotes inside JSON texts are escaped, so that a match is always a key.
const READ_WHOLE = ['_error":true', '"type":"text"', '"answers":', '"agentId":', '"toolDenialKind":'].map((key) => Buffer.from(key));

/**
 * Whether only the shape of this line matters: a successful result. Sound for any line with the usual spacing, and a
 * line written otherwise is parsed whole.
 */
export const isHollowable = (line: Buffer): boolean =>
  line.length > 1024 && line.subarray(0, 700).includes(RESULT) && !READ_WHOLE.some((key) => line.includes(key));

/** The line's JSON with each text over 256 bytes replaced by a note of its length; undefined if it does not end well. */
export const hollow = (line: Buffer): string | undefined => {
  let out = '';
  let from = 0;
  for (let i = line.indexOf(QUOTE); i !== -1; i = line.indexOf(QUOTE, i)) {
    const start = i + 1;
    let chars = 0;
    for (i = start; i < line.length; i += 1) {
      const byte = line[i] as number;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        i += line[i + 1] === 0x75 ? 5 : 1;
        chars += 1;
      } else if (byte < 0x80) chars += 1;
      else if (byte >= 0xc0) chars += byte >= 0xf0 ? 2 : 1;
    }
    if (i >= line.length) return undefined;
    if (i - start > SHORT) {
      out += `${line.toString('utf8', from, start)}${SPELLED}${chars}`;
      from = i;
    }
    i += 1;
  }
  return out + line.toString('utf8', from);
};
