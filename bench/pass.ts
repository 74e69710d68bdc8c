// Whole passes over a scripted model: how long, at what width, with which warm-up, and how much of the input is read from cache.
import { join } from 'node:path';
import { interleave, median } from './measure.ts';
import { openPasses, openWindow, prefixInput, startModel, WINDOW_CHARS, type PassFigures, type Warmup } from './pass-fixture.ts';
import type { Line, Options, Result, Table } from './report.ts';
import { renderPrefix } from '../src/main/memory/prefix.ts';
import { openPools, type Pools } from '../src/main/pools.ts';
import type { Wire } from '../test/support/model-server.ts';

const TTFT_MS = 400;
const TOKENS_PER_S = 60;
const RTT_MS = 30;
const OUTPUT = 150;
const FORK_MS = TTFT_MS + (OUTPUT * 1000) / TOKENS_PER_S;
const WARMUPS: readonly Warmup[] = ['first-event', 'complete', 'none'];

export const measurePass = async ({ quick, plugin, say }: Options): Promise<Result> => {
  const open = (width: number): Pools => openPools({ dist: join(plugin, 'dist'), fork_threads: 1, width, compute_threads: 1 });
  const lines: Line[] = [];
  const tables: Table[] = [];
  for (const wire of ['anthropic', 'openai'] as const) {
    say(`passes of 8 on the ${wire} wire`);
    lines.push(...(await eightAtOnce(wire, open, quick ? 1 : 5)));
    lines.push(...(await fromCache(wire, open)));
    if (!quick) tables.push(await matrix(wire, open, say));
  }
  lines.push(await fanOut(open, quick));
  return {
    name: 'pass',
    title: 'A pass',
    method:
      `The product's prefix, pools, provider code and pass runner against a scripted model in a process of its own, over TLS: ${TTFT_MS} ms to the first event, ${TOKENS_PER_S} tokens a second, ${OUTPUT} tokens an answer, ${RTT_MS} ms round trip (added by the server, handshakes included), a prefix becomes readable with the first event of the request that writes it. Prefix ${Math.round(renderPrefix(prefixInput('anthropic', openWindow(WINDOW_CHARS))).bytes.length / 1000)} kB, one episode of 6,000 characters more each pass. ` +
      `One fork is ${FORK_MS} ms, the bound of a pass is time to first token + one fork = ${TTFT_MS + FORK_MS} ms. Orchestration overhead is a pass less its pilot's first event and its longest other fork, as the threads clocked them.`,
    lines,
    tables,
  };
};

type Open = (width: number) => Pools;

const timing = { ttft_ms: TTFT_MS, tokens_per_s: TOKENS_PER_S, rtt_ms: RTT_MS };

/** N = 8 at width 8, each warm-up in turn, on warm threads and sockets as in a running session. */
const eightAtOnce = async (wire: Wire, open: Open, rounds: number): Promise<readonly Line[]> => {
  const model = await startModel({ kind: 'link', timing, output: OUTPUT, tool: false });
  const pools = open(8);
  try {
    const pass = openPasses(wire, model, WINDOW_CHARS);
    await pass(pools, 8, 8, 'first-event');
    const kept: PassFigures[] = [];
    const run = (warmup: Warmup) => async (): Promise<number> => {
      const figures = await pass(pools, 8, 8, warmup);
      if (warmup === 'first-event') kept.push(figures);
      return figures.ms;
    };
    const time = await interleave(rounds, { first: run('first-event'), complete: run('complete'), none: run('none') });
    const bound = { what: 'first token + one fork', value: TTFT_MS + FORK_MS };
    return [
      { what: `${wire}: 8 forks at width 8`, unit: 'ms', ours: time.first, limit: bound, goal: { of: 'ratio', max: 1.08 } },
      { what: `${wire}: waiting for the pilot's end instead`, unit: 'ms', ours: time.complete, limit: { what: "from the pilot's first event", value: time.first }, goal: { of: 'ratio', min: 1.6 } },
      { what: `${wire}: all at once, every fork writing the prefix`, unit: 'ms', ours: time.none, limit: bound },
      { what: `${wire}: orchestration overhead`, unit: 'ms', ours: median(kept.map(({ overhead_ms }) => overhead_ms)), goal: { of: 'ours', max: 8 } },
    ];
  } finally {
    await pools.close();
    model.close();
  }
};

/** Tokens read from cache, of all input, from the third pass on; every fork makes a tool call first. */
const fromCache = async (wire: Wire, open: Open): Promise<readonly Line[]> => {
  const model = await startModel({ kind: 'cache', timing: { ttft_ms: 20, tokens_per_s: 0, rtt_ms: 0 }, output: 10, tool: true });
  const pools = open(8);
  try {
    const pass = openPasses(wire, model, 200_000);
    const shares: number[] = [];
    const written: number[] = [];
    for (let n = 1; n <= 5; n += 1) {
      const { results, writes } = await pass(pools, 8, 8, 'first-event');
      written.push(writes);
      const sum = (of: (usage: (typeof results)[number]['usage']) => number): number => results.reduce((total, { usage }) => total + of(usage), 0);
      const read = sum(({ cache_read }) => cache_read);
      if (n >= 3) shares.push((100 * read) / (read + sum(({ input, cache_write_5m, cache_write_1h }) => input + cache_write_5m + cache_write_1h)));
    }
    return [
      ...(wire === 'openai' ? [] : [{ what: `${wire}: prefix writes in a pass (most)`, unit: 'writes', ours: Math.max(...written), goal: { of: 'ours', min: 1, max: 1 } } satisfies Line]),
      { what: `${wire}: input read from cache from the third pass on (least)`, unit: '%', ours: Math.min(...shares), goal: { of: 'ours', min: 95 } },
    ];
  } finally {
    await pools.close();
    model.close();
  }
};

/** Eight calls at once on warm sockets against one, with nothing to wait for but the link. */
const fanOut = async (open: Open, quick: boolean): Promise<Line> => {
  const model = await startModel({ kind: 'link', timing: { ttft_ms: 0, tokens_per_s: 0, rtt_ms: RTT_MS }, output: 2, tool: false });
  const pools = open(8);
  try {
    const pass = openPasses('anthropic', model, WINDOW_CHARS, 200);
    await pass(pools, 8, 8, 'none');
    await pass(pools, 8, 8, 'none');
    const time = await interleave(quick ? 5 : 15, { one: async () => (await pass(pools, 1, 8, 'none')).ms, eight: async () => (await pass(pools, 8, 8, 'none')).ms });
    return { what: `fan-out of 8 over ${RTT_MS} ms round trip, answered at once`, unit: 'ms', ours: time.eight, limit: { what: 'one call on a warm socket', value: time.one }, goal: { of: 'ratio', max: 1.6 } };
  } finally {
    await pools.close();
    model.close();
  }
};

const COUNTS = [1, 2, 4, 8, 16] as const;

/** Every N and every width up to it; the three warm-ups of a cell run side by side, each with its own model and pool. */
const matrix = async (wire: Wire, open: Open, say: Options['say']): Promise<Table> => {
  const rows: string[][] = [];
  for (const n of COUNTS) {
    for (const width of COUNTS.filter((each) => each <= n)) {
      say(`${wire}: ${n} forks at width ${width}`);
      const [first = NaN, complete = NaN, none = NaN] = await Promise.all(WARMUPS.map((warmup) => cell(wire, open, n, width, warmup)));
      const ideal = Math.ceil(n / width) * FORK_MS;
      rows.push([String(n), String(width), seconds(first), seconds(complete), seconds(none), seconds(ideal), (first / ideal).toFixed(2), (complete / first).toFixed(2)]);
    }
  }
  return {
    title: `${wire}: seconds a pass takes, by number of forks and width`,
    columns: ['forks', 'width', "pilot's first event", "pilot's end", 'no pilot', 'waves of one fork', 'first event / waves', 'end / first event'],
    rows,
  };
};

const cell = async (wire: Wire, open: Open, n: number, width: number, warmup: Warmup): Promise<number> => {
  const model = await startModel({ kind: 'link', timing, output: OUTPUT, tool: false });
  const pools = open(width);
  try {
    const pass = openPasses(wire, model, 40_000);
    // A first, short pass opens threads and sockets.
    await pass(pools, 1, width, 'none');
    return (await pass(pools, n, width, warmup)).ms;
  } finally {
    await pools.close();
    model.close();
  }
};

const seconds = (ms: number): string => (ms / 1000).toFixed(2);
