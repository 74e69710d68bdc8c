// What a replay tells: events as they happen in session time, for a person or as JSON lines (SPEC 12). Rendering only.
import type { Because, Channel, ForkEnd, PassReason } from '../records.ts';
import type { Volume } from '../surfaces.ts';
import { clock, columns, count, line, percent, wrap } from './plain.ts';

export type ReplayEvent =
  | { readonly type: 'start'; readonly file: string; readonly bytes: number; readonly provider: string }
  | { readonly type: 'pass'; readonly at: number; readonly pass: number; readonly because: PassReason; readonly observations: number }
  | {
      readonly type: 'fork';
      readonly at: number;
      readonly pass: number;
      readonly detector: string;
      readonly verdict: string;
      readonly end: ForkEnd;
      readonly headline?: string;
      readonly confidence?: number;
      readonly cause?: string;
    }
  | {
      readonly type: 'advice';
      readonly at: number;
      readonly id: string;
      readonly detector: string;
      readonly headline: string;
      readonly confidence: number;
      readonly to: 'agent' | 'human' | 'nobody';
      readonly because?: Because;
      readonly evidence: readonly string[];
    }
  | { readonly type: 'delivered'; readonly at: number; readonly id: string; readonly channel: Channel; readonly text: string; readonly human_only: boolean }
  | { readonly type: 'dropped'; readonly at: number; readonly id: string; readonly because: Because }
  | { readonly type: 'outcome'; readonly at: number; readonly id: string; readonly verdict: string; readonly evidence: readonly string[] }
  | { readonly type: 'note'; readonly at: number; readonly text: string }
  | ReplaySummary;

export type ReplaySummary = {
  readonly type: 'summary';
  readonly file: string;
  readonly records: number;
  readonly kinds: Readonly<Record<string, Volume>>;
  readonly unknown: Readonly<Record<string, number>>;
  readonly badLines: number;
  readonly observations: number;
  readonly rawChars: number;
  readonly keptChars: number;
  readonly tools: Readonly<Record<string, Volume>>;
  readonly passes: number;
  readonly advice: { readonly generated: number; readonly gated: Readonly<Record<string, number>>; readonly delivered: number };
  readonly usage: { readonly input: number; readonly output: number };
  readonly primary: { readonly input: number; readonly output: number };
  readonly usd?: number;
  readonly wallMs: number;
  readonly peakRssMb: number;
};

/** One JSON object a line. */
export const replayJson = (event: ReplayEvent): string => JSON.stringify(event);

/** The event for a person, or undefined when it is not worth a line. */
export const replayText = (event: ReplayEvent, width: number): string | undefined => {
  switch (event.type) {
    case 'start':
      return `Second Brain watches ${line(event.file, width - 30)} again, judged by ${event.provider}${event.provider === 'local' ? ' (rules, no model, no network)' : ''}.\n`;
    case 'pass':
      return `${clock(event.at)}  pass ${event.pass} (${event.because}, ${event.observations} observations)`;
    case 'fork':
      return event.verdict === 'silent' && event.end !== 'provider-error'
        ? undefined
        : `            ${event.detector} → ${event.verdict}${event.headline === undefined ? '' : ` “${line(event.headline, width - 40)}”`}${event.confidence === undefined ? '' : ` (${event.confidence.toFixed(2)})`}${event.cause === undefined ? '' : ` [${line(event.cause, 60)}]`}`;
    case 'advice':
      return event.to === 'nobody' ? `            ${event.id} withheld: ${event.because ?? ''}` : `            ${event.id} ${event.to === 'agent' ? 'may be said' : `for you alone${event.because === undefined ? '' : ` (${event.because})`}`}`;
    case 'delivered':
      return `${clock(event.at)}  said at ${event.channel}${event.human_only ? ', to you alone' : ', to the agent and you'}:\n${wrap(event.text, width - 6)
        .split('\n')
        .map((text) => `    │ ${text}`)
        .join('\n')}`;
    case 'dropped':
      return `${clock(event.at)}  ${event.id} dropped before anyone came for it: ${event.because}`;
    case 'outcome':
      return `${clock(event.at)}  ${event.id} → ${event.verdict}${event.evidence.length === 0 ? '' : ` (${event.evidence.map((text) => line(text, 60)).join('; ')})`}`;
    case 'note':
      return `${clock(event.at)}  ${line(event.text, width - 10)}`;
    case 'summary':
      return summaryText(event, width);
  }
};

const summaryText = (summary: ReplaySummary, width: number): string => {
  const gated = Object.entries(summary.advice.gated);
  const unknown = Object.entries(summary.unknown);
  const tools = Object.entries(summary.tools)
    .sort(([, a], [, b]) => b.raw_chars - a.raw_chars)
    .slice(0, 10);
  return [
    '',
    `${summary.records} records, ${summary.observations} observations; of ${count(summary.rawChars)} characters of content it kept ${count(summary.keptChars)} (${percent(summary.keptChars, summary.rawChars)}).`,
    ...(tools.length === 0 ? [] : [columns([['tool', 'calls', 'raw', 'kept', ''], ...tools.map(([name, { count: n, raw_chars, kept_chars }]) => [line(name, 30), String(n), count(raw_chars), count(kept_chars), percent(kept_chars, raw_chars)])])]),
    ...(unknown.length === 0 && summary.badLines === 0 ? [] : [`Not read: ${[...unknown.map(([type, n]) => `${n} × ${line(type, 30)}`), ...(summary.badLines === 0 ? [] : [`${summary.badLines} damaged line${summary.badLines === 1 ? '' : 's'}`])].join(', ')}.`]),
    `${summary.passes} passes; advice: ${summary.advice.generated} generated, ${summary.advice.delivered} said, ${gated.reduce((sum, [, n]) => sum + n, 0)} withheld${gated.length === 0 ? '' : ` (${gated.map(([because, n]) => `${because} ${n}`).join(', ')})`}.`,
    summary.advice.delivered === 0 ? 'It would have stayed silent, which is the normal result.' : `It would have spoken ${summary.advice.delivered === 1 ? 'once' : `${summary.advice.delivered} times`}.`,
    `Tokens: ${count(summary.usage.input + summary.usage.output)} of its own against ${count(summary.primary.input + summary.primary.output)} of the agent’s${summary.usd === undefined ? '' : `, $${summary.usd.toFixed(3)}`}. ${(summary.wallMs / 1000).toFixed(1)} s, ${Math.round(summary.peakRssMb)} MB at most.`,
  ]
    .map((text) => (text.length > width && !text.includes('\n') ? wrap(text, width) : text))
    .join('\n');
};
