// How sure a figure is: 95 % intervals for shares and for rates of rare events.

export type Interval = { readonly low: number; readonly high: number };

/** A share with its interval: Wilson's score, and where nothing or everything happened the exact bound. */
export type Share = Interval & { readonly of: number; readonly n: number; readonly share: number };

/** `of` out of `n`; with n = 0 nothing is known. */
export const shareOf = (of: number, n: number): Share => {
  if (n === 0) return { of, n, share: Number.NaN, low: 0, high: 1 };
  const share = of / n;
  // Rule of three, both ways.
  if (of === 0) return { of, n, share, low: 0, high: Math.min(1, 3 / n) };
  if (of === n) return { of, n, share, low: Math.max(0, 1 - 3 / n), high: 1 };
  const middle = (share + Z2 / (2 * n)) / (1 + Z2 / n);
  const half = (Z / (1 + Z2 / n)) * Math.sqrt((share * (1 - share)) / n + Z2 / (4 * n * n));
  return { of, n, share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
};

const Z = 1.959_964;
const Z2 = Z * Z;

export type Rate = Interval & { readonly events: number; readonly hours: number; readonly rate: number };

/** Events per hour: the exact Poisson interval; for none the rule of three. */
export const rateOf = (events: number, hours: number): Rate => {
  if (hours === 0) return { events, hours, rate: Number.NaN, low: 0, high: Infinity };
  const rate = events / hours;
  if (events === 0) return { events, hours, rate, low: 0, high: 3 / hours };
  const low = solve((mean) => 1 - atMost(events - 1, mean) >= 0.025, events);
  const high = solve((mean) => atMost(events, mean) <= 0.025, events);
  return { events, hours, rate, low: low / hours, high: high / hours };
};

/** P(X ≤ k) for a Poisson mean. */
const atMost = (k: number, mean: number): number => {
  let term = Math.exp(-mean);
  let sum = term;
  for (let i = 1; i <= k; i += 1) {
    term *= mean / i;
    sum += term;
  }
  return sum;
};

/** The smallest mean for which `holds`, which must stay true once it is. */
const solve = (holds: (mean: number) => boolean, near: number): number => {
  let low = 0;
  let high = near * 4 + 20;
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
};

/** The middle of `values`; undefined of none. */
export const median = (values: readonly number[]): number | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : sorted.length === 0 ? undefined : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};
