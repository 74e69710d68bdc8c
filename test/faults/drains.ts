// Many hooks of one host at the same mailbox: each advisory is said by exactly one of them, whatever else is in the box.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import type { Random } from '../../bench/judgment/random.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { appendHistory } from '../../src/main/speak/history-file.ts';
import { putMail } from '../../src/main/speak/mailbox-file.ts';
import { runHook } from '../support/hook-run.ts';
import { advice, said } from '../support/mail.ts';
import type { Finding } from './check.ts';
import type { JournalLine } from './orders.ts';
import type { Job } from './racer.ts';
import type { Scenario } from './scenarios.ts';
import { tally } from './tally.ts';
import { openWorld, type World } from './world.ts';

const SESSION = 'racing';
const HOST = process.pid;
/** Processes at once in a batch, and racers beside each other. */
const AT_ONCE = 12;
const RACERS = 6;
/** Of all drains, those that are processes of their own: guard, node and all. The rest are calls of the built hook. */
const PROCESSES = 0.2;

export const drains: Scenario = {
  small: 60,
  full: 10_000,
  run: async (random, size, say) => {
    const world = await openWorld({ script: () => () => ({}) });
    const processes = await raceProcesses(world, random, Math.round(size * PROCESSES), say);
    const calls = await raceCalls(world, random, size - processes);
    // Whoever comes last finds what the race has left.
    for (let n = 0; n < 50; n += 1) await drain(world, jobOf(world, random, `last-${n}`));
    const findings = await world.close();
    const { printed } = tally(world.root);
    const counts = { processes, calls, mail: put.get(world) ?? 0, printed };
    const sum: readonly Finding[] = printed === counts.mail ? findings : [...findings, { rule: 'unsaid', what: `${counts.mail} were put, ${printed} printed` }];
    if (sum.length > 0) return { findings: sum, counts, root: world.root };
    await world.remove();
    return { findings: [], counts };
  },
};

const put = new WeakMap<World, number>();

/** One advisory that may be told, and now and then one that may not: of another host, or too old. */
const mail = (world: World, random: Random): void => {
  const count = (put.get(world) ?? 0) + 1;
  put.set(world, count);
  post(world, `sb-${count.toString(36).padStart(8, '0')}`, { host_pid: HOST });
  appendFileSync(join(world.root, 'mail.jsonl'), `${JSON.stringify({ id: `sb-${count.toString(36).padStart(8, '0')}` })}\n`);
  if (random.chance(0.02)) post(world, `sb-f${count.toString(36).padStart(7, '0')}`, { host_pid: HOST + 1 });
  if (random.chance(0.02)) post(world, `sb-o${count.toString(36).padStart(7, '0')}`, { host_pid: HOST, generated_at: Date.now() - 3_600_000 });
};

const post = ({ data }: World, id: string, changes: { readonly host_pid: number; readonly generated_at?: number }): void => {
  const paths = pathsUnder(data);
  const item = advice({ id, session_id: SESSION, generated_at: Date.now(), enqueued_at: Date.now(), dedup_key: id, ...changes });
  putMail(paths.mailbox(SESSION), item, said(item));
  appendHistory(paths.history(SESSION), { v: 1, at: Date.now(), id, event: 'enqueued', advice: item });
};

const jobOf = ({ data, project, root }: World, random: Random, ref: string): Job => {
  const event = random.pick(['PostToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'] as const);
  const fields = event === 'UserPromptSubmit' ? { prompt: 'Go on.', prompt_id: ref } : { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: ref };
  return {
    event, data,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: join(root, 'home'), CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PID: String(HOST), CLAUDE_PROJECT_DIR: project },
    input: JSON.stringify({ session_id: SESSION, transcript_path: join(root, 'none.jsonl'), cwd: project, hook_event_name: event, ...fields }),
  };
};

const note = ({ root }: World, { event, input }: Job, done: { readonly at: number; readonly ended_at: number; readonly code: number | null; readonly stdout: string }): void => {
  const line: JournalLine = { kind: 'hook', event, host: HOST, session: SESSION, killed: false, input, ...done };
  appendFileSync(join(root, 'journal.jsonl'), `${JSON.stringify(line)}\n`);
};

const drain = async (world: World, job: Job): Promise<void> => {
  const at = Date.now();
  const { code, stdout } = await runHook(join(world.plugin, 'dist', 'guard.sh'), [job.data, job.event], job.env, job.input);
  note(world, job, { at, ended_at: Date.now(), code, stdout });
};

const raceProcesses = async (world: World, random: Random, size: number, say: (line: string) => void): Promise<number> => {
  for (let done = 0; done < size; done += AT_ONCE) {
    for (let n = random.int(1, 4); n > 0; n -= 1) mail(world, random);
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - done) }, (_, n) => drain(world, jobOf(world, random, `p-${done + n}`))));
    if (done % 600 === 0 && done > 0) say(`${done} processes`);
  }
  return size;
};

/** Processes that call the built hook over and over, while mail keeps coming. */
const raceCalls = async (world: World, random: Random, size: number): Promise<number> => {
  const program = join(world.root, 'racer.mjs');
  await build({ entryPoints: ['test/faults/racer.ts'], outfile: program, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', logLevel: 'warning' });
  const racing = new Set<number>();
  const racers = Array.from({ length: RACERS }, async (_, racer) => {
    racing.add(racer);
    const jobs = Array.from({ length: Math.floor((size * (racer + 1)) / RACERS) - Math.floor((size * racer) / RACERS) }, (__, n) => jobOf(world, random, `r${racer}-${n}`));
    const path = join(world.root, `jobs-${racer}.jsonl`);
    writeFileSync(path, jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
    const out = join(world.root, `printed-${racer}.jsonl`);
    await ran(program, [join(world.plugin, 'dist', 'hook.cjs'), path, out]);
    const lines = readFileSync(out, 'utf8').split('\n');
    racing.delete(racer);
    for (const [n, job] of jobs.entries()) note(world, job, { code: 0, ...(JSON.parse(lines[n] ?? 'null') as { readonly at: number; readonly ended_at: number; readonly stdout: string }) });
  });
  while (racing.size > 0) {
    mail(world, random);
    await sleep(random.int(0, 6));
  }
  await Promise.all(racers);
  return size;
};

const ran = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`a racer ended with ${code}`))));
  });
