// Who runs in a pass, who goes first, and why the others do not (SPEC 7 Plan).
import type { Detector, StructuralMatch, Straggler } from '../records.ts';
import { mayRunNoCommand } from './grants.ts';
import { occurs } from './patterns.ts';
import { mayRun, type StragglerLimits } from './stragglers.ts';

export type Run = { readonly detector: Detector; readonly pilot: boolean; readonly match?: StructuralMatch };

export type SkipReason = 'disabled' | 'muted' | 'cadence' | 'when' | 'no-command' | 'no-question' | 'no-match' | 'rate-limited' | 'straggler';

export type Plan = {
  /** The pilot first, then the longest expected first. */
  readonly runs: readonly Run[];
  readonly skipped: readonly { readonly detector: string; readonly because: SkipReason }[];
};

export type PlanInput = {
  /** In catalogue order, which decides between equals. */
  readonly detectors: readonly Detector[];
  /** The number of this pass in its task, from 1. */
  readonly pass: number;
  readonly stragglers: Readonly<Record<string, Straggler>>;
  /** Muted by their own uptake. */
  readonly muted_detectors: readonly string[];
  readonly episode_text: string;
  /** Their checklist asks nothing about this work. */
  readonly without_question: readonly string[];
  /** `run_tool.enabled` of the workspace. */
  readonly run_enabled: boolean;
  /** Found by code for this episode; the first one of a detector is put to it. */
  readonly matches: readonly StructuralMatch[];
  /** Past mean duration by detector; one never seen is taken for long. */
  readonly expected_ms: Readonly<Record<string, number>>;
  readonly now: number;
  readonly limits: StragglerLimits;
};

export const planPass = (input: PlanInput): Plan => {
  const will: Omit<Run, 'pilot'>[] = [];
  const skipped: { detector: string; because: SkipReason }[] = [];
  for (const detector of input.detectors) {
    const match = input.matches.find((each) => each.detector === detector.name);
    const because = whyNot(detector, match, input);
    if (because === undefined) will.push({ detector, ...(match === undefined ? {} : { match }) });
    else skipped.push({ detector: detector.name, because });
  }
  const pilot = pilotOf(will);
  const rest = will.filter((run) => run !== pilot).sort((a, b) => expected(b, input) - expected(a, input));
  return { runs: [...(pilot === undefined ? [] : [{ ...pilot, pilot: true }]), ...rest.map((run) => ({ ...run, pilot: false }))], skipped };
};

const whyNot = (detector: Detector, match: StructuralMatch | undefined, { pass, stragglers, muted_detectors, episode_text, run_enabled, without_question, now, limits }: PlanInput): SkipReason | undefined => {
  if (!detector.enabled) return 'disabled';
  if (muted_detectors.includes(detector.name)) return 'muted';
  const stride = strideOf(detector);
  if (pass % stride !== 0) return 'cadence';
  if (detector.when.length > 0 && !detector.when.some((pattern) => occurs(pattern, episode_text))) return 'when';
  if (mayRunNoCommand(detector, run_enabled)) return 'no-command';
  if (without_question.includes(detector.name)) return 'no-question';
  if (detector.structural !== undefined && match === undefined) return 'no-match';
  const rung = mayRun(stragglers[detector.name], pass / stride, now, limits);
  return rung === 'yes' ? undefined : rung === 'disabled' ? 'straggler' : rung;
};

/** In how many passes its cadence lets the detector run once. */
export const strideOf = ({ cadence }: Detector): number => (cadence === 'every_pass' ? 1 : Number(cadence.slice('every_nth:'.length)));

// Everyone waits for the pilot's first event, so one that makes a single call without tools is preferred.
const pilotOf = <R extends Omit<Run, 'pilot'>>(will: readonly R[]): R | undefined =>
  will.find(({ detector }) => detector.pilot) ?? will.find(({ detector }) => detector.tools.length === 0) ?? will[0];

const expected = ({ detector }: Omit<Run, 'pilot'>, { expected_ms }: PlanInput): number => expected_ms[detector.name] ?? Number.MAX_SAFE_INTEGER;
