// `statusline`: one segment, printed fast. It reaches no package, since the host runs it every other second.
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { findDataDir } from '../floor/data-dir-file.ts';
import { lockHolder } from '../floor/lock-file.ts';
import { pathsUnder } from '../floor/paths.ts';
import { statuslineText } from '../show/statusline.ts';
import { readStatus } from '../speak/status-file.ts';

export type Segment = { readonly data: string | undefined; readonly session: string | undefined; readonly wrap: string | undefined };

/** Prints the segment, behind the output of the wrapped command where there is one. Faults show as nothing. */
export const printSegment = async ({ data, session, wrap }: Segment): Promise<void> => {
  const input = await readInput();
  const wrapped = wrap === undefined ? Promise.resolve('') : outputOf(wrap, input);
  const segment = quietly(() => segmentFor(data, sessionIn(input) ?? session ?? process.env['CLAUDE_CODE_SESSION_ID']));
  const before = (await wrapped).replace(/\n+$/, '');
  const text = before === '' ? segment : segment === '' ? before : `${before} · ${segment}`;
  if (text !== '') process.stdout.write(`${text}\n`);
};

/** The host says what session it is in (the environment may be a stale one); a monitor must hold its lease. */
const segmentFor = (argument: string | undefined, session: string | undefined): string => {
  const found = findDataDir({ argument, dist: __dirname, env: process.env, home: homedir() });
  if (!found.ok || session === undefined) return '';
  const paths = pathsUnder(found.data);
  const now = Date.now();
  const read = readStatus(paths.status(session), now);
  if (!read.ok || lockHolder(paths.lease(session)) === undefined) return '';
  return statuslineText(read.value.status, now, MAX_AGE_MS, session);
};

/** `loop.status_interval_s` is at most an hour; older than this the lease's holder hangs. */
const MAX_AGE_MS = 3_700_000;
const INPUT_MS = 1000;
const MOST_INPUT = 1_000_000;
const WRAP_MS = 8000;
const MOST_OUTPUT = 100_000;

const readInput = (): Promise<string> =>
  new Promise((resolve) => {
    const { stdin } = process;
    if (stdin.isTTY) return resolve('');
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, INPUT_MS);
    stdin
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_INPUT) end();
      })
      .on('end', end)
      .on('error', end);
  });

const sessionIn = (input: string): string | undefined =>
  quietly(() => {
    const raw: unknown = JSON.parse(input);
    return typeof raw === 'object' && raw !== null && 'session_id' in raw && typeof raw.session_id === 'string' ? raw.session_id : '';
  }) || undefined;

/** What the user's own command prints for the same input; whatever it printed until it failed or its time was up. */
const outputOf = (command: string, input: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], timeout: WRAP_MS });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(0, MOST_OUTPUT);
    });
    child.stdin.on('error', () => undefined); // it need not read its input
    child.on('error', () => resolve(text));
    child.on('exit', () => setTimeout(() => resolve(text), 200).unref());
    child.on('close', () => resolve(text));
    child.stdin.end(input);
  });

/** A status line must not show our faults in the user's face: whatever went wrong, there is nothing to say. */
const quietly = (act: () => string): string => {
  try {
    return act();
  } catch {
    return '';
  }
};
