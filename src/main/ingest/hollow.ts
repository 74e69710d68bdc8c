// Bytes of a transcript line to text, and the cheap way for what nobody reads: a successful result's long texts (PERF: most of
// a transcript is results, and most of the time goes into decoding and parsing them).
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { HOLLOW } from './transcript.ts';

/** `bytes` as text, invalid UTF-8 replaced. The detour over UTF-16 is several times faster than Node 20's own decoder. */
export const decodeLine = (bytes: Buffer): string => {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return bytes.length > 256 && isUtf8(bytes) ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8');
};

/** Texts up to this many bytes stay: ids, paths, kinds. */
const SHORT = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const RESULT = Buffer.from('"type":"tool_result"');

/** HOLLOW as JSON spells it. */
const SPELLED = JSON.stringify(HOLLOW).slice(1, -1);

/** Whether the line may be a successful result; a quote inside a JSON text is escaped, so that a match is a key. */
export const isHollowable = (line: Buffer): boolean => line.length > 1024 && line.subarray(0, 700).includes(RESULT);

/** The line's JSON with each text over 256 bytes replaced by a note of its bytes; undefined if a text does not end. */
export const hollow = (line: Buffer): string | undefined => {
  let out = '';
  let from = 0;
  for (let start = line.indexOf(QUOTE) + 1; start > 0; ) {
    const end = endOfText(line, start);
    if (end === -1) return undefined;
    if (end - start > SHORT) {
      out += `${decodeLine(line.subarray(from, start))}${SPELLED}${end - start}`;
      from = end;
    }
    start = line.indexOf(QUOTE, end + 1) + 1;
  }
  return out + decodeLine(line.subarray(from));
};

/** The first quote from `start` on that no odd number of backslashes escapes. */
const endOfText = (line: Buffer, start: number): number => {
  for (let i = line.indexOf(QUOTE, start); i !== -1; i = line.indexOf(QUOTE, i + 1)) {
    let slashes = 0;
    while (line[i - slashes - 1] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return i;
  }
  return -1;
};
