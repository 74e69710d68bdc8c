// A detector that keeps missing its deadline is slowed down, then switched off for the task, then tried once more (SPEC 7).
import type { Knobs } from '../floor/knobs.ts';
import type { ForkEnd, Straggler } from '../records.ts';

export type StragglerLimits = Pick<Knobs['loop'], 'demote_after_timeouts' | 'disable_after_timeouts' | 'demote_stride' | 'demote_retry_s'>;

export type Ladder = {
  readonly straggler: Straggler;
  /** A line for log and stats when the stage changed: a detector that quietly stopped looks like one with nothing to say. */
  readonly changed?: string;
};

export const NO_STRAGGLER: Straggler = { timeouts: 0, stage: 'none', since: 0, retried: false, because: '' };

/** The rung after a fork of this detector ended. Only timeouts in a row climb; any answer within time resets it. */
export const afterFork = (detector: string, before: Straggler | undefined, end: ForkEnd, now: number, limits: StragglerLimits): Ladder => {
  const was = before ?? NO_STRAGGLER;
  if (end === 'deadline') return climb(detector, was, now, limits);
  // These say nothing about the detector's speed.
  if (end !== 'feedback' && end !== 'prose' && end !== 'iterations') return { straggler: was };
  if (was.stage === 'none') return { straggler: NO_STRAGGLER };
  return { straggler: NO_STRAGGLER, changed: `${detector}: back in every pass, it answered in time` };
};

/** Whether its rung lets the detector run in this pass. `due` is how often its own cadence has come round. */
export const mayRun = (straggler: Straggler | undefined, due: number, now: number, limits: StragglerLimits): 'yes' | 'rate-limited' | 'disabled' => {
  if (straggler === undefined || straggler.stage === 'none') return 'yes';
  if (straggler.stage === 'rate-limited') return due % limits.demote_stride === 0 ? 'yes' : 'rate-limited';
  return !straggler.retried && now - straggler.since >= limits.demote_retry_s * 1000 ? 'yes' : 'disabled';
};

const climb = (detector: string, was: Straggler, now: number, limits: StragglerLimits): Ladder => {
  const timeouts = was.timeouts + 1;
  const told = `${timeouts} timeouts in a row`;
  if (was.stage === 'disabled') {
    return { straggler: { ...was, timeouts, retried: true, because: `${told}, the retry included` }, changed: `${detector}: stays off for this task, its one retry timed out too` };
  }
  if (timeouts >= limits.disable_after_timeouts) {
    return { straggler: { timeouts, stage: 'disabled', since: now, retried: false, because: told }, changed: `${detector}: off for this task after ${told}; tried once more in ${limits.demote_retry_s} s` };
  }
  if (timeouts >= limits.demote_after_timeouts && was.stage === 'none') {
    return { straggler: { timeouts, stage: 'rate-limited', since: now, retried: false, because: told }, changed: `${detector}: in one pass of ${limits.demote_stride} after ${told}` };
  }
  return { straggler: { ...was, timeouts } };
};
