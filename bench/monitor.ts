// The monitor as a process: from its start to a watched session, and what it weighs alone and at work.
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeCorpus } from './corpus.ts';
import { cpuOf, interleave, median, memoryOf, timeProcess, until } from './measure.ts';
import { startModel } from './pass-fixture.ts';
import type { Line, Options, Result } from './report.ts';
import type { Signal } from '../src/main/records.ts';
import { readStatus } from '../src/main/speak/status-file.ts';
import { makeWorld, type World } from '../test/support/hook-run.ts';

const BACKLOG = 8_000_000;
const SETTLED_MS = 5000;
/** By then V8 has given back what the start took, once. */
const AT_REST_MS = 30_000;
const SAMPLE_MS = 20;

export const measureMonitor = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  say('monitor');
  const world = makeWorld();
  const transcript = join(world.root, 'session.jsonl');
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  writeCorpus(transcript, { bytes: 300_000, seed: 3 });
  try {
    const bare = (): Promise<number> => timeProcess({ file: process.execPath, args: [empty], env: world.env });
    const start = async (lasts_ms = 0): Promise<number> => {
      const begun = performance.now();
      const monitor = startMonitor(world, plugin, transcript);
      await until(() => existsSync(world.paths.lease(world.session)), 20_000);
      const ms = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, lasts_ms));
      await end(monitor);
      return ms;
    };
    await start(SETTLED_MS); // copies what it runs from, and keeps what V8 has compiled
    const time = await interleave(quick ? 3 : 9, { bare, start: () => start() });

    const model = await startModel({ kind: 'link', timing: { ttft_ms: 400, tokens_per_s: 60, rtt_ms: 30 }, output: 150, tool: false });
    const authority = join(world.root, 'authority.pem');
    writeFileSync(authority, model.ca ?? '');
    writeFileSync(world.paths.config, JSON.stringify({ model: { provider: 'anthropic', base_url: model.url, ca_file: authority }, loop: { min_interval_s: 5, trigger_chars: 200 } }));
    const monitor = startMonitor(world, plugin, transcript);
    await until(() => existsSync(world.paths.lease(world.session)), 20_000);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const quiet = memoryOf(monitor.pid ?? 0, 'VmRSS');
    // A second of the same host, and one of another host (any living process) on the same session.
    const others = [startMonitor(world, plugin, transcript), startMonitor({ ...world, env: { ...world.env, CLAUDE_PID: String(monitor.pid) } }, plugin, transcript)];
    const settled = await shareOf([monitor], (AT_REST_MS - SETTLED_MS) / 1000);
    const idle_s = quick ? 10 : 60;
    const idle = await shareOf([monitor, ...others], idle_s);
    for (const other of others) await end(other);
    const passes_before = passesOf(world);
    writeCorpus(join(folder, 'backlog.jsonl'), { bytes: BACKLOG, seed: 11 });
    appendFileSync(transcript, readFileSync(join(folder, 'backlog.jsonl')));
    const samples: number[] = [];
    await until(() => {
      samples.push(memoryOf(monitor.pid ?? 0, 'VmRSS'));
      return passesOf(world) > passes_before;
    }, 60_000, SAMPLE_MS);
    const busy = median(samples.slice(-2000 / SAMPLE_MS));
    await end(monitor);
    model.close();
    const lines: readonly Line[] = [
      { what: 'from its start to a watched session', unit: 'ms', ours: time.start, limit: { what: 'node empty.cjs', value: time.bare }, goal: { of: 'ours', max: 1.5 * time.bare + 60 } },
      { what: `CPU of a core while nothing happens, ${idle_s} s`, unit: '%', ours: idle[0] ?? NaN, goal: { of: 'ours', max: 0.1 } },
      { what: 'the same, standing by for a monitor of the same host', unit: '%', ours: idle[1] ?? NaN, goal: { of: 'ours', max: 0.1 } },
      { what: 'the same, standing by for another host’s on the same session', unit: '%', ours: idle[2] ?? NaN, goal: { of: 'ours', max: 0.1 } },
      { what: `the same of the first, ${SETTLED_MS / 1000} to ${AT_REST_MS / 1000} s after its start: V8 gives back what that took`, unit: '%', ours: settled[0] ?? NaN },
      { what: 'memory while watching, before its first pass', unit: 'MB', ours: quiet, goal: { of: 'ours', max: 70 } },
      { what: `memory with both pools open and a pass at width 8, after a backlog of ${BACKLOG / 1_000_000} MB`, unit: 'MB', ours: busy, goal: { of: 'ours', max: 160 } },
      { what: 'most of any moment: the network thread loads its code', unit: 'MB', ours: Math.max(...samples) },
    ];
    return {
      name: 'monitor',
      title: 'The monitor',
      method: `The monitor started by guard.sh as the host starts it (which asks node for its version first), with a signal waiting in its host's spool and a transcript of 300 kB; it is watching once it holds the session's lease (looked for every millisecond); the goal is 1.5 starts of node and 60 ms; a version's very first start, which copies it and compiles it, is not among them. CPU is the scheduler's count for all its threads, from ${AT_REST_MS / 1000} s after the start on. Memory is VmRSS: ${SETTLED_MS / 1000} s after that, and in samples ${SAMPLE_MS} ms apart from the arrival of the backlog to the end of the pass, of which the last two seconds' median is taken.`,
      lines,
    };
  } finally {
    world.remove();
  }
};

/** Per cent of a core that each has, over so many seconds. */
const shareOf = async (monitors: readonly ChildProcess[], seconds: number): Promise<readonly number[]> => {
  const spent = monitors.map(({ pid = 0 }) => cpuOf(pid));
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  return monitors.map(({ pid = 0 }, n) => (cpuOf(pid) - (spent[n] ?? 0)) / 10 / seconds);
};

/** Number of the last pass that has ended. */
const passesOf = ({ paths, session }: World): number => {
  const read = readStatus(paths.status(session), Date.now());
  return read.ok ? (read.value.status.last_pass?.pass ?? 0) : 0;
};

const startMonitor = ({ paths, session, project, env, data }: World, plugin: string, transcript: string): ChildProcess => {
  const signal: Signal = { v: 1, event: 'UserPromptSubmit', at: Date.now(), session, transcript, cwd: project, prompt_id: `p-${Date.now()}`, origin: 'human', attended: true };
  const spool = paths.spool(env['CLAUDE_PID'] ?? '');
  mkdirSync(dirname(spool), { recursive: true });
  appendFileSync(spool, `${JSON.stringify(signal)}\n`);
  return spawn('/bin/sh', [join(plugin, 'dist', 'guard.sh'), data, 'monitor', plugin], { cwd: project, env: { ...env, ANTHROPIC_API_KEY: 'sk-test-dummy' }, stdio: ['ignore', 'ignore', 'inherit'] });
};

const end = (monitor: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    monitor.once('exit', () => resolve());
    monitor.kill();
  });
