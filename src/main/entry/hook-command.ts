// Our typed commands, answered by the hook itself: no turn, no request (SPEC 12, CONTRACT f).
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { SOURCE } from '../floor/marks.ts';
import { block, type Block, type Call } from './hook-call.ts';

export type Command = { readonly name: string; readonly words: readonly string[] };

/** The command in a prompt, typed in full or by its bare name. */
export const commandIn = (prompt: string): Command | undefined => {
  const [, name, rest = ''] = /^\/(?:second-brain:)?second-brain-(stats|why|config|run|forget|report)(?:\s([^]*))?$/.exec(prompt.slice(0, LONGEST).trim()) ?? [];
  return name === undefined ? undefined : { name, words: wordsIn(rest) };
};

const LONGEST = 4000;

/** Words as a shell would split them, quotes and all, but nothing expanded. */
const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''));

// `/second-brain-run` waits for a pass, 45 s at most; everything else is file work.
const RUN_MS = 52_000;
const OTHERS_MS = 4000;
const MOST_OUTPUT = 400_000;
const SHOWN = 20_000;

/** Runs the command bundle and shows what it prints. It always answers: an unanswered command would cost a turn. */
export const answerCommand = async ({ name, words }: Command, { payload, paths, env, dist }: Call): Promise<Block> => {
  const args = [join(dist, 'command.cjs'), name, ...words, '--data', paths.data, '--session', payload.session, '--cwd', env['CLAUDE_PROJECT_DIR'] || payload.cwd];
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { timeout: name === 'run' ? RUN_MS : OTHERS_MS, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT, env: childEnv(env) }, (error, stdout) => {
      if (stdout.trim() !== '') resolve(stdout.trimEnd());
      else resolve(error?.killed === true ? `${name} took too long and was stopped.` : `${name} gave no answer.`);
    });
  });
  return block(`${SOURCE}\n${text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text}`);
};

/** The hook's own variables, less the host's messaging channel and what would preload code. */
const childEnv = (env: Call['env']): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('CLAUDE_CODE_MESSAGING_')));
