// /second-brain-why: what was said with its proof, what was withheld and why, from the session's history (SPEC 12).
import type { Advice, Because } from '../records.ts';
import type { HistoryLine } from '../surfaces.ts';
import { age, fit, line, plain, wrap } from './plain.ts';

/** One advisory as its history lines leave it. */
export type Told = {
  readonly advice: Advice;
  readonly state: HistoryLine['event'];
  readonly because?: Because;
  readonly lines: readonly HistoryLine[];
};

/** Folds history lines, oldest first, into one row per advisory in the order they were generated. */
export const toldOf = (lines: readonly HistoryLine[]): readonly Told[] => {
  const rows = new Map<string, { advice: Advice; lines: HistoryLine[] }>();
  for (const entry of lines) {
    const row = rows.get(entry.id);
    if (row !== undefined) row.lines.push(entry);
    else if (entry.advice !== undefined) rows.set(entry.id, { advice: entry.advice, lines: [entry] });
  }
  return [...rows.values()].map(({ advice, lines: own }) => {
    const last = own.at(-1);
    const because = own.findLast((entry) => entry.because !== undefined)?.because;
    return { advice, state: last?.event ?? 'generated', ...(because === undefined ? {} : { because }), lines: own };
  });
};

/** Each reason in words. */
export const EXPLAINED: Readonly<Record<Because, string>> = {
  'no-evidence': 'none of its citations could be found in what was seen',
  muted: 'muted',
  suppressed: 'the agent declined this before',
  duplicate: 'said or dropped before in other words',
  'below-human-floor': 'too unsure to tell anyone',
  'below-agent-floor': 'too unsure to tell the agent: shown to you alone',
  rate: 'the hour’s advisories were used up',
  cooldown: 'too soon after the one before',
  stale: 'already handled when it would have been said',
  unfit: 'nothing fit to say was left after cleaning its text',
  'mailbox-full': 'too many waited; the least sure went',
  superseded: 'a newer one took its place',
  resolved: 'its detector saw it done',
  'expired-ttl': 'no longer sure to be true (validity clock)',
  'expired-queue': 'nobody came for it in time (queue clock)',
  'moved-on': 'the session had moved to another task',
  rewound: 'the conversation was rewound past it',
  forgotten: 'forgotten on request',
  lost: 'printed, and not taken up by the host',
};

export type WhyInput = {
  readonly lines: readonly HistoryLine[];
  readonly now: number;
  readonly width: number;
  /** When the finish gate spoke in this task. */
  readonly gate_firings: readonly number[];
  readonly floors: readonly { readonly detector: string; readonly floor: number; readonly source: string }[];
  /** Lines of the history that could not be read. */
  readonly bad?: number;
};

/** The last five said and the last five withheld, newest first, with evidence, channel, proof and outcome. */
export const whyText = ({ lines, now, width, gate_firings, floors, bad = 0 }: WhyInput): string => {
  const told = toldOf(lines);
  const said = told.filter(({ lines: own }) => own.some(({ event }) => event === 'claimed' || event === 'confirmed')).slice(-5).reverse();
  const waiting = told.filter(({ state }) => state === 'enqueued' || state === 'returned');
  const withheld = told.filter(({ state }) => state === 'gated' || state === 'expired' || state === 'withdrawn').slice(-5).reverse();
  const parts = [
    said.length === 0 ? 'Nothing said yet.' : ['Said', ...said.map((row) => saidRow(row, now, width))].join('\n'),
    ...(waiting.length === 0 ? [] : [['Waiting', ...waiting.map(({ advice }) => `  ${advice.id} ${advice.kind}: ${line(advice.headline, width - 20)}`)].join('\n')]),
    withheld.length === 0 ? 'Nothing withheld.' : ['Withheld', ...withheld.map((row) => withheldRow(row, now, width))].join('\n'),
    gate_firings.length === 0 ? 'The finish gate has not spoken in this task.' : `The finish gate spoke ${gate_firings.length}×, last ${age(now - Math.max(...gate_firings))} ago.`,
    ...(floors.length === 0 ? [] : [['Floors', ...floors.map(({ detector, floor, source }) => `  ${line(detector, 24)} ${floor.toFixed(2)} (${line(source, 60)})`)].join('\n')]),
    ...(bad === 0 ? [] : [`${bad} lines of the history could not be read.`]),
  ];
  return fit(parts.join('\n\n'), width);
};

/** Everything known of one advisory; undefined when the history has no such id. */
export const oneText = (lines: readonly HistoryLine[], id: string, now: number, width: number): string | undefined => {
  const row = toldOf(lines).find(({ advice }) => advice.id === id);
  if (row === undefined) return undefined;
  const steps = row.lines.map(({ at, event, because, channel, verdict }) => `    ${age(now - at)} ago ${event}${channel === undefined ? '' : ` by ${channel}`}${because === undefined ? '' : `: ${EXPLAINED[because] ?? because}`}${verdict === undefined ? '' : ` ${verdict}`}`);
  return fit([saidRow(row, now, width), '    what became of it:', ...steps].join('\n'), width);
};

const saidRow = ({ advice, lines }: Told, now: number, width: number): string => {
  const claimed = lines.findLast(({ event }) => event === 'claimed');
  const confirmed = lines.some(({ event }) => event === 'confirmed');
  const lost = lines.some(({ event }) => event === 'lost');
  const outcome = lines.findLast(({ event }) => event === 'outcome');
  return [
    `  ${advice.id} ${advice.kind}, ${age(now - (claimed?.at ?? advice.generated_at))} ago ${claimed === undefined ? 'made, not said' : `by ${claimed.channel ?? 'unknown'}`}, ${advice.human_only ? 'to you alone' : 'to the agent and you'}, confidence ${advice.confidence.toFixed(2)}`,
    `    ${wrap(advice.headline, width - 4, '    ')}`,
    ...(advice.body === '' ? [] : [`    ${wrap(advice.body, width - 4, '    ')}`]),
    ...advice.evidence.map(({ cite, text }) => `    seen: ${line(cite === text ? cite : `${cite} ${text}`, width - 10)}`),
    `    ${confirmed ? 'seen in the transcript' : lost ? 'lost: the host did not take it up' : 'not confirmed yet'}; ${outcome === undefined ? 'no outcome yet' : `outcome ${outcome.verdict ?? 'no_evidence'}${(outcome.evidence ?? []).map((text) => ` (${line(text, 60)})`).join('')}`}`,
  ].join('\n');
};

const withheldRow = ({ advice, because, lines }: Told, now: number, width: number): string => {
  const at = lines.at(-1)?.at ?? advice.generated_at;
  return `  ${advice.id} ${advice.kind}, ${age(now - at)} ago: ${because === undefined ? 'no reason recorded' : (EXPLAINED[because] ?? because)}\n    ${line(plain(advice.headline), width - 4)}`;
};
