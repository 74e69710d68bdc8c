// Folds projected lines, in file order, into what happened: no copy twice, results with their calls' names, rewinds told.
import { createHash } from 'node:crypto';
import { headOf } from '../floor/text.ts';
import type { Observation, Projected, Proof, ReadEvent } from '../records.ts';
import { createCalls } from './calls.ts';
import { createFinals, textsWithin } from './final-text.ts';
import { createLineage, type LineageRecord } from './lineage.ts';
import { createPromptQueue } from './prompt-queue.ts';

export type Folded = {
  readonly observations: readonly Observation[];
  readonly events: readonly ReadEvent[];
  readonly proofs: readonly Proof[];
  /** The items that are no copies: what usage and volumes count. */
  readonly fresh: readonly Projected[];
  readonly copies: number;
};

/** `history`: a fork's copied records are new to us; `live`: they are no activity. */
export type FoldMode = 'live' | 'history';

export type Chain = {
  readonly fold: (items: readonly Projected[], mode: FoldMode) => Folded;
  /** The final text of a Stop signal, redacted; undefined when its record was read before. */
  readonly observeFinal: (text: string, at: number) => Observation | undefined;
  /** A subagent's final text from its signal; undefined when told before, or for the host's own agents (no type). */
  readonly observeAgent: (agent: { readonly id: string; readonly type: string; readonly text: string; readonly at: number }, cap: number) => Observation | undefined;
  /** What signals brought to a chain before this one, once that chain's records have been folded again: their own records are no news. */
  readonly remember: (observations: readonly Observation[]) => void;
  /** The file has records before the first one that is folded: copies of them are told by their age. */
  readonly beganLate: () => void;
};

/** The state of one session's reading (SPEC 5.1, 5.2). Bounded: see each part. */
export const createChain = (): Chain => {
  const lineage = createLineage();
  const calls = createCalls();
  const finals = createFinals();
  const queue = createPromptQueue();

  const fold = (items: readonly Projected[], mode: FoldMode): Folded => {
    const observations: Observation[] = [];
    const events: ReadEvent[] = [];
    const proofs: Proof[] = [];
    const fresh: Projected[] = [];

    for (const item of items) {
      const link = item.uuid === undefined ? undefined : linkOf(item, item.uuid);
      if (link !== undefined && (lineage.seen(link.uuid) || (mode === 'live' && lineage.isForgotten(link)))) continue;
      const copied = item.forked_from !== undefined && mode === 'live';
      const rewound = link === undefined ? undefined : lineage.add(link);
      if (copied) continue;
      fresh.push(item);
      if (rewound !== undefined) {
        const at = item.at ?? 0;
        observations.push(rewindNote(item, rewound.records, at));
        events.push({ kind: 'rewind', at, dead: rewound.named });
      }
      if (item.type === 'attachment/queued_command') queue.attached();
      if (item.queue !== undefined) {
        const at = item.at ?? 0;
        for (const text of queue.operate(item.queue, at)) events.push({ kind: 'withdrawn', at, text });
      }
      if (item.events.some(({ kind }) => kind === 'response')) {
        for (const { text, at } of queue.due()) {
          observations.push({ kind: 'prompt', at, uuid: nameOf('queued', `${at} ${text}`), text: `[prompt] ${text}`, raw_chars: text.length, human: true });
          events.push({ kind: 'prompt', origin: 'human', at });
        }
      }
      for (const observation of item.observations) {
        const joined = observe(observation);
        if (joined !== undefined) observations.push(joined);
      }
      for (const event of item.events) {
        // Turns of long ago say nothing of what a signal has just told.
        if (event.kind === 'turn-end' && mode === 'live') finals.turnEnded();
        events.push(event);
      }
      for (const proof of item.proofs) proofs.push(item.uuid === undefined ? proof : { ...proof, uuid: item.uuid });
    }
    return { observations, events, proofs, fresh, copies: items.length - fresh.length };
  };

  const observe = (observation: Observation): Observation | undefined => {
    if (observation.kind === 'text' && !finals.fromRecord(textOf(observation))) return undefined;
    return calls.join(observation);
  };

  const observeFinal: Chain['observeFinal'] = (text, at) =>
    finals.fromSignal(text) ? { kind: 'text', at, uuid: nameOf(FINAL, `${at} ${text}`), text: `[text] ${text}`, raw_chars: text.length } : undefined;

  const observeAgent: Chain['observeAgent'] = ({ id, type, text, at }, cap) => {
    if (type === '' || text.trim() === '' || !calls.conclude(id)) return undefined;
    return { kind: 'agent', at, uuid: nameOf('agent', id), text: `[agent] ${type}: ${headOf(text, cap)}`, raw_chars: text.length, settles: id };
  };

  const remember: Chain['remember'] = (observations) => {
    for (const { kind, settles } of observations) if (kind === 'agent' && settles !== undefined) calls.conclude(settles);
    // One that another text has followed had its record read before that.
    const last = observations.findLast(({ kind }) => kind === 'text');
    if (last !== undefined && isFinal(last)) finals.fromSignal(textOf(last));
  };

  return { fold, observeFinal, observeAgent, remember, beganLate: lineage.beganLate };
};

const FINAL = 'final';

const isFinal = ({ uuid }: Observation): boolean => uuid.startsWith(`${FINAL}-`);

/** Whether a record tells again what a signal had brought among `observations`: there it stands under another uuid. */
export const toldBySignals = (observations: readonly Observation[]): ((one: Observation) => boolean) => {
  const within = textsWithin(observations.filter(isFinal).map(textOf));
  return (one) => one.kind === 'text' && within(textOf(one));
};

const linkOf = ({ parent, at, prompt, type, proofs }: Projected, uuid: string): LineageRecord => ({
  uuid, parent, at, prompt: prompt !== undefined, boundary: type === 'system/compact_boundary', aside: type === 'sidechain', named: proofs.length > 0,
});

const rewindNote = (item: Projected, records: number, at: number): Observation => ({
  kind: 'note',
  note: 'rewind',
  at,
  uuid: item.uuid ?? '',
  text: `[note] the conversation was rewound here: the ${records} records before this prompt that it does not follow no longer count`,
  raw_chars: 0,
});

/** An observation's text without its tag. */
const textOf = ({ text }: Observation): string => (text.startsWith(TAG) ? text.slice(TAG.length) : text);

const TAG = '[text] ';

/** A name for what no record has brought: the same for the same content. */
const nameOf = (kind: string, content: string): string => `${kind}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
