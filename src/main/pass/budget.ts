// What a pass may cost and whether it may run (SPEC 7, Accounting). Amounts are tokens weighted by price: one uncached
// input token is one.
import type { Knobs } from '../floor/knobs.ts';
import type { Ceiling, Usage } from '../records.ts';

/** What prices do to a token, relative to a fresh input token; the same at every provider whose prices we know. */
const CACHE_READ = 0.1;
const WRITE_5M = 1.25;
const WRITE_1H = 2;

/** Output price by input price where prices are not known. */
export const DEFAULT_OUTPUT_RATIO = 5;

/** The weighted tokens of some usage, rounded up. `output_ratio` is the price of output by that of input. */
export const weigh = (usage: Usage, output_ratio = DEFAULT_OUTPUT_RATIO): number =>
  ceil(
    usage.input + usage.cache_read * CACHE_READ + usage.cache_write_5m * WRITE_5M + usage.cache_write_1h * WRITE_1H + usage.output * output_ratio,
  );

// 0.1 × 30 is 3.0000000000000004: sums of weights must not round up by an artefact.
const ceil = (value: number): number => Math.ceil(Number(value.toFixed(3)));

/** Tokens that so many UTF-8 bytes can be at worst: code and paths come to about three bytes a token. */
export const tokensAtWorst = (bytes: number): number => Math.ceil(bytes / 3);

/** A pass before it runs. Sizes in tokens; `cached` of the prefix are known to be warm; `iterations` per fork, pilot first. */
export type PassSize = {
  readonly prefix: number;
  readonly cached: number;
  readonly tail: number;
  readonly iterations: readonly number[];
  readonly max_output: number;
  readonly output_ratio: number;
  readonly cache: '5m' | '1h' | 'none';
  /** The other forks wait for the pilot's first event, or the whole prefix is warm: only one of them writes. */
  readonly one_writer: boolean;
};

/** Tokens that one iteration's tool results add at most to the next request. */
const TOOL_RESULTS = 4000;

/** `least`: every fork makes one request. `most`: every fork uses all its iterations. Weighted tokens, the worst case of each. */
export const estimatePass = (size: PassSize): { readonly least: number; readonly most: number } => {
  const costs = forkCosts(size);
  return { least: ceil(sum(costs.map(([first = 0]) => first))), most: ceil(sum(costs.flat())) };
};

/**
 * The token budgets of the forks, in the order of `iterations`, when the pass may spend `tokens`. A fork checks what it
 * has used before each request; its budget leaves room for the one it then makes, so that all together stay within `tokens`.
 */
export const divide = (size: PassSize, tokens: number): readonly number[] => {
  const costs = forkCosts(size);
  const { least, most } = estimatePass(size);
  // What is left beyond first requests, shared by what each could use at most.
  const part = most > least ? Math.min(1, Math.max(0, tokens - least) / (most - least)) : 0;
  return costs.map(([first = 0, ...further]) => Math.max(0, Math.floor(first + sum(further) * part - (further.at(-1) ?? 0))) + 1);
};

/** What may be unseen of a fork that broke off, in weighted tokens: its first request, or whatever comes once that was answered. */
export type Unseen = { readonly first: number; readonly later: number };

/** In the order of `iterations`. What a fork has spent is told as its answers come, so that one request at its worst is all that can be missing. */
export const unseenOf = (size: PassSize): readonly Unseen[] => {
  const again = ownCost(size) + size.prefix * readPrice(size);
  return forkCosts(size).map(([first = 0, ...further]) => ({ first: ceil(first), later: ceil(Math.max(again, ...further)) }));
};

/** Each fork's requests at their worst, in order; a later one is never cheaper than the second. */
const forkCosts = (size: PassSize): readonly (readonly number[])[] => {
  const write = size.cache === 'none' ? 1 : size.cache === '1h' ? WRITE_1H : WRITE_5M;
  const read = readPrice(size);
  const warm = Math.min(size.cached, size.prefix);
  const writer = (size.prefix - warm) * write + warm * read;
  const own = ownCost(size);
  return size.iterations.map((iterations, i) => {
    const first = own + (i === 0 || !size.one_writer ? writer : size.prefix * read);
    const further = Array.from({ length: Math.max(0, iterations - 1) }, (_, n) => own + size.prefix * read + (n + 1) * (size.max_output + TOOL_RESULTS));
    return [first, ...further];
  });
};

const readPrice = ({ cache }: PassSize): number => (cache === 'none' ? 1 : CACHE_READ);
const ownCost = ({ tail, max_output, output_ratio }: PassSize): number => tail + max_output * output_ratio;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Spent in the rolling hour: by this session or host process, by all, and by all with the `host` provider. */
export type HourSpent = { readonly own: number; readonly machine: number; readonly host: number };

/** The tightest ceiling and what it leaves; never negative. */
export type Headroom = { readonly tokens: number; readonly binds: Ceiling };

/** What may still be spent. The host provider's ceiling counts all sessions, since they draw on one login; machine 0 is none. */
export const headroom = (task_spent: number, hour: HourSpent, provider: string, limits: Knobs['budget']): Headroom => {
  const rooms: Headroom[] = [
    { binds: 'task', tokens: limits.tokens_per_task - task_spent },
    { binds: 'hour', tokens: limits.tokens_per_hour - hour.own },
  ];
  if (limits.machine_tokens_per_hour > 0) rooms.push({ binds: 'machine', tokens: limits.machine_tokens_per_hour - hour.machine });
  if (provider === 'host') rooms.push({ binds: 'host', tokens: limits.host_tokens_per_hour - hour.host });
  const tightest = rooms.reduce((least, room) => (room.tokens < least.tokens ? room : least));
  return { binds: tightest.binds, tokens: Math.max(0, Math.floor(tightest.tokens)) };
};

export type Allowance =
  | { readonly go: true; /** To reserve, and to divide among the forks as their token budgets. */ readonly tokens: number }
  | { readonly go: false; readonly because: 'budget'; readonly binds: Ceiling; readonly needed: number; readonly left: number };

/** A pass runs if every fork can make its first request; what is left beyond that lets forks use their tools. */
export const allow = ({ least, most }: { readonly least: number; readonly most: number }, room: Headroom): Allowance =>
  least > room.tokens ? { go: false, because: 'budget', binds: room.binds, needed: least, left: room.tokens } : { go: true, tokens: Math.min(most, room.tokens) };

/** By how much the floor between passes stretches as an hourly ceiling nears: 1 with half of it left or more, at most 8. */
export const backoff = (hour: HourSpent, provider: string, limits: Knobs['budget']): number => {
  const shares = [left(hour.own, limits.tokens_per_hour)];
  if (limits.machine_tokens_per_hour > 0) shares.push(left(hour.machine, limits.machine_tokens_per_hour));
  if (provider === 'host') shares.push(left(hour.host, limits.host_tokens_per_hour));
  return Math.min(8, Math.max(1, 0.5 / Math.max(0.001, Math.min(...shares))));
};

const left = (spent: number, cap: number): number => (cap <= 0 ? 0 : Math.max(0, 1 - spent / cap));

/** Who spends: a session's new start in the same host process stays under the same hourly ceiling. */
export type Spender = { readonly session: string; readonly host: string };

/** Lines of budget/<hour>.jsonl. A reservation counts in full until its settlement says what it really was. */
export type BudgetLine =
  | (Spender & { readonly v: 1; readonly kind: 'reserve'; readonly id: string; readonly at: number; readonly task: string; readonly provider: string; readonly tokens: number })
  | { readonly v: 1; readonly kind: 'settle'; readonly id: string; readonly at: number; readonly tokens: number; readonly usd?: number };

const HOUR_MS = 3_600_000;

/**
 * What the lines add up to in the hour before `now`, by the time of the reservation. Lines from up to an hour ahead
 * count as well: a clock that was set back must not make spending vanish.
 */
export const tally = (lines: readonly BudgetLine[], who: Spender, now: number): HourSpent => {
  const settled = new Map<string, number>();
  for (const line of lines) if (line.kind === 'settle') settled.set(line.id, line.tokens);
  let [own, machine, host] = [0, 0, 0];
  for (const line of lines) {
    if (line.kind !== 'reserve' || line.at <= now - HOUR_MS || line.at > now + HOUR_MS) continue;
    const tokens = settled.get(line.id) ?? line.tokens;
    machine += tokens;
    if (line.provider === 'host') host += tokens;
    if (line.session === who.session || line.host === who.host) own += tokens;
  }
  return { own, machine, host };
};

/** The hour a time falls in, as the budget's files are named by. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/** Throws on anything that is no line of a budget; amounts below nothing are none. */
export const parseBudgetLine = (raw: unknown): BudgetLine => {
  if (typeof raw !== 'object' || raw === null) throw new Error('not a budget line');
  const line = raw as Readonly<Record<string, unknown>>;
  const { v, kind, id, at, tokens } = line;
  const texts = kind === 'reserve' ? [line['session'], line['host'], line['task'], line['provider'], id] : [id];
  const sound = v === 1 && (kind === 'reserve' || kind === 'settle') && typeof at === 'number' && typeof tokens === 'number' && tokens >= 0;
  if (!sound || !texts.every((each) => typeof each === 'string')) throw new Error('not a budget line');
  return raw as BudgetLine;
};
