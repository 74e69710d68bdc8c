// The window's log, tasks/<task>.window.<generation>.jsonl (SPEC 4): a header, then a line per block. A restart reads it
// back byte for byte; a new generation is a new file, whole before the old one goes.
import { closeSync, constants, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { namesIn, remove } from '../floor/disk-file.ts';
import { isMissing, setAside, unlessMissing, writeWhole } from '../floor/json-file.ts';
import { isObject } from '../floor/object.ts';
import type { Paths } from '../floor/paths.ts';
import type { Block, Numbered, Position } from '../records.ts';
import { append, emptyWindow, type Window } from './window.ts';

/** `dropped` bytes of a half-written last line were cut off; `aside` names logs that could not be read. Both deserve a log line. */
export type ReadWindow = {
  readonly window?: Window;
  readonly dropped: number;
  readonly aside: readonly string[];
};

/** The newest readable generation of the task's window, or none: then it is rebuilt from the transcript. */
export const readWindow = (paths: Paths, task: string): ReadWindow => {
  const aside: string[] = [];
  for (const generation of generations(paths, task)) {
    const path = paths.windowLog(task, generation);
    const { bytes, dropped } = wholeLines(path);
    if (bytes === undefined) continue; // removed by whoever forgot or swept the task
    try {
      return { window: parseLog(bytes.toString('utf8'), task, generation), dropped, aside };
    } catch {
      aside.push(setAside(path)); // kept for a person to look at; an older generation may still be there
    }
  }
  return { dropped: 0, aside };
};

/** Writes a new generation whole, then removes older ones. A crash in between leaves both; the newer one counts. */
export const startWindow = (paths: Paths, window: Window): void => {
  const lines = [headerOf(window), ...window.blocks.map((block) => lineOf(block, observationsOf(window, block)))];
  writeWhole(paths.windowLog(window.task, window.generation), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const generation of generations(paths, window.task)) {
    if (generation < window.generation) remove(paths.windowLog(window.task, generation));
  }
};

/** Appends what `append` has put into the window. False when the log is gone (forgotten meanwhile): nothing is made anew. */
export const appendBlock = (paths: Paths, window: Window, block: Block, numbered: readonly Numbered[] = []): boolean => {
  let fd: number;
  try {
    fd = openSync(paths.windowLog(window.task, window.generation), constants.O_APPEND | constants.O_WRONLY);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  try {
    const bytes = Buffer.from(`${JSON.stringify(lineOf(block, numbered))}\n`, 'utf8');
    // A disk that fills up takes the head, and says why with the rest.
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } finally {
    closeSync(fd);
  }
  return true;
};

/** Generations on disk, newest first. */
const generations = (paths: Paths, task: string): readonly number[] => {
  const sample = basename(paths.windowLog(task, 0));
  const stem = sample.slice(0, -'0.jsonl'.length);
  return namesIn(dirname(paths.windowLog(task, 0)))
    .filter((name) => name.startsWith(stem) && /^\d{1,9}\.jsonl$/.test(name.slice(stem.length)))
    .map((name) => Number.parseInt(name.slice(stem.length), 10))
    .sort((a, b) => b - a);
};

/** The file up to its last newline; what follows is cut off on disk too, so that the next line does not join it. */
const wholeLines = (path: string): { readonly bytes?: Buffer; readonly dropped: number } => {
  const bytes = unlessMissing(() => readFileSync(path));
  if (bytes === undefined) return { dropped: 0 };
  const end = bytes.lastIndexOf(0x0a) + 1;
  const dropped = bytes.length - end;
  if (dropped > 0 && end > 0) truncateSync(path, end);
  return { bytes: bytes.subarray(0, end), dropped };
};

type Header = Pick<Window, 'task' | 'nonce' | 'generation' | 'ledger_text' | 'next_n'> & { readonly v: 1; readonly position?: Position };
type Line = { readonly block: Block; readonly observations: readonly Numbered[] };

const headerOf = ({ task, nonce, generation, ledger_text, next_n, position }: Window): Header => ({
  v: 1,
  task,
  nonce,
  generation,
  ledger_text,
  next_n,
  ...(position === undefined ? {} : { position }),
});

const lineOf = (block: Block, observations: readonly Numbered[]): Line => ({ block, observations });

const observationsOf = (window: Window, { from, to }: Block): readonly Numbered[] =>
  from === undefined || to === undefined ? [] : window.observations.filter(({ n }) => n >= from && n <= to);

/** Throws on anything that is not a log of ours: one unreadable line in the middle means that blocks are missing. */
const parseLog = (text: string, task: string, generation: number): Window => {
  const [first, ...rest] = text.split('\n').filter((line) => line !== '');
  const header = parseHeader(JSON.parse(first ?? ''));
  if (header.task !== task || header.generation !== generation) throw new Error('window log of another task or generation');
  const { v: _, ...start } = header;
  let window = emptyWindow(start);
  for (const line of rest) {
    const { block, observations } = parseLine(JSON.parse(line));
    window = append(window, block, observations);
  }
  return window;
};

const parseHeader = (raw: unknown): Header => {
  if (!isObject(raw) || raw['v'] !== 1) throw new Error('window log of another version');
  const { task, nonce, ledger_text, generation, next_n } = raw;
  if (![task, nonce, ledger_text].every((text) => typeof text === 'string') || !Number.isSafeInteger(generation) || !Number.isSafeInteger(next_n) || !isPosition(raw['position'])) {
    throw new Error('window log without a header');
  }
  return raw as Header;
};

const KINDS: readonly unknown[] = ['history', 'observations', 'feedback', 'note'] satisfies readonly Block['kind'][];

const parseLine = (raw: unknown): Line => {
  if (!isObject(raw) || !isObject(raw['block']) || !Array.isArray(raw['observations'])) throw new Error('not a block');
  const { kind, pass, at, text, from, to, position } = raw['block'];
  const numbers = from === undefined && to === undefined ? [pass, at] : [pass, at, from, to];
  if (!KINDS.includes(kind) || !numbers.every(Number.isFinite) || typeof text !== 'string' || !isPosition(position)) throw new Error('not a block');
  if (!raw['observations'].every(isNumbered)) throw new Error('not an observation');
  return raw as Line;
};

/** Whether every field that is read without looking again has its type. */
const isNumbered = (raw: unknown): boolean => {
  if (!isObject(raw) || !Number.isSafeInteger(raw['n'])) return false;
  const { paths } = raw;
  const words = [raw['tool'], raw['call'], raw['command'], raw['settles'], raw['launches']];
  return (
    typeof raw['kind'] === 'string' && typeof raw['text'] === 'string' && Number.isFinite(raw['at']) &&
    words.every((word) => word === undefined || typeof word === 'string') &&
    (paths === undefined || (Array.isArray(paths) && paths.every((path: unknown) => typeof path === 'string')))
  );
};

const isPosition = (raw: unknown): boolean =>
  raw === undefined || (isObject(raw) && [raw['path'], raw['hash']].every((text) => typeof text === 'string') && [raw['dev'], raw['ino'], raw['offset']].every(Number.isFinite));
