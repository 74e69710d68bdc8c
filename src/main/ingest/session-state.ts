// What the session is doing, from hook signals and transcript records, either of which may come late (SPEC 3, 10).
import type { ReadEvent, SessionState, Signal } from '../records.ts';

export type Session = {
  readonly state: SessionState;
  /** When it entered the state, by the clock of what told so. */
  readonly since: number;
  /** The last prompt, while nothing has followed it: what to go back to if it is blocked or taken back. */
  readonly pending?: { readonly at: number; readonly prompt_id?: string; readonly before: Session | 'typed-mid-turn' };
};

export type Input = { readonly from: 'signal'; readonly signal: Signal } | { readonly from: 'record'; readonly event: ReadEvent };

/** A session the monitor has just met: nothing is known, so nothing rings. */
export const metAt = (at: number): Session => ({ state: 'unknown', since: at });

/**
 * The state after one input. Idle comes only from Stop (by way of stopping), StopFailure, an interrupt or an API error.
 * An input older than the state it would end changes nothing: records trail signals. Repeated inputs change nothing.
 */
export const next = (session: Session, input: Input): Session => (input.from === 'signal' ? afterSignal(session, input.signal) : afterRecord(session, input.event));

/** `stopping` until its Stop is this old, when the transcript brings no record of the turn's end. */
const STOP_SETTLES_MS = 2000;

/** Ahead of our clock by more than this, a time is wrong: a clock was set back, or a record lies. */
const AHEAD_MS = 60_000;

/**
 * The state with the passing of time: a Stop that nothing followed has ended its turn. What came from the future counts
 * as of now, since nothing real could ever end it.
 */
export const settled = (session: Session, now: number): Session => {
  const { pending } = session;
  if (pending !== undefined && pending.at - now > AHEAD_MS) return settled({ ...session, pending: { ...pending, at: now } }, now);
  if (session.since - now > AHEAD_MS) return { ...session, since: now };
  return session.state === 'stopping' && now - session.since >= STOP_SETTLES_MS ? { state: 'idle', since: session.since } : session;
};

const afterSignal = (session: Session, signal: Signal): Session => {
  const { at } = signal;
  if (signal.agent_id !== undefined) return session; // a subagent's doings are not the main turn's
  switch (signal.event) {
    case 'SessionStart':
      // A compaction starts no session and may come in the middle of a turn.
      return signal.source === 'compact' || at < session.since ? session : { state: 'starting', since: at };
    case 'UserPromptSubmit':
      return afterPrompt(session, at, signal.prompt_id);
    case 'PostToolUseFailure':
      return active(session, at);
    case 'Stop':
      return at <= session.since && session.state !== 'working' ? session : at < session.since ? session : { state: 'stopping', since: at };
    case 'StopFailure':
      return ended(session, at);
    case 'SessionEnd':
      return at < session.since ? session : { state: 'unknown', since: at };
    case 'SubagentStop':
      return session;
  }
};

const afterRecord = (session: Session, event: ReadEvent): Session => {
  switch (event.kind) {
    case 'prompt':
      // Its signal came before it; without one (a host that fires none) the record opens the turn.
      return session.state === 'working' ? session : active(session, event.at);
    case 'response':
    case 'tool-result':
      return active(session, event.at);
    case 'interrupt':
    case 'api-error':
      return ended(session, event.at);
    case 'blocked':
    case 'withdrawn':
      return restored(session, event.at);
    case 'turn-end':
      return session.state === 'stopping' && event.at >= session.since ? { state: 'idle', since: session.since } : session;
    case 'rewind':
      return session;
  }
};

// Two copies of one hook are called within some 30 ms (HAZARDS A4): the second tells nothing new.
const SAME_CALL_MS = 250;

const afterPrompt = (session: Session, at: number, prompt_id: string | undefined): Session => {
  if (at < session.since) return session;
  const { pending } = session;
  if (pending !== undefined && pending.prompt_id === prompt_id && at - pending.at < SAME_CALL_MS) return session;
  const named = prompt_id === undefined ? {} : { prompt_id };
  if (session.state === 'working') return { ...session, pending: { at, ...named, before: 'typed-mid-turn' } };
  return { state: 'working', since: at, pending: { at, ...named, before: { state: session.state, since: session.since } } };
};

/** The agent did something at `at`: whatever we believed, it works. */
const active = (session: Session, at: number): Session => {
  if (session.state === 'working') return session.pending === undefined || at <= session.pending.at ? session : { state: 'working', since: session.since };
  return at > session.since ? { state: 'working', since: at } : session;
};

const ended = (session: Session, at: number): Session => (at < session.since || session.state === 'idle' ? session : { state: 'idle', since: at });

/** The last prompt came to nothing. Blocks of our own doing must not get here: they followed no prompt signal. */
const restored = (session: Session, at: number): Session => {
  const { pending } = session;
  if (pending === undefined || at < pending.at) return session;
  // Back to idle counts from now: it was interrupted by the prompt, however briefly.
  return pending.before === 'typed-mid-turn' ? { state: session.state, since: session.since } : { state: pending.before.state, since: at };
};
