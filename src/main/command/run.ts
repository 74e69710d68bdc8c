// Finds the subcommand and its options, and says what would be right when they are not.
import { parseArgs } from 'node:util';
import { projectCommand } from './project-command.ts';
import { replayCommand } from './replay-command.ts';
import type { Command } from './words.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  replay: { usage: 'replay FILE|FOLDER [--json] [--provider NAME] [--base-url URL]', help: 'watch a recorded session again', run: replayCommand },
  project: { usage: 'project FILE', help: 'print what would be observed of it', run: projectCommand },
};

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  global: { type: 'boolean' },
  data: { type: 'string' },
  session: { type: 'string' },
  cwd: { type: 'string' },
  provider: { type: 'string' },
  'base-url': { type: 'string' },
  model: { type: 'string' },
  report: { type: 'string' },
  'no-redact': { type: 'boolean' },
} as const;

/** Runs the program on its arguments; the result is the exit code. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage()}\n`);
    return 2;
  }
  const [name, ...positionals] = parsed.positionals;
  const command = name === undefined ? undefined : COMMANDS[name];
  if (command === undefined || parsed.values.help === true) {
    (name === undefined || parsed.values.help === true ? process.stdout : process.stderr).write(`${name === undefined || command !== undefined ? '' : `There is no command ${name}.\n`}${usage()}\n`);
    return name === undefined || parsed.values.help === true ? 0 : 2;
  }
  return command.run({ positionals, flags: parsed.values });
};

const usage = (): string => ['Usage: second-brain <command>', ...Object.values(COMMANDS).map(({ usage: how, help }) => `  ${how}\n      ${help}`)].join('\n');
