// The command-line program: the same words as the slash commands, plus replay, project and doctor. The status line is
// answered here, since loading the rest would take longer than it may.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { printSegment } from '../command/statusline.ts';
import type { runCommand } from '../command/run.ts';
import { messageOf } from '../floor/failure.ts';

const segment = { data: { type: 'string' }, session: { type: 'string' }, cwd: { type: 'string' }, wrap: { type: 'string' } } as const;

const main = async (words: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...words], options: segment, strict: false, allowPositionals: true });
  const { data, session, wrap, ...others } = values;
  const text = (word: string | boolean | undefined): string | undefined => (typeof word === 'string' ? word : undefined);
  if (positionals[0] === 'statusline' && positionals.length === 1 && Object.keys(others).every((name) => name === 'cwd')) {
    await printSegment({ data: text(data), session: text(session), wrap: text(wrap) });
    return 0;
  }
  const program = createRequire(__filename)('./program.cjs') as { readonly runCommand: typeof runCommand };
  return program.runCommand(words);
};

// Whoever reads us may stop early, as `| head` does; a full disk is a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`second-brain: ${error.message}\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 74);
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const denied = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS');
    process.stderr.write(`second-brain: ${messageOf(error)}\n${denied ? 'The command doctor, with the same --data, names what is wrong.\n' : ''}`);
    process.exitCode = 70;
  },
);
