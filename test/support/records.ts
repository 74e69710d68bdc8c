// Transcript records of our own making, and a projection small enough to see through.
import type { Observation, Projected } from '../../src/main/records.ts';

/** One line: a text of the agent with this uuid. */
export const record = (uuid: string, text: string, parent?: string): string =>
  JSON.stringify({ type: 'assistant', uuid, parentUuid: parent ?? null, sessionId: 's1', timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'assistant', content: [{ type: 'text', text }] } });

const parsed = (line: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(line).toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};

/** Enough of a projection for tests of what stands around it: uuid, session, and the first text. */
export const project = (line: Uint8Array): Projected => {
  const row = parsed(line);
  if (row === undefined) return item({ type: 'bad-line', raw_chars: line.length });
  const type = typeof row['type'] === 'string' ? row['type'] : '';
  const uuid = typeof row['uuid'] === 'string' ? row['uuid'] : undefined;
  const session = typeof row['sessionId'] === 'string' ? row['sessionId'] : undefined;
  const text = /"text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(row))?.[1];
  return item({
    type,
    ...(['user', 'assistant'].includes(type) ? {} : { unknown: true as const }),
    ...(uuid === undefined ? {} : { uuid }),
    ...(session === undefined ? {} : { session }),
    ...(text === undefined ? {} : { observations: [observation({ kind: 'text', uuid: uuid ?? '', text: `[text] ${String(JSON.parse(text))}` })] }),
    raw_chars: line.length,
  });
};

export const item = (fields: Partial<Projected>): Projected => ({ type: 'assistant', observations: [], events: [], proofs: [], raw_chars: 0, ...fields });

export const observation = (fields: Partial<Observation>): Observation => ({ kind: 'text', at: 0, uuid: 'u', text: '[text] x', raw_chars: 0, ...fields });
