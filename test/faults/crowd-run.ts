// The crowd's own process: its clock is that of the sessions, its observers and their files are the product's, its model is scripted.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeRandom, type Random } from '../../bench/judgment/random.ts';
import { openJudge } from '../../src/main/entry/judge.ts';
import { runtimeInPlace } from '../../src/main/entry/runtime.ts';
import { openSession, type LiveSession } from '../../src/main/entry/session.ts';
import { loadConfig } from '../../src/main/floor/config-file.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { loadCatalogue } from '../../src/main/pass/catalogue-file.ts';
import { openPools } from '../../src/main/pools.ts';
import { select } from '../../src/main/speak/claim.ts';
import { claimMail, listMail } from '../../src/main/speak/mailbox-file.ts';
import { turnOf } from '../../src/main/surfacing.ts';
import type { Signal } from '../../src/main/records.ts';
import { outputTokens } from '../support/model-frames.ts';
import { openModelServer } from '../support/model-server.ts';
import { observed, windows } from './check.ts';
import { openRecords } from './host-records.ts';
import { makeWatcher } from './watcher.ts';

export type CrowdTask = { readonly root: string; readonly plugin: string; readonly seed: string; readonly sessions: number; readonly minutes: number };
/** `refused`: passes that the ceiling kept from asking; `late`: hours after the work until all of it had been looked at. */
export type CrowdTold = { readonly passes: number; readonly refused: number; readonly late: number };

const START = Date.UTC(2026, 10, 30, 9);
const TICK_MS = 10_000;
const HOST_PID = 4711;

const play = async ({ root, plugin, seed, sessions, minutes }: CrowdTask): Promise<CrowdTold> => {
  const random = makeRandom(seed);
  let now = START;
  Date.now = () => now;
  const [data, project] = [join(root, 'data'), join(root, 'project')];
  for (const folder of [data, project]) mkdirSync(folder, { recursive: true });
  const outputs = new Map<number, number>();
  const watcher = makeWatcher(random, { stale: 0 });
  const model = await openModelServer({
    now: () => now,
    script: (request) => {
      const said = watcher(request);
      outputs.set(request.n, outputTokens(said));
      return said;
    },
  });
  // About a dozen passes an hour for each of twenty.
  const budget = { machine_tokens_per_hour: 25_000 * sessions, tokens_per_hour: 100_000 };
  writeFileSync(join(data, 'config.json'), JSON.stringify({ budget, loop: { status_interval_s: 300 }, gate: { cooldown_s: 0, rate_per_hour: 100 }, detectors: { 'repeat-failure': { enabled: false }, 'standard-questions': { enabled: false } }, model: { provider: 'anthropic', base_url: model.url } }));
  const paths = pathsUnder(data);
  const { knobs } = loadConfig({ paths, workspace: project, env: {}, options: {} });
  const runtime = runtimeInPlace(plugin);
  const catalogue = loadCatalogue({ bundle: runtime.catalogue, prompts: runtime.prompts, file: '', overrides: knobs.detectors }).detectors;
  const pools = openPools({ dist: runtime.dist, fork_threads: 1, width: knobs.loop.max_parallel_forks, compute_threads: 1 });
  const env = { ANTHROPIC_API_KEY: 'sk-test-dummy' };
  const judge = openJudge({ knobs: () => knobs, env, root: () => project, endpoints: paths.endpoints, log: () => undefined });
  let tokens = 0;
  const token = (): string => `obs-${(tokens += 1).toString(36).padStart(4, '0')}`;

  const enter = (session: string): Member => {
    const transcript = join(root, 'home', '.claude', 'projects', 'project', `${session}.jsonl`);
    mkdirSync(dirname(transcript), { recursive: true });
    const live = openSession(
      {
        paths, host: `h-${session}`, host_pid: HOST_PID, runtime, session, transcript, cwd: project, workspace: project, source: 'startup', origin: undefined, started: undefined, patient: false, since: undefined,
        knobs: () => knobs, catalogue: () => catalogue, env, children: () => () => undefined, judge, pools: () => pools,
        ports: { fork: (task, hooks, signal) => pools.fork(task, { ...hooks, learnt: judge.learnt }, signal), summarize: (task, hooks, signal) => pools.summarize(task, hooks, signal) },
        notices: () => [], paused: () => false, log: () => undefined, ring: () => undefined,
      },
      now,
    );
    if (live === undefined) throw new Error('a lease is held by nobody we know');
    return openMember({ live, transcript, session, project, mailbox: paths.mailbox(session), random, token, now: () => now });
  };
  const crowd = Array.from({ length: sessions }, (_, n) => enter(`crowd-${n}`));

  const tick = async (works: boolean): Promise<void> => {
    now += TICK_MS;
    for (const member of random.some(crowd, crowd.length)) {
      if (works) member.act();
      await member.live.read(now);
      member.live.step(now, true);
    }
    // Passes of many sessions at once; session time stands still meanwhile.
    await Promise.all(crowd.map(({ live }) => live.idle()));
  };
  for (let n = 0; n < (minutes * 60_000) / TICK_MS; n += 1) await tick(true);
  for (const member of crowd) member.finish();
  let late = 0;
  const isSeen = (): boolean => {
    const there = new Set(windows(data).flatMap(({ tokens: found }) => found));
    return observed(root).every((word) => there.has(word));
  };
  // What a spent budget has put off is looked at in the hours that follow.
  for (; late < 12 && !isSeen(); late += 1) {
    now += 3_600_000;
    for (let n = 0; n < 10; n += 1) await tick(false);
  }
  const passes = crowd.reduce((sum, { live }) => sum + live.watching().passes.count, 0);
  // One detector runs, so that a pass is one request.
  const refused = passes - model.requests.length;
  for (const { live } of crowd) live.close(now, 'ended');
  writeFileSync(join(root, 'model.jsonl'), model.requests.map(({ n, at, first_event_at, ended_at, charge }) => `${JSON.stringify({ n, at, first_event_at, ended_at, charge, tokens: outputs.get(n) })}\n`).join(''));
  await pools.close();
  await model.close();
  return { passes, refused, late };
};

type Member = { readonly live: NonNullable<LiveSession>; readonly act: () => void; readonly finish: () => void };

type MemberOptions = { readonly live: NonNullable<LiveSession>; readonly transcript: string; readonly session: string; readonly project: string; readonly mailbox: string; readonly random: Random; readonly token: () => string; readonly now: () => number };

/** One agent: it is asked, works some calls and is done; mail is taken as by a hook, and the record says so. */
const openMember = ({ live, transcript, session, project, mailbox, random, token, now }: MemberOptions): Member => {
  const records = openRecords(session, project, null, now);
  const write = (line: string): void => appendFileSync(transcript, line);
  const tell = (event: Signal['event'], more: Partial<Signal> = {}): void => live.hear({ v: 1, event, at: now(), session, transcript, cwd: project, attended: true, ...more }, now());
  let left = 0;
  let calls = 0;
  const finish = (): void => {
    if (left === 0) return;
    left = 0;
    write(records.say(`Part ${token()} is done.`, 'end_turn'));
    tell('Stop');
    write(records.turnEnded());
  };
  const act = (): void => {
    if (!random.chance(0.6)) return;
    if (left === 0) {
      const prompt_id = `p-${session}-${now()}`;
      tell('UserPromptSubmit', { origin: 'human', prompt_id });
      write(records.prompt(`Please take the next part ${token()} of src/work.ts.`, prompt_id));
      left = random.int(3, 12);
      return;
    }
    const id = `toolu_${session}_${(calls += 1)}`;
    write(records.call(id, `make ${token()} -C src/work.ts`));
    const failed = random.chance(0.2);
    const { take } = select(listMail(mailbox), { event: 'PostToolUse', session, text: '' }, { host_pid: HOST_PID, turn: turnOf(live.watching(), now()), prompts_seen: [], muted: false, now: now() });
    const claimed = take.filter((mail) => claimMail(mailbox, mail, { channel: 'PostToolUse', ref: id, at: now() }));
    write(records.result(id, failed ? `no rule for ${token()}` : 'ok', failed));
    for (const { advice, said } of claimed) write(records.attachment({ type: advice.human_only ? 'hook_system_message' : 'hook_additional_context', content: [advice.human_only ? said.user : said.agent] }));
    left -= 1;
    if (left === 1) finish();
  };
  return { live, act, finish };
};

process.stdout.write(`${JSON.stringify(await play(JSON.parse(process.argv[2] ?? '') as CrowdTask))}\n`);
