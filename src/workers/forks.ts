// The network pool's entry: takes one fork or summary, runs it with this thread's warm sockets, hands its result back as bytes.
import type { MessagePort } from 'node:worker_threads';
import { addUsage, NO_USAGE } from '../main/floor/usage.ts';
import type { ForkResult } from '../main/records.ts';
import { decode, encode, type ForksPayload, type ForksTask, type ForkTask, type Provider, type SummaryResult, type SummaryTask } from './contract.ts';
import { runFork } from './fork.ts';
import { anthropicFork, anthropicSummary, type Quirks } from './model/anthropic.ts';
import { exchange } from './model/exchange.ts';
import { askHost, hostModel } from './model/host.ts';
import { judgeLocally } from './model/local.ts';
import { openaiFork, openaiSummary } from './model/openai.ts';
import { openSender } from './model/send.ts';
import type { Clock, Model, Watch } from './model/wire.ts';
import { openPort, type Port } from './port.ts';

const clock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    }),
};

/** What one thread keeps between tasks: its sockets, the prefix it was given last, and what its endpoints have refused. */
export const openForks = () => {
  const sender = openSender();
  const quirks = new Map<string, Quirks>();
  let held: Uint8Array = new Uint8Array();
  const quirksOf = ({ kind, base_url, model, auto_choice, reasoning }: Provider): Quirks => {
    const key = `${kind} ${base_url} ${model}`;
    const known: Quirks = quirks.get(key) ?? { auto_choice, ...(reasoning === undefined ? {} : { reasoning }) };
    known.auto_choice ||= auto_choice;
    quirks.set(key, known);
    return known;
  };

  const modelOf = (task: ForkTask, port: Port): Model => {
    const { provider } = task;
    if (provider.kind === 'host') return hostModel(task, port.hostLink);
    const dialect = provider.kind === 'anthropic' ? anthropicFork : openaiFork;
    const learnt = quirksOf(provider);
    return (rounds, until, watch, signal) => exchange(dialect(task, rounds, learnt), (body, cut) => sender.post(provider, body, cut), until, watch, signal, clock);
  };

  const fork = async (task: ForkTask, port: Port): Promise<ForkResult> => {
    const { deadline_ms, grace_ms } = task.limits;
    const timer = setTimeout(() => port.abort('deadline'), deadline_ms + grace_ms);
    const started_at = Date.now();
    const warming = new AbortController();
    let spent = NO_USAGE;
    try {
      if (task.provider.kind === 'local') return judged(task, started_at);
      const running = runFork(
        task,
        modelOf(task, port),
        port.tool,
        {
          firstEvent: () => port.post({ kind: 'first-event' }),
          usage: (usage, estimated) => {
            spent = addUsage(spent, usage);
            port.post({ kind: 'usage', usage, estimated });
          },
          learnt: (what) => port.post({ kind: 'learnt', ...what }),
          log: (line) => port.post({ kind: 'log', line }),
          ...(task.trace === true ? { trace: (text: string) => port.post({ kind: 'trace', text }) } : {}),
        },
        port.signal,
        clock,
      );
      const warm = task.warm > 0 && task.provider.kind !== 'host' ? sender.warm(task.provider, task.warm, warming.signal) : undefined;
      const result = await running;
      warming.abort(OVER);
      await warm;
      return result;
    } catch (error) {
      return { ...silent(task, started_at), end: 'crashed', usage: spent, usage_unknown: true, cause: error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : 'unknown' };
    } finally {
      clearTimeout(timer);
      warming.abort(OVER);
    }
  };

  const summary = async (task: SummaryTask, port: Port): Promise<SummaryResult> => {
    const until = Date.now() + task.timeout_ms;
    const timer = setTimeout(() => port.abort('deadline'), task.timeout_ms);
    let usage = NO_USAGE;
    const watch: Watch = {
      sent: () => undefined,
      firstEvent: () => undefined,
      usage: (more, estimated) => {
        usage = addUsage(usage, more);
        port.post({ kind: 'usage', usage: more, estimated });
      },
      learnt: () => undefined,
      log: (line) => port.post({ kind: 'log', line }),
    };
    try {
      if (task.provider.kind === 'local') return { text: '', usage, cause: 'no model' };
      const answer =
        task.provider.kind === 'host'
          ? await askHost([{ type: 'text', text: task.text }], port.hostLink, watch, port.signal, () => [])
          : await exchange(
              task.provider.kind === 'anthropic' ? anthropicSummary(task) : openaiSummary(task, quirksOf(task.provider)),
              (body, cut) => sender.post(task.provider, body, cut), until, watch, port.signal, clock,
            );
      if (!answer.ok) return { text: '', usage, cause: answer.cause };
      return answer.said.text.trim() === '' ? { text: '', usage, cause: 'empty summary' } : { text: answer.said.text, usage };
    } catch (error) {
      return { text: '', usage, usage_unknown: true, cause: error instanceof Error ? error.name : 'unknown' };
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    /** One task, its port beside it. The port is closed when the result is there. */
    run: async ({ bytes, prefix, port: raw }: ForksPayload<MessagePort>): Promise<Uint8Array> => {
      const port = openPort(raw);
      if (prefix !== undefined && prefix !== 'held') held = prefix;
      const mine = held;
      try {
        const task = decode<ForksTask>(bytes);
        if (task.kind === 'summary') return encode(await summary(task, port));
        return encode(await fork(prefix === undefined ? task : { ...task, prefix: mine }, port));
      } finally {
        port.close();
      }
    },
    close: sender.close,
  };
};

/** A reason of our own: without one every abort makes an error with a stack. */
const OVER = 'over';

const silent = (task: ForkTask, started_at: number): ForkResult => ({
  detector: task.detector.name,
  end: 'no-match',
  feedback: { verdict: 'silent' },
  usage: NO_USAGE,
  requests: 0,
  started_at,
  took_ms: Date.now() - started_at,
  model: task.provider.model,
  pilot: task.pilot,
  tool_text: '',
});

/** The local judge's answer: rules, no request. A structural detector without a match has nothing to say. */
const judged = (task: ForkTask, started_at: number): ForkResult => {
  if (task.detector.structural !== undefined && task.match === undefined) return silent(task, started_at);
  const feedback = judgeLocally(task);
  return { ...silent(task, started_at), end: 'feedback', feedback };
};

/** What Piscina calls (`name: 'run'`). */
export const { run } = openForks();
