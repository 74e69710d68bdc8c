// One answer from a model over HTTP: post, retry while nothing was heard and time is left, read the stream, account.
import { addUsage, NO_USAGE } from '../../main/floor/usage.ts';
import type { ForkEnd, Usage } from '../../main/records.ts';
import type { HttpAnswer } from './send.ts';
import { readAnswer, type Incoming } from './sse.ts';
import { isNoUsage, moreUsage, tokensOf, type Answer, type Clock, type Said, type Watch } from './wire.ts';

/** Folds one answer's events in arrival order. */
export type Folder = {
  readonly take: (incoming: Incoming) => void;
  /** Absolute counts so far, absent until the endpoint has told any. */
  readonly usage: () => Usage | undefined;
  /** Characters the model has produced so far, for an estimate. */
  readonly chars: () => number;
  readonly end: () => { readonly ok: true; readonly said: Said } | { readonly ok: false; readonly end: ForkEnd; readonly cause: string };
};

/** What differs between wire formats for one question. */
export type Dialect = {
  readonly body: () => Uint8Array<ArrayBuffer>;
  readonly folder: () => Folder;
  /** Learns from a refusal (400 with this text): true when the question is worth asking again in another form. */
  readonly adapt: (error: string, watch: Watch) => boolean;
  /** What a body of so many bytes costs where the endpoint does not say. */
  readonly estimate: (bytes: number) => Usage;
  /** Type and code of an error document, for the cause. */
  readonly errorWords: (document: string) => string;
};

export type Post = (body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<HttpAnswer>;

/** Silence after the first event that ends a stream: providers ping or produce far more often. */
export const STALL_MS = 15_000;
/** Attempts beyond the first: with the backoff below they span some ten seconds, half a fork's time. */
const MAX_RETRIES = 4;
const MAX_BACKOFF_MS = 8_000;
const ERROR_HEAD = 16_000;

type Attempt =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'again'; readonly because: 'refused' | 'busy'; readonly cause: string; readonly after_ms?: number };

/** Asks until there is an answer or no use in asking. Retries end at `until`; an aborted signal ends with its reason. */
export const exchange = async (dialect: Dialect, post: Post, until: number, watch: Watch, signal: AbortSignal, clock: Clock, stall_ms = STALL_MS): Promise<Answer> => {
  let adapted = 0;
  for (let retries = 0; ; ) {
    const attempt = await once(dialect, post, watch, signal, stall_ms);
    if (attempt.kind === 'answer') return attempt.answer;
    const failed: Answer = { ok: false, end: 'provider-error', cause: attempt.cause };
    if (attempt.because === 'refused') {
      adapted += 1;
      if (adapted > 4) return failed;
      continue;
    }
    const pause = attempt.after_ms ?? Math.min(MAX_BACKOFF_MS, 500 * 2 ** retries);
    retries += 1;
    if (retries > MAX_RETRIES || clock.now() + pause >= until) return failed;
    watch.log(`${attempt.cause}; asking again in ${pause} ms`);
    await clock.wait(pause, signal);
    if (signal.aborted) return cut(signal);
  }
};

const once = async (dialect: Dialect, post: Post, watch: Watch, signal: AbortSignal, stall_ms: number): Promise<Attempt> => {
  if (signal.aborted) return { kind: 'answer', answer: cut(signal) };
  const body = dialect.body();
  const stalled = new AbortController();
  const both = AbortSignal.any([signal, stalled.signal]);
  const folder = dialect.folder();
  const meter = openMeter(folder, watch, () => dialect.estimate(body.byteLength));
  let heard = false;
  let timer: NodeJS.Timeout | undefined;
  watch.sent();
  try {
    const answer = await post(body, both);
    if (answer.status !== 200) return await refusal(answer, dialect, watch);
    for await (const incoming of readAnswer(answer.body)) {
      if (!heard) {
        heard = true;
        watch.firstEvent();
      }
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), stall_ms);
      folder.take(incoming);
      meter.report();
    }
    if (!heard) return { kind: 'again', because: 'busy', cause: 'empty answer' };
    const answered = folder.end();
    meter.close(answered.ok);
    return { kind: 'answer', answer: answered };
  } catch (error) {
    // A request that was cut off may have been read by the endpoint: it is charged as if it had been.
    if (heard || signal.aborted) meter.close(false);
    if (signal.aborted) return { kind: 'answer', answer: cut(signal) };
    if (stalled.signal.aborted) return { kind: 'answer', answer: { ok: false, end: 'provider-error', cause: 'stream stalled' } };
    const cause = `connection: ${codeOf(error)}`;
    return heard ? { kind: 'answer', answer: { ok: false, end: 'provider-error', cause: `${cause} in mid-answer` } } : { kind: 'again', because: 'busy', cause };
  } finally {
    clearTimeout(timer);
  }
};

/** Reports what the folder has counted since last time; closing fills in what a cut-off or silent endpoint never told. */
export const openMeter = (folder: Folder, watch: Watch, estimate: () => Usage): { report: () => void; close: (whole: boolean) => void } => {
  let told = NO_USAGE;
  const tell = (now: Usage, estimated: boolean): void => {
    const more = moreUsage(now, told);
    if (isNoUsage(more)) return;
    told = addUsage(told, more);
    watch.usage(more, estimated);
  };
  return {
    report: () => {
      const now = folder.usage();
      if (now !== undefined) tell(now, false);
    },
    close: (whole) => {
      const output = tokensOf(folder.chars());
      const input = told.input + told.cache_read + told.cache_write_5m + told.cache_write_1h;
      if (input === 0) tell({ ...estimate(), output: Math.max(told.output, output) }, true);
      else if (!whole) tell({ ...told, output: Math.max(told.output, output) }, true);
    },
  };
};

const refusal = async (answer: HttpAnswer, dialect: Dialect, watch: Watch): Promise<Attempt> => {
  const text = await headOf(answer.body);
  const words = dialect.errorWords(text);
  const cause = `http ${answer.status}${words === '' ? '' : ` ${words}`}`;
  if (answer.status === 400 || answer.status === 422) {
    if (dialect.adapt(text, watch)) return { kind: 'again', because: 'refused', cause };
  }
  if (answer.status === 408 || answer.status === 409 || answer.status === 429 || answer.status >= 500) {
    const after_ms = retryAfter(answer.header);
    return { kind: 'again', because: 'busy', cause, ...(after_ms === undefined ? {} : { after_ms }) };
  }
  return { kind: 'answer', answer: { ok: false, end: 'provider-error', cause } };
};

const headOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ERROR_HEAD) break; // leaving the loop cancels the body
  }
  return text;
};

/** `retry-after-ms`, or `retry-after` in seconds or as a date (which needs no clock of ours: the answer's own `date` is its base). */
const retryAfter = (header: (name: string) => string | undefined): number | undefined => {
  const ms = Number(header('retry-after-ms') ?? NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = header('retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const span = Date.parse(value) - Date.parse(header('date') ?? '');
  return Number.isFinite(span) && span >= 0 ? span : undefined;
};

const cut = (signal: AbortSignal): Answer => ({ ok: false, ...cutBecause(signal) });

/** A fork's signal is aborted with a ForkEnd as its reason; anything else is a plain cancel. */
export const cutBecause = (signal: AbortSignal): { readonly end: ForkEnd; readonly cause: string } => {
  if (signal.reason === 'deadline') return { end: 'deadline', cause: 'cut off after the deadline' };
  if (signal.reason === 'budget') return { end: 'budget', cause: 'cut off: the budget is spent' };
  return { end: 'cancelled', cause: 'cancelled' };
};

/** The code of a connection error, the innermost first; never its message, which names addresses. */
const codeOf = (error: unknown): string => {
  let code = 'failed';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') code = at.code;
  }
  return code;
};
