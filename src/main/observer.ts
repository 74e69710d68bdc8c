// One tick of the loop, top to bottom: what was read goes in, the trigger is asked, a pass starts or ends, mail is tended.
import { isDiskTrouble } from './floor/json-file.ts';
import { NO_USAGE } from './floor/usage.ts';
import { toldBySignals, type Folded } from './ingest/chain.ts';
import { emptyQueue, enqueue, lastChars } from './ingest/queue.ts';
import { metAt, next, settled } from './ingest/session-state.ts';
import { countUsage, noUsageYet } from './ingest/usage.ts';
import { countVolumes, noVolumes } from './ingest/volumes.ts';
import { addAdvice, renderLedger, setGoal } from './memory/ledger.ts';
import { writeLedger } from './memory/ledger-file.ts';
import { emptyWindow, number, observationBlock, type Window } from './memory/window.ts';
import { backoff, headroom, type HourSpent } from './pass/budget.ts';
import { decide, type TriggerDecision } from './pass/trigger.ts';
import { TURN_REPORT } from './speak/advice.ts';
import { noDeliveries, settle } from './speak/delivery.ts';
import { bounded, factsOf, noSums, rowsOf } from './speak/history.ts';
import { dropClaim, expireMail, listClaims, listMail, returnMail } from './speak/mailbox-file.ts';
import { isStale } from './speak/stale.ts';
import { push, saveWindow, startPass } from './judging.ts';
import { finishPass, record, withdraw } from './speaking.ts';
import { beginTask, dropAll, freshLedger, turnTo, untagged } from './tasking.ts';
import type { ForkResult, Ledger, Observation, PassReason, Position, Signal } from './records.ts';
import type { HistoryLine, TurnFile } from './surfaces.ts';
import type { Pass, Setup, Watching } from './watching.ts';

/** What a restart brings back: any of it may be missing. `position` is where a new window's reading begins. */
export type Restored = { readonly ledger?: Ledger; readonly window?: Window; readonly position?: Position; readonly since?: number; readonly history: readonly HistoryLine[]; readonly turn?: TurnFile };

/** An observer for one session, with the task it is at. */
export const openObserver = (setup: Setup, restored: Restored, now: number): Watching => {
  const ledger: Ledger = { ...(restored.ledger ?? freshLedger(setup, '', now)), ...(restored.since === undefined ? {} : { since: restored.since }) };
  const window = restored.window ?? emptyWindow({ task: ledger.task, nonce: ledger.nonce, generation: ledger.generation, ledger_text: renderLedger(ledger), ...(restored.position === undefined ? {} : { position: restored.position }) });
  writeLedger(setup.paths, { ...ledger, touched_at: now });
  const w: Watching = {
    setup, ledger, window,
    left: new AbortController(),
    voided: 0,
    unsaved: false,
    queue: emptyQueue,
    // Not the ledger's: what was read and still waited when it was written must be read again.
    position: window.position,
    session: metAt(now),
    attended: false,
    background: [],
    last_start: ledger.pace?.last_start,
    salience_draws: ledger.pace?.salience_draws ?? [],
    // Whoever woke the agent before us was one of us: no other wake before the person speaks, no pass for that turn.
    turn_ended: false, own_turn: restored.turn?.wake_used === true, wake_used: restored.turn?.wake_used === true, asked: false, ended: false,
    pass: undefined, compacting: false, prefix: undefined, tools: [], cache_ttl: undefined, warm: undefined,
    raised: new Map(), starts: [], expected_ms: {},
    ...bounded(rowsOf(restored.history), noSums),
    deliveries: noDeliveries,
    unsettled: NO_NEWS,
    carriers: new Map(),
    prompts: [],
    unreported: new Map(), agent_monitors: [], collisions: new Map(), index_compacted_at: now,
    usage: noUsageYet, volumes: noVolumes, observer: NO_USAGE, usd: undefined, since: now,
    passes: { count: 0, by_reason: {}, holds: {} },
    hold: undefined, detectors: {}, compactions: 0, rebuilds: 0, last_pass: undefined, last_turn: undefined, notices: [],
  };
  if (restored.window === undefined) saveWindow(w);
  disown(w, now);
  return w;
};

/** Takes in what one read of the transcript brought (SPEC 5). */
export const observe = (w: Watching, folded: Folded, position: Position | undefined, now: number): void => {
  hold(w, folded);
  w.usage = countUsage(w.usage, folded.fresh);
  w.volumes = countVolumes(w.volumes, folded.fresh, folded.observations);
  for (const event of folded.events) {
    w.session = next(w.session, { from: 'record', event });
    if (event.kind === 'prompt' && event.origin === 'human') humanSpoke(w);
    if (event.kind === 'prompt' && event.origin === 'bell') weSpoke(w);
    // The person has stopped the agent, or its provider has: nothing of ours sets it going again before they speak.
    if (event.kind === 'interrupt' || event.kind === 'api-error') w.wake_used = true;
    // Somebody else's notification opens a turn that is none of ours.
    if (event.kind === 'prompt' && event.origin === 'notification') w.own_turn = false;
    if (event.kind === 'rewind') rewound(w, event.dead, now);
  }
  add(w, folded.observations, now);
  if (position !== undefined) w.position = position;
  lookForClaims(w, now);
};

/** What waits was meant for the branch that is gone, and what was told there the agent no longer knows (SPEC 5.1). */
const rewound = (w: Watching, dead: readonly string[], now: number): void => {
  dropAll(w, 'rewound', now);
  if (w.pass !== undefined) {
    w.voided = w.pass.stamp.pass;
    w.pass.cancel.abort('cancelled');
  }
  const forgotten = new Set(dead.flatMap((uuid) => w.carriers.get(uuid) ?? []));
  for (const id of forgotten) if (w.rows.get(id)?.state === 'confirmed') record(w, { v: 1, at: now, id, event: 'withdrawn', because: 'rewound' });
  if (forgotten.size > 0) w.ledger = { ...w.ledger, advice: w.ledger.advice.filter(({ id }) => !forgotten.has(id)) };
};

/** What a session that was already there brings: context for the model, nothing that triggers (SPEC 5.1, first sight). */
export const observeHistory = (w: Watching, folded: Folded, position: Position | undefined, now: number): void => {
  const { window } = w.setup.knobs();
  hold(w, folded);
  w.usage = countUsage(w.usage, folded.fresh);
  w.volumes = countVolumes(w.volumes, folded.fresh, folded.observations);
  w.position = position;
  // A position that was lost brings much of what the window holds already, some of it by a signal.
  const known = new Set(w.window.observations.map(({ uuid }) => uuid));
  const told = toldBySignals(w.window.observations);
  const numbered = number(w.window, lastChars(folded.observations.filter((one) => !known.has(one.uuid) && !told(one)), window.budget_chars * window.compaction_floor));
  if (numbered.length > 0) push(w, observationBlock('history', numbered, { pass: w.ledger.pass, at: now, ...(position === undefined ? {} : { position }) }), numbered);
  const goal = folded.observations.find(({ kind, human }) => kind === 'prompt' && human === true)?.text;
  if (goal !== undefined && w.ledger.goal === '') w.ledger = setGoal(w.ledger, untagged(goal), now);
  lookForClaims(w, now);
};

/** What was observed by a monitor before this one: nothing of it counts again, but what comes hangs on it. */
export const recall = (w: Watching, { observations, events, proofs }: Pick<Folded, 'observations' | 'events' | 'proofs'>, now: number): void => {
  for (const observation of observations) launched(w, observation);
  carry(w, proofs);
  w.deliveries = settle(w.deliveries, [], { proofs: [], events }, now).state;
};

/** Queues observations of ours or the transcript's, splits the task where one plainly begins, and retires answered mail. */
export const add = (w: Watching, observations: readonly Observation[], now: number): void => {
  const { loop } = w.setup.knobs();
  for (const observation of observations) {
    if (observation.kind === 'prompt' && observation.human === true) {
      w.prompts = [...w.prompts, observation].slice(-MAX_PROMPTS);
      begins(w, observation, now);
    }
    w.queue = enqueue(w.queue, [observation], loop);
    launched(w, observation);
  }
  const { waiting } = factsOf(w.rows, w.ledger.task, w.ledger.advice);
  for (const mail of waiting) if (isStale(mail.stale_if, observations)) withdraw(w, mail, 'stale', now);
};

/** A standing instruction is seldom older. */
const MAX_PROMPTS = 50;

/** A record is read once: where a sick disk refuses what a new task writes, the prompt goes on waiting in whichever is there. */
const begins = (w: Watching, prompt: Observation, now: number): void => {
  try {
    beginTask(w, prompt, now);
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    w.setup.log(`a new task's files wait for the disk: ${error instanceof Error ? error.message : ''}`);
  }
};

const launched = (w: Watching, { launches, settles, at, tool }: Observation): void => {
  if (launches !== undefined) {
    if (tool === 'Monitor') w.agent_monitors = [...w.agent_monitors, launches].slice(-50);
    else w.unreported = new Map([...w.unreported, [launches, at]].slice(-50) as [string, number][]);
  }
  if (settles !== undefined) w.unreported = new Map([...w.unreported].filter(([id]) => id !== settles));
};

const humanSpoke = (w: Watching): void => {
  w.wake_used = false;
  w.own_turn = false;
};

/** The agent works because of us: its turn's end is none to look at, and we set it going no second time. */
const weSpoke = (w: Watching): void => {
  w.own_turn = true;
  w.wake_used = true;
};

/** Mail that an earlier host of this session left: no hook of ours may tell it any more (SPEC 3). */
const disown = (w: Watching, now: number): void => {
  for (const { advice } of listMail(w.setup.paths.mailbox(w.setup.session))) if (advice.host_pid !== w.setup.host_pid) withdraw(w, advice, 'moved-on', now);
};

/** What a hook told (SPEC 3): the session's state, and whose turn it is. */
export const hear = (w: Watching, signal: Signal, now: number): void => {
  w.session = next(w.session, { from: 'signal', signal });
  if (signal.attended !== undefined) w.attended = signal.attended;
  if (signal.background !== undefined) w.background = signal.background;
  if (signal.event === 'UserPromptSubmit') {
    if (signal.origin === 'human') humanSpoke(w);
    if (signal.origin === 'bell') weSpoke(w);
  }
  if (signal.event === 'SessionEnd') {
    w.ended = true;
    if (signal.reason === 'clear') w.ledger = { ...w.ledger, ended: 'clear' };
    dropAll(w, 'moved-on', now);
    writeLedger(w.setup.paths, w.ledger);
  }
  if (signal.event === 'Stop' || signal.event === 'StopFailure') endTurn(w, signal.event === 'Stop' ? 'end_turn' : (signal.reason ?? 'api-error'), now, signal.stop_hook_active === true);
};

/** The turn is over, by its Stop: a pass follows unless it was ours. An interrupt ends none: the person is about to speak. `continued`: a hook had kept the agent going. */
export const endTurn = (w: Watching, reason: string, now: number, continued = false): void => {
  if (continued) w.own_turn = true;
  w.turn_ended = true;
  // Told already, or by a monitor before this one.
  const last = w.queue.waiting.at(-1)?.observation ?? w.window.observations.at(-1);
  if (last?.note === 'turn-end') return;
  add(w, [{ kind: 'note', at: now, uuid: `turn-end-${now}`, text: `[note] the turn ended (${reason})`, raw_chars: 0, note: 'turn-end', reason }], now);
};

/** Whether a pass starts now, and why or why not (SPEC 7). */
export const due = (w: Watching, now: number, spent: HourSpent, enrolled = true, paused = false): TriggerDecision => {
  const { loop, budget, mute } = w.setup.knobs();
  const { provider } = w.setup.judge();
  const free = provider.kind === 'local';
  const decision = decide(
    {
      ...(w.last_start === undefined ? {} : { last_start: w.last_start }),
      pending_chars: w.queue.chars,
      ...(w.queue.oldest_at === undefined ? {} : { oldest_at: w.queue.oldest_at }),
      activity: w.queue.activity,
      salient: w.queue.salient,
      salience_draws: w.salience_draws,
      turn_ended: w.turn_ended,
      own_turn: w.own_turn,
      asked: w.asked,
    },
    now,
    loop,
    {
      muted: mute.all,
      budget_spent: !free && headroom(w.ledger.spent_tokens, spent, provider.kind, budget).tokens <= 0,
      backoff: free || !loop.backoff_on_budget ? 1 : backoff(spent, provider.kind, budget),
      busy: w.pass !== undefined,
      enrolled,
      paused,
    },
  );
  if (!decision.go && w.hold !== decision.because) w.passes.holds[decision.because] = (w.passes.holds[decision.because] ?? 0) + 1;
  // This turn's end is answered: the next turn's first activity must not pass for it.
  if (!decision.go && (decision.because === 'no-activity' || decision.because === 'own-turn')) w.turn_ended = false;
  w.hold = decision.go ? undefined : decision.because;
  return decision;
};

/** Starts a pass: single flight, so the caller has asked `due`. */
export const begin = async (w: Watching, because: PassReason, now: number): Promise<Pass> => {
  w.pass = await startPass(w, because, now);
  return w.pass;
};

/** Ends it, in session time. */
export const end = (w: Watching, pass: Pass, results: readonly ForkResult[], now: number): void => {
  w.pass = undefined;
  finishPass(w, pass, results, now);
  if (pass.refused !== undefined) {
    w.hold = pass.refused;
    w.last_turn = 'not looked: the budget is spent';
  }
  const goal = results.find(({ feedback }) => feedback.new_goal !== undefined)?.feedback.new_goal;
  if (goal !== undefined && w.ledger.task === pass.stamp.task) turnTo(w, goal, pass.after, now);
};

/** What time alone does: a Stop settles, mail outlives its clocks (SPEC 10). */
export const tend = (w: Watching, now: number): void => {
  if (w.unsaved) saveWindow(w);
  w.session = settled(w.session, now);
  for (const { advice, because } of expireMail(w.setup.paths.mailbox(w.setup.session), now, w.setup.knobs().gate)) record(w, { v: 1, at: now, id: advice.id, event: 'expired', because });
};

const CARRIERS_KEPT = 256;

const carry = (w: Watching, proofs: Folded['proofs']): void => {
  const carried = proofs.flatMap(({ uuid, ids, channel }) => (uuid === undefined || channel !== 'context' ? [] : ids.map((id) => [uuid, id] as const)));
  if (carried.length > 0) w.carriers = new Map([...w.carriers, ...carried].slice(-CARRIERS_KEPT));
};

const NO_NEWS: Watching['unsettled'] = { proofs: [], events: [] };
const NEWS_KEPT = 4000;

/** News are read once: they wait here until what they settle is on disk, since a proof that is lost is told again. */
const hold = (w: Watching, { proofs, events }: Watching['unsettled']): void => {
  w.unsettled = { proofs: [...w.unsettled.proofs, ...proofs].slice(-NEWS_KEPT), events: [...w.unsettled.events, ...events].slice(-NEWS_KEPT) };
};

/** Claims that the transcript proves, or shows to have gone nowhere (SPEC 10); at a tick, those a hook has just made. */
export const lookForClaims = (w: Watching, now: number): void => {
  const box = w.setup.paths.mailbox(w.setup.session);
  const claims = listClaims(box);
  for (const { advice, channel, at } of claims) if (w.rows.get(advice.id)?.state === 'waiting') claimed(w, advice.id, channel, at);
  carry(w, w.unsettled.proofs);
  const { state, settled: ended } = settle(w.deliveries, claims, w.unsettled, now);
  for (const outcome of ended) {
    const { claim } = outcome;
    const { id } = claim.advice;
    if (outcome.end === 'confirmed') {
      record(w, { v: 1, at: outcome.at, id, event: 'confirmed', channel: claim.channel });
      dropClaim(box, claim);
    } else if (outcome.end === 'expired') {
      record(w, { v: 1, at: now, id, event: 'expired', because: 'expired-ttl' });
      dropClaim(box, claim);
    } else {
      record(w, { v: 1, at: now, id, event: 'lost', because: 'lost' });
      if (outcome.again && returnMail(box, claim)) record(w, { v: 1, at: now, id, event: 'returned' });
      else dropClaim(box, claim);
    }
  }
  w.deliveries = state;
  w.unsettled = NO_NEWS;
};

/** A hook has taken it: counted as said to a detector from here on. */
const claimed = (w: Watching, id: string, channel: HistoryLine['channel'], at: number): void => {
  record(w, { v: 1, at, id, event: 'claimed', ...(channel === undefined ? {} : { channel }) });
  if (channel === 'Stop' || channel === 'bell') weSpoke(w);
  const advice = w.rows.get(id)?.advice;
  if (advice !== undefined && advice.kind !== TURN_REPORT && advice.task_id === w.ledger.task) w.ledger = addAdvice(w.ledger, { id, detector: advice.kind, headline: advice.headline, key: advice.dedup_key, at }, at);
  const kind = advice?.kind;
  const row = kind === undefined ? undefined : w.detectors[kind];
  if (kind !== undefined && row !== undefined) w.detectors[kind] = { ...row, delivered: row.delivered + 1 };
};
