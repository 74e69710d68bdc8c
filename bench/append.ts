// What new lines cost: reading 1 MB that was appended to files of any size, as the monitor does at each tick.
import { appendFileSync, closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { writeCorpus } from './corpus.ts';
import { clockOf, interleave, least, median } from './measure.ts';
import type { Line, Options, Result } from './report.ts';
import { textsIn } from './projection-steps.ts';
import { projectionLimits } from '../src/main/entry/reading.ts';
import { defaultKnobs } from '../src/main/floor/knobs.ts';
import { holdsSecret } from '../src/main/floor/redact-gate.ts';
import { redact } from '../src/main/floor/redact.ts';
import { projectLine } from '../src/main/ingest/projection.ts';
import { readForward } from '../src/main/ingest/transcript-file.ts';
import type { Position } from '../src/main/records.ts';

const MB = 1_000_000;

export const measureAppend = async ({ quick, folder, say }: Options): Promise<Result> => {
  say('appending');
  const timed = clockOf(quick);
  const limits = projectionLimits(defaultKnobs(), []);
  const project = (line: Uint8Array) => projectLine(line, limits);
  const piece = join(folder, 'piece.jsonl');
  writeCorpus(piece, { bytes: MB, seed: 7 });
  const bytes = readFileSync(piece);

  /** Appends once more and takes the time that reading it takes. */
  const open = (size: number): (() => number) => {
    const path = join(folder, `append-${size}.jsonl`);
    writeCorpus(path, { bytes: size * MB });
    let position: Position | undefined;
    const read = (max_bytes: number): void => {
      const got = readForward(path, position, { project, max_bytes, history_chars: 0 });
      if (got.how === 'missing' || got.how === 'not-a-transcript') throw new Error(got.because);
      ({ position } = got);
    };
    read(2 * MB);
    return () => {
      appendFileSync(path, bytes);
      return timed(() => read(8 * MB));
    };
  };
  const readOnly = (): number => {
    const buffer = Buffer.allocUnsafe(bytes.length);
    const begun = performance.now();
    const file = openSync(piece, 'r');
    readSync(file, buffer);
    closeSync(file);
    return performance.now() - begun;
  };
  const parseOnly = (): number =>
    timed(() => {
      for (const line of readFileSync(piece, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
    });
  // What projection looks through for secrets in it.
  const texts = readFileSync(piece, 'utf8').split('\n').flatMap((line) => (line === '' || line.includes('"tool_result"') ? [] : textsIn(JSON.parse(line))));
  const secrets = (): number =>
    timed(() => {
      for (const text of texts) if (holdsSecret(text)) redact(text);
    });
  const large = quick ? 20 : 200;
  const variants = { read: readOnly, parse: parseOnly, secrets, small: open(1), large: open(large) };
  // As warm as a monitor that has watched for a while.
  await interleave(quick ? 15 : 40, variants);
  const time = await interleave(quick ? 15 : 31, variants, quick ? least : median);
  const limit = { what: 'reading 1 MB', value: time.read };
  const lines: readonly Line[] = [
    { what: '1 MB appended to 1 MB', unit: 'ms', ours: time.small, limit },
    { what: `1 MB appended to ${large} MB`, unit: 'ms', ours: time.large, limit, goal: { of: 'ours', max: 5 } },
    { what: `${large} MB against 1 MB`, unit: 'ms', ours: time.large, limit: { what: 'behind 1 MB', value: time.small }, goal: { of: 'ratio', max: 1.25 }, usual: 1 },
    { what: '1 MB, beside JSON.parse of its lines alone', unit: 'ms', ours: time.small, limit: { what: 'read and parse', value: time.parse }, usual: 1.1 },
    { what: '1 MB: secrets looked for in its texts', unit: 'ms', ours: time.secrets, limit: { what: 'read and parse', value: time.parse }, usual: 0.1 },
  ];
  return {
    name: 'append',
    title: 'New lines in a watched transcript',
    method: `readForward on a transcript of 1 MB and one of ${large} MB after the same 1 MB of lines was appended: position verified, lines read, projected and redacted on the main thread, code warm, medians of interleaved rounds. The limit is reading the bytes.`,
    lines,
  };
};
