// Did it land? Opens a record per delivered advisory, closes it on later evidence or by lapse, and learns from it (SPEC 11).
import type { Advice, Calibration, Feedback, Observation, OpenAdvice, Outcome, Verdict } from '../records.ts';
import type { Knobs } from '../floor/knobs.ts';
import type { Rows } from './history.ts';

/** An advisory the agent was told, waiting for what the agent does. */
export type OpenRecord = OpenAdvice & {
  readonly kind: string;
  /** When it reached the agent: only what came later can be an answer to it. */
  readonly delivered_at: number;
};

export type Closing = { readonly id: string; readonly kind: string; readonly key: string; readonly verdict: Verdict; readonly evidence: readonly string[]; readonly reason?: string };

type Lookup = (n: number) => Pick<Observation, 'at'> | undefined;

/** The task's records still open: confirmed, addressed to the agent, without a verdict. */
export const openRecords = (rows: Rows, task: string): readonly OpenRecord[] =>
  [...rows.values()]
    .filter((row) => row.state === 'confirmed' && row.verdict === undefined && row.advice.task_id === task && !row.advice.human_only)
    .map((row) => openRecord(row.advice, row.claimed_at ?? row.confirmed_at ?? row.at));

export const openRecord = (advice: Pick<Advice, 'id' | 'headline' | 'dedup_key' | 'generated_at' | 'after' | 'kind'>, delivered_at: number): OpenRecord => ({
  id: advice.id,
  headline: advice.headline,
  key: advice.dedup_key,
  at: advice.generated_at,
  after: advice.after,
  kind: advice.kind,
  delivered_at,
});

/**
 * What a fork's outcomes close: records of its own detector only, and only by an existing observation that came after
 * the delivery (`already_handled`: after what the detector knew). Anything else stays open until it lapses.
 */
export const closedByFork = (open: readonly OpenRecord[], detector: string, outcomes: readonly Outcome[], observation: Lookup): readonly Closing[] => {
  const closings = new Map<string, Closing>();
  for (const outcome of outcomes) {
    const record = open.find(({ id, kind }) => id === outcome.advice_id && kind === detector);
    if (record === undefined || outcome.verdict === 'no_evidence' || closings.has(record.id)) continue;
    const evidence = laterCitations(outcome.evidence, record, outcome.verdict, observation);
    if (evidence.length === 0) continue;
    closings.set(record.id, closing(record, outcome.verdict, evidence, outcome.reason));
  }
  return [...closings.values()];
};

/** `resolved` closes the detector's records of that key (all of its own, if it names none): on evidence `already_handled`. */
export const closedByResolved = (open: readonly OpenRecord[], detector: string, feedback: Pick<Feedback, 'verdict' | 'evidence'>, key: string | undefined, observation: Lookup): readonly Closing[] =>
  feedback.verdict !== 'resolved'
    ? []
    : open
        .filter((record) => record.kind === detector && (key === undefined || record.key === key))
        .map((record) => {
          const evidence = laterCitations(feedback.evidence ?? [], record, 'already_handled', observation);
          return closing(record, evidence.length === 0 ? 'no_evidence' : 'already_handled', evidence, 'resolved');
        });

/** Records whose window has passed without an answer, by observations or by time, whichever comes first. */
export const lapsed = (open: readonly OpenRecord[], now: number, last_n: number, limits: Knobs['adjudication']): readonly Closing[] =>
  open
    .filter((record) => last_n - record.after >= limits.window_observations || now - record.delivered_at >= limits.window_seconds * 1000)
    .map((record) => closing(record, 'no_evidence', [], 'the window lapsed'));

/** Records of detectors that no longer run: nobody is left to close them. */
export const orphaned = (open: readonly OpenRecord[], running: readonly string[]): readonly Closing[] =>
  open.filter(({ kind }) => !running.includes(kind)).map((record) => closing(record, 'no_evidence', [], 'its detector no longer runs'));

const closing = (record: OpenRecord, verdict: Verdict, evidence: readonly string[], reason: string | undefined): Closing => ({
  id: record.id,
  kind: record.kind,
  key: record.key,
  verdict,
  evidence,
  ...(reason === undefined ? {} : { reason }),
});

const MAX_CITATIONS = 20;

const laterCitations = (evidence: readonly string[], record: OpenRecord, verdict: Verdict, observation: Lookup): readonly string[] => {
  const cited = evidence.slice(0, MAX_CITATIONS).flatMap((cite) => [...cite.slice(0, 300).matchAll(/#(\d{1,9})(?!\w)/g)].map((match) => Number(match[1])));
  return [...new Set(cited)]
    .filter((n) => {
      const seen = observation(n);
      return seen !== undefined && n > record.after && (verdict === 'already_handled' || seen.at >= record.delivered_at);
    })
    .map((n) => `#${n}`);
};

/** Keys never to be raised again in the task: what the agent or the user turned down, and what proved wrong. */
export const suppressions = (closings: readonly Closing[]): readonly { readonly key: string; readonly because: string }[] =>
  closings
    .filter(({ verdict }) => verdict === 'rejected' || verdict === 'contradicted')
    .map(({ key, verdict, evidence, reason }) => ({ key, because: `${verdict} (${[evidence.join(', '), reason].filter(Boolean).join(': ')})` }));

export const FRESH: Calibration = { offset: 0, recent: [], closed: 0, muted: false };

// A detector heard every second time has earned a lower floor; one heard less than every fourth time a higher one.
const GOOD_UPTAKE = 0.5;
const POOR_UPTAKE = 0.25;

/** A detector's calibration after one more closed record: from `min_closed` on the floor moves a step, within the bound. */
export const calibrated = (before: Calibration, verdict: Verdict, limits: Knobs['calibration']): Calibration => {
  const recent = [...before.recent, verdict].slice(-Math.max(limits.mute_window, limits.min_closed));
  const closed = before.closed + 1;
  const heard = uptake(recent) ?? 0;
  const step = closed < limits.min_closed ? 0 : heard >= GOOD_UPTAKE ? -limits.step : heard < POOR_UPTAKE ? limits.step : 0;
  const offset = Math.round(Math.min(limits.bound, Math.max(-limits.bound, before.offset + step)) * 1000) / 1000;
  const deciding = recent.slice(-limits.mute_window);
  const muted = before.muted || (deciding.length >= limits.mute_window && (uptake(deciding) ?? 0) < limits.mute_below);
  return { offset, recent, closed, muted };
};

/** Share of closed records that the agent acted on, `no_evidence` counted in; undefined before the first. It says nothing of impact. */
export const uptake = (verdicts: readonly Verdict[]): number | undefined =>
  verdicts.length === 0 ? undefined : verdicts.filter((verdict) => verdict === 'adopted' || verdict === 'partially_adopted').length / verdicts.length;
