// Waiting and retrying: what the clock and the stall limit decide, seen with a clock that only counts.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropicFork } from '../../../src/workers/model/anthropic.ts';
import { exchange, type Post } from '../../../src/workers/model/exchange.ts';
import { openaiFork } from '../../../src/workers/model/openai.ts';
import { openSender } from '../../../src/workers/model/send.ts';
import type { Clock, Watch } from '../../../src/workers/model/wire.ts';
import { feedbackCall, providerOf, taskOf } from '../../support/fork-task.ts';
import { openModelServer, type ModelServer, type Script } from '../../support/model-server.ts';

const watch = (): Watch & { readonly log: (line: string) => void; readonly lines: string[] } => {
  const lines: string[] = [];
  return { sent: () => undefined, firstEvent: () => undefined, usage: () => undefined, learnt: () => undefined, log: (line) => void lines.push(line), lines };
};

let server: ModelServer | undefined;
const sender = openSender();
afterEach(async () => {
  await sender.close();
  await server?.close();
});

const ask = async (script: Script, until = 100_000, stall_ms?: number) => {
  server = await openModelServer({ script });
  const task = taskOf(providerOf('anthropic', server.url));
  let now = 0;
  const waits: number[] = [];
  const clock: Clock = {
    now: () => now,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
  };
  const post: Post = (body, signal) => sender.post(task.provider, body, signal);
  const answer = await exchange(anthropicFork(task, [], { auto_choice: false }), post, until, watch(), new AbortController().signal, clock, stall_ms);
  return { answer, waits };
};
const status = (headers: Readonly<Record<string, string>>): Script => ({ n }) => (n < 2 ? { fault: { kind: 'status', status: 529, headers } } : { calls: [feedbackCall()] });

describe('between two tries', () => {
  it.each<[string, Record<string, string>, number[]]>([
    ['half a second, then twice that', {}, [500, 1000]],
    ['what retry-after says in seconds', { 'retry-after': '3' }, [3000, 3000]],
    ['what retry-after-ms says', { 'retry-after-ms': '70', 'retry-after': '3' }, [70, 70]],
    ['what a date says, by the answer’s own clock', { date: 'Mon, 30 Nov 2026 10:00:00 GMT', 'retry-after': 'Mon, 30 Nov 2026 10:00:04 GMT' }, [4000, 4000]],
    ['the usual, when it says nonsense', { 'retry-after': 'soon' }, [500, 1000]],
  ])('it waits %s', async (_name, headers, waits) => {
    const asked = await ask(status(headers));
    expect(asked.answer.ok).toBe(true);
    expect(asked.waits).toEqual(waits);
  });

  it('it never waits past the deadline', async () => {
    expect(await ask(status({ 'retry-after': '3' }), 3000)).toEqual({ answer: { ok: false, end: 'provider-error', cause: 'http 529 scripted_error' }, waits: [] });
  });
});

it.each(['anthropic', 'openai'] as const)('%s: a stream that falls silent is given up though the collector ran meanwhile', async (wire) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  server = await openModelServer({ script: () => ({ calls: [feedbackCall()], fault: { kind: 'hang', after: 'half' } }) });
  const provider = providerOf(wire, server.url);
  const dialect = (wire === 'anthropic' ? anthropicFork : openaiFork)(taskOf(provider), [], { auto_choice: false });
  const told: Watch = { ...watch(), firstEvent: () => void setTimeout(collect, 20) };
  const clock: Clock = { now: () => 0, wait: () => Promise.resolve() };
  const answer = await exchange(dialect, (body, signal) => sender.post(provider, body, signal), 60_000, told, new AbortController().signal, clock, 100);
  expect(answer).toMatchObject({ ok: false, cause: 'stream stalled' });
});

it('a stream that falls silent after its first event is given up and not asked again', async () => {
  const { answer } = await ask(() => ({ calls: [feedbackCall()], fault: { kind: 'hang', after: 'half' } }), 100_000, 50);
  expect(answer).toEqual({ ok: false, end: 'provider-error', cause: 'stream stalled' });
  expect(server?.requests).toHaveLength(1);
});
