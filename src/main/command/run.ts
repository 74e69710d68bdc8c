// Finds the subcommand and its options, and says what would be right when they are not.
import { parseArgs } from 'node:util';
import type { Command } from './words.ts';

// Each command's code is loaded when it is called: most need little, and the hook waits for some.
const COMMANDS: Readonly<Record<string, Command>> = {
  stats: { usage: 'stats [--json]', help: 'what it saw, thought, said and cost in this session', run: async (words) => (await import('./stats-command.ts')).statsCommand(words) },
  why: { usage: 'why [ID]', help: 'the last advice with its proof and outcome, and what was withheld', run: async (words) => (await import('./why-command.ts')).whyCommand(words) },
  run: { usage: 'run', help: 'ask for a look now, and wait for its verdicts', run: async (words) => (await import('./run-pass-command.ts')).runPassCommand(words) },
  config: { usage: 'config [KNOB|GROUP] | config set KNOB VALUE [--global] | config reset KNOB|GROUP|all [--global]', help: 'every number, where it comes from, and changing it', run: async (words) => (await import('./config-command.ts')).configCommand(words) },
  forget: { usage: 'forget [task|workspace|all]', help: 'delete what is kept, at once', run: async (words) => (await import('./forget-command.ts')).forgetCommand(words) },
  doctor: { usage: 'doctor [--json]', help: 'what is wrong with the set-up, and the command that mends it', run: async (words) => (await import('./doctor-command.ts')).doctorCommand(words) },
  statusline: { usage: "statusline [--wrap 'COMMAND'] | statusline --install | statusline --uninstall", help: 'one segment for the host’s status line', run: async (words) => (await import('./statusline-command.ts')).statuslineCommand(words) },
  replay: { usage: 'replay FILE|FOLDER [--json] [--provider NAME] [--base-url URL]', help: 'watch a recorded session again', run: async (words) => (await import('./replay-command.ts')).replayCommand(words) },
  project: { usage: 'project FILE', help: 'print what would be observed of it', run: async (words) => (await import('./project-command.ts')).projectCommand(words) },
  schema: { usage: 'schema', help: 'the JSON Schema of a config document', run: async () => (await import('./schema-command.ts')).schemaCommand() },
  docs: { usage: '', help: '', run: async () => (await import('./schema-command.ts')).docsCommand() },
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
  wrap: { type: 'string' },
  install: { type: 'boolean' },
  uninstall: { type: 'boolean' },
} as const;

/** Runs the program on its arguments; the result is the exit code. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  let parsed;
  try {
    parsed = parseArgs({ args: argv.map(shielded), options: OPTIONS, allowPositionals: true });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage()}\n`);
    return 2;
  }
  const [name, ...positionals] = parsed.positionals.map(unshielded);
  const command = name === undefined ? undefined : Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || parsed.values.help === true) {
    (name === undefined || parsed.values.help === true ? process.stdout : process.stderr).write(`${name === undefined || command !== undefined ? '' : `There is no command ${name}.\n`}${usage()}\n`);
    return name === undefined || parsed.values.help === true ? 0 : 2;
  }
  return command.run({ positionals, flags: parsed.values });
};

/** `config set model.price_in -1`: a number is a value, not an option. */
const shielded = (word: string): string => (/^-\.?\d/.test(word) ? `\u0000${word}` : word);
const unshielded = (word: string): string => word.replace(/^\0/, '');

const usage = (): string =>
  ['Usage: second-brain <command> [--data FOLDER] [--session ID]', ...Object.values(COMMANDS).flatMap(({ usage: how, help }) => (how === '' ? [] : [`  ${how}`, `      ${help}`]))].join('\n');
