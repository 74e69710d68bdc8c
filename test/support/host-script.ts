// What the scripted model answers to the host: the words of a script, and the choice of the turn for one request.
// Pure: the server around it is host-model.ts.

/** A block of an answer: text, a tool call, thinking, or any content block written out. */
export type ScriptBlock =
  | string
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>>; readonly id?: string }
  | { readonly thinking: string }
  | { readonly type: string; readonly [key: string]: unknown };

/** One answer. `delay_ms` passes before the first byte; `usage` overrides counts; `error` answers with that HTTP status. */
export type Turn = {
  readonly content?: readonly ScriptBlock[];
  readonly stop_reason?: string;
  readonly delay_ms?: number;
  readonly chunk_delay_ms?: number;
  readonly usage?: Readonly<Record<string, number>>;
  readonly error?: { readonly status: number; readonly type?: string; readonly message?: string };
};

/**
 * Answers a request in which `match` (all of it, when it is a list) is found: in the last user message, the system text, the
 * tools' names, or anywhere in the JSON. `times`: only so often, then the rule is used up.
 */
export type ScriptRule = {
  readonly match: string | readonly string[];
  readonly on?: 'last' | 'system' | 'tools' | 'any';
  readonly times?: number;
  readonly turn: Turn;
};

/**
 * A whole script. Order of choice: rules; `observer` for requests of our own forks; `side` for requests with few tools
 * (titles, helper calls); the scenario named by
 * `@@name` in the latest user text that has one, at the position given by
 * the assistant messages since (stateless, so subagents, resumes and forks work); the pushed queue; `fallback`.
 */
export type Script = {
  readonly turns?: readonly Turn[];
  readonly scenarios?: Readonly<Record<string, readonly Turn[]>>;
  readonly rules?: readonly ScriptRule[];
  readonly fallback?: Turn;
  readonly side?: Turn;
  readonly observer?: Turn;
};

/** What a running script remembers: pushed turns not yet taken, and how often a rule was used. */
export type ScriptState = { readonly queue: Turn[]; readonly used: Map<string, number> };

export type WireMessage = { readonly role: string; readonly content: unknown };
export type WireBody = {
  readonly model?: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages?: readonly WireMessage[];
  readonly tools?: readonly { readonly name?: string }[];
};

/** The turn for a request and where it came from. Changes nothing but `state`. */
export const pickTurn = (script: Script, state: ScriptState, body: WireBody): { readonly turn: Turn; readonly why: string } => {
  for (const rule of script.rules ?? []) {
    const name = String(rule.match);
    const used = state.used.get(name) ?? 0;
    const hay = haystack(rule, body);
    if (used >= (rule.times ?? Infinity) || ![rule.match].flat().every((part) => hay.includes(part))) continue;
    state.used.set(name, used + 1);
    return { turn: rule.turn, why: `rule:${name}` };
  }
  if (isObserver(body)) return { turn: script.observer ?? SILENT, why: 'observer' };
  if (!isMainLoop(body)) return { turn: script.side ?? { content: ['{"title":"Scripted session"}'] }, why: 'side' };
  const named = scenarioTurn(script, body.messages ?? []);
  if (named !== undefined) return named;
  const next = state.queue.shift();
  if (next !== undefined) return { turn: next, why: 'queue' };
  return { turn: script.fallback ?? { content: ['OK.'] }, why: 'fallback' };
};

/** Requests of the session's own loop and its subagents carry the host's tools; titles and other helpers none or one. */
export const isMainLoop = (body: WireBody): boolean => (body.tools?.length ?? 0) > 2 && !isObserver(body);

/** A request of one of our forks. */
export const isObserver = (body: WireBody): boolean => body.tools?.some(({ name }) => name === FEEDBACK) === true;

const FEEDBACK = 'second_brain_detector_feedback';
const SILENT: Turn = { content: [{ tool: FEEDBACK, input: { verdict: 'silent' } }] };

/** All text of a message or of a system prompt, tool results included, blocks joined by newlines. */
export const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(blockText).filter((text) => text !== '').join('\n');
};

const blockText = (block: unknown): string => {
  if (typeof block === 'string') return block;
  if (typeof block !== 'object' || block === null) return '';
  if ('text' in block && typeof block.text === 'string') return block.text;
  return 'content' in block ? textOf(block.content) : '';
};

const haystack = (rule: ScriptRule, body: WireBody): string => {
  switch (rule.on ?? 'last') {
    case 'system':
      return textOf(body.system);
    case 'tools':
      return (body.tools ?? []).map(({ name }) => name ?? '').join('\n');
    case 'any':
      return JSON.stringify(body);
    case 'last':
      return textOf((body.messages ?? []).findLast(({ role }) => role === 'user')?.content);
  }
};

const scenarioTurn = (script: Script, messages: readonly WireMessage[]): { turn: Turn; why: string } | undefined => {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && scenarioName(script, content) !== undefined);
  if (at < 0) return undefined;
  const name = scenarioName(script, messages[at]?.content) ?? '';
  const position = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
  const turn = script.scenarios?.[name]?.[position];
  return turn === undefined ? undefined : { turn, why: `scenario:${name}[${position}]` };
};

const scenarioName = (script: Script, content: unknown): string | undefined =>
  [...textOf(content).matchAll(/@@([\w-]+)/g)].map((match) => match[1] ?? '').findLast((name) => script.scenarios?.[name] !== undefined);
