// A fork's line to main: what it tells and asks, in the thread contract's messages.
import type { MessagePort } from 'node:worker_threads';
import type { ForkEnd, ToolReply, ToolRequest } from '../main/records.ts';
import { decode, encode, type FromFork, type ToFork } from './contract.ts';
import type { HostLink } from './model/host.ts';

export type Port = ReturnType<typeof openPort>;

/** Takes a fork's port: questions go out numbered, answers come back by number, a cancel aborts `signal` with its ForkEnd. */
export const openPort = (raw: MessagePort) => {
  const controller = new AbortController();
  const tools = new Map<number, (reply: ToolReply) => void>();
  const hosts = new Map<number, { readonly line: (line: string) => void; readonly end: (cause?: string) => void }>();
  let seq = 0;
  const post = (message: FromFork): void => {
    const bytes = encode(message);
    raw.postMessage(bytes, [bytes.buffer]);
  };
  const abort = (because: ForkEnd): void => {
    controller.abort(because);
    for (const { end } of hosts.values()) end('cut off');
  };
  raw.on('message', (bytes: Uint8Array) => {
    const message = decode<ToFork>(bytes);
    switch (message.kind) {
      case 'cancel':
        return abort(message.because);
      case 'tool-reply':
        tools.get(message.seq)?.(message.reply);
        return void tools.delete(message.seq);
      case 'host-event':
        return hosts.get(message.seq)?.line(message.line);
      case 'host-end':
        return hosts.get(message.seq)?.end(message.cause);
      default: // from a later version of main
    }
  });
  const hostLink: HostLink = (content, line) =>
    new Promise((resolve) => {
      const mine = (seq += 1);
      const end = (cause?: string): void => {
        hosts.delete(mine);
        resolve(cause === undefined ? {} : { cause });
      };
      if (controller.signal.aborted) return end('cut off');
      hosts.set(mine, { line, end });
      post({ kind: 'host-send', seq: mine, content });
    });
  return {
    signal: controller.signal,
    abort,
    post,
    hostLink,
    tool: ({ tool, args }: ToolRequest): Promise<ToolReply> =>
      new Promise((resolve) => {
        const mine = (seq += 1);
        tools.set(mine, resolve);
        post({ kind: 'tool', seq: mine, tool, args });
      }),
    close: () => raw.close(),
  };
};
