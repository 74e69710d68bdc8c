// The one case in which a turn is continued or a session woken: cited work left undone (SPEC 10).
import { BELL_PREFIX, isNotification, MONITOR_DESCRIPTION } from '../floor/marks.ts';
import type { BackgroundTask } from '../records.ts';
import type { TurnFile } from '../surfaces.ts';
import { bySureness, unfit } from './claim.ts';
import type { Mail } from './envelope.ts';

/** One firing of the gate for the task at hand, by either half. */
export type Firing = { readonly n: number; readonly at: number };

/** What both halves look at. */
export type GateFacts = {
  readonly session: string;
  readonly host_pid: number;
  /** Undefined when turn.json is missing or no living monitor owns the session. */
  readonly turn: TurnFile | undefined;
  readonly muted: boolean;
  /** CLAUDE_CODE_SESSION_ATTENDED: somebody sits there. */
  readonly attended: boolean;
  readonly background: readonly BackgroundTask[];
  readonly fired: readonly Firing[];
  readonly now: number;
};

export type NoGate =
  | 'subagent'
  | 'continuing'
  | 'no-facts'
  | 'switched-off'
  | 'muted'
  | 'ended'
  | 'unattended'
  | 'wake-used'
  | 'outstanding'
  | 'interval'
  | 'task-cap'
  | 'not-idle'
  | 'bell-outstanding'
  | 'nothing-worthy';

export type GateVerdict = { readonly speak: true; readonly mail: Mail; readonly task: string } | { readonly speak: false; readonly because: NoGate };

const shut = (because: NoGate): GateVerdict => ({ speak: false, because });

/** Whether the Stop hook may continue the turn, and with what. */
export const mayHold = (mail: readonly Mail[], facts: GateFacts & { readonly stop_hook_active: boolean; readonly agent_id?: string | undefined }): GateVerdict => {
  if (facts.agent_id) return shut('subagent');
  if (facts.stop_hook_active) return shut('continuing');
  return open(mail, facts);
};

/** Certainty that the session is idle: a queued prompt or a hook's continuation comes within a second. */
export const IDLE_FOR_MS = 2000;

/** Whether the monitor may ring the bell, and for what. */
export const mayRing = (
  mail: readonly Mail[],
  facts: GateFacts & { readonly idle_since: number | undefined; readonly wake: 'finish_gate' | 'never'; readonly bell_outstanding: boolean },
): GateVerdict => {
  if (facts.wake === 'never') return shut('switched-off');
  if (facts.bell_outstanding) return shut('bell-outstanding');
  if (facts.idle_since === undefined || facts.now - facts.idle_since < IDLE_FOR_MS) return shut('not-idle');
  return mayWake(mail, facts);
};

/** Whether our hook may answer the bell: the session may have gone on, or the mail have gone, since it rang. */
export const mayWake = (mail: readonly Mail[], facts: GateFacts): GateVerdict => (facts.turn && facts.turn.state !== 'idle' ? shut('not-idle') : open(mail, facts));

const open = (mail: readonly Mail[], facts: GateFacts): GateVerdict => {
  const { turn, now } = facts;
  if (turn?.host_pid !== facts.host_pid) return shut('no-facts');
  const limits = turn.finish_gate;
  if (!limits.enabled) return shut('switched-off');
  if (facts.muted || turn.muted) return shut('muted');
  if (turn.ended) return shut('ended');
  if (!facts.attended) return shut('unattended');
  if (turn.wake_used) return shut('wake-used');
  if (isOutstanding(facts.background, turn, now)) return shut('outstanding');
  if (facts.fired.length >= limits.per_task_cap) return shut('task-cap');
  // Far ahead: stamped before the clock was set back.
  if (facts.fired.some(({ at }) => Math.abs(now - at) < limits.min_interval_s * 1000)) return shut('interval');
  const best = mail.filter((item) => isWorthy(item, facts, turn)).toSorted(bySureness)[0];
  return best ? { speak: true, mail: best, task: turn.task } : shut('nothing-worthy');
};

/** Work that goes on: any entry but a monitor the agent did not start, or a recent launch nobody has reported on. */
const isOutstanding = (background: readonly BackgroundTask[], turn: TurnFile, now: number): boolean =>
  background.some(({ id, type }) => type !== 'monitor' || turn.agent_monitors.includes(id)) ||
  turn.unreported.some(({ at }) => now - at < turn.finish_gate.settle_s * 1000);

const isWorthy = ({ advice }: Mail, facts: GateFacts, turn: TurnFile): boolean =>
  advice.finish_gate &&
  !advice.human_only &&
  advice.evidence.length > 0 &&
  advice.confidence >= turn.finish_gate.floor &&
  advice.task_id === turn.task &&
  unfit(advice, { session: facts.session, text: '' }, facts) === undefined; // a final message does nothing an advisory asked about

/** The bell: one complete, harmless sentence, since the model reads it when nobody answers it. */
export const bellLine = (nonce: string): string => `${BELL_PREFIX}${nonce}.`;

/** Whether the host tells in a prompt that our monitor has ended: unanswered that costs a turn (CONTRACT d). */
export const isMonitorsEnd = (prompt: string): boolean => isNotification(prompt) && prompt.includes(`>Monitor "${MONITOR_DESCRIPTION}" `);

/** The nonce of our bell in a prompt: a monitor event under our description and no other line than the bell's. */
export const bellNonce = (prompt: string): string | undefined => {
  const [, after = ''] = prompt.split(`<summary>Monitor event: "${MONITOR_DESCRIPTION}"</summary>\n<event>${BELL_PREFIX}`);
  return isNotification(prompt) ? /^([0-9a-z]{4,32})\.<\/event>/.exec(after)?.[1] : undefined;
};
