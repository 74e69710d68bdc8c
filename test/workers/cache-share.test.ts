// Whole passes against the modelled cache: the prefix is written once, and from the third pass on nearly all input is read from it.
import { afterEach, describe, expect, it } from 'vitest';
import { append, emptyWindow, type Window } from '../../src/main/memory/window.ts';
import { renderPrefix, type RenderedPrefix, type Wire } from '../../src/main/memory/prefix.ts';
import { BUILT_IN, toolSet } from '../../src/main/memory/tools.ts';
import { FEEDBACK_TOOL } from '../../src/main/pass/feedback.ts';
import type { ForkResult, Usage } from '../../src/main/records.ts';
import { openForks } from '../../src/workers/forks.ts';
import { addUsage, NO_USAGE } from '../../src/main/floor/usage.ts';
import { feedbackCall, handOver, providerOf, taskOf } from '../support/fork-task.ts';
import { openModelServer, type ModelServer } from '../support/model-server.ts';

const N = 8;
const text = (chars: number, seed: number): string => `#${seed} [tool] Bash npm test -- naïve 中文 ${seed} `.repeat(chars / 38).slice(0, chars);
const grow = (window: Window, pass: number, chars: number): Window =>
  append(append(window, { kind: 'observations', pass, at: pass * 90_000, text: text(chars, pass) }), { kind: 'feedback', pass, at: pass * 90_000, text: `[pass ${pass}] default → silent` });

let server: ModelServer | undefined;
const forks = openForks();
afterEach(async () => {
  await forks.close();
  await server?.close();
});

const passes = async (wire: 'anthropic' | 'openai', count: number): Promise<{ readonly usages: readonly Usage[]; readonly writers: readonly number[] }> => {
  // Every fork reads a file once, so that later rounds of a loop count too.
  server = await openModelServer({ script: ({ rounds }) => (rounds === 0 ? { calls: [{ name: 'Read', args: { path: 'a' } }] } : { calls: [feedbackCall()] }) });
  const provider = providerOf(wire, server.url);
  let window = grow(emptyWindow({ task: 't', nonce: 'n1', generation: 0, ledger_text: 'goal: none yet' }), 0, 200_000);
  let before: RenderedPrefix | undefined;
  const usages: Usage[] = [];
  const writers: number[] = [];
  for (let pass = 1; pass <= count; pass += 1) {
    window = grow(window, pass, 6000);
    const rendered = renderPrefix({ wire: wire satisfies Wire, model: provider.model, tools: toolSet(FEEDBACK_TOOL, BUILT_IN).tools, system: 'You watch.', workspace_root: '/home/dev/project', window, cache_ttl: '5m' }, before);
    before = rendered;
    const run = (n: number) =>
      handOver<ForkResult>(forks.run, taskOf(provider, { id: `f${n}`, prefix: rendered.bytes, tail: `You are detector ${n}. Look.`, pilot: n === 0 }), { tool: () => ({ ok: true, text: 'text' }) });
    // The pilot's first event would do; its end is enough to show what is shared.
    const results = [await run(0), ...(await Promise.all(Array.from({ length: N - 1 }, (_, n) => run(n + 1))))].map(({ result }) => result);
    expect(results.every(({ end, requests }) => end === 'feedback' && requests === 2)).toBe(true);
    usages.push(results.map(({ usage }) => usage).reduce(addUsage, NO_USAGE));
    writers.push(results.filter(({ usage }) => usage.cache_write_5m + usage.cache_write_1h > 0).length);
  }
  return { usages, writers };
};

const readShare = ({ input, cache_read, cache_write_5m, cache_write_1h }: Usage): number => cache_read / (input + cache_read + cache_write_5m + cache_write_1h);

describe('eight forks over a window of 200,000 characters', () => {
  it('on the messages wire: one prefix write per pass, and at least 95 % of input read from the third pass on', async () => {
    const { usages, writers } = await passes('anthropic', 4);
    expect(writers).toEqual([1, 1, 1, 1]);
    for (const usage of usages.slice(2)) expect(readShare(usage)).toBeGreaterThanOrEqual(0.95);
  });

  it('on the chat wire the same bytes are found by the endpoint’s own cache', async () => {
    const { usages } = await passes('openai', 3);
    for (const usage of usages.slice(2)) expect(readShare(usage)).toBeGreaterThanOrEqual(0.95);
  });
});
