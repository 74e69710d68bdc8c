// The bytes of an answer as events: server-sent events, or one JSON document from endpoints that do not stream.
import { isDeep } from '../../main/floor/depth.ts';
import { isObject } from '../../main/floor/object.ts';
import { parseJson } from './wire.ts';

/** `event`: a parsed `data:` of the stream; `whole`: the answer was one JSON document; `done`: the `[DONE]` line. */
export type Incoming = { readonly kind: 'event' | 'whole'; readonly data: Readonly<Record<string, unknown>> } | { readonly kind: 'done' };

/** No answer of ours is near it: output is capped at some thousand tokens. */
const MAX_BYTES = 8_000_000;

/**
 * Reads an answer's body, whatever its content type says: a body that opens with `{` is JSON, everything else is read
 * as a stream of events. Data that does not parse, or is nested too deep to be written out again, is skipped. Throws
 * on a broken connection and past 8 MB.
 */
export async function* readAnswer(body: AsyncIterable<Uint8Array>): AsyncGenerator<Incoming> {
  const decoder = new TextDecoder();
  let pending = '';
  let bytes = 0;
  let json: boolean | undefined;
  let data: string[] = [];
  const line = function* (text: string): Generator<Incoming> {
    if (text.startsWith('data:')) data.push(text.charAt(5) === ' ' ? text.slice(6) : text.slice(5));
    else if (text === '') {
      const event = incoming(data);
      data = [];
      if (event !== undefined) yield event;
    }
  };
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('answer too large');
    const text = decoder.decode(chunk, { stream: true });
    pending += text;
    if (json === undefined) {
      pending = pending.trimStart();
      if (pending !== '') json = pending.startsWith('{');
    }
    // Looking through all that waits at each small piece of a long line would take ever longer.
    if (json !== false || !text.includes('\n')) continue;
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const each of lines) yield* line(each.endsWith('\r') ? each.slice(0, -1) : each);
  }
  pending += decoder.decode();
  if (json === true) {
    const value = parseJson(pending);
    if (isObject(value) && !isDeep(value)) yield { kind: 'whole', data: value };
    return;
  }
  // A last event may lack the blank line behind it.
  yield* line(pending.trimEnd());
  yield* line('');
}

const incoming = (data: readonly string[]): Incoming | undefined => {
  if (data.length === 0) return undefined;
  const text = data.join('\n');
  if (text.trim() === '[DONE]') return { kind: 'done' };
  const value = parseJson(text);
  return isObject(value) && !isDeep(value) ? { kind: 'event', data: value } : undefined;
};
