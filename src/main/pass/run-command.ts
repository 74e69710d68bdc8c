// Run: one exact, allowlisted command against the live tree (SPEC 7.2). No shell, an environment of its own, a process group that ends whole.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFolder } from '../floor/folder-file.ts';
import { endGroup } from '../floor/process-file.ts';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { ToolReply } from '../records.ts';
import type { OnRecord } from './children-file.ts';

export type RunInput = {
  readonly command: unknown;
  /** `commandsOf` the calling detector. */
  readonly allowed: readonly string[];
  /** `run_tool.enabled` of this workspace. */
  readonly enabled: boolean;
  readonly plan_mode: boolean;
  /** Milliseconds since the last write that was seen in the tree; Infinity for none. */
  readonly quiet_since: () => number;
  /** The repository's root, a real path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly children: OnRecord;
  readonly timeout_ms: number;
  readonly redact: boolean;
};

/** The command's exit and output, start and end of it when long. Refusals and failures to start are replies too. */
export const runCommand = async (input: RunInput): Promise<ToolReply> => {
  const { command, allowed, enabled, plan_mode, quiet_since } = input;
  if (!enabled) return refuse('Run is off in this workspace.');
  if (plan_mode) return refuse('Nothing is run in plan mode.');
  if (typeof command !== 'string' || !allowed.includes(command)) return refuse('Run accepts only the exact commands of your instructions.');
  const argv = splitWords(command);
  if (argv === undefined || command.includes('\0')) return refuse('That command cannot be split into words.');
  for (let waited = 0; quiet_since() < QUIET_MS; waited += STEP_MS) {
    if (waited >= PATIENCE_MS) return refuse('The tree is being written to; nothing was run.');
    await sleep(STEP_MS);
  }
  return start(argv, input);
};

/** Words at white space, quotes around what holds some. All else is literal: nothing expands, joins or redirects. */
export const splitWords = (command: string): readonly string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const char of command) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return quote === '' && words.length > 0 ? words : undefined;
};

const QUIET_MS = 1000;
const STEP_MS = 200;
/** A tree that is never quiet for longer is at work; the fork's own time is short. */
const PATIENCE_MS = 4000;
const HEAD_BYTES = 3000;
const TAIL_BYTES = 7000;

const refuse = (text: string): ToolReply => ({ ok: false, text });

const start = (argv: readonly string[], { cwd, env, children, timeout_ms, redact: hide }: RunInput): Promise<ToolReply> =>
  new Promise((resolve) => {
    const began = Date.now();
    const [program = '', ...args] = argv;
    const child = inFolder(cwd, (folder) => spawn(program, args, { cwd: folder, env: { ...env }, shell: false, detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true }));
    if (child === undefined) return resolve(refuse('The repository is not where it was; nothing was run.'));
    const ended = children(child.pid);
    const output = keepEnds(HEAD_BYTES, TAIL_BYTES);
    let timed_out = false;
    let settled = false;
    const settle = (reply: ToolReply): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve(reply);
    };
    const timer = setTimeout(() => {
      timed_out = true;
      endGroup(child.pid, 'SIGKILL');
      // What left the group may hold the pipes open for ever.
      setTimeout(() => end('killed'), CLOSE_MS).unref();
    }, timeout_ms);
    const end = (how: string): void => {
      child.stdout.destroy();
      child.stderr.destroy();
      const took = ((Date.now() - began) / 1000).toFixed(1);
      const head = timed_out ? `Killed after ${took} s: it took too long.` : `${how} after ${took} s.`;
      settle({ ok: !timed_out, text: `${head}\n${output.text(hide)}` });
    };
    child.stdout.on('data', output.take);
    child.stderr.on('data', output.take);
    child.on('error', (error) => settle(refuse(`It did not start (${'code' in error ? String(error.code) : error.message}).`)));
    child.on('exit', (code, signal) => {
      ended();
      // Whatever it left running in its group ends with it.
      endGroup(child.pid, 'SIGKILL');
      setTimeout(() => end(`Exit ${code ?? signal}`), CLOSE_MS).unref();
    });
    child.on('close', (code, signal) => end(`Exit ${code ?? signal}`));
  });

const CLOSE_MS = 500;

/** The first and the last bytes of a stream, whatever its length, and how many lay between them. */
const keepEnds = (head_max: number, tail_max: number) => {
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let head_size = 0;
  let tail_size = 0;
  let total = 0;
  return {
    take: (chunk: Buffer): void => {
      total += chunk.length;
      const room = Math.max(0, head_max - head_size);
      const first = chunk.subarray(0, room);
      if (first.length > 0) head.push(Buffer.from(first));
      head_size += first.length;
      const rest = chunk.subarray(Math.max(room, chunk.length - tail_max));
      if (rest.length === 0) return;
      tail.push(Buffer.from(rest));
      tail_size += rest.length;
      if (tail_size > 2 * tail_max) {
        tail = [Buffer.concat(tail).subarray(-tail_max)];
        tail_size = tail[0]?.length ?? 0;
      }
    },
    text: (hide: boolean): string => {
      const last = Buffer.concat(tail).subarray(-tail_max);
      const dropped = total - head_size - last.length;
      const show = (bytes: Buffer, cut: (text: string) => string): string => {
        const text = wellFormed(cut(new TextDecoder().decode(bytes)));
        return hide ? redact(text) : text;
      };
      if (dropped === 0) return show(Buffer.concat([...head, last]), (text) => text) || '(no output)';
      return `${show(Buffer.concat(head), wholeStart)}\n… ${dropped} bytes left out …\n${show(last, wholeEnd)}`;
    },
  };
};

// A secret that a cut runs through would not be known for one: only whole lines, else whole words, stay.
const wholeStart = (text: string): string => text.slice(0, Math.max(text.lastIndexOf('\n') === -1 ? text.lastIndexOf(' ') : text.lastIndexOf('\n'), 0));

const wholeEnd = (text: string): string => {
  const newline = text.indexOf('\n');
  const space = text.indexOf(' ');
  const rest = newline !== -1 ? text.slice(newline + 1) : space !== -1 ? text.slice(space + 1) : '';
  const close = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/.exec(rest);
  return close === null || rest.lastIndexOf('-----BEGIN ', close.index) !== -1 ? rest : rest.slice(close.index + close[0].length);
};
