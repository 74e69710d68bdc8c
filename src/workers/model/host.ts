// The user's own CLI as the model: content blocks out over main's port, its stream back, tool calls as JSON text (SPEC 7.1 host).
import { isObject } from '../../main/floor/object.ts';
import { NO_USAGE } from '../../main/floor/usage.ts';
import { FEEDBACK_NAME } from '../../main/pass/feedback.ts';
import type { Usage } from '../../main/records.ts';
import type { ForkTask } from '../contract.ts';
import { anthropicFolder } from './anthropic.ts';
import { cutBecause, openMeter, type Folder } from './exchange.ts';
import { asCount, asText, errorWord, parseArgs, parseJson, tokensOf, type Answer, type Call, type Model, type Round, type Watch } from './wire.ts';

/** Sends one user message to this fork's child and feeds its output lines back until the turn's end or the child's. */
export type HostLink = (content: readonly unknown[], onLine: (line: string) => void) => Promise<{ readonly cause?: string }>;

/** The child keeps the conversation: the first message is prefix and tail, each later one only the last round's results. */
export const hostModel =
  (task: ForkTask, link: HostLink): Model =>
  async (rounds, _until, watch, signal) => {
    const last = rounds.at(-1);
    const content = last === undefined ? opening(task) : [{ type: 'text', text: resultsText(last) }];
    return askHost(content, link, watch, signal, (text) => parseReply(text));
  };

/** One question to the child and the text it answers with; shared with summaries, which expect no calls. */
export const askHost = async (content: readonly unknown[], link: HostLink, watch: Watch, signal: AbortSignal, callsOf: (text: string) => readonly Call[]): Promise<Answer> => {
  const turn = openTurn(watch, content);
  watch.sent();
  const { cause } = await link(content, turn.line);
  turn.close(signal.aborted);
  if (signal.aborted) return { ok: false, ...cutBecause(signal) };
  if (cause !== undefined) return { ok: false, end: 'provider-error', cause };
  const said = turn.said();
  return said.ok ? { ok: true, said: { calls: callsOf(said.text), text: said.text, echo: undefined } } : said;
};

const decoder = new TextDecoder();

/** Window blocks and tail. Of the cache marks only ours at the window's end stays: the CLI adds three, and four are allowed. */
const opening = (task: ForkTask): readonly unknown[] => {
  const body = parseJson(`${decoder.decode(task.prefix)}]}]}`);
  const messages = isObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const first: unknown = messages[0];
  const blocks: readonly unknown[] = isObject(first) && Array.isArray(first['content']) ? first['content'] : [];
  if (blocks.length === 0) throw new Error('prefix holds no user message');
  return [...blocks.map((block, n) => textBlock(block, n === blocks.length - 1)), { type: 'text', text: `${task.tail}\n\n${replyRule(task.grant)}` }];
};

const textBlock = (block: unknown, marked: boolean): unknown => ({
  type: 'text',
  text: isObject(block) ? asText(block['text']) : '',
  // 5m whatever the setting: the CLI's own marks stand before it, and a longer one behind a shorter is refused.
  ...(marked ? { cache_control: { type: 'ephemeral' } } : {}),
});

const replyRule = (grant: readonly string[]): string =>
  `Reply with one JSON object and nothing around it: {"call": NAME, "args": {…}}. NAME is ${[...grant, FEEDBACK_NAME].map((name) => `"${name}"`).join(' or ')}.`;

const resultsText = ({ results }: Round): string =>
  `${results.map(({ name, ok, text }) => `${/^[\w-]{1,64}$/.test(name) ? name : 'call'}${ok ? '' : ' (failed)'}:\n${text}`).join('\n\n')}\n\nReply as before, with one JSON object.`;

type Turn = {
  readonly line: (line: string) => void;
  /** `cut`: we left before its end, so that what the endpoint may have read is charged without having been told. */
  readonly close: (cut: boolean) => void;
  readonly said: () => { readonly ok: true; readonly text: string } | { readonly ok: false; readonly end: 'provider-error' | 'refused'; readonly cause: string };
};

const openTurn = (watch: Watch, content: readonly unknown[]): Turn => {
  let request: { readonly folder: Folder; readonly meter: ReturnType<typeof openMeter> } | undefined;
  let result: Readonly<Record<string, unknown>> | undefined;
  const asked = (): Usage => ({ ...NO_USAGE, input: tokensOf(JSON.stringify(content).length) });
  const take = (data: Readonly<Record<string, unknown>>, fresh: boolean): void => {
    if (request === undefined || fresh) {
      request?.meter.close(false); // the CLI asked again by itself: what the first request cost stays counted
      const folder = anthropicFolder('5m');
      request = { folder, meter: openMeter(folder, watch, asked) };
    }
    request.folder.take({ kind: 'event', data });
    request.meter.report();
  };
  return {
    line: (line) => {
      const value = parseJson(line);
      if (!isObject(value)) return;
      if (value['type'] === 'stream_event' && isObject(value['event'])) {
        watch.firstEvent();
        take(value['event'], value['event']['type'] === 'message_start');
      } else if (value['type'] === 'result') {
        result = value;
        // Where no stream was shown the result line tells the whole.
        if (request === undefined) take({ type: 'message_delta', usage: value['usage'] }, true);
      }
    },
    close: (cut) => {
      if (request !== undefined) request.meter.close(result !== undefined);
      else if (cut) watch.usage(asked(), true);
    },
    said: () => {
      if (result === undefined) return { ok: false, end: 'provider-error', cause: 'the host’s process ended early' };
      if (result['is_error'] === true) return { ok: false, end: 'provider-error', cause: `host: ${failureOf(result)}` };
      const end = request?.folder.end();
      if (end?.ok === false && end.end === 'refused') return { ok: false, end: 'refused', cause: end.cause };
      return { ok: true, text: end?.ok === true && end.said.text !== '' ? end.said.text : asText(result['result']) };
    },
  };
};

/** `http 401` where the CLI names a status, else the result's kind, which is `success` for some failures too. */
const failureOf = (result: Readonly<Record<string, unknown>>): string => {
  const status = asCount(result['api_error_status']);
  const kind = errorWord(result['subtype']);
  return status === undefined ? (kind === '' || kind === 'success' ? 'error' : kind) : `http ${status}`;
};

/**
 * Calls in a reply's text: the first JSON object in it, fences and words around it ignored; `tool`/`name` and
 * `arguments`/`input` pass for `call` and `args`, and a bare feedback object for a call of it. Text without one has no calls.
 */
export const parseReply = (text: string): readonly Call[] => {
  const value = firstObject(text);
  if (value === undefined) return [];
  const name = value['call'] ?? value['tool'] ?? value['name'];
  if (typeof name === 'string') return [{ id: 'host', name, args: parseArgs(value['args'] ?? value['arguments'] ?? value['input']) }];
  return 'verdict' in value ? [{ id: 'host', name: FEEDBACK_NAME, args: { ok: true, value } }] : [];
};

/** The first balanced `{…}` that is JSON; two tries, so that braces in prose cost little. */
const firstObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < 2; tries += 1) {
    const to = closingBrace(text, from);
    if (to === -1) return undefined;
    const value = parseJson(text.slice(from, to + 1));
    if (isObject(value)) return value;
    from = text.indexOf('{', to + 1);
  }
  return undefined;
};

const closingBrace = (text: string, from: number): number => {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && (depth -= 1) === 0) return at;
  }
  return -1;
};
