// What a case of a detector's table says, and how it is held against what came out of the loop.
import { expect } from 'vitest';
import type { Played } from './detector-run.ts';
import type { Part } from './story.ts';

export type Expected = {
  readonly to: 'agent' | 'human';
  readonly key: string | RegExp;
  /** One for each citation that must be there: held against what code found behind it. */
  readonly seen: readonly RegExp[];
};

export type Case = { readonly what: string; readonly parts: readonly Part[]; readonly speaks?: Expected };

/** Exactly one advisory of the detector, as expected; or none at all, though its fork had its say (`asked`) or because code kept it from being asked. */
export const holds = (played: Played, detector: string, expected: Expected | undefined, asked = true): void => {
  const said = played.advice.filter(({ kind }) => kind === detector);
  const answers = played.events.filter((event) => event.type === 'fork' && event.detector === detector && event.end === 'feedback');
  expect(answers.length > 0).toBe(asked || expected !== undefined);
  if (expected === undefined) {
    expect(said.map(({ headline }) => headline)).toEqual([]);
    expect(played.events.filter(({ type }) => type === 'delivered')).toEqual([]);
    return;
  }
  expect(said.map(({ kind, human_only }) => [kind, human_only ? 'human' : 'agent'])).toEqual([[detector, expected.to]]);
  const [advice] = said;
  if (typeof expected.key === 'string') expect(advice?.dedup_key).toBe(expected.key);
  else expect(advice?.dedup_key).toMatch(expected.key);
  const found = advice?.evidence.map(({ cite, text }) => `${cite} ${text}`) ?? [];
  for (const pattern of expected.seen) expect(found.some((one) => pattern.test(one)), `${pattern} in ${JSON.stringify(found)}`).toBe(true);
  // Delivered to whom it was meant for, in the words that were judged.
  const delivered = played.events.flatMap((event) => (event.type === 'delivered' ? [event] : []));
  for (const one of delivered) expect([one.id, one.human_only]).toEqual([advice?.id, expected.to === 'human']);
};
