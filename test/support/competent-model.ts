// A scripted model that reads what it is sent: it knows the labelled answers, and gives one only when what it rests on stands in the request.
import { feedbackCall } from './fork-task.ts';
import type { ModelRequest, Script } from './model-server.ts';

export type Line = { readonly n: number; readonly text: string };

/** What one detector's fork shows its model. */
export type Look = {
  /** Observations in order, further lines of one joined by newlines. */
  readonly lines: readonly Line[];
  /** What earlier passes reported. */
  readonly reported: readonly string[];
  readonly tail: string;
  /** Texts its tools returned, oldest first. */
  readonly results: readonly string[];
  /** Its open advisories: `id`, `key`, and the last observation they knew. */
  readonly open: readonly { readonly id: string; readonly key: string; readonly after: number }[];
  /** Lines that hold any of the words, case aside. */
  readonly find: (kind: string, ...words: readonly string[]) => readonly Line[];
};

export type Answer = { readonly feedback: object } | { readonly calls: readonly { readonly name: string; readonly args: object }[] };
export type Rule = (look: Look) => Answer;

export const silent = (checked?: string): Answer => ({ feedback: { verdict: 'silent', ...(checked === undefined ? {} : { checked }) } });
export const advise = (fields: object): Answer => ({ feedback: { verdict: 'advise', confidence: 0.9, ...fields } });
export const ask = (name: string, args: object): Answer => ({ calls: [{ name, args }] });
export const cite = (lines: readonly (Line | undefined)[]): readonly string[] => lines.flatMap((line) => (line === undefined ? [] : [`#${line.n}`]));

/** Each detector answers by its rule; one without is silent. */
export const answerTo = (rules: Readonly<Record<string, Rule>>): Script => (request) => {
  const look = lookOf(request);
  const name = /Your look: ([\w-]+)/.exec(tailOf(request))?.[1] ?? '';
  const answer = rules[name]?.(look) ?? silent();
  return { calls: 'calls' in answer ? answer.calls : [feedbackCall(answer.feedback)] };
};

type Content = string | readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[];

const blocksOf = (request: ModelRequest): readonly { readonly type: string; readonly text?: string; readonly content?: unknown }[] => {
  const messages = request.body['messages'] as readonly { readonly role: string; readonly content: Content }[];
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
};

const tailOf = (request: ModelRequest): string => blocksOf(request).findLast(({ type, text }) => type === 'text' && text?.includes('Your look: ') === true)?.text ?? '';

export const lookOf = (request: ModelRequest): Look => {
  const blocks = blocksOf(request);
  const tail = tailOf(request);
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined && text !== tail ? [text.replaceAll('&lt;', '<')] : []));
  const lines: { n: number; text: string }[] = [];
  for (const row of texts.filter((text) => /^<(?:observations|history)-/.test(text)).flatMap((text) => text.split('\n'))) {
    const numbered = /^#(\d+) (.*)$/.exec(row);
    if (numbered !== null) lines.push({ n: Number(numbered[1]), text: numbered[2] ?? '' });
    else if (row.startsWith('  ') && lines.length > 0) (lines.at(-1) as { text: string }).text += `\n${row.slice(2)}`;
  }
  return {
    lines,
    reported: texts.filter((text) => text.startsWith('<feedback-')).flatMap((text) => text.split('\n')).filter((row) => row.startsWith('[pass ')),
    tail: tail.replaceAll('&lt;', '<'),
    results: blocks.flatMap(({ type, content }) => (type === 'tool_result' ? [typeof content === 'string' ? content : JSON.stringify(content)] : [])),
    open: [...tail.matchAll(/^- (sb-\w+) \(key (.+?), said .*? up to #(\d+)\)/gm)].map((match) => ({ id: match[1] ?? '', key: match[2] ?? '', after: Number(match[3]) })),
    find: (kind, ...words) => lines.filter(({ text }) => text.startsWith(`[${kind}]`) && words.some((word) => text.toLowerCase().includes(word.toLowerCase()))),
  };
};
