// Sessions recorded from the real host with a scripted model: part of the train split, since the product's own tests use them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from './score.ts';
import type { Transcript } from './transcript.ts';

export type Recorded = { readonly id: string; readonly root: string; readonly written: Transcript; readonly label: Pick<Case, 'kind' | 'lenses'> & Partial<Pick<Case, 'fault' | 'structural' | 'what' | 'shows' | 'onset'>> };

/** Those in `folder`: three without a fault, one in which a command fails four times, one whose tests never run. */
export const recordedSessions = (folder: string): readonly Recorded[] => [
  ...['clean', 'unicode-windows', 'long-mixed'].map((name) => recorded(folder, name, () => ({ kind: 'base', lenses: [] }))),
  recorded(folder, 'repeat-failure', (lines) => {
    const failures = lines.flatMap((line, at) => (line.includes('"is_error":true') ? [at] : []));
    return { kind: 'fault', fault: 'repeated-command', structural: true, what: 'recorded', lenses: ['repeat-failure', 'default'], shows: failures[0] ?? 0, onset: failures[2] ?? 0 };
  }),
  recorded(folder, 'no-tests', (lines) => ({
    kind: 'fault', fault: 'tests-never-run', structural: true, what: 'recorded', lenses: ['standard-questions', 'default'],
    shows: lines.findIndex((line) => line.includes('"name":"Edit"')), onset: lines.findLastIndex((line) => line.includes('"type":"assistant"')),
  })),
];

const recorded = (folder: string, name: string, labelOf: (lines: readonly string[]) => Recorded['label']): Recorded => {
  const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8').trimEnd().split('\n');
  let at = 0;
  // Bookkeeping has no time, and times run backwards here and there.
  const times = lines.map((line) => (at = Math.max(at, timeOf(line) ?? 0)));
  return { id: `recorded-${name}`, root: '/home/dev/project', written: { lines, times: times.map((time) => time || (times.find((each) => each > 0) ?? 0)), places: new Map(), session: name }, label: labelOf(lines) };
};

const timeOf = (line: string): number | undefined => {
  const record: unknown = JSON.parse(line);
  const time = typeof record === 'object' && record !== null && 'timestamp' in record && typeof record.timestamp === 'string' ? Date.parse(record.timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};
