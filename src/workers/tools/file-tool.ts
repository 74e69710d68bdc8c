// One call of Read, Grep or Glob in its jail: arguments looked at, the answer redacted, well-formed and capped before it leaves the thread.
import { redact } from '../../main/floor/redact.ts';
import { headOf, wellFormed } from '../../main/floor/text.ts';
import type { ToolReply } from '../../main/records.ts';
import type { FileToolTask } from '../contract.ts';
import { globFiles } from './glob.ts';
import { grepFiles } from './grep.ts';
import { openJail } from './jail.ts';
import { readLines } from './read.ts';

/** The reply to a granted call; refusals are plain sentences. Ends by itself at the deadline with what it has. */
export const answerFileTool = ({ tool, args, root, denied, deadline_ms, redact: hide }: FileToolTask): ToolReply => {
  const end = performance.now() + deadline_ms;
  const late = (): boolean => performance.now() > end;
  const jail = openJail(root, denied);
  if (jail === undefined) return refuse('The repository cannot be opened.');
  const path = textArg(args, 'path');
  const pattern = textArg(args, 'pattern');
  if (tool === 'Read') {
    if (path === undefined) return refuse('Read needs a path.');
    return reply(readLines(jail, { path, offset: countArg(args, 'offset', 1), limit: countArg(args, 'limit', 300) }, hide, ROOM), hide);
  }
  if (pattern === undefined) return refuse(`${tool} needs a pattern.`);
  if (tool === 'Glob') return reply(globFiles(jail, { pattern, path: path ?? '' }, late, ROOM), hide);
  return reply(grepFiles(jail, { pattern, path: path ?? '', glob: textArg(args, 'glob') }, hide, late, ROOM), hide);
};

/** Characters of one answer: what a fork adds to its next request at most. */
const ROOM = 12_000;

const refuse = (text: string): ToolReply => ({ ok: false, text });

const reply = (answer: { readonly ok: true; readonly text: string } | { readonly ok: false; readonly because: string }, hide: boolean): ToolReply => {
  const text = wellFormed(answer.ok ? answer.text : answer.because);
  // Once more over the whole: file names come from outside too.
  return { ok: answer.ok, text: headOf(hide ? redact(text) : text, ROOM) };
};

const textArg = (args: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = args[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const countArg = (args: Readonly<Record<string, unknown>>, name: string, otherwise: number): number => {
  const value = Number(args[name] ?? otherwise);
  return Number.isSafeInteger(value) && value >= 1 ? value : otherwise;
};
