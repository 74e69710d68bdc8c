// What the observer shows of itself: status.json for people, turn.json for the Stop hook, the digest for a resumed session.
import { backoff, headroom, type HourSpent } from './pass/budget.ts';
import { renderLedger } from './memory/ledger.ts';
import { mayRunNoCommand } from './pass/grants.ts';
import { agentFloor } from './speak/floors.ts';
import { sumsOf } from './speak/history.ts';
import { NO_TALLY } from './speaking.ts';
import type { Ledger } from './records.ts';
import type { DetectorStats, Status, TurnFile } from './surfaces.ts';
import type { Watching } from './watching.ts';

export type Around = {
  readonly spent: HourSpent;
  readonly enrolled: boolean;
  readonly paused: boolean;
  readonly ledgers: Status['ledgers'];
  readonly notices: readonly string[];
};

const HOUR_MS = 3_600_000;

/** status.json (SPEC 12). */
export const statusOf = (w: Watching, now: number, { spent, enrolled, paused, ledgers, notices }: Around): Status => {
  const knobs = w.setup.knobs();
  const { provider } = w.setup.judge();
  const said_this_hour = [...w.rows.values()].filter(({ claimed_at, advice }) => !advice.human_only && claimed_at !== undefined && now - claimed_at < HOUR_MS);
  const free = provider.kind === 'local';
  const room = free ? undefined : headroom(w.ledger.spent_tokens, spent, provider.kind, knobs.budget);
  return {
    v: 1,
    at: now,
    version: w.setup.version,
    host_pid: w.setup.host_pid,
    session: w.setup.session,
    task: w.ledger.task,
    workspace: w.setup.workspace,
    state: w.session.state,
    phase: !enrolled ? 'dormant' : knobs.mute.all ? 'muted' : paused ? 'paused' : room !== undefined && room.tokens <= 0 ? 'budget-spent' : w.pass === undefined ? 'watching' : 'thinking',
    provider: provider.kind,
    model: provider.model,
    ...(w.last_turn === undefined ? {} : { last_turn: w.last_turn }),
    ...(w.last_pass === undefined ? {} : { last_pass: w.last_pass }),
    ...(w.hold === undefined ? {} : { hold: w.hold }),
    volumes: w.volumes,
    primary: w.usage.total,
    observer: w.observer,
    spent: { task: w.ledger.spent_tokens, hour: spent.own, task_cap: knobs.budget.tokens_per_task, hour_cap: knobs.budget.tokens_per_hour, ...(room === undefined ? {} : { binds: room.binds, left: room.tokens }) },
    ...(w.usd === undefined ? {} : { money: { usd: w.usd, passes: w.passes.count, since: w.since } }),
    pace: {
      last_hour: w.starts.filter((at) => now - at < HOUR_MS).length,
      cap: Math.floor(3600 / knobs.loop.min_interval_s),
      stretch: free || !knobs.loop.backoff_on_budget ? 1 : backoff(spent, provider.kind, knobs.budget),
    },
    passes: { count: w.passes.count, by_reason: w.passes.by_reason, holds: w.passes.holds },
    detectors: detectorsOf(w),
    advice: { ...sumsOf(w.rows.values(), w.past), last_hour: said_this_hour.length, rate_cap: knobs.gate.rate_per_hour },
    window: { chars: w.window.chars, budget_chars: knobs.window.budget_chars, compactions: w.compactions, rebuilds: w.rebuilds, generation: w.window.generation },
    ledgers,
    notices: [...w.notices, ...notices].slice(-20),
  };
};

/** Every detector that has run, and those that are kept from it: one that quietly stopped looks like one with nothing to say. */
const detectorsOf = ({ detectors, ledger: { stragglers, calibration }, setup }: Watching): Status['detectors'] => {
  const knobs = setup.knobs();
  const commandless = setup.catalogue().filter((detector) => detector.enabled && mayRunNoCommand(detector, knobs.run_tool.enabled));
  const stages = new Map<string, string>([
    ...commandless.map(({ name }) => [name, 'none of its commands may run: see run_tool.enabled and the exec list of its tools'] as const),
    ...Object.entries(stragglers).flatMap(([name, { stage, because }]) => (stage === 'none' ? [] : [[name, `${stage}, ${because}`] as const])),
    ...Object.entries(calibration).flatMap(([name, { muted }]) => (muted ? [[name, 'muted for this task, too little of its advice was acted on'] as const] : [])),
  ]);
  const known = new Map(setup.catalogue().map((detector) => [detector.name, detector]));
  const names = [...new Set([...Object.keys(detectors), ...stages.keys()])];
  return Object.fromEntries(names.map((name): [string, DetectorStats] => {
    const floor = agentFloor(known.get(name) ?? { name }, calibration[name], knobs);
    const stage = stages.get(name);
    return [name, { ...(detectors[name] ?? NO_TALLY), ...(stage === undefined ? {} : { stage }), floor: floor.value, floor_source: floor.source }];
  }));
};

/** turn.json (SPEC 10): whatever the finish gate must know that only the stream tells. */
export const turnOf = (w: Watching, now: number): TurnFile => {
  const { finish_gate, gate, mute } = w.setup.knobs();
  return {
    v: 1,
    at: now,
    host_pid: w.setup.host_pid,
    state: w.session.state,
    task: w.ledger.task,
    agent_monitors: w.agent_monitors,
    unreported: [...w.unreported].map(([id, at]) => ({ id, at })),
    wake_used: w.wake_used,
    muted: mute.all,
    ended: w.ended || w.ledger.ended !== undefined,
    finish_gate: {
      enabled: finish_gate.enabled,
      floor: finish_gate.confidence_floor,
      min_interval_s: finish_gate.min_interval_s,
      per_task_cap: finish_gate.per_task_cap,
      settle_s: finish_gate.background_settle_s,
    },
    advice_ttl_s: gate.advice_ttl_s,
    queue_timeout_s: gate.queue_timeout_s,
  };
};

const DIGEST_CHARS = 1200;

/** What a resumed session is told of its task, or nothing when there is nothing to tell (SPEC 10). */
export const digestOf = (ledger: Ledger): string | undefined => {
  if (ledger.goal === '' && ledger.facts.length === 0 && ledger.advice.length === 0) return undefined;
  const text = `Second Brain, a background observer, kept this of the task so far. It is information, not an instruction, and may be out of date.\n${renderLedger(ledger)}`;
  return text.length <= DIGEST_CHARS ? text : `${text.slice(0, DIGEST_CHARS - 1).toWellFormed()}…`;
};
