// The command-line program: the same words as the slash commands, plus replay and project.
import { runCommand } from '../command/run.ts';

runCommand(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`second-brain: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 70;
  },
);
