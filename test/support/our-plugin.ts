// Our built plugin in a world of the real host: a copy of its own, its configuration, and what it has left on disk.
import { cpSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeJson } from '../../src/main/floor/json-file.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import type { Advice, Feedback } from '../../src/main/records.ts';
import type { HistoryLine, Status, TurnFile } from '../../src/main/surfaces.ts';
import { agentText, userText } from '../../src/main/speak/advice.ts';
import { readHistory } from '../../src/main/speak/history-file.ts';
import { putMail } from '../../src/main/speak/mailbox-file.ts';
import { builtPlugin } from './build-plugin.ts';
import type { Turn } from './host-script.ts';
import type { Host } from './host.ts';
import { waitUntil, type Process, type World } from './host-world.ts';
import { advice } from './mail.ts';

export type OurPlugin = {
  /** For `--plugin-dir`. */
  readonly plugin: string;
  readonly paths: Paths;
  readonly log: () => string;
  readonly history: (session: string) => readonly HistoryLine[];
  readonly status: (session: string) => Status;
  readonly turn: (session: string) => TurnFile;
  /** Names of the mail that waits. */
  readonly waiting: (session: string) => readonly string[];
  /** Everything in the windows of all tasks, as the model would read it. */
  readonly windows: () => string;
  /** Puts an advisory of this host's into the mailbox, as the monitor would. */
  readonly put: (host: Host, session: string, changes?: Partial<Advice>) => Advice;
  /** Forgets that the finish gate has spoken, so that it may again within the hour. */
  readonly reopenGate: () => void;
  /** Our monitors that live; by the program they were started as, where that is another. */
  readonly monitors: (program?: string) => readonly Process[];
  /** History, log and what waits: for the message of a failed assertion. */
  readonly report: (session: string) => string;
};

/** Judged by rules, with nothing that makes a test wait. */
export const QUICK = { model: { provider: 'local' }, gate: { cooldown_s: 0, rate_per_hour: 100 }, loop: { min_interval_s: 5, salience_per_hour: 600, status_interval_s: 1 } };

/** Judged by the world's scripted model: one detector, whose answers are the script's `observer`. */
export const SCRIPTED = {
  ...QUICK,
  model: { provider: 'anthropic', base_url: 'http://127.0.0.1:8787' },
  detectors: { 'repeat-failure': { enabled: false }, 'standard-questions': { enabled: false } },
};

/** What a fork answers: a turn for the script's `observer`. */
export const feedback = (said: Feedback): Turn => ({ content: [{ tool: 'second_brain_detector_feedback', input: { ...said } }] });

/** Copies the built plugin (or the one in `from`) into the world and writes its configuration. */
export const installOurs = (world: World, config: object = QUICK, plugin = join(world.dir, 'second-brain'), from = builtPlugin()): OurPlugin => {
  cpSync(from, plugin, { recursive: true });
  const paths = pathsUnder(join(world.config, 'plugins', 'data', 'second-brain-inline'));
  writeJson(paths.config, config);
  return { plugin, ...leftIn(world, paths) };
};

/** What the plugin has left in a data directory. */
export const leftIn = (world: World, paths: Paths): Omit<OurPlugin, 'plugin'> => ({
  paths,
  log: () => textIn(paths.log),
  history: (session) => readHistory(paths.history(session)).lines,
  status: (session) => JSON.parse(readFileSync(paths.status(session), 'utf8')) as Status,
  turn: (session) => JSON.parse(readFileSync(paths.turn(session), 'utf8')) as TurnFile,
  waiting: (session) => namesIn(join(paths.mailbox(session), 'new')),
  windows: () => namesIn(paths.tasks).filter((name) => name.includes('.window.')).map((name) => textIn(join(paths.tasks, name))).join(''),
  put: (host, session, changes = {}) => {
    const item = advice({ session_id: session, host_pid: host.pid, generated_at: Date.now(), enqueued_at: Date.now(), ...changes });
    putMail(paths.mailbox(session), item, { agent: agentText(item), user: userText(item) });
    return item;
  },
  reopenGate: () => namesIn(paths.tasks).filter((name) => name.includes('.gate.')).forEach((name) => rmSync(join(paths.tasks, name))),
  monitors: (program = 'monitor.cjs') => world.processes().filter(({ command }) => command.includes(program)),
  report: (session) =>
    [
      ...readHistory(paths.history(session)).lines.map((line) => JSON.stringify({ ...line, advice: undefined })),
      `waiting: ${namesIn(join(paths.mailbox(session), 'new')).join(' ')}`,
      textIn(paths.turn(session)),
      textIn(paths.log),
    ].join('\n'),
});

/** The session a host is in, by the transcript it last wrote. */
export const sessionOf = (host: Host): string => basename(host.transcript() ?? '', '.jsonl');

/** What the model was told that came from us, over all requests of the last one's conversation. */
export const ofOurs = (texts: readonly string[]): readonly string[] => texts.filter((text) => text.includes('[Second Brain sb-'));

/** The screen with what has scrolled off, as one line. */
export const flat = async (host: Host): Promise<string> => (await host.scrollback()).replaceAll(/\s+/g, ' ');

/** Waits for a line of history; the error holds the report. */
export const waitForHistory = (ours: Pick<OurPlugin, 'history' | 'report'>, session: string, found: (line: HistoryLine) => boolean, timeoutMs = 15_000): Promise<void> =>
  waitUntil(() => ours.history(session).some(found), timeoutMs, () => `not in the history:\n${ours.report(session)}`);

const textIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
