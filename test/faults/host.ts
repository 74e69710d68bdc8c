// The stand-in host, a process of its own: it starts the monitor and calls the hooks as the real one does, and writes the
// transcript. Told what the agent does by the process that started it: host.mjs SPEC.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, watch as watchFolder, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRecords } from './host-records.ts';
import type { HookKill, HostSpec, HostWord, JournalLine, Order, Step } from './orders.ts';

type Answer = { readonly block?: string; readonly message?: string; readonly context?: string };
type How = { readonly kill?: HookKill | undefined; readonly twice?: boolean | undefined };

const spec = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as HostSpec;
const { session, transcript } = spec;
const env = { ...spec.env, CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ID: session };
const fill = (text: string): string => text.replaceAll('${CLAUDE_PLUGIN_ROOT}', spec.plugin).replaceAll('${CLAUDE_PLUGIN_DATA}', spec.data);

const note = (line: JournalLine): void => appendFileSync(spec.journal, `${JSON.stringify(line)}\n`);
const say = (word: HostWord): void => void process.send?.(word);
const write = (line: string): void => {
  if (spec.dribble !== true) return appendFileSync(transcript, line);
  const bytes = Buffer.from(line);
  const piece = Math.ceil(bytes.length / 4);
  for (let at = 0; at < bytes.length; at += piece) {
    appendFileSync(transcript, bytes.subarray(at, at + piece));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
  }
};

/** The last record's uuid, for a resumed session to go on from. */
const lastUuid = (): string | null => {
  const lines = existsSync(transcript) ? readFileSync(transcript, 'utf8').trimEnd().split('\n') : [];
  return /"uuid":"([^"]+)","timestamp"/.exec(lines.at(-1) ?? '')?.[1] ?? null;
};

const hooks = (JSON.parse(readFileSync(join(spec.plugin, 'hooks', 'hooks.json'), 'utf8')) as { readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string; readonly args: readonly string[]; readonly timeout: number }[] }[]>> }).hooks;

/** Runs the hooks of one event and returns what they said. A hook over its timeout is killed, as the host does. */
const runHooks = async (event: string, fields: object, { kill, twice = false }: How = {}): Promise<readonly Answer[]> => {
  const input = JSON.stringify({ session_id: session, transcript_path: transcript, cwd: spec.project, permission_mode: 'acceptEdits', hook_event_name: event, ...fields });
  const commands = (hooks[event] ?? []).flatMap((group) => group.hooks);
  const said = await Promise.all([...commands, ...(twice ? commands : [])].map((hook) => runHook(event, hook, input, kill)));
  return said.flatMap((answer) => answer ?? []);
};

const runHook = (event: string, { command, args, timeout }: { readonly command: string; readonly args: readonly string[]; readonly timeout: number }, input: string, kill: HookKill | undefined): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const at = Date.now();
    note({ kind: 'asked', event, at, input });
    // A group of its own, so that a kill takes the shell and node together.
    const child = spawn(command, args.map(fill), { cwd: spec.project, env: { ...env, CLAUDE_PLUGIN_DATA: spec.data, CLAUDE_PLUGIN_ROOT: spec.plugin, CLAUDE_PROJECT_DIR: spec.project }, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    let stdout = '';
    let killed = false;
    const end = (): void => {
      killed = true;
      endGroup(child);
    };
    const timer = setTimeout(end, typeof kill === 'number' ? kill : timeout * 1000);
    const watch = kill === 'claimed' ? onClaim(end) : undefined;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('close', (code) => {
      clearTimeout(timer);
      watch?.close();
      note({ kind: 'hook', event, host: process.pid, session, at, ended_at: Date.now(), code, killed, stdout, input });
      resolve(killed ? undefined : answerOf(stdout));
    });
  });

/** Calls `act` when mail of this session is claimed. */
const onClaim = (act: () => void): FSWatcher => {
  const folder = join(spec.data, 'sessions', session, 'mailbox', 'claimed');
  mkdirSync(folder, { recursive: true });
  return watchFolder(folder, act);
};

const endGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    return; // it has just ended
  }
};

const answerOf = (stdout: string): Answer | undefined => {
  if (stdout.trim() === '') return undefined;
  const { decision, reason, systemMessage, hookSpecificOutput } = JSON.parse(stdout) as { readonly decision?: string; readonly reason?: string; readonly systemMessage?: string; readonly hookSpecificOutput?: { readonly additionalContext?: string } };
  return {
    ...(decision === 'block' ? { block: reason ?? '' } : {}),
    ...(systemMessage === undefined ? {} : { message: systemMessage }),
    ...(hookSpecificOutput?.additionalContext === undefined ? {} : { context: hookSpecificOutput.additionalContext }),
  };
};

mkdirSync(dirname(transcript), { recursive: true });
const records = openRecords(session, spec.project, lastUuid());

/** What hooks said, written down behind the record they rode on. */
const attach = (event: string, id: string, answers: readonly Answer[]): void => {
  for (const { message, context } of answers) {
    if (message !== undefined) write(records.attachment({ type: 'hook_system_message', content: message, hookName: event, toolUseID: id, hookEvent: event }));
    if (context !== undefined) write(records.attachment({ type: 'hook_additional_context', content: [context], hookName: event, toolUseID: id, hookEvent: event }));
  }
};

const step = async (each: Step, prompt_id: string): Promise<void> => {
  await sleep(each.pause_ms);
  if (each.kind === 'say') return write(records.say(each.text, 'tool_use'));
  const id = `toolu_01${randomUUID().replaceAll('-', '').slice(0, 18)}`;
  const { command, fails } = each;
  write(records.call(id, command));
  const event = fails === undefined ? 'PostToolUse' : 'PostToolUseFailure';
  const input = { prompt_id, tool_name: 'Bash', tool_input: { command, description: 'Do a part of the work' }, tool_use_id: id, duration_ms: 5 };
  const answers = await runHooks(event, fails === undefined ? { ...input, tool_response: { stdout: 'ok', stderr: '', interrupted: false } } : { ...input, error: `Exit code 1\n${fails}`, is_interrupt: false }, { kill: each.kill_hook, twice: each.twice });
  write(records.result(id, fails ?? 'ok', fails !== undefined));
  attach(event, id, answers);
};

const endTurn = async (prompt_id: string, final: string, late: boolean, kill: HookKill | undefined): Promise<void> => {
  if (!late) write(records.say(final, 'end_turn'));
  const stop = { prompt_id, stop_hook_active: false, last_assistant_message: final, background_tasks: [{ id: 'bm0n1t0r', type: 'monitor', status: 'running', description: 'Second Brain watcher', command: 'sh' }], session_crons: [] };
  const asked = runHooks('Stop', stop, { kill });
  if (late) {
    await sleep(120);
    write(records.say(final, 'end_turn'));
  }
  const held = (await asked).filter(({ context }) => context !== undefined);
  if (held.length > 0) {
    attach('Stop', randomUUID(), held);
    write(records.say('Noted.', 'end_turn'));
    await runHooks('Stop', { ...stop, stop_hook_active: true, last_assistant_message: 'Noted.' });
  }
  write(records.turnEnded());
};

let idle = true;

const turn = async (order: Extract<Order, { kind: 'turn' }>): Promise<void> => {
  idle = false;
  const prompt_id = randomUUID();
  const answers = await runHooks('UserPromptSubmit', { prompt_id, prompt: order.prompt }, { kill: order.kill_prompt });
  write(records.prompt(order.prompt, prompt_id));
  attach('UserPromptSubmit', prompt_id, answers);
  for (const each of order.steps) await step(each, prompt_id);
  await endTurn(prompt_id, order.final, order.late === true, order.kill_stop);
  idle = true;
};

/** What the monitor prints, or its end, becomes a prompt; unless a hook blocks it, a turn. */
const notify = async (text: string): Promise<void> => {
  const prompt = `<task-notification>\n<task-id>bm0n1t0r</task-id>\n${text}\n</task-notification>`;
  const prompt_id = randomUUID();
  const answers = await runHooks('UserPromptSubmit', { prompt_id, prompt });
  const blocked = answers.find(({ block }) => block !== undefined);
  if (blocked?.block !== undefined) return write(records.blocked(blocked.block));
  write(records.notification(prompt, prompt_id));
  attach('UserPromptSubmit', prompt_id, answers);
  await endTurn(prompt_id, 'Understood.', false, undefined);
};

let leaving = false;

const startMonitor = (): ChildProcess => {
  const [{ command = '', description = '' } = {}] = JSON.parse(readFileSync(join(spec.plugin, 'monitors', 'monitors.json'), 'utf8')) as readonly { readonly command?: string; readonly description?: string }[];
  const child = spawn('/bin/sh', ['-c', fill(command)], { cwd: spec.project, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Between turns only: what comes in a running one would ride on its next tool result.
    if (idle && !leaving) void notify(`<summary>Monitor event: "${description}"</summary>\n<event>${text.trim()}</event>`);
  });
  child.on('exit', () => {
    const pid = child.pid ?? 0;
    note({ kind: 'gone', what: 'monitor', pid, at: Date.now() });
    if (leaving) return;
    void notify(`<status>completed</status>\n<summary>Monitor "${description}" stream ended</summary>`).then(() => say({ kind: 'monitor-gone', pid }));
  });
  note({ kind: 'monitor', pid: child.pid ?? 0, at: Date.now(), session });
  return child;
};

/** What a host does with a monitor as it leaves. */
const endMonitor = async (monitor: ChildProcess): Promise<void> => {
  const gone = new Promise<void>((resolve) => (monitor.exitCode === null && monitor.signalCode === null ? monitor.on('exit', () => resolve()) : resolve()));
  monitor.kill('SIGTERM');
  const timer = setTimeout(() => monitor.kill('SIGKILL'), 1300);
  await gone;
  clearTimeout(timer);
};

const leave = async (): Promise<void> => {
  leaving = true;
  await Promise.all(monitors.map(endMonitor));
  await runHooks('SessionEnd', { reason: 'prompt_input_exit' });
  note({ kind: 'gone', what: 'host', pid: process.pid, at: Date.now() });
  process.exit(0);
};

note({ kind: 'host', pid: process.pid, at: Date.now(), session });
const monitors = Array.from({ length: spec.monitors }, startMonitor);
attach('SessionStart', session, await runHooks('SessionStart', { source: spec.source }));
process.on('message', (order: Order) => {
  if (order.kind === 'leave') return void leave();
  void turn(order).then(() => say({ kind: 'turn-done' }));
});
// Whoever drives us is gone: nobody tells the agent anything any more.
process.on('disconnect', () => process.exit(0));
say({ kind: 'ready', monitors: monitors.map(({ pid }) => pid ?? 0) });
