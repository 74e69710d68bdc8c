// One pass, first half: the episode goes into the window, code looks for structure, the plan names who runs, forks start.
import type { Knobs } from './floor/knobs.ts';
import { isDiskTrouble } from './floor/json-file.ts';
import { addUsage } from './floor/usage.ts';
import { take } from './ingest/queue.ts';
import { compacted, needsCompaction, planCompaction } from './memory/compaction.ts';
import { appendIndex, compactIndexes, readIndex } from './memory/index-file.ts';
import { indexLine } from './memory/index-line.ts';
import { addFact, renderLedger, spend } from './memory/ledger.ts';
import { readLedger, writeLedger } from './memory/ledger-file.ts';
import { chooseTtl, renderPrefix, type Wire } from './memory/prefix.ts';
import { acceptSummary, digest, summaryRequests } from './memory/summary.ts';
import { toolSet } from './memory/tools.ts';
import { append, number, observationBlock, renderObservations, windowText } from './memory/window.ts';
import { appendBlock, startWindow } from './memory/window-file.ts';
import { allow, divide, estimatePass, headroom, tokensAtWorst, unseenOf, weigh, type PassSize, type Unseen } from './pass/budget.ts';
import { readSpent, reserve, settle, type Reservation } from './pass/budget-file.ts';
import { raisedAfter, withoutQuestion } from './pass/checklist.ts';
import { collisionsOf } from './pass/collision.ts';
import { FEEDBACK_TOOL } from './pass/feedback.ts';
import { grantOf } from './pass/grants.ts';
import { planPass, strideOf, type Run } from './pass/plan.ts';
import { runPass } from './pass/run-pass.ts';
import { repeatFailures } from './pass/structure.ts';
import { renderTail } from './pass/tail.ts';
import { drawn } from './pass/trigger.ts';
import { factsOf } from './speak/history.ts';
import { openRecords } from './speak/outcome.ts';
import type { Block, Detector, ForkResult, Numbered, Observation, PassReason, StructuralMatch } from './records.ts';
import type { Judge, Pass, Watching } from './watching.ts';
import type { ForkTask } from '../workers/contract.ts';

/** Starts a pass at `now` (SPEC 7). Its results come later; `finishPass` takes them, whenever session time says. */
export const startPass = async (w: Watching, because: PassReason, now: number): Promise<Pass> => {
  const knobs = w.setup.knobs();
  const pass = w.ledger.pass + 1;
  const judge = w.setup.judge();
  w.last_start = now;
  w.starts = [...w.starts.filter((at) => now - at < 3_600_000), now].slice(-400);
  w.salience_draws = drawn(w.salience_draws, because, now);
  w.ledger = { ...w.ledger, pass, pace: { last_start: now, salience_draws: w.salience_draws } };
  w.turn_ended = false;
  w.asked = false;
  w.passes.count += 1;
  w.passes.by_reason[because] = (w.passes.by_reason[because] ?? 0) + 1;

  const numbered = appendEpisode(w, pass, now);
  w.setup.told?.({ kind: 'pass', at: now, pass, because, observations: numbered.length });
  if (needsCompaction(w.window, knobs.window)) await compact(w, judge, now);

  const stamp = { session: w.setup.session, task: w.ledger.task, generation: w.window.generation, pass };
  const after = w.window.next_n - 1;
  const matches = [...repeats(w, numbered), ...neighbours(w, numbered, now, knobs)];
  const detectors = w.setup.catalogue();
  // The local judge reads the whole stream anyway, and costs nothing.
  w.raised = judge.provider.kind === 'local' ? new Map() : raisedAfter(w.raised, detectors, w.window.observations, numbered);
  const unanswered = new Set(openRecords(w.rows, w.ledger.task).map(({ kind }) => kind));
  const plan = planPass({
    detectors,
    pass,
    stragglers: w.ledger.stragglers,
    muted_detectors: Object.entries(w.ledger.calibration).flatMap(([name, { muted }]) => (muted ? [name] : [])),
    episode_text: renderObservations(numbered),
    // What it said earlier still wants an outcome.
    without_question: withoutQuestion(w.raised).filter((name) => !unanswered.has(name)),
    run_enabled: knobs.run_tool.enabled,
    matches,
    expected_ms: w.expected_ms,
    now,
    limits: knobs.loop,
  });
  const cancel = new AbortController();
  const base = { stamp, because, at: now, skipped: plan.skipped, judge, after, cancel };
  if (plan.runs.length === 0 || w.left.signal.aborted) return { ...base, runs: [], results: Promise.resolve([]) };

  const prefix = judge.provider.kind === 'local' ? new Uint8Array() : prefixOf(w, judge, judge.provider.kind, knobs);
  const capture = w.setup.capture(pass);
  capture?.('digest', judge.provider.kind === 'local' ? windowText(w.window) : Buffer.from(prefix).toString('utf8'));
  const serialise = judge.provider.kind !== 'local' && tokensAtWorst(prefix.length) >= judge.min_cacheable;
  const budget = spendable(w, judge, plan.runs, prefix, serialise, now, knobs);
  if (budget === undefined) return { ...base, refused: 'budget', runs: [], skipped: [...plan.skipped, ...plan.runs.map(({ detector }) => ({ detector: detector.name, because: 'budget' }))], results: Promise.resolve([]) };

  const results = runPass({
    runs: plan.runs,
    width: judge.provider.kind === 'host' ? knobs.loop.host_width : knobs.loop.max_parallel_forks,
    serialise,
    fork: async (run, { firstEvent }) => {
      const { name } = run.detector;
      const lead = judge.provider.kind === 'local' ? undefined : await leadFor(w, run.detector, pass, now);
      const task = forkTask(w, run, { judge, prefix, pass, now, knobs, tokens: budget.tokens[plan.runs.indexOf(run)] ?? 0, others: plan.runs.length - 1, ...(lead === undefined ? {} : { lead }) });
      capture?.(name, `tail:\n${task.tail}\n`);
      const result = await w.setup.fork(
        capture === undefined ? task : { ...task, trace: true },
        { firstEvent, tool: (request) => w.setup.tool(run.detector, request), log: w.setup.log, trace: (text) => capture?.(name, text) },
        cancel.signal,
      );
      capture?.(name, `end: ${JSON.stringify({ ...result, tool_text: result.tool_text.length })}`);
      // It was read by the fork as much as what its tools returned.
      return lead === undefined ? result : { ...result, tool_text: `${lead}\n${result.tool_text}` };
    },
  });
  const { reservation, unseen } = budget;
  return { ...base, runs: plan.runs, ...(reservation === undefined ? {} : { reservation }), ...(unseen === undefined ? {} : { unseen }), results };
};

/** Everything that waits becomes one block of the window, on disk and in memory. */
export const appendEpisode = (w: Watching, pass: number, now: number): readonly Numbered[] => {
  const { episode, queue } = take(w.queue);
  w.queue = queue;
  const numbered = number(w.window, episode);
  if (numbered.length > 0) push(w, observationBlock('observations', numbered, { pass, at: now, ...(w.position === undefined ? {} : { position: w.position }) }), numbered);
  return numbered;
};

/** Appends to the window in memory and on disk: the only way anything gets in. */
export const push = (w: Watching, block: Block, numbered: readonly Numbered[] = []): void => {
  w.window = append(w.window, block, numbered);
  if (w.unsaved) return saveWindow(w);
  w.unsaved = !written(w, () => {
    if (!appendBlock(w.setup.paths, w.window, block, numbered)) w.setup.log(`the window's log of ${w.window.task} is gone; this block is kept in memory only`);
  });
};

/** Writes the window's log whole: a new generation, or one of which a block could not be written when it came. */
export const saveWindow = (w: Watching): void => {
  w.unsaved = !written(w, () => startWindow(w.setup.paths, w.window));
};

/** Whether a write went through. What a sick disk refuses stays in memory, and is told; a log without it would hide it from a restart. */
const written = ({ setup, unsaved }: Watching, write: () => void): boolean => {
  try {
    write();
    return true;
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    if (!unsaved) setup.log(`the window's log waits for the disk: ${error instanceof Error ? error.message : ''}`);
    return false;
  }
};

/** Distils what leaves the window into the ledger: by the model, else by rule; never silently (SPEC 6). */
const compact = async (w: Watching, judge: Judge, now: number): Promise<void> => {
  const knobs = w.setup.knobs();
  const { evicted, evicted_observations, kept } = planCompaction(w.window, knobs.window);
  const before = w.window.blocks.length;
  const asked = judge.provider.kind === 'local' ? [] : summaryRequests(w.window.nonce, evicted);
  const answers: (string | undefined)[] = [];
  w.compacting = true;
  try {
    for (const { system, text } of asked) if (!w.left.signal.aborted) answers.push(await summary(w, judge, { id: answers.length, system, text }, now, knobs));
  } finally {
    w.compacting = false;
  }
  if (w.left.signal.aborted) return;
  const facts = answers.filter((answer) => answer !== undefined);
  // One span without a summary would be lost in silence.
  if (facts.length < Math.max(1, asked.length)) facts.push(digest(evicted, evicted_observations));
  for (const fact of facts) w.ledger = addFact(w.ledger, fact, now, knobs.ledger);
  w.window = compacted(w.window, renderLedger(w.ledger), [...kept, ...w.window.blocks.slice(before)]);
  w.ledger = { ...w.ledger, generation: w.window.generation };
  w.compactions += 1;
  w.prefix = undefined;
  w.warm = undefined;
  saveWindow(w);
  w.setup.log(`compacted: ${evicted.length} blocks left the window of ${w.window.task}`);
};

const summary = async (w: Watching, judge: Judge, { id, system, text }: { readonly id: number; readonly system: string; readonly text: string }, now: number, knobs: Knobs): Promise<string | undefined> => {
  const output = knobs.budget.max_output_tokens;
  const tokens = tokensAtWorst(Buffer.byteLength(text) + Buffer.byteLength(system)) + Math.ceil(output * outputRatio(judge));
  const reservation = hold(w, judge, `c${w.window.generation}.${id}`, tokens, now, knobs);
  if (reservation === undefined) return undefined;
  const task = { kind: 'summary' as const, id: reservation.id, provider: judge.provider, system, text, timeout_ms: knobs.model.request_timeout_s * 1000, max_output_tokens: output };
  const { text: said, usage, usage_unknown, cause } = await w.setup.summarize(task, { log: w.setup.log }, w.left.signal);
  const spent = weigh(usage, outputRatio(judge));
  const usd = moneyOf(judge, spent);
  w.observer = addUsage(w.observer, usage);
  if (usd !== undefined) w.usd = (w.usd ?? 0) + usd;
  release(w, w.ledger.task, reservation, usage_unknown === true ? tokens : spent, now, usd);
  if (cause !== undefined) w.setup.log(`a compaction's summary failed: ${cause}`);
  return acceptSummary(said);
};

/** Reserves before anything is sent; the task's own count is on disk first, so that a kill in between loses nothing (HAZARDS D2). */
const hold = (w: Watching, judge: Judge, what: string, tokens: number, now: number, knobs: Knobs): Reservation | undefined => {
  const { paths, session, host } = w.setup;
  const reserved = reserve(paths, { id: `${w.ledger.task}.${what}.${now}`, task: w.ledger.task, session, host, provider: judge.provider.kind, tokens }, w.ledger.spent_tokens, now, knobs.budget);
  if (!reserved.go) return undefined;
  w.ledger = spend(w.ledger, tokens);
  writeLedger(paths, w.ledger);
  return reserved.reservation;
};

/** Puts what was really spent in the reservation's place, at the task that reserved it. */
export const release = (w: Watching, task: string, reservation: Reservation, tokens: number, now: number, usd?: number): void => {
  const { aborted, reason } = w.left.signal;
  if (task === w.ledger.task && !aborted) {
    w.ledger = spend(w.ledger, tokens - reservation.tokens);
    writeLedger(w.setup.paths, w.ledger);
  } else if (reason !== 'taken') {
    // Dormant by now, left, or forgotten. One that another monitor has taken keeps what was reserved: too much rather than too little.
    const left = readLedger(w.setup.paths, task);
    if (left.ok) writeLedger(w.setup.paths, spend(left.value, tokens - reservation.tokens));
  }
  settle(w.setup.paths, reservation, tokens, now, usd);
};

export const outputRatio = ({ price }: Judge): number => (price === undefined || price.input <= 0 ? 5 : price.output / price.input);

/** Commands that kept failing up to now, each told once in a task. */
const repeats = (w: Watching, numbered: readonly Numbered[]): readonly StructuralMatch[] => {
  const detector = w.setup.catalogue().find(({ enabled, structural }) => enabled && structural === 'repeat-failure');
  if (detector === undefined) return [];
  const since = w.window.blocks.findLast(({ kind }) => kind === 'history')?.to ?? 0;
  const told = new Set(factsOf(w.rows, w.ledger.task, w.ledger.advice).said.map(({ key }) => key));
  return repeatFailures(w.window.observations, detector, { from: numbered[0]?.n ?? w.window.next_n, since: since + 1, told });
};

/** Tells the other sessions of this repository what was written, and finds what they have. */
const neighbours = (w: Watching, numbered: readonly Numbered[], now: number, knobs: Knobs): readonly StructuralMatch[] => {
  const { setup } = w;
  if (!knobs.index.enabled) return [];
  const written = numbered.filter(({ writes }) => writes === true).flatMap(({ paths }) => paths?.slice(0, 1) ?? []);
  const mine = indexLine({ task: w.ledger.task, session: setup.session, cwd: setup.cwd, git_dir: setup.git_dir, goal: w.ledger.goal, root: setup.workspace, paths: written, at: now }, knobs.index);
  if (mine === undefined) return [];
  appendIndex(setup.paths, mine);
  if (now - w.index_compacted_at >= knobs.index.compact_interval_s * 1000) {
    w.index_compacted_at = now;
    compactIndexes(setup.paths, now, knobs.index);
  }
  const detector = setup.catalogue().find(({ enabled, structural }) => enabled && structural === 'cross-task-collision');
  if (detector === undefined) return [];
  const others = readIndex(setup.paths, setup.git_dir, { task: w.ledger.task, session: setup.session, now }, knobs.index);
  const found = collisionsOf({ detector, mine, written: numbered, others, told: w.collisions, now });
  w.collisions = found.told;
  return found.matches;
};

/** Facts to start from, about what was observed since the detector's cadence last came round. */
const leadFor = (w: Watching, detector: Detector, pass: number, now: number): Promise<string | undefined> => {
  const from = w.window.blocks.find(({ kind, pass: of }) => kind === 'observations' && of > pass - strideOf(detector))?.from ?? w.window.next_n;
  return w.setup.lead?.(detector, { observations: w.window.observations.filter(({ n }) => n >= from), now, since: Math.min(w.since, w.ledger.created_at) }) ?? Promise.resolve(undefined);
};

const prefixOf = (w: Watching, judge: Judge, wire: Wire, knobs: Knobs): Uint8Array => {
  const { tools, rebuilt } = toolSet(FEEDBACK_TOOL, w.setup.mcp_tools().map(({ definition }) => definition), w.tools);
  w.tools = tools;
  const recent = w.starts.slice(-8);
  const gaps_ms = recent.slice(1).map((start, i) => start - (recent[i] ?? start));
  w.cache_ttl = chooseTtl(knobs.model.cache_ttl, wire, { gaps_ms, ...(w.cache_ttl === undefined ? {} : { current: w.cache_ttl }), rebuilding: rebuilt || w.prefix === undefined });
  const before = w.prefix;
  w.prefix = renderPrefix({ wire, model: judge.provider.model, tools, system: w.setup.shared_prompt, workspace_root: w.setup.workspace, window: w.window, cache_ttl: w.cache_ttl }, before);
  if (before !== undefined && before.head !== w.prefix.head) {
    w.rebuilds += 1;
    w.warm = undefined; // what the provider keeps is the old one
    w.setup.log(`the prefix is written anew: ${rebuilt ? 'there is a new tool' : 'the model or the task’s notes changed'}`);
  }
  return w.prefix.bytes;
};

/** Each fork's token budget, reserved before anything is sent; undefined when not every fork could make its first request. */
const spendable = (w: Watching, judge: Judge, runs: readonly Run[], prefix: Uint8Array, serialise: boolean, now: number, knobs: Knobs): { readonly tokens: readonly number[]; readonly unseen?: readonly Unseen[]; readonly reservation?: Reservation } | undefined => {
  if (judge.provider.kind === 'local') return { tokens: runs.map(() => 0) };
  const ttl = w.cache_ttl ?? '5m';
  const warm = w.warm !== undefined && now - w.warm.at < (ttl === '1h' ? 3_600_000 : 300_000) ? w.warm.tokens : 0;
  const size: PassSize = {
    prefix: tokensAtWorst(prefix.length),
    cached: warm,
    tail: TAIL_TOKENS,
    iterations: runs.map(({ detector }) => iterationsOf(detector, knobs)),
    max_output: knobs.budget.max_output_tokens,
    output_ratio: outputRatio(judge),
    cache: Number.isFinite(judge.min_cacheable) ? ttl : 'none',
    one_writer: serialise,
  };
  const who = { session: w.setup.session, host: w.setup.host };
  const allowance = allow(estimatePass(size), headroom(w.ledger.spent_tokens, readSpent(w.setup.paths, who, now), judge.provider.kind, knobs.budget));
  if (!allowance.go) return undefined;
  const reservation = hold(w, judge, String(w.ledger.pass), allowance.tokens, now, knobs);
  return reservation === undefined ? undefined : { tokens: divide(size, allowance.tokens), unseen: unseenOf(size), reservation };
};

/** Without tools there is one thing to do: answer. */
const iterationsOf = (detector: Detector, knobs: Knobs): number => (detector.tools.length === 0 ? 1 : knobs.loop.max_fork_iterations);

// Instructions, open advisories and the framing of one fork; the largest bundled prompt is under half of it.
const TAIL_TOKENS = 2500;

type ForkContext = { readonly judge: Judge; readonly prefix: Uint8Array; readonly pass: number; readonly now: number; readonly knobs: Knobs; readonly tokens: number; readonly others: number; readonly lead?: string };

const forkTask = (w: Watching, run: Run, { judge, prefix, pass, now, knobs, tokens, others, lead }: ForkContext): ForkTask => {
  const { detector, pilot, match } = run;
  const open = openRecords(w.rows, w.ledger.task).filter(({ kind }) => kind === detector.name);
  const grant = grantOf(detector, w.setup.mcp_tools(), knobs.run_tool.enabled);
  const deadline_s = detector.deadline_s ?? knobs.loop.fork_deadline_s;
  const local = judge.provider.kind === 'local';
  return {
    kind: 'fork',
    id: `${pass}:${detector.name}`,
    provider: { ...judge.provider, cache_ttl: w.cache_ttl ?? '5m' },
    prefix,
    tail: local ? '' : renderTail({ detector, grant, open, now, deadline_s, body_cap: knobs.gate.body_cap, nonce: w.ledger.nonce, raised: w.raised.get(detector.name)?.ids ?? [], ...(match === undefined ? {} : { match }), ...(lead === undefined ? {} : { lead }) }),
    nonce: w.ledger.nonce,
    detector,
    grant,
    limits: {
      deadline_ms: deadline_s * 1000,
      grace_ms: knobs.loop.fork_grace_s * 1000,
      iterations: iterationsOf(detector, knobs),
      max_output_tokens: knobs.budget.max_output_tokens,
      token_budget: tokens,
      body_cap: knobs.gate.body_cap,
    },
    pilot,
    warm: pilot ? Math.min(others, knobs.loop.max_parallel_forks) : 0,
    ...(match === undefined ? {} : { match }),
    ...(local ? { stream: w.window.observations, earlier: earlierPrompts(w), open: open.map(({ id, key, after }) => ({ id, key, after })) } : {}),
  };
};

/** Prompts of the session that the window does not hold. */
const earlierPrompts = (w: Watching): readonly Observation[] => {
  const held = new Set(w.window.observations.map(({ uuid }) => uuid));
  return w.prompts.filter(({ uuid }) => !held.has(uuid));
};

/** By price, where one is known. */
const moneyOf = ({ price }: Judge, weighed: number): number | undefined => (price === undefined ? undefined : (weighed * price.input) / 1_000_000);

/** What every result of a pass cost, cancelled forks included; money as the provider tells it, else by price. */
export const costOf = (judge: Judge, results: readonly ForkResult[]): { readonly tokens: number; readonly usd?: number } => {
  let tokens = 0;
  let usd: number | undefined;
  for (const result of results) {
    const weighed = weigh(result.usage, outputRatio(judge));
    tokens += weighed;
    const money = result.usd ?? moneyOf(judge, weighed);
    if (money !== undefined) usd = (usd ?? 0) + money;
  }
  return { tokens, ...(usd === undefined ? {} : { usd }) };
};
