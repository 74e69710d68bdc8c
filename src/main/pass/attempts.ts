// Calls as attempts: what was tried, how it ended, and what changed in between, so that going in circles can be told from getting on.
import type { Numbered } from '../records.ts';
import { readCommand } from './shell.ts';

export type Attempt = {
  readonly end: 'failure' | 'success';
  /** The observation that ended it. */
  readonly at: Numbered;
  readonly tool: string;
  /** Equal for the same attempt, however a command was dressed: `Bash npm test`, `Edit /r/a.ts`. */
  readonly id: string;
  /** What is tried, for people: the command, or the tool with what it acts on. */
  readonly shown: string;
  /** Bash: where it ran, when it says so. */
  readonly dir?: string;
  /** Failure: its text without what differs from run to run. */
  readonly signature: string;
  /** It paused first: asking again is the plan. */
  readonly waited: boolean;
  /** Arguments and failure: what two attempts may have in common. */
  readonly words: string;
};

/** `changed`: a file was written, or the tree moved as a whole: what comes after is another attempt. */
export type Step = Attempt | { readonly end: 'changed' } | { readonly end: 'moved' };

/** Which attempts are wanted: reading all commands of a long window takes a while. Bash by programs in lower case, other tools by texts that hold their slug. */
export type Wanted = { readonly programs: readonly string[]; readonly tools: readonly string[] };

/** The wanted attempts that came back, in that order, with the changes between. What runs on in the background has not come back. */
export const stepsOf = (observations: readonly Numbered[], wanted: Wanted): readonly Step[] => {
  const running = new Map<string, Numbered>();
  const steps: Step[] = [];
  const ended = (call: Numbered, end: Attempt['end'], at: Numbered): void => {
    if (at.launches !== undefined) return;
    if (end === 'success' && (call.writes === true || (call.command !== undefined && CHANGES.test(call.command)))) steps.push({ end: 'changed' });
    if (end === 'success' && call.command !== undefined && MOVES.test(call.command)) steps.push({ end: 'moved' });
    const attempt = attemptOf(call, end, at, wanted);
    if (attempt !== undefined && !(end === 'failure' && isAnswer(attempt))) steps.push(attempt);
  };
  for (const seen of observations) {
    const { kind, call } = seen;
    if (kind === 'tool') {
      if (isDone(seen)) ended(seen, 'success', seen);
      else if (call !== undefined) running.set(call, seen);
    } else if ((kind === 'error' || kind === 'done') && call !== undefined) {
      const started = running.get(call);
      if (started !== undefined) ended(started, kind === 'error' ? 'failure' : 'success', seen);
      running.delete(call);
    }
  }
  return steps;
};

/** What has failed since observation `from`, with the `back` failures before: only attempts of the kind can have become a row. */
export const failedSince = (observations: readonly Numbered[], from: number, back: number): Wanted => {
  const errors = observations.filter(({ kind, call }) => kind === 'error' && call !== undefined);
  const first = errors.findIndex(({ n }) => n >= from);
  const calls = new Set(first === -1 ? [] : errors.slice(Math.max(0, first - back)).map(({ call }) => call));
  const failed = calls.size === 0 ? [] : observations.filter(({ kind, call }) => kind === 'tool' && call !== undefined && calls.has(call));
  return {
    programs: [...new Set(failed.flatMap(({ command }) => (command === undefined ? [] : [programOf(readCommand(command).text)])))].filter((program) => program !== ''),
    tools: [...new Set(failed.flatMap(({ command, tool }) => (command !== undefined || tool === undefined ? [] : [slugOf(tool)])))],
  };
};

const attemptOf = (call: Numbered, end: Attempt['end'], at: Numbered, wanted: Wanted): Attempt | undefined => {
  const { tool = '', command, text } = call;
  const signature = end === 'failure' ? signatureOf(at.text) : '';
  const shared = { end, at, tool, signature };
  if (command !== undefined) {
    const lowered = command.toLowerCase();
    if (!wanted.programs.some((program) => lowered.includes(program))) return undefined;
    const read = readCommand(command);
    if (read.text === '') return undefined;
    return { ...shared, id: `${tool} ${read.text}`, shown: read.text, ...(read.dir === undefined ? {} : { dir: read.dir }), waited: WAITS.test(command.slice(0, 400)), words: `${read.text} ${signature}` };
  }
  if (tool === '' || !wanted.tools.some((name) => name.includes(slugOf(tool)))) return undefined;
  const target = call.paths?.[0] ?? /https?:\/\/[^\s"')]{1,300}/.exec(text.slice(0, 2000))?.[0] ?? '';
  return { ...shared, id: `${tool} ${target}`.trim(), shown: `${tool} ${target}`.trim(), waited: false, words: `${text.slice(0, 600)} ${signature}` };
};

/** Shell commands that change what a next attempt meets: files, packages, processes. */
const CHANGES =
  /\b(?:sed|perl) (?:-\S+ )*-\w*i|\bgit (?:apply|am|cherry-pick|merge|pull|rebase|submodule)\b|\b(?:patch|cp|mv|rm|ln|chmod|chown|mkdir|touch|kill|pkill|killall) |\b(?:install|add|remove|uninstall|upgrade|update|sync|restore|migrate|prune|login|start|restart|stop|up|down)\b/;

/** What only a whole tree can do to a test; a look at the stash moves nothing. */
const MOVES = /\bgit (?:bisect|checkout|switch|reset|revert)\s|\bgit stash(?!\s+(?:list|show)\b)/;

/** Programs that say no by their exit code: nothing found, not equal, not there. */
const ASKS = /^(?:rg|grep|egrep|fgrep|ag|ack|git grep|git diff|diff|cmp|test|\[|which|pgrep|command)(?:\s|$)/;

/** A failure that is only a no: such a program, and not a word of complaint. */
const isAnswer = ({ tool, shown, signature }: Attempt): boolean => tool === 'Bash' && ASKS.test(shown) && /^(?:Exit code 1)?$/i.test(signature);

const WAITS = /(?:^|[;&|(\s])(?:sleep|wait|until|while)\s/;

/** `npm test` → `npm-test`, short enough for a key. */
export const slugOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 30).replace(/^-|-$/g, '');

/** First word of a normalised command, lower case. */
const programOf = (text: string): string => /^[^\s"]*/.exec(text)?.[0].toLowerCase() ?? '';

const signatureOf = (text: string): string =>
  text
    .slice(0, 600)
    .replace(/^\[error\] [^\n:]{0,80}: /, '')
    .replace(/\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds|min)\b|\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?|0x[0-9a-f]+/gi, '~')
    .replace(/\s+/g, ' ')
    .trim();

// The queue's mark for a call that came back without error in the same episode: behind a command, and on the first line of an edit.
const isDone = ({ text }: Numbered): boolean => DONE.test(text.slice(-40)) || DONE.test(text.slice(0, 1000).split('\n', 1)[0] ?? '');
const DONE = / → done(?: ×\d+)?$/;
