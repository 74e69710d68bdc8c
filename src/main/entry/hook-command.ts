// Our typed commands, answered by the hook itself: no turn, no request (SPEC 12, CONTRACT f).
import { SOURCE } from '../floor/marks.ts';
import { block, type Block, type Call } from './hook-call.ts';

export type Command = { readonly name: string; readonly words: readonly string[] };

/** The command in a prompt, typed in full or by its bare name. */
export const commandIn = (prompt: string): Command | undefined => {
  const [, name, rest = ''] = /^\/(?:second-brain:)?second-brain-(stats|why|config|run|forget|report)(?:\s([^]*))?$/.exec(prompt.slice(0, LONGEST).trim()) ?? [];
  return name ? { name, words: wordsIn(rest) } : undefined;
};

const LONGEST = 4000;

/** Words as a shell would split them, quotes and all, but nothing expanded. */
const wordsIn = (text: string): readonly string[] =>
  (text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).map((word) => word.replace(/(["'])(.*?)\1/g, '$2'));

// `/second-brain-run` waits for a pass, 45 s at most; everything else is file work.
const RUN_MS = 52_000;
// Of the whole call: reading its input may have taken some of it.
const OTHERS_MS = 4500;
// The host prints this much whole.
const MOST_OUTPUT = 20_000;

/** Runs the command bundle and shows what it prints. It always answers: an unanswered command would cost a turn. */
export const answerCommand = async ({ name, words }: Command, { payload, paths, env }: Call): Promise<Block> => {
  // Ours first: a `--` among the person's words takes all that follows for words.
  const args = [`${__dirname}/command.cjs`, '--data', paths.data, '--session', payload.session, '--cwd', env['CLAUDE_PROJECT_DIR'] || payload.cwd, name, ...words];
  const text = await new Promise<string>((resolve) => {
    process.getBuiltinModule('node:child_process').execFile(process.execPath, args, { timeout: name === 'run' ? RUN_MS : Math.max(1, (OTHERS_MS - performance.now()) | 0), maxBuffer: MOST_OUTPUT }, (_, stdout, stderr) => {
      // What went wrong is told there.
      resolve((stdout || stderr).trimEnd() || `${name} gave no answer.`);
    });
  });
  return block(`${SOURCE}\n${text}`);
};
