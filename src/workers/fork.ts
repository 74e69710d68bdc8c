// One detector's loop: ask, run the tools it calls, ask again, until it reports or something ends it (SPEC 7, Fork loop).
import { addUsage, NO_USAGE } from '../main/floor/usage.ts';
import { frame } from '../main/floor/frame.ts';
import { weigh } from '../main/pass/budget.ts';
import { FEEDBACK_NAME } from '../main/pass/feedback.ts';
import { parseFeedback } from '../main/pass/parse-feedback.ts';
import type { Feedback, ForkEnd, ForkResult, ToolReply, ToolRequest, Usage } from '../main/records.ts';
import type { ForkTask } from './contract.ts';
import { cutBecause } from './model/exchange.ts';
import type { Call, CallResult, Clock, Model, Round, Said, Watch } from './model/wire.ts';

export type ForkEvents = {
  readonly firstEvent: () => void;
  readonly usage: (usage: Usage, estimated: boolean) => void;
  readonly learnt: Watch['learnt'];
  readonly log: (line: string) => void;
  /** Present while a capture is on: every reply and tool result as it comes. */
  readonly trace?: (text: string) => void;
};

/** Calls in one answer; more is a model gone wild. */
const MAX_CALLS = 16;
/** Characters of tool results that one round adds to the next request, shared by its calls: what a pass's estimate counts on. */
const MAX_ROUND = 12_000;
/** Characters of tool results kept for the evidence check. */
const MAX_TOOL_TEXT = 200_000;

type Ending = { readonly end: ForkEnd; readonly feedback?: Feedback; readonly cause?: string };

/**
 * Runs the fork to its end; every end is a ForkResult, `silent` unless there was feedback. `tools` answers granted calls.
 * `signal` is aborted with a ForkEnd as its reason. No request starts past `deadline_ms`, none outlives the signal.
 */
export const runFork = async (
  task: ForkTask,
  model: Model,
  tools: (request: ToolRequest) => Promise<ToolReply>,
  on: ForkEvents,
  signal: AbortSignal,
  clock: Clock,
): Promise<ForkResult> => {
  const started_at = clock.now();
  const until = started_at + task.limits.deadline_ms;
  let usage = NO_USAGE;
  let estimated = false;
  let requests = 0;
  let first_event_ms: number | undefined;
  let tool_text = '';
  const watch: Watch = {
    sent: () => void (requests += 1),
    firstEvent: () => {
      if (first_event_ms !== undefined) return;
      first_event_ms = clock.now() - started_at;
      on.firstEvent();
    },
    usage: (more, guessed) => {
      usage = addUsage(usage, more);
      estimated ||= guessed;
      on.usage(more, guessed);
    },
    learnt: on.learnt,
    log: on.log,
  };

  const loop = async (): Promise<Ending> => {
    const rounds: Round[] = [];
    for (let left = task.limits.iterations; left > 0; left -= 1) {
      if (signal.aborted) return cutBecause(signal);
      if (clock.now() >= until) return { end: 'deadline', cause: 'no answer within the time it was given' };
      if (weigh(usage) >= task.limits.token_budget) return { end: 'budget', cause: 'its token budget is spent' };
      const answer = await model(rounds, until, watch, signal);
      if (!answer.ok) return answer;
      on.trace?.(`reply: ${JSON.stringify(answer.said)}`);
      const ending = endOf(answer.said);
      if (ending !== undefined) return ending;
      if (left === 1) return { end: 'iterations', cause: `no feedback in ${task.limits.iterations} requests` };
      const results = await untilAborted(Promise.all(answer.said.calls.map((call, _n, all) => runCall(call, Math.floor(MAX_ROUND / all.length)))), signal);
      if (results === undefined) return cutBecause(signal);
      for (const { name, ok, text } of results) on.trace?.(`${name} ${ok ? 'returned' : 'was refused'}: ${text}`);
      rounds.push({ said: answer.said, results });
    }
    return { end: 'iterations', cause: 'no request was allowed' };
  };

  const runCall = async (call: Call, room: number): Promise<CallResult> => {
    const refuse = (text: string): CallResult => ({ id: call.id, name: call.name, ok: false, text });
    if (!task.grant.includes(call.name)) return refuse(`Not granted to you. You may call: ${[...task.grant, FEEDBACK_NAME].join(', ')}.`);
    const reply = await tools({ tool: call.name, args: call.args.ok ? call.args.value : {} });
    const text = reply.text.slice(0, room).toWellFormed();
    if (reply.ok) tool_text += `${text}\n`.slice(0, MAX_TOOL_TEXT - tool_text.length);
    return { id: call.id, name: call.name, ok: reply.ok, text: frame('tool-result', task.nonce, text) };
  };

  const { end, feedback, cause } = await loop();
  return {
    detector: task.detector.name,
    end,
    feedback: feedback ?? { verdict: 'silent' },
    usage,
    requests,
    started_at,
    ...(first_event_ms === undefined ? {} : { first_event_ms }),
    took_ms: clock.now() - started_at,
    model: task.provider.model,
    pilot: task.pilot,
    tool_text,
    ...(estimated ? { usage_estimated: true } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
};

/** What an answer ends, if anything: prose and unreadable calls are silent, feedback is the end wanted. */
const endOf = ({ calls }: Said): Ending | undefined => {
  if (calls.length === 0) return { end: 'prose', cause: 'answered in prose, without a call' };
  const report = calls.find(({ name }) => name === FEEDBACK_NAME);
  if (report === undefined && calls.length > MAX_CALLS) return { end: 'bad-reply', cause: `${calls.length} calls at once` };
  const broken = (report === undefined ? calls : [report]).find(({ args }) => !args.ok);
  if (broken !== undefined && !broken.args.ok) return { end: 'bad-reply', cause: broken.args.why };
  if (report === undefined || !report.args.ok) return undefined;
  const parsed = parseFeedback(report.args.value);
  return parsed.ok ? { end: 'feedback', feedback: parsed.feedback } : { end: 'bad-reply', cause: parsed.why };
};

/** The value, or nothing when the signal fires first; a later rejection is then nobody's business. */
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
