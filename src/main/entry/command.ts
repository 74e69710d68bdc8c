// The command-line program: the same words as the slash commands, plus replay, project and doctor. The status line is
// answered here, since loading the rest would take longer than it may.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { printSegment } from '../command/statusline.ts';
import type { runCommand } from '../command/run.ts';

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

// Whoever reads us may stop early, as `| head` does.
process.stdout.on('error', () => process.exit(0));

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`second-brain: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 70;
  },
);
