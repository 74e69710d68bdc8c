// A plugin made on the spot that shows what the host hands to hooks and monitors, and lets a test answer for them.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { World } from './host-world.ts';

/** What a hook answers: `json` on stdout, if its input holds `when`, at most `times` times. */
export type ProbeAnswer = {
  readonly json?: object;
  readonly when?: string;
  readonly times?: number;
  readonly sleep_ms?: number;
  readonly exit?: number;
};

export type HookCall = {
  readonly at: number;
  readonly event: string;
  readonly pid: number;
  /** What stands behind the event in the hook's arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
};

export type MonitorEntry = {
  readonly at: number;
  readonly pid: number;
  readonly event: string;
  readonly cwd?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the user's API key is in its environment. */
  readonly has_key?: boolean;
};

export type ProbePlugin = {
  /** For `--plugin-dir`. */
  readonly plugin: string;
  /** The monitor's `description`, which its notifications carry. */
  readonly description: string;
  readonly answer: (event: string, answer: ProbeAnswer) => void;
  /** Lets the monitor print a line. */
  readonly say: (line: string) => void;
  readonly hooks: (event?: string) => readonly HookCall[];
  readonly monitor: () => readonly MonitorEntry[];
};

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'];
const DESCRIPTION = 'Probe monitor';

/** Writes the plugin into the world's folder, with one command `/ask`; it answers nothing until told to. */
export const makeProbePlugin = async (world: World): Promise<ProbePlugin> => {
  const plugin = join(world.dir, 'probe');
  for (const folder of ['.claude-plugin', 'hooks', 'monitors', 'commands', 'bin']) mkdirSync(join(plugin, folder), { recursive: true });
  const put = (name: string, value: object): void => writeFileSync(join(plugin, name), JSON.stringify(value, null, 2));
  put('.claude-plugin/plugin.json', { name: 'probe', version: '0.1.0', description: 'Shows what the host hands over.', userConfig: { provider: { type: 'string', title: 'Provider', description: 'Any.', default: '' } } });
  put('hooks/hooks.json', { hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hookFor(event)] }]])) });
  const command = 'node "${CLAUDE_PLUGIN_ROOT}/bin/probe-monitor.mjs" "data=${CLAUDE_PLUGIN_DATA}" "project=${CLAUDE_PROJECT_DIR}"';
  writeFileSync(join(plugin, 'monitors/monitors.json'), JSON.stringify([{ name: 'probe', command, description: DESCRIPTION }]));
  writeFileSync(join(plugin, 'commands/ask.md'), '---\ndescription: Ask the probe\n---\nAnswer $ARGUMENTS.\n');
  await build({
    entryPoints: ['test/support/probe-hook.ts', 'test/support/probe-monitor.ts'],
    outdir: join(plugin, 'bin'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return {
    plugin,
    description: DESCRIPTION,
    answer: (event, answer) => writeFileSync(join(world.out, `answer-${event}.json`), JSON.stringify(answer)),
    say: (line) => appendFileSync(join(world.out, 'say'), `${line}\n`),
    hooks: (event) => readJsonl<HookCall>(join(world.out, 'hooks.jsonl')).filter((call) => event === undefined || call.event === event),
    monitor: () => readJsonl<MonitorEntry>(join(world.out, 'monitor.jsonl')),
  };
};

const hookFor = (event: string): object => ({ type: 'command', command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/bin/probe-hook.mjs', event, '$0 "$HOME"', '${CLAUDE_PLUGIN_DATA}'], timeout: 20 });

const readJsonl = <T>(path: string): readonly T[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as T) : [];
