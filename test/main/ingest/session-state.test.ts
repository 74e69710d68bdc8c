// A row per transition, and what late, repeated and foreign inputs may not do.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { metAt, next, settled, type Input, type Session } from '../../../src/main/ingest/session-state.ts';
import type { ReadEvent, SessionState, Signal } from '../../../src/main/records.ts';

const signal = (event: Signal['event'], at: number, more: Partial<Signal> = {}): Input => ({ from: 'signal', signal: { v: 1, event, at, session: 's', transcript: '/t', cwd: '/c', ...more } });
const record = (event: ReadEvent): Input => ({ from: 'record', event });
const prompt = (at: number, id = `p${at}`): Input => signal('UserPromptSubmit', at, { origin: 'human', prompt_id: id });
const response = (at: number): Input => record({ kind: 'response', at });
const through = (inputs: readonly Input[], start: Session = metAt(0)): Session => inputs.reduce(next, start);

const STARTED = [signal('SessionStart', 10, { source: 'startup' })];
const WORKING = [...STARTED, prompt(1000), response(2000)];
const STOPPING = [...WORKING, signal('Stop', 5000)];
const IDLE = [...STOPPING, record({ kind: 'turn-end', at: 5010, reason: 'end_turn' })];

const ROWS: readonly (readonly [string, readonly Input[], Input, SessionState])[] = [
  ['a monitor met mid-session knows nothing until something happens', [], signal('SubagentStop', 5, { agent_id: 'a', agent_type: 't' }), 'unknown'],
  ['unknown: a session starts', [], signal('SessionStart', 10, { source: 'startup' }), 'starting'],
  ['unknown: a prompt opens a turn', [], prompt(10), 'working'],
  ['unknown: a response shows work', [], response(10), 'working'],
  ['unknown: a Stop ends a turn we did not see', [], signal('Stop', 10), 'stopping'],
  ['unknown: an interrupt makes it idle', [], record({ kind: 'interrupt', at: 10 }), 'idle'],
  ['starting: a prompt', STARTED, prompt(1000), 'working'],
  ['starting: a resumed session starts again', STARTED, signal('SessionStart', 20, { source: 'resume' }), 'starting'],
  ['working: a failing tool', WORKING, signal('PostToolUseFailure', 3000), 'working'],
  ['working: a prompt typed mid-turn', WORKING, prompt(3000), 'working'],
  ['working: a Stop', WORKING, signal('Stop', 5000), 'stopping'],
  ['working: a StopFailure', WORKING, signal('StopFailure', 5000, { reason: 'rate_limit' }), 'idle'],
  ['working: an interrupt', WORKING, record({ kind: 'interrupt', at: 5000 }), 'idle'],
  ['working: an API error', WORKING, record({ kind: 'api-error', at: 5000 }), 'idle'],
  ['working: a turn’s end without its Stop proves nothing', WORKING, record({ kind: 'turn-end', at: 5000, reason: 'x' }), 'working'],
  ['working: a compaction mid-turn starts no session', WORKING, signal('SessionStart', 5000, { source: 'compact' }), 'working'],
  ['working: a clear', WORKING, signal('SessionStart', 5000, { source: 'clear' }), 'starting'],
  ['working: the session ends', WORKING, signal('SessionEnd', 5000, { reason: 'clear' }), 'unknown'],
  ['working: a subagent stops', WORKING, signal('SubagentStop', 5000, { agent_id: 'a', agent_type: 't' }), 'working'],
  ['working: a subagent’s tool fails', WORKING, signal('PostToolUseFailure', 5000, { agent_id: 'a' }), 'working'],
  ['stopping: the turn’s end', STOPPING, record({ kind: 'turn-end', at: 5010, reason: 'end_turn' }), 'idle'],
  ['stopping: a hook continues the turn', STOPPING, response(6000), 'working'],
  ['stopping: a prompt', STOPPING, prompt(6000), 'working'],
  ['C5, stopping: the final answer’s record comes late', STOPPING, response(4990), 'stopping'],
  ['stopping: an interrupt', STOPPING, record({ kind: 'interrupt', at: 5500 }), 'idle'],
  ['idle: a prompt', IDLE, prompt(9000), 'working'],
  ['idle: our own bell wakes it', IDLE, signal('UserPromptSubmit', 9000, { origin: 'bell', prompt_id: 'b' }), 'working'],
  ['idle: a notification opens a turn', IDLE, signal('UserPromptSubmit', 9000, { origin: 'notification', prompt_id: 'n' }), 'working'],
  ['idle: a prompt record without a signal', IDLE, record({ kind: 'prompt', origin: 'human', at: 9000 }), 'working'],
  ['idle: a response without a prompt', IDLE, response(9000), 'working'],
  ['idle: old records trickle in', IDLE, record({ kind: 'tool-result', at: 4000, call: 'c' }), 'idle'],
  ['idle: a subagent’s tool fails in the background', IDLE, signal('PostToolUseFailure', 9000, { agent_id: 'a' }), 'idle'],
  ['idle: a manual compaction', IDLE, signal('SessionStart', 9000, { source: 'compact' }), 'idle'],
  ['idle: a rewind leaves it waiting for the prompt that shows it', IDLE, record({ kind: 'rewind', at: 9000, dead: [] }), 'idle'],
  ['idle: a block that followed no prompt signal (our own answer)', IDLE, record({ kind: 'blocked', at: 9000 }), 'idle'],
  ['idle: the session ends', IDLE, signal('SessionEnd', 9000, { reason: 'other' }), 'unknown'],
  ['idle: a prompt another hook blocked', [...IDLE, prompt(9000)], record({ kind: 'blocked', at: 9010 }), 'idle'],
  ['idle: a prompt taken back', [...IDLE, prompt(9000)], record({ kind: 'withdrawn', at: 9010, text: '' }), 'idle'],
  ['starting: a blocked first prompt', [...STARTED, prompt(1000)], record({ kind: 'blocked', at: 1010 }), 'starting'],
  ['working: a prompt typed mid-turn and taken back', [...WORKING, prompt(3000)], record({ kind: 'withdrawn', at: 3500, text: '' }), 'working'],
  ['working: a block after the turn has shown life is not its prompt’s', WORKING, record({ kind: 'blocked', at: 2500 }), 'working'],
  ['working: an interrupt of the turn before comes late', [...IDLE, prompt(9000)], record({ kind: 'interrupt', at: 8000 }), 'working'],
];

describe('transitions', () => {
  test.each(ROWS)('%s', (_, before, input, state) => expect(through([...before, input]).state).toBe(state));

  test('a Stop without a record of the turn’s end settles by time, and counts as idle from the Stop on', () => {
    const session = through(STOPPING);
    expect(settled(session, 6999).state).toBe('stopping');
    expect(settled(session, 7000)).toEqual({ state: 'idle', since: 5000 });
    expect(settled(through(WORKING), 1e9).state).toBe('working');
  });

  test('a turn’s end makes it idle since the Stop', () => expect(through(IDLE)).toEqual({ state: 'idle', since: 5000 }));

  test('a prompt that came to nothing starts the idle time anew', () => expect(through([...IDLE, prompt(9000), record({ kind: 'blocked', at: 9010 })]).since).toBe(9010));

  test('A4: a hook called twice makes no prompt look typed mid-turn', () => {
    const twice = through([...IDLE, prompt(9000, 'p'), prompt(9030, 'p'), record({ kind: 'blocked', at: 9040 })]);
    expect(twice.state).toBe('idle');
  });
});

describe('any order of inputs', () => {
  const at = fc.integer({ min: 0, max: 50 }).map((n) => n * 500);
  const anyInput: fc.Arbitrary<Input> = fc.oneof(
    fc.tuple(fc.constantFrom<Signal['event']>('SessionStart', 'UserPromptSubmit', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'), at, fc.boolean()).map(([event, when, agent]) => signal(event, when, agent ? { agent_id: 'a' } : {})),
    fc.tuple(fc.constantFrom<ReadEvent['kind']>('prompt', 'response', 'tool-result', 'interrupt', 'api-error', 'blocked', 'withdrawn', 'turn-end', 'rewind'), at).map(([kind, when]) =>
      record({ kind, at: when, origin: 'human', call: 'c', text: '', reason: '', dead: [] } as ReadEvent),
    ),
  );

  test('idle is entered only by Stop, StopFailure, interrupt, API error, or back from a prompt that came to nothing', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 40 }), (inputs) => {
        let session = metAt(0);
        let wasIdle = false;
        for (const input of inputs) {
          const after = next(session, input);
          if (after.state === 'idle' && session.state !== 'idle') {
            const by = input.from === 'signal' ? input.signal.event : input.event.kind;
            expect(['StopFailure', 'interrupt', 'api-error', 'turn-end', 'blocked', 'withdrawn']).toContain(by);
            if (by === 'turn-end') expect(session.state).toBe('stopping');
            if (by === 'blocked' || by === 'withdrawn') expect(wasIdle).toBe(true);
          }
          wasIdle ||= after.state === 'idle';
          session = after;
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the same input twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.array(anyInput, { maxLength: 20 }), anyInput, (inputs, input) => {
        const once = next(through(inputs), input);
        expect(next(once, input).state).toBe(once.state);
      }),
    );
  });

  test('time never runs backwards', () => {
    fc.assert(fc.property(fc.array(anyInput, { maxLength: 40 }), (inputs) => {
      let session = metAt(0);
      for (const input of inputs) {
        const after = next(session, input);
        expect(after.since).toBeGreaterThanOrEqual(session.since);
        session = after;
      }
    }));
  });
});

test('a time far in the future holds no state for ever', () => {
  const future = Date.parse('9999-01-01T00:00:00Z');
  const lied = next({ state: 'idle', since: 1000 }, { from: 'record', event: { kind: 'response', at: future } });
  const now = 10_000;
  expect(settled(lied, now)).toEqual({ state: 'working', since: now });
  expect(settled({ state: 'working', since: 1000, pending: { at: future, before: 'typed-mid-turn' } }, now)).toEqual({ state: 'working', since: 1000, pending: { at: now, before: 'typed-mid-turn' } });
  expect(settled({ state: 'working', since: now + 900 }, now)).toEqual({ state: 'working', since: now + 900 });
});
