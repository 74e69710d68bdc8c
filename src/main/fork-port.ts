// Main's side of one fork in a thread: answers what it asks over its port, and sees to it that it stops.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { decode, encode, type FromFork, type ToFork } from '../workers/contract.ts';
import { messageOf } from './floor/failure.ts';
import { addUsage, NO_USAGE } from './floor/usage.ts';
import type { ForkEnd, ToolReply, ToolRequest, Usage } from './records.ts';

/** What a running fork asks of main. A hook that throws or rejects costs that one answer. */
export type ForkHooks = {
  readonly firstEvent?: () => void;
  /** Tokens since the last call, as the stream tells them. */
  readonly usage?: (usage: Usage, estimated: boolean) => void;
  readonly tool?: (request: ToolRequest) => Promise<ToolReply>;
  readonly learnt?: (what: { readonly auto_choice?: boolean; readonly reasoning?: 'send' | 'drop' }) => void;
  readonly log?: (line: string) => void;
  readonly trace?: (text: string) => void;
  /** `host` provider: one user message for the fork's child; `line` takes each line it prints; resolves when it has answered. */
  readonly hostSend?: (content: readonly unknown[], line: (line: string) => void) => Promise<{ readonly cause?: string }>;
};

/** Main's end of a fork's port: answers what the fork asks, and adds up what it has spent. */
export const openLine = (port: MessagePort, on: ForkHooks) => {
  let spent = NO_USAGE;
  const post = (message: ToFork): void => {
    const bytes = encode(message);
    port.postMessage(bytes, [bytes.buffer]);
  };
  const answer = async (message: FromFork): Promise<void> => {
    switch (message.kind) {
      case 'first-event':
        return on.firstEvent?.();
      case 'usage':
        spent = addUsage(spent, message.usage);
        return on.usage?.(message.usage, message.estimated);
      case 'learnt':
        return on.learnt?.({ ...(message.auto_choice === undefined ? {} : { auto_choice: message.auto_choice }), ...(message.reasoning === undefined ? {} : { reasoning: message.reasoning }) });
      case 'log':
        return on.log?.(message.line);
      case 'trace':
        return on.trace?.(message.text);
      case 'tool': {
        const ask = on.tool ?? noTool;
        const reply = await ask({ tool: message.tool, args: message.args }).catch((error: unknown) => ({ ok: false, text: `${message.tool} failed: ${wordsOf(error)}` }));
        return post({ kind: 'tool-reply', seq: message.seq, reply });
      }
      case 'host-send': {
        const { seq } = message;
        const ask = on.hostSend ?? noHost;
        const { cause } = await ask(message.content, (line) => post({ kind: 'host-event', seq, line })).catch((error: unknown) => ({ cause: wordsOf(error) }));
        return post({ kind: 'host-end', seq, ...(cause === undefined ? {} : { cause }) });
      }
      default: // from a later version of the worker
    }
  };
  /** What it has spent, by the messages that a dead thread left as well. */
  const spentInAll = (): Usage => {
    for (let left = receiveMessageOnPort(port); left !== undefined; left = receiveMessageOnPort(port)) {
      const message = decode<FromFork>(left.message as Uint8Array);
      if (message.kind === 'usage') spent = addUsage(spent, message.usage);
    }
    return spent;
  };
  port.on('message', (bytes: Uint8Array) => void answer(decode<FromFork>(bytes)).catch((error: unknown) => on.log?.(`fork port: ${wordsOf(error)}`)));
  return { cancel: (because: ForkEnd): void => post({ kind: 'cancel', because }), spent: spentInAll };
};

const noTool = (): Promise<ToolReply> => Promise.resolve({ ok: false, text: 'no tools here' });
const noHost = (): Promise<{ readonly cause?: string }> => Promise.resolve({ cause: 'no host child here' });

type Watch = {
  readonly hard_ms: number;
  readonly signal: AbortSignal | undefined;
  readonly grace_ms: number;
  readonly cancel: (because: ForkEnd) => void;
  readonly end: () => void;
};

/** First asks a fork to stop, at its hard limit or when its signal says so; ends its thread when it does not. */
export const watchOver = ({ hard_ms, signal, grace_ms, cancel, end }: Watch) => {
  let because: ForkEnd | undefined;
  let ending: NodeJS.Timeout | undefined;
  const stop = (why: ForkEnd, patience_ms: number): void => {
    if (because !== undefined) return;
    because = why;
    cancel(why);
    ending = setTimeout(end, patience_ms);
  };
  const limit = setTimeout(() => stop('deadline', END_MS), hard_ms);
  const now = (why: ForkEnd): void => stop(why, grace_ms);
  const abort = (): void => now(parseEnd(signal?.reason));
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    /** Asks it to stop, as the signal does. */
    now,
    because: (): ForkEnd | undefined => because,
    clear: (): void => {
      clearTimeout(limit);
      clearTimeout(ending);
      signal?.removeEventListener('abort', abort);
    },
  };
};

const parseEnd = (reason: unknown): ForkEnd => (reason === 'deadline' || reason === 'budget' ? reason : 'cancelled');

// A thread that is alive answers a cancel within milliseconds; one that does not is ended this long after its time.
export const END_MS = 1000;

/** A failure in a few words. */
export const wordsOf = (error: unknown): string => messageOf(error).slice(0, 200);
