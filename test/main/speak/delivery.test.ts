// Confirmed by our id in a record, lost by positive evidence only, returned once.
import { describe, expect, test } from 'vitest';
import type { Proof, ReadEvent } from '../../../src/main/records.ts';
import { noDeliveries, settle } from '../../../src/main/speak/delivery.ts';
import type { Claim } from '../../../src/main/speak/envelope.ts';
import { claim, NOW } from '../../support/mail.ts';

const proof = (channel: Proof['channel'], ids: readonly string[] = ['sb-abcd1234']): Proof => ({ ids, channel, at: NOW + 50 });
const result = (call = 'toolu_1', at = NOW - 10): ReadEvent => ({ kind: 'tool-result', at, call });
const response = (at = NOW + 100): ReadEvent => ({ kind: 'response', at });
const opened = (prompt_id = 'p1', at = NOW - 5): ReadEvent => ({ kind: 'prompt', origin: 'human', at, prompt_id });
const end: ReadEvent = { kind: 'turn-end', at: NOW + 200, reason: 'end_turn' };

const outcome = (item: Claim, events: readonly ReadEvent[], proofs: readonly Proof[] = [], now = NOW + 1000): string => {
  const { settled } = settle(noDeliveries, [item], { events, proofs }, now);
  const [first] = settled;
  if (first === undefined) return 'unknown';
  return first.end === 'lost' ? `lost:${first.because}:${first.again ? 'again' : 'for good'}` : first.end;
};

const typed = claim({}, { channel: 'UserPromptSubmit', ref: 'p1' });
const bell = claim({ finish_gate: true }, { channel: 'bell', ref: 'p1' });
const atStop = claim({ finish_gate: true }, { channel: 'Stop', ref: 'p1' });

const ROWS: readonly (readonly [string, Claim, readonly ReadEvent[], readonly Proof[], string])[] = [
  ['our id in hook context confirms', claim(), [result()], [proof('context')], 'confirmed'],
  ['another id proves nothing', claim(), [result()], [proof('context', ['sb-zzzzzzzz'])], 'unknown'],
  ['a message on screen does not confirm what the agent should read', claim(), [result()], [proof('message')], 'unknown'],
  ['a message confirms what only the user should read', claim({ human_only: true }), [], [proof('message')], 'confirmed'],
  ['a printed block does too', claim({ human_only: true }), [], [proof('informational')], 'confirmed'],
  ['context confirms no hunch', claim({ human_only: true }), [], [proof('context')], 'unknown'],
  ['A1: a response behind its tool result and no proof: lost, offered once more', claim(), [result(), response()], [], 'lost:response:again'],
  ['A1: lost a second time: for good', claim({}, { again: true }), [result(), response()], [], 'lost:response:for good'],
  ['proof in the same read wins over the response behind it', claim(), [result(), response()], [proof('context')], 'confirmed'],
  ['a response before the tool’s own result tells nothing (parallel calls)', claim(), [response(), result('toolu_2')], [], 'unknown'],
  ['a response older than the claim tells nothing', claim(), [result(), response(NOW - 1)], [], 'unknown'],
  ['the turn’s end without a trace', claim(), [end], [], 'lost:turn-end:again'],
  ['an interrupt', claim(), [{ kind: 'interrupt', at: NOW + 5 }], [], 'lost:interrupt:again'],
  ['an API error', claim(), [{ kind: 'api-error', at: NOW + 5 }], [], 'lost:api-error:again'],
  ['an interrupt before the claim', claim(), [{ kind: 'interrupt', at: NOW - 5 }], [], 'unknown'],
  ['a prompt: the response to it came without', typed, [opened(), response()], [], 'lost:response:again'],
  ['a prompt: a response while its record is not there yet', typed, [response()], [], 'unknown'],
  ['a prompt that another hook blocked', typed, [{ kind: 'blocked', at: NOW + 5 }], [], 'lost:blocked:again'],
  ['a prompt that was taken back', typed, [{ kind: 'withdrawn', at: NOW + 5, text: '' }], [], 'lost:withdrawn:again'],
  ['a tool’s advice does not depend on prompts', claim(), [{ kind: 'withdrawn', at: NOW + 5, text: '' }], [], 'unknown'],
  ['a bell: context confirms', bell, [opened()], [proof('context')], 'confirmed'],
  ['a bell that was blocked after all', bell, [{ kind: 'blocked', at: NOW + 5 }], [], 'lost:blocked:again'],
  ['Stop: its context is proof like any other', atStop, [], [proof('context')], 'confirmed'],
  ['Stop: the turn ended all the same', atStop, [end], [], 'lost:turn-end:again'],
  ['Stop: the final answer’s late record is older', atStop, [response(NOW - 20)], [], 'unknown'],
  ['hosts that name no call: any later response', claim({}, { ref: 'none' }), [response()], [], 'lost:response:again'],
  ['a rewind is no loss', claim(), [{ kind: 'rewind', at: NOW + 5, dead: [] }], [], 'unknown'],
];

describe('a claim', () => {
  test.each(ROWS)('%s', (_, item, events, proofs, expected) => expect(outcome(item, events, proofs)).toBe(expected));

  test('of which nothing is known expires with its advice', () => {
    expect(outcome(claim(), [], [], NOW + 1_798_999)).toBe('unknown');
    expect(outcome(claim(), [], [], NOW + 1_799_000)).toBe('expired');
  });

  test('whose tool result came in an earlier read is lost by the response of a later one', () => {
    const first = settle(noDeliveries, [], { events: [result()], proofs: [] }, NOW);
    expect(settle(first.state, [claim()], { events: [response()], proofs: [] }, NOW).settled).toMatchObject([{ end: 'lost', because: 'response' }]);
  });

  test('A3: context that appears twice settles one claim once', () => {
    const { settled } = settle(noDeliveries, [claim()], { events: [], proofs: [proof('context'), proof('context')] }, NOW);
    expect(settled).toHaveLength(1);
    expect(settle(noDeliveries, [], { events: [], proofs: [proof('context')] }, NOW).settled).toEqual([]);
  });

  test('what is remembered between reads is bounded', () => {
    const events = Array.from({ length: 5000 }, (_, n) => result(`toolu_${n}`));
    expect(settle(noDeliveries, [], { events, proofs: [] }, NOW).state.anchors.length).toBeLessThanOrEqual(256);
  });
});
