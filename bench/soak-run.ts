// The soak's own process: a long day goes by in session time, through the same steps as the monitor's cycle, and memory is taken on the way.
//   node --expose-gc .cache/bench/soak-run.mjs '{"source": …, "root": …, "plugin": …}'
import { createReadStream, appendFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openJudge } from '../src/main/entry/judge.ts';
import { runtimeInPlace } from '../src/main/entry/runtime.ts';
import { openSession, type LiveSession } from '../src/main/entry/session.ts';
import { sweep } from '../src/main/entry/sweep.ts';
import { appendLine } from '../src/main/floor/jsonl-file.ts';
import { defaultKnobs, type Knobs } from '../src/main/floor/knobs.ts';
import { pathsUnder } from '../src/main/floor/paths.ts';
import { readSpool, spoolStart } from '../src/main/ingest/spool-file.ts';
import { loadCatalogue } from '../src/main/pass/catalogue-file.ts';
import { openPools } from '../src/main/pools.ts';
import { select } from '../src/main/speak/claim.ts';
import { claimMail, listMail } from '../src/main/speak/mailbox-file.ts';
import { readPasses } from '../src/main/speak/passes-file.ts';
import { turnOf } from '../src/main/surfacing.ts';
import type { Signal } from '../src/main/records.ts';

export type SoakTask = { readonly source: string; readonly root: string; readonly plugin: string; readonly sample_min: number; readonly url?: string };

/** Taken every `sample_min` minutes: MB after collections, CPU since the start, and what had come about by then. */
export type Sample = {
  readonly hour: number; readonly rss_mb: number; readonly held_mb: number; readonly cpu_ms: number;
  readonly files: number; readonly disk_mb: number; readonly kept_mb: number;
  readonly passes: number; readonly compactions: number; readonly advice: number; readonly claimed: number;
};

export type SoakTold = { readonly samples: readonly Sample[]; readonly observations: number; readonly errors: readonly string[] };

const HOUR_MS = 3_600_000;
/** Lines that come within it are read together: an agent's calls come in bursts. */
const BURST_MS = 2000;
const COLLECTIONS = 4;
const SESSION = 'soak';
const HOST = '4711';

const soak = async ({ source, root, plugin, sample_min, url }: SoakTask): Promise<SoakTold> => {
  const paths = pathsUnder(join(root, 'data'));
  const transcript = join(root, 'session.jsonl');
  mkdirSync(join(root, 'project'), { recursive: true });
  let now = 0;
  // Everything on this thread goes by session time; the pools' threads have real time, by which deadlines run.
  Date.now = () => now;

  const base = defaultKnobs();
  const knobs: Knobs = url === undefined ? { ...base, model: { ...base.model, provider: 'local' } } : { ...base, model: { ...base.model, provider: 'anthropic', base_url: url }, budget: { ...base.budget, tokens_per_hour: 100_000_000, tokens_per_task: 1_000_000_000 } };
  const runtime = runtimeInPlace(plugin);
  const catalogue = loadCatalogue({ bundle: runtime.catalogue, prompts: runtime.prompts, file: '', overrides: knobs.detectors }).detectors;
  const errors: string[] = [];
  const log = (line: string): void => {
    if (/failed|error|gone/.test(line) && errors.length < 20) errors.push(line);
  };
  const env = url === undefined ? {} : { ANTHROPIC_API_KEY: 'sk-test-dummy' };
  const judge = openJudge({ knobs: () => knobs, env, root: () => root, endpoints: paths.endpoints, log });
  const pools = openPools({ dist: runtime.dist, fork_threads: 1, width: knobs.loop.max_parallel_forks, compute_threads: 1 });
  const samples: Sample[] = [];
  let live: LiveSession | undefined;
  let spool = spoolStart;
  let again_at = 0;
  let claimed = 0;

  const open = (): LiveSession => {
    const opened = openSession(
      {
        paths, host: HOST, host_pid: 4711, runtime, session: SESSION, transcript, cwd: join(root, 'project'), workspace: join(root, 'project'), source: 'startup', origin: undefined, started: undefined, since: undefined, patient: false,
        knobs: () => knobs, catalogue: () => catalogue, env, children: () => () => undefined, judge, pools: () => pools,
        ports: { fork: (task, hooks, signal) => pools.fork(task, { ...hooks, learnt: judge.learnt }, signal), summarize: (task, hooks, signal) => pools.summarize(task, hooks, signal) },
        notices: () => [], paused: () => false, log, ring: () => undefined,
      },
      now,
    );
    if (opened === undefined) throw new Error('the session is somebody else’s');
    return opened;
  };

  /** One cycle of the monitor, and the pass it starts. */
  const cycle = async (): Promise<void> => {
    const read = readSpool(paths.spool(HOST), spool, 0, now);
    spool = read.position;
    if (read.signals.length > 0) live ??= open();
    const watched = live;
    if (watched === undefined) return;
    for (const signal of read.signals) {
      if (signal.event === 'Stop') await watched.read(now);
      watched.hear(signal, now);
    }
    await watched.read(now);
    again_at = watched.step(now, true);
    await watched.idle();
  };

  /** Whatever falls due before `at` happens at its own time. */
  const until = async (at: number): Promise<void> => {
    for (;;) {
      if (live === undefined || again_at >= at || again_at <= now) return;
      now = again_at;
      await cycle();
    }
  };

  const tell = (event: Signal['event'], more: Partial<Signal>): void =>
    appendLine(paths.spool(HOST), { v: 1, event, at: now, session: SESSION, transcript, cwd: join(root, 'project'), attended: true, ...more } satisfies Signal);

  /** A tool hook's part: what waits is claimed, and the host writes down that it was told. */
  const drain = (call: string): void => {
    if (live === undefined) return;
    const box = paths.mailbox(SESSION);
    const { take } = select(listMail(box), { event: 'PostToolUse', session: SESSION, text: '' }, { host_pid: 4711, turn: turnOf(live.watching(), now), prompts_seen: [], muted: false, now });
    for (const mail of take) {
      if (!claimMail(box, mail, { channel: 'PostToolUse', ref: call, at: now })) continue;
      claimed += 1;
      const kind = mail.advice.human_only ? 'hook_system_message' : 'hook_additional_context';
      const record = { type: 'attachment', uuid: `told-${mail.advice.id}`, parentUuid: null, sessionId: SESSION, timestamp: new Date(now).toISOString(), attachment: { type: kind, content: [mail.said.agent] } };
      appendFileSync(transcript, `${JSON.stringify(record)}\n`);
    }
  };

  const sample = async (hour: number): Promise<void> => {
    // Buffers found dead are freed beside us, and what they held is found dead by the next collection.
    for (let time = 0; time < COLLECTIONS; time += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const sizes = filesUnder(paths.data);
    const w = live?.watching();
    const sum = (some: readonly { readonly bytes: number }[]): number => some.reduce((total, { bytes }) => total + bytes, 0) / 1e6;
    samples.push({
      hour, rss_mb: rss / 1e6, held_mb: (heapUsed + arrayBuffers) / 1e6, cpu_ms: (user + system) / 1000,
      files: sizes.length, disk_mb: sum(sizes), kept_mb: sum(sizes.filter(({ name }) => name === 'history.jsonl' || name === 'passes.jsonl')),
      passes: w?.passes.count ?? 0, compactions: w?.compactions ?? 0, advice: w?.rows.size ?? 0, claimed,
    });
  };

  let first: number | undefined;
  let pending: string[] = [];
  let calls: string[] = [];
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    appendFileSync(transcript, `${pending.join('\n')}\n`);
    pending = [];
    for (const call of calls.splice(0)) drain(call);
    await cycle();
  };
  for await (const line of createInterface({ input: createReadStream(source) })) {
    const at = Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? '');
    if (Number.isFinite(at)) {
      first ??= at;
      if (at - now > BURST_MS) await flush();
      await until(at);
      if (at - first >= (samples.length + 1) * sample_min * 60_000) {
        sweep(paths, knobs, now);
        await sample((at - first) / HOUR_MS);
      }
      now = Math.max(now, at);
    }
    pending.push(line);
    const call = /"tool_use_id":"([^"]+)"/.exec(line)?.[1];
    if (call !== undefined) calls.push(call);
    if (line.includes('"origin":{"kind":"human"}')) tell('UserPromptSubmit', { origin: 'human', prompt_id: `p${now}` });
    if (line.includes('"turn_duration"')) {
      await flush();
      tell('Stop', {});
      await cycle();
    }
  }
  await flush();
  now += 60_000;
  await cycle();
  const observations = readPasses(paths.passes(SESSION)).lines.reduce((sum, pass) => sum + pass.observations, 0);
  live?.close(now, 'ended');
  await pools.close();
  return { samples, observations, errors };
};

const filesUnder = (folder: string): readonly { readonly name: string; readonly bytes: number }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [{ name: entry.name, bytes: statSync(join(entry.parentPath, entry.name)).size }] : []));

if (process.argv[1]?.endsWith('/soak-run.mjs') === true) process.stdout.write(`${JSON.stringify(await soak(JSON.parse(process.argv[2] ?? '') as SoakTask))}\n`);
