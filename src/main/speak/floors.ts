// The confidence an advisory needs to reach the agent, and where that figure comes from in words.
import type { Calibration, Detector } from '../records.ts';
import type { Knobs } from '../floor/knobs.ts';

export type Floor = { readonly value: number; readonly source: string };

/** The detector's own floor, else the gate's, moved by what outcomes taught within `calibration.bound` (SPEC 9, 11). */
export const agentFloor = (
  detector: Pick<Detector, 'name' | 'confidence_floor'>,
  calibration: Pick<Calibration, 'offset' | 'closed'> | undefined,
  limits: { readonly gate: Pick<Knobs['gate'], 'confidence_floor'>; readonly calibration: Pick<Knobs['calibration'], 'bound'> },
): Floor => {
  const own = detector.confidence_floor;
  const base = own ?? limits.gate.confidence_floor;
  const origin = own === undefined ? `gate.confidence_floor ${base.toFixed(2)}` : `detectors.${detector.name}.confidence_floor ${base.toFixed(2)}`;
  const { bound } = limits.calibration;
  const value = inUnit(base + Math.min(bound, Math.max(-bound, calibration?.offset ?? 0)));
  const moved = value - base;
  if (calibration === undefined || Math.abs(moved) < 0.005) return { value, source: origin };
  return { value, source: `${origin}, ${moved > 0 ? 'raised' : 'lowered'} by ${Math.abs(moved).toFixed(2)} after ${calibration.closed} outcomes` };
};

/** Two decimals: steps of 0.05 must not pile up rounding errors. */
const inUnit = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
