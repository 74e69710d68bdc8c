// The agent's own tokens: one message is several records, and only the last one's count is complete (HAZARDS C6, C7).
import { NO_USAGE } from '../floor/usage.ts';
import type { Projected, Usage } from '../records.ts';

export type UsageTotal = {
  readonly total: Usage;
  /** Records that named no message: counted each, so the total may be too high. */
  readonly uncertain: number;
  /** Counts still open to a later record of the same message, oldest first. */
  readonly open: readonly (readonly [message: string, usage: Usage])[];
};

export const noUsageYet: UsageTotal = { total: NO_USAGE, uncertain: 0, open: [] };

/** Records of one message stand close together. */
const OPEN = 64;

/** The total with `items` counted: per message id the last record wins. SPEC 5.2. */
export const countUsage = (before: UsageTotal, items: readonly Projected[]): UsageTotal => {
  let { total, uncertain } = before;
  const open = new Map(before.open);
  for (const { usage: counted } of items) {
    if (counted === undefined) continue;
    const { message, usage } = counted;
    total = sum(total, usage, 1);
    if (message === '') {
      uncertain += 1;
      continue;
    }
    const earlier = open.get(message);
    if (earlier !== undefined) total = sum(total, earlier, -1);
    open.delete(message);
    open.set(message, usage);
    const oldest = open.keys().next();
    if (open.size > OPEN && oldest.done !== true) open.delete(oldest.value);
  }
  return { total, uncertain, open: [...open] };
};

const sum = (a: Usage, b: Usage, sign: 1 | -1): Usage => ({
  input: a.input + sign * b.input,
  output: a.output + sign * b.output,
  cache_read: a.cache_read + sign * b.cache_read,
  cache_write_5m: a.cache_write_5m + sign * b.cache_write_5m,
  cache_write_1h: a.cache_write_1h + sign * b.cache_write_1h,
});
