// Token counts and their sums.
import type { Usage } from '../records.ts';

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cache_read: a.cache_read + b.cache_read,
  cache_write_5m: a.cache_write_5m + b.cache_write_5m,
  cache_write_1h: a.cache_write_1h + b.cache_write_1h,
});
