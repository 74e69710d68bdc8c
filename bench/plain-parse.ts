// What projection is measured against: a program that reads a file, calls JSON.parse on every line and does nothing else.
import { openSync, readSync } from 'node:fs';

const plainParse = (path: string): number => {
  const file = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(256 * 1024);
  let parts: Buffer[] = [];
  let lines = 0;
  for (let got = readSync(file, buffer); got > 0; got = readSync(file, buffer)) {
    let start = 0;
    for (let end = buffer.indexOf(10); end !== -1 && end < got; end = buffer.indexOf(10, start)) {
      const piece = buffer.subarray(start, end);
      const line = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
      JSON.parse(line.toString('utf8'));
      lines += 1;
      parts = [];
      start = end + 1;
    }
    if (start < got) parts.push(Buffer.from(buffer.subarray(start, got)));
  }
  return lines;
};

if (process.argv[1]?.endsWith('/plain-parse.mjs') === true) process.stdout.write(`${plainParse(process.argv[2] ?? '')}\n`);
