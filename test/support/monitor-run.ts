// Built monitors as processes, with the host's part played by the test: its signals, its transcript, its life and death.
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '../../src/main/floor/json-file.ts';
import { appendLine } from '../../src/main/floor/jsonl-file.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { agentText, userText } from '../../src/main/speak/advice.ts';
import { readHistory } from '../../src/main/speak/history-file.ts';
import { putMail } from '../../src/main/speak/mailbox-file.ts';
import type { Advice, Observation, Signal } from '../../src/main/records.ts';
import type { HistoryLine, Status, TurnFile } from '../../src/main/surfaces.ts';
import { builtPlugin } from './build-plugin.ts';
import { advice } from './mail.ts';

export type MonitorWorld = {
  readonly dir: string;
  readonly paths: Paths;
  /** Stands for the host: signals go to its spool, monitors live as long as it. */
  readonly host: (name?: string) => number;
  /** Starts a monitor of that host, with further environment. */
  readonly monitor: (host: number, env?: Readonly<Record<string, string>>) => ChildProcess;
  readonly signal: (host: number, session: string, event: Signal['event'], more?: Partial<Signal>) => void;
  readonly transcript: (session: string) => string;
  readonly append: (session: string, ...records: readonly object[]) => void;
  /** Texts of all observations in the windows on disk. */
  readonly observed: () => readonly string[];
  readonly history: (session: string) => readonly HistoryLine[];
  readonly turn: (session: string) => TurnFile | undefined;
  readonly status: (session: string) => Status | undefined;
  readonly put: (host: number, session: string, changes?: Partial<Advice>) => Advice;
  readonly log: () => string;
  /** Waits until `holds`; its error holds the log. */
  readonly until: (holds: () => boolean, what?: string) => Promise<void>;
  readonly end: () => Promise<void>;
};

/** Judged by rules, at the end of a turn only. */
const AT_TURN_ENDS = { model: { provider: 'local' }, loop: { salience_per_hour: 0, status_interval_s: 1 } };

export const openMonitorWorld = (config: object = AT_TURN_ENDS): MonitorWorld => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sb monitor-')));
  const paths = pathsUnder(join(dir, 'data'));
  mkdirSync(join(dir, 'project'));
  writeJson(paths.config, config);
  const started: ChildProcess[] = [];
  const named = new Map<string, number>();
  const transcript = (session: string): string => join(dir, `${session}.jsonl`);
  const log = (): string => textIn(paths.log);
  const json = <T>(path: string): T | undefined => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined);
  return {
    dir, paths, transcript, log,
    host: (name = 'host') => {
      const known = named.get(name);
      if (known !== undefined) return known;
      const sleeper = spawn('sleep', ['1000'], { stdio: 'ignore' });
      started.push(sleeper);
      named.set(name, sleeper.pid ?? 0);
      return sleeper.pid ?? 0;
    },
    monitor: (host, env = {}) => {
      const monitor = spawn(process.execPath, [join(builtPlugin(), 'dist', 'monitor.cjs'), '--data', paths.data, '--root', builtPlugin(), '--project', join(dir, 'project')], {
        env: { PATH: process.env['PATH'] ?? '', HOME: dir, CLAUDE_PID: String(host), CLAUDE_CODE_ENTRYPOINT: 'cli', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      monitor.stdout.resume();
      monitor.stderr.resume();
      started.push(monitor);
      return monitor;
    },
    signal: (host, session, event, more = {}) => appendLine(paths.spool(String(host)), { v: 1, event, at: Date.now(), session, transcript: transcript(session), cwd: join(dir, 'project'), ...more }),
    append: (session, ...records) => appendFileSync(transcript(session), records.map((record) => `${JSON.stringify({ sessionId: session, timestamp: new Date().toISOString(), ...record })}\n`).join('')),
    observed: () =>
      namesIn(paths.tasks)
        .filter((name) => name.includes('.window.'))
        .flatMap((name) => textIn(join(paths.tasks, name)).split('\n').slice(1, -1))
        .flatMap((line) => (JSON.parse(line) as { readonly observations: readonly Observation[] }).observations.map((each) => each.text)),
    history: (session) => readHistory(paths.history(session)).lines,
    turn: (session) => json<TurnFile>(paths.turn(session)),
    status: (session) => json<Status>(paths.status(session)),
    put: (host, session, changes = {}) => {
      const item = advice({ session_id: session, host_pid: host, generated_at: Date.now(), enqueued_at: Date.now(), ...changes });
      putMail(paths.mailbox(session), item, { agent: agentText(item), user: userText(item) });
      return item;
    },
    until: async (holds, what = 'it did not come to pass') => {
      for (let round = 0; round < 200 && !holds(); round += 1) await sleep(100);
      if (!holds()) throw new Error(`${what}\n${log()}`);
    },
    end: async () => {
      for (const child of started) child.kill('SIGKILL');
      await Promise.all(started.map((child) => (child.exitCode !== null || child.signalCode !== null ? undefined : new Promise((resolve) => void child.once('exit', resolve)))));
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** Kills it as a crash would, and waits until it is gone. */
export const killHard = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });

/** Records as the host writes them, each hanging on its parent. */
export const prompt = (uuid: string, parent: string | null, text: string): object => ({ type: 'user', uuid, parentUuid: parent, origin: { kind: 'human' }, message: { role: 'user', content: text } });
export const text = (uuid: string, parent: string, words: string): object => ({ type: 'assistant', uuid, parentUuid: parent, message: { id: `m-${uuid}`, role: 'assistant', content: [{ type: 'text', text: words }] } });
export const call = (uuid: string, parent: string, id: string, command: string): object => ({ type: 'assistant', uuid, parentUuid: parent, message: { id: `m-${uuid}`, role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] } });
export const result = (uuid: string, parent: string, id: string): object => ({ type: 'user', uuid, parentUuid: parent, sourceToolAssistantUUID: parent, toolUseResult: { stdout: 'ok' }, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] } });
export const told = (uuid: string, parent: string, words: string): object => ({ type: 'attachment', uuid, parentUuid: parent, attachment: { type: 'hook_additional_context', hookEvent: 'PostToolUse', content: [words] } });
export const turnDone = (uuid: string, parent: string): object => ({ type: 'system', subtype: 'turn_duration', uuid, parentUuid: parent, durationMs: 10 });

const textIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
