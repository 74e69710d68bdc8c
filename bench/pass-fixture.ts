// What passes are measured with: a window that grows, N detectors, and a scripted model in a process of its own.
import { fork as forkProcess, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { append, emptyWindow, type Window } from '../src/main/memory/window.ts';
import { renderPrefix, type PrefixInput, type RenderedPrefix } from '../src/main/memory/prefix.ts';
import { BUILT_IN, toolSet } from '../src/main/memory/tools.ts';
import { FEEDBACK_TOOL } from '../src/main/pass/feedback.ts';
import { runPass } from '../src/main/pass/run-pass.ts';
import type { ForkResult } from '../src/main/records.ts';
import type { Pools } from '../src/main/pools.ts';
import type { Provider } from '../src/workers/contract.ts';
import { DETECTOR, providerOf, taskOf } from '../test/support/fork-task.ts';
import type { Wire } from '../test/support/model-server.ts';
import type { ModelOptions, ModelReady } from './model.ts';

const text = (chars: number, seed: number): string => `#${seed} [tool] Bash npm test -- naïve 中文 "quoted" ${seed}\n`.repeat(chars / 40).slice(0, chars);

/** `window` after one more pass with an episode of `chars` characters. */
export const grow = (window: Window, pass: number, chars: number): Window =>
  append(append(window, { kind: 'observations', pass, at: pass * 90_000, text: text(chars, pass) }), { kind: 'feedback', pass, at: pass * 90_000, text: `[pass ${pass}] default → silent` });

/** A window of about `chars` characters, as passes leave it. */
export const openWindow = (chars: number): Window => {
  let window = emptyWindow({ task: 't', nonce: 'n1', generation: 0, ledger_text: 'goal: none yet' });
  for (let pass = -1; window.chars < chars; pass -= 1) window = grow(window, pass, 6000);
  return window;
};

/** The window that the goals speak of: a prefix of 400 kB, as UTF-8 in JSON. */
export const WINDOW_CHARS = 333_000;

export const prefixInput = (wire: Wire, window: Window): PrefixInput => ({
  wire, model: 'claude-haiku-5-5', tools: toolSet(FEEDBACK_TOOL, BUILT_IN).tools, system: 'You watch.', workspace_root: '/home/dev/project', window, cache_ttl: '5m',
});

/** Starts the scripted model; `close` ends its process. */
export const startModel = async (options: ModelOptions): Promise<ModelReady & { readonly close: () => void }> => {
  const child: ChildProcess = forkProcess(join(import.meta.dirname, 'model.mjs'), [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [ready] = (await once(child, 'message')) as [ModelReady];
  return { ...ready, close: () => void child.kill() };
};

/** How the fan-out waits: for the pilot's first event, for its end, or not at all. */
export type Warmup = 'first-event' | 'complete' | 'none';

export type PassFigures = { readonly ms: number; readonly overhead_ms: number; readonly writes: number; readonly results: readonly ForkResult[] };

/** A task's passes, one after the other, each with a window grown by one episode. */
export const openPasses = (wire: Wire, model: ModelReady, chars: number, episode = 6000) => {
  const provider: Provider = providerOf(wire, model.url, model.ca === undefined ? {} : { ca: model.ca });
  let window = openWindow(chars);
  let rendered: RenderedPrefix | undefined;
  let pass = 0;
  return async (pools: Pools, n: number, width: number, warmup: Warmup): Promise<PassFigures> => {
    pass += 1;
    window = grow(window, pass, episode);
    rendered = renderPrefix(prefixInput(wire, window), rendered);
    const { bytes } = rendered;
    const runs = Array.from({ length: n }, (_, i) => ({ detector: { ...DETECTOR, name: `lens-${i}` }, pilot: i === 0 }));
    const limits = { deadline_ms: 60_000, grace_ms: 1000, iterations: 2, max_output_tokens: 1024, token_budget: 100_000_000, body_cap: 700 };
    const begun = performance.now();
    const results = await runPass({
      runs,
      width,
      serialise: warmup !== 'none',
      fork: ({ detector, pilot }, { firstEvent }) =>
        pools.fork(
          taskOf(provider, { id: `${pass}:${detector.name}`, prefix: bytes, tail: `You are ${detector.name}. Look.`, detector, pilot, limits, warm: pilot && warmup !== 'none' ? Math.min(n - 1, width) : 0 }),
          warmup === 'complete' ? {} : { firstEvent },
        ),
    });
    const ms = performance.now() - begun;
    const failed = results.find(({ end }) => end !== 'feedback');
    if (failed !== undefined) throw new Error(`a fork ended with ${failed.end}: ${failed.cause ?? ''}`);
    const first = results.find(({ pilot }) => pilot)?.first_event_ms ?? 0;
    const rest = Math.max(0, ...results.filter(({ pilot }) => !pilot).map(({ took_ms }) => took_ms));
    return { ms, overhead_ms: ms - first - rest, writes: results.filter(({ usage }) => usage.cache_write_5m + usage.cache_write_1h > 0).length, results };
  };
};
