// A recorded session goes by again in session time: the same loop as live, with the host's part played by the records (SPEC 12).
import { createHash } from 'node:crypto';
import type { Knobs } from '../floor/knobs.ts';
import { pathsUnder } from '../floor/paths.ts';
import { NO_USAGE } from '../floor/usage.ts';
import { createChain, type Folded } from '../ingest/chain.ts';
import { add, begin, due, end, endTurn, hear, lookForClaims, observe, openObserver, tend } from '../observer.ts';
import { readSpent } from '../pass/budget-file.ts';
import type { Channel, Detector, ForkResult, Projected, Signal } from '../records.ts';
import { select, type SpeakingEvent } from '../speak/claim.ts';
import { userText } from '../speak/advice.ts';
import { noSums, sumsOf } from '../speak/history.ts';
import { mayHold, mayRing, type GateFacts } from '../speak/finish-gate.ts';
import { countFiring, firingsOf } from '../speak/gate-count-file.ts';
import { claimMail, dropClaim, listClaims, listMail } from '../speak/mailbox-file.ts';
import { record } from '../speaking.ts';
import { turnOf } from '../surfacing.ts';
import type { ReplayEvent, ReplaySummary } from '../show/replay.ts';
import type { Judge, Pass, Setup, Told, Watching } from '../watching.ts';
import type { Slice } from '../ingest/transcript-file.ts';

export type ReplayInput = {
  readonly file: string;
  readonly slices: AsyncIterable<Slice>;
  /** Temporary folder for everything the loop writes. */
  readonly data: string;
  /** Where the session worked; with it, lines of other sessions in the folder's index count as neighbours. */
  readonly workspace?: string;
  readonly knobs: Knobs;
  readonly catalogue: readonly Detector[];
  readonly shared_prompt: string;
  readonly judge: Judge;
  readonly fork: Setup['fork'];
  readonly summarize: Setup['summarize'];
  readonly tool: Setup['tool'];
  readonly lead?: NonNullable<Setup['lead']>;
  readonly version: string;
  readonly emit: (event: ReplayEvent) => void;
  readonly progress?: (bytes: number) => void;
  readonly log: (line: string) => void;
};

/** Plays the file to its end and returns what it came to; timings are left to the caller. */
export const replay = async (input: ReplayInput): Promise<Omit<ReplaySummary, 'wallMs' | 'peakRssMb'>> => {
  const player = openPlayer(input);
  let bad_lines = 0;
  let records = 0;
  for await (const slice of input.slices) {
    bad_lines += slice.bad_lines;
    records += slice.items.length;
    for (const item of slice.items) await player.play(item);
    input.progress?.(slice.done_bytes);
  }
  await player.close();
  return player.summary(records, bad_lines);
};

const openPlayer = (input: ReplayInput) => {
  const { knobs, emit } = input;
  const chain = createChain();
  const counts = { observations: 0, kept: 0, raw: 0 };
  let w: Watching | undefined;
  let now = 0;
  let ending: { readonly at: number; readonly pass: Pass; readonly results: readonly ForkResult[] } | undefined;
  let again_at: number | undefined;
  let turn_open = false;
  let idle_since: number | undefined;
  let drawn = 0;
  const early: Projected[] = [];

  const setup = (session: string): Setup => ({
    paths: pathsUnder(input.data),
    session, workspace: input.workspace ?? input.data, git_dir: input.workspace ?? input.data, cwd: input.workspace ?? input.data, host: 'replay', host_pid: 0,
    version: input.version,
    shared_prompt: input.shared_prompt,
    knobs: () => knobs,
    catalogue: () => input.catalogue,
    judge: () => input.judge,
    fork: input.fork, summarize: input.summarize, tool: input.tool,
    ...(input.lead === undefined ? {} : { lead: input.lead }),
    mcp_tools: () => [],
    // The same ids in every replay of a file.
    entropy: () => createHash('sha256').update(`${session}.${(drawn += 1)}`).digest().subarray(0, 16),
    log: input.log,
    capture: () => undefined,
    told,
  });

  const told = (what: Told): void => {
    if (what.kind === 'pass') emit({ type: 'pass', at: what.at, pass: what.pass, because: what.because, observations: what.observations });
    else if (what.kind === 'fork') emit(forkEvent(what));
    else tellHistory(what.line);
  };

  const tellHistory = ({ id, event, at, because, verdict, evidence, channel }: Extract<Told, { kind: 'history' }>['line']): void => {
    const advice = w?.rows.get(id)?.advice;
    if (advice === undefined) return;
    if (event === 'enqueued' && advice.kind !== 'turn-report') {
      emit({ type: 'advice', at, id, detector: advice.kind, headline: advice.headline, confidence: advice.confidence, to: advice.human_only ? 'human' : 'agent', ...(advice.because === undefined ? {} : { because: advice.because }), evidence: advice.evidence.map(({ cite }) => cite) });
    } else if (event === 'gated' && because !== undefined && because !== 'below-agent-floor') {
      emit({ type: 'advice', at, id, detector: advice.kind, headline: advice.headline, confidence: advice.confidence, to: 'nobody', because, evidence: advice.evidence.map(({ cite }) => cite) });
    } else if ((event === 'expired' || event === 'withdrawn') && because !== undefined && advice.kind !== 'turn-report') emit({ type: 'dropped', at, id, because });
    else if (event === 'outcome') emit({ type: 'outcome', at, id, verdict: verdict ?? 'no_evidence', evidence: evidence ?? [] });
    else if (event === 'claimed' && channel !== undefined) emit({ type: 'delivered', at, id, channel, text: userText(advice), human_only: advice.human_only });
  };

  /** Session time moves to `to`; whatever falls due on the way happens at its own time. */
  const advance = async (seen: Watching, to: number): Promise<void> => {
    for (;;) {
      const at = Math.min(ending?.at ?? Infinity, ending === undefined ? (again_at ?? Infinity) : Infinity, idle_since === undefined ? Infinity : idle_since + IDLE_MS);
      if (at > to) break;
      now = Math.max(now, at);
      if (ending !== undefined && ending.at <= now) {
        const { pass, results } = ending;
        ending = undefined;
        end(seen, pass, results, now);
      }
      tend(seen, now);
      if (idle_since !== undefined && idle_since + IDLE_MS <= now) ring(seen);
      await look(seen);
    }
    now = Math.max(now, to);
    tend(seen, now);
  };

  const look = async (seen: Watching): Promise<void> => {
    const decision = due(seen, now, readSpent(seen.setup.paths, seen.setup, now));
    again_at = decision.go || decision.again_at === undefined || decision.again_at <= now ? undefined : decision.again_at;
    if (!decision.go) return;
    const pass = await begin(seen, decision.because, now);
    const results = await pass.results;
    ending = { at: now + knobs.replay.latency_s * 1000, pass, results };
  };

  /** A hook's part: what waits is claimed and printed, and the host takes it up. */
  const drain = (seen: Watching, event: SpeakingEvent, ref: string, text: string): void => {
    const { paths, session } = seen.setup;
    const box = paths.mailbox(session);
    const { take } = select(listMail(box), { event, session, prompt_id: ref, text }, { host_pid: 0, turn: turnOf(seen, now), prompts_seen: [], muted: knobs.mute.all, now });
    for (const mail of take) claimMail(box, mail, { channel: event, ref, at: now });
    confirm(seen);
  };

  const confirm = (seen: Watching): void => {
    const box = seen.setup.paths.mailbox(seen.setup.session);
    lookForClaims(seen, now);
    for (const claim of listClaims(box)) {
      dropClaim(box, claim);
      record(seen, { v: 1, at: now, id: claim.advice.id, event: 'confirmed', channel: claim.channel });
    }
  };

  const gateFacts = (seen: Watching): GateFacts => {
    const { paths, session } = seen.setup;
    return { session, host_pid: 0, turn: turnOf(seen, now), muted: knobs.mute.all, attended: true, background: [], fired: firingsOf(paths, seen.ledger.task, now), now };
  };

  const sayAt = (seen: Watching, channel: Extract<Channel, 'Stop' | 'bell'>, verdict: ReturnType<typeof mayHold>): void => {
    const { paths, session } = seen.setup;
    if (!verdict.speak || !countFiring(paths, verdict.task, firingsOf(paths, verdict.task, now), now)) return;
    claimMail(paths.mailbox(session), verdict.mail, { channel, ref: 'none', at: now });
    confirm(seen);
  };

  const ring = (seen: Watching): void => {
    const facts = gateFacts(seen);
    const verdict = mayRing(listMail(seen.setup.paths.mailbox(seen.setup.session)), { ...facts, idle_since, wake: knobs.delivery.wake, bell_outstanding: false });
    if (verdict.speak) sayAt(seen, 'bell', verdict);
    // While a pass is under way there may be more to say at its end.
    if (ending === undefined || verdict.speak) idle_since = undefined;
    else idle_since = Math.max(idle_since ?? now, ending.at) - IDLE_MS + 1;
  };

  const stopTurn = (seen: Watching, reason: string): void => {
    if (!turn_open) return;
    turn_open = false;
    const signal: Signal = { v: 1, event: 'Stop', at: now, session: seen.setup.session, transcript: input.file, cwd: seen.setup.cwd, attended: true };
    hear(seen, signal, now);
    endTurn(seen, reason, now);
    sayAt(seen, 'Stop', mayHold(listMail(seen.setup.paths.mailbox(seen.setup.session)), { ...gateFacts(seen), stop_hook_active: false }));
    idle_since = now;
  };

  /** The first records bear no time: the watch begins with the first that does. */
  const play = async (item: Projected): Promise<void> => {
    if (w !== undefined) return step(w, item);
    early.push(item);
    if (item.at !== undefined || early.length >= MAX_EARLY) await open(item.at ?? 0);
  };

  const open = async (at: number): Promise<void> => {
    w = openObserver(setup(early.find(({ session }) => session !== undefined)?.session ?? 'replayed'), { history: [] }, at);
    for (const each of early.splice(0)) await step(w, each);
  };

  const step = async (seen: Watching, item: Projected): Promise<void> => {
    const folded = chain.fold([item], 'history');
    for (const { text, raw_chars } of folded.observations) {
      counts.observations += 1;
      counts.kept += text.length;
      counts.raw += raw_chars;
    }
    if (item.at !== undefined && item.at > now) await advance(seen, item.at);
    const prompt = item.type !== 'attachment/queued_command' && folded.events.find(({ kind }) => kind === 'prompt');
    if (prompt !== false && prompt !== undefined) {
      // Records of some hosts end no turn: a new prompt does.
      stopTurn(seen, 'end_turn');
      idle_since = undefined;
      drain(seen, 'UserPromptSubmit', `prompt-${now}`, folded.observations.map(({ text }) => text).join('\n'));
      turn_open = true;
    }
    if (folded.events.some(({ kind }) => kind === 'response')) {
      turn_open = true;
      idle_since = undefined;
    }
    observe(seen, withoutTurnEnd(folded), undefined, now);
    for (const event of folded.events) {
      if (event.kind === 'tool-result') drain(seen, folded.observations.some(({ kind }) => kind === 'error') ? 'PostToolUseFailure' : 'PostToolUse', event.call, '');
      else if (event.kind === 'turn-end') stopTurn(seen, event.reason);
      else if (event.kind === 'interrupt' || event.kind === 'api-error') turn_open = false;
    }
    await look(seen);
  };

  const close = async (): Promise<void> => {
    if (early.length > 0) await open(0);
    if (w === undefined) return;
    stopTurn(w, 'end_turn');
    await look(w);
    await advance(w, now + CLOSING_MS);
    add(w, [], now);
  };

  const summary = (records: number, badLines: number): Omit<ReplaySummary, 'wallMs' | 'peakRssMb'> => {
    const { generated, delivered, gated } = w === undefined ? noSums : sumsOf(w.rows.values(), w.past);
    const observer = w?.observer ?? NO_USAGE;
    const primary = w?.usage.total ?? NO_USAGE;
    const all = (usage: typeof observer): number => usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
    return {
      type: 'summary', file: input.file, records,
      kinds: w?.volumes.kinds ?? {}, unknown: unknownTypes(w?.volumes.unknown ?? {}), badLines,
      observations: counts.observations,
      rawChars: Object.values(w?.volumes.kinds ?? {}).reduce((sum, { raw_chars }) => sum + raw_chars, 0),
      keptChars: counts.kept,
      tools: w?.volumes.tools ?? {},
      passes: w?.passes.count ?? 0,
      advice: { generated, gated, delivered },
      usage: { input: all(observer), output: observer.output },
      primary: { input: all(primary), output: primary.output },
      ...(w?.usd === undefined ? {} : { usd: w.usd }),
    };
  };

  return { play, close, summary };
};

/** Damaged lines have a count of their own. */
const unknownTypes = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> => Object.fromEntries(Object.entries(counts).filter(([type]) => type !== 'bad-line'));

const MAX_EARLY = 1000;

// As live: the bell waits for two seconds of certainty.
const IDLE_MS = 2000;
// After the last record: time for the last pass to end and the bell to ring, not for mail to expire.
const CLOSING_MS = 60_000;

/** The note of the turn's end is ours to add, at the Stop that the record stands for. */
const withoutTurnEnd = (folded: Folded): Folded => ({ ...folded, observations: folded.observations.filter(({ note }) => note !== 'turn-end') });

const forkEvent = ({ at, pass, result }: Extract<Told, { kind: 'fork' }>): ReplayEvent => {
  const { detector, end: how, feedback, cause } = result;
  return {
    type: 'fork', at, pass, detector, verdict: feedback.verdict, end: how,
    ...(feedback.headline === undefined ? {} : { headline: feedback.headline }),
    ...(feedback.confidence === undefined ? {} : { confidence: feedback.confidence }),
    ...(cause === undefined ? {} : { cause }),
  };
};
