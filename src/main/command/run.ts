// Finds the subcommand and its options, and says what would be right when they are not.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { versionAt } from '../entry/runtime.ts';
import { isCode } from '../floor/json-file.ts';
import type { Command, Words } from './words.ts';

// Each command's code is loaded when it is called: most need little, and the hook waits for some.
const COMMANDS: Readonly<Record<string, Command>> = {
  stats: { usage: 'stats [--json]', help: 'what it saw, thought, said and cost in this session', most: 0, run: async (words) => (await import('./stats-command.ts')).statsCommand(words) },
  why: { usage: 'why [ID]', help: 'the last advice with its proof and outcome, and what was withheld', most: 1, run: async (words) => (await import('./why-command.ts')).whyCommand(words) },
  run: { usage: 'run', help: 'ask for a look now, and wait for its verdicts', most: 0, run: async (words) => (await import('./run-pass-command.ts')).runPassCommand(words) },
  config: { usage: 'config [KNOB|GROUP] | config set KNOB VALUE [--global] | config reset KNOB|GROUP|all [--global]', help: 'every number, where it comes from, and changing it', run: async (words) => (await import('./config-command.ts')).configCommand(words) },
  report: { usage: 'report [--out FILE]', help: 'the session as one HTML file to look at', run: async (words) => (await import('./report-command.ts')).reportCommand(words) },
  forget: { usage: 'forget [task|workspace|all]', help: 'delete what is kept, at once', run: async (words) => (await import('./forget-command.ts')).forgetCommand(words) },
  doctor: { usage: 'doctor [--online] [--json]', help: 'what is wrong with the set-up, and the command that mends it', most: 0, run: async (words) => (await import('./doctor-command.ts')).doctorCommand(words) },
  statusline: { usage: "statusline [--wrap 'COMMAND'] | statusline --install | statusline --uninstall", help: 'one segment for the host’s status line', most: 0, run: async (words) => (await import('./statusline-command.ts')).statuslineCommand(words) },
  replay: { usage: 'replay FILE|FOLDER [--json] [--report OUT] [--provider NAME] [--model NAME] [--base-url URL]', help: 'watch a recorded session again', run: async (words) => (await import('./replay-command.ts')).replayCommand(words) },
  project: { usage: 'project FILE [--no-redact]', help: 'print what would be observed of it', run: async (words) => (await import('./project-command.ts')).projectCommand(words) },
  schema: { usage: 'schema', help: 'the JSON Schema of a config document', most: 0, run: async () => (await import('./schema-command.ts')).schemaCommand() },
  docs: { usage: '', help: '', most: 0, run: async () => (await import('./schema-command.ts')).docsCommand() },
};

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  global: { type: 'boolean' },
  data: { type: 'string' },
  session: { type: 'string' },
  cwd: { type: 'string' },
  provider: { type: 'string' },
  'base-url': { type: 'string' },
  model: { type: 'string' },
  report: { type: 'string' },
  out: { type: 'string' },
  'no-redact': { type: 'boolean' },
  online: { type: 'boolean' },
  wrap: { type: 'string' },
  install: { type: 'boolean' },
  uninstall: { type: 'boolean' },
} as const;

/** Runs the program on its arguments; the result is the exit code. */
export const runCommand = async (argv: readonly string[]): Promise<number> => {
  const parsed = parsedOf(argv);
  const [name, ...positionals] = (parsed.ok ? parsed.positionals : argv).map(unshielded);
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const fault = !parsed.ok ? parsed.why : name !== undefined && name !== 'help' && command === undefined ? `There is no command ${name}.` : surplus(name, command, positionals);
  if (fault !== undefined) {
    // Our hook calls with a session, and shows what stands on stdout alone.
    (argv.includes('--session') ? process.stdout : process.stderr).write(`${fault}\n${command === undefined ? usage() : `Usage: second-brain ${command.usage}`}\n`);
    return 2;
  }
  if (parsed.ok && parsed.flags['version'] === true) {
    process.stdout.write(`${versionAt(join(__dirname, '..'))}\n`);
    return 0;
  }
  if (!parsed.ok || command === undefined || parsed.flags['help'] === true) {
    const [topic = ''] = positionals;
    const about = name === 'help' && Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic] : command;
    process.stdout.write(about === undefined ? `${usage()}\n` : `Usage: second-brain ${about.usage}\n${about.help}\n`);
    return 0;
  }
  return command.run({ positionals, flags: parsed.flags });
};

/** What is wrong with more words than the command takes. */
const surplus = (name: string | undefined, command: Command | undefined, positionals: readonly string[]): string | undefined =>
  command?.most !== undefined && positionals.length > command.most ? `${name} takes ${command.most === 0 ? 'no words' : 'one word'}, not ${positionals.slice(command.most).join(' ').slice(0, 60)}.` : undefined;

type Parsed = ({ readonly ok: true } & Words) | { readonly ok: false; readonly why: string };

const parsedOf = (argv: readonly string[]): Parsed => {
  try {
    const { positionals, values } = parseArgs({ args: argv.map(shielded), options: OPTIONS, allowPositionals: true });
    return { ok: true, positionals, flags: values };
  } catch (error) {
    if (!isCode(error, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')) throw error;
    // What follows the first sentence is advice for other programs.
    return { ok: false, why: `${(error as Error).message.split(/[.\n]/)[0] ?? ''}.` };
  }
};

/** `config set model.price_in -1`: a number is a value, not an option. */
const shielded = (word: string): string => (/^-\.?\d/.test(word) ? `\u0000${word}` : word);
const unshielded = (word: string): string => word.replace(/^\0/, '');

const usage = (): string =>
  ['Usage: second-brain <command> [--data FOLDER] [--session ID] [--cwd FOLDER] | second-brain --version', ...Object.values(COMMANDS).flatMap(({ usage: how, help }) => (how === '' ? [] : [`  ${how}`, `      ${help}`]))].join('\n');
