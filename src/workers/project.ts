// Projects a byte range of a transcript: what the main thread does with small increments, done elsewhere with large ones.
import { closeSync, openSync, readSync } from 'node:fs';
import { eachLine, isBlank } from '../main/ingest/lines.ts';
import { projectLine } from '../main/ingest/projection.ts';
import type { Projected } from '../main/records.ts';
import type { ProjectResult, ProjectTask } from './contract.ts';

/** The complete lines of [from, to) in file order, the same as the main thread would give. Throws when the file is gone. */
export const projectRange = ({ path, from, to, limits }: ProjectTask): ProjectResult => {
  const items: Projected[] = [];
  let bad = 0;
  const fd = openSync(path, 'r');
  try {
    const scan = eachLine(
      (into, at) => readSync(fd, into, 0, into.length, at),
      from,
      to,
      (line) => {
        if (isBlank(line)) return;
        const item = projectLine(line, limits);
        if (item.type === 'bad-line') bad += 1;
        items.push(item);
      },
    );
    return { items, bad_lines: bad + scan.skipped };
  } finally {
    closeSync(fd);
  }
};
