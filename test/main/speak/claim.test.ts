// Which mail a hook may take, and the answer both sides get.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, expiredBecause, refusal, select, wordsOf, type NoClaim, type SpeakingEvent } from '../../../src/main/speak/claim.ts';
import { facts, mail, NOW, occasion, turn } from '../../support/mail.ts';

type Row = readonly [string, Parameters<typeof mail>[0], Parameters<typeof occasion>[0], Parameters<typeof facts>[0], NoClaim | 'taken'];

const ROWS: readonly Row[] = [
  ['beside a tool result', {}, {}, {}, 'taken'],
  ['after a failed tool', {}, { event: 'PostToolUseFailure' }, {}, 'taken'],
  ['with a prompt that opens a turn', {}, { event: 'UserPromptSubmit', prompt_id: 'p1' }, { turn: turn({ state: 'idle' }) }, 'taken'],
  ['with a prompt that opens a turn, though turn.json has not heard of the last Stop', {}, { event: 'UserPromptSubmit', prompt_id: 'p1' }, {}, 'taken'],
  ['not with a prompt typed into the running turn', {}, { event: 'UserPromptSubmit', prompt_id: 'p1' }, { prompts_seen: ['p0', 'p1'] }, 'running-turn'],
  ['on hosts without prompt ids, with a prompt to an idle session', {}, { event: 'UserPromptSubmit' }, { turn: turn({ state: 'idle' }) }, 'taken'],
  ['on hosts without prompt ids, not while the turn runs', {}, { event: 'UserPromptSubmit' }, { turn: turn({ state: 'working' }) }, 'running-turn'],
  ['without any turn.json', {}, {}, { turn: undefined }, 'taken'],
  ['B5: never in a subagent', {}, { agent_id: 'a1' }, {}, 'subagent'],
  ['never in a subagent, not even what is for the user', { human_only: true }, { agent_id: 'a1' }, {}, 'subagent'],
  ['not when muted by config', {}, {}, { muted: true }, 'muted'],
  ['not when muted by the monitor', {}, {}, { turn: turn({ muted: true }) }, 'muted'],
  ['not after the task was ended by /clear', {}, {}, { turn: turn({ ended: true }) }, 'ended'],
  ['never at Stop', { finish_gate: true, confidence: 1 }, { event: 'Stop' }, {}, 'not-here'],
  ['not in another session', { session_id: 'other' }, {}, {}, 'other-session'],
  ['not by another host with the same session open', { host_pid: 1 }, {}, {}, 'other-host'],
  ['not once it is no longer true', { generated_at: NOW - 1_800_000 }, {}, {}, 'expired-ttl'],
  ['not once it has waited too long', { enqueued_at: NOW - 600_000 }, {}, {}, 'expired-queue'],
  ['not when this very call answers it', { stale_if: ['npm test*'] }, { text: 'Bash\nnpm test -- --run' }, {}, 'stale'],
  ['though another call was made', { stale_if: ['npm test*'] }, { text: 'Bash\nls' }, {}, 'taken'],
  ['at a session’s start, what is for the user', { human_only: true }, { event: 'SessionStart' }, {}, 'taken'],
  ['at a session’s start, not what is for the agent', {}, { event: 'SessionStart' }, {}, 'not-here'],
];

describe('mail is taken', () => {
  test.each(ROWS)('%s', (_, advice, when, known, expected) => {
    const item = mail(advice);
    expect(refusal(item.advice, occasion(when), facts(known)) ?? 'taken').toBe(expected);
    expect(select([item], occasion(when), facts(known)).take).toEqual(expected === 'taken' ? [item] : []);
  });

  test('surest first, as much as one answer holds; the rest waits', () => {
    const items = Array.from({ length: 8 }, (_, n) => mail({ id: `sb-0000000${n}`, headline: 'ü'.repeat(900), confidence: n / 10 }));
    expect(select(items, occasion(), facts()).take.map(({ advice }) => advice.confidence)).toEqual([0.7, 0.6, 0.5]);
  });

  test('control characters count as they are encoded', () => {
    expect(select([mail({ headline: '\u0001'.repeat(1000) })], occasion(), facts()).take).toEqual([]);
  });

  test('the clocks start at the making and at the entry into the mailbox', () => {
    const limits = { queue_timeout_s: 600 };
    expect(expiredBecause(mail({ generated_at: NOW - 1_799_999 }).advice, NOW, limits)).toBeUndefined();
    expect(expiredBecause(mail({ generated_at: NOW - 1_800_000, enqueued_at: NOW }).advice, NOW, limits)).toBe('expired-ttl');
    expect(expiredBecause(mail({ enqueued_at: NOW - 599_999 }).advice, NOW, limits)).toBeUndefined();
  });
});

describe('the answer', () => {
  const EVENTS: readonly SpeakingEvent[] = ['PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart', 'Stop'];

  test('A2: is nothing, or names its own event and holds nothing the host does not know', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENTS), fc.array(fc.record({ human_only: fc.boolean(), headline: fc.string({ unit: 'grapheme' }) }), { maxLength: 4 }), (event, rows) => {
        const printed = answer(event, [wordsOf(event, rows.map((row) => mail(row)))]);
        if (printed === undefined) return;
        expect(Object.keys(printed).every((key) => key === 'systemMessage' || key === 'hookSpecificOutput')).toBe(true);
        if (printed.hookSpecificOutput !== undefined) expect(Object.keys(printed.hookSpecificOutput)).toEqual(['hookEventName', 'additionalContext']);
        expect(printed.hookSpecificOutput?.hookEventName ?? event).toBe(event);
        expect(JSON.parse(JSON.stringify(printed))).toEqual(printed);
      }),
    );
  });

  test('says several to both sides in the same order, and the user’s own only to the user', () => {
    const items = [mail({ id: 'sb-00000001' }), mail({ id: 'sb-00000002', human_only: true }), mail({ id: 'sb-00000003' })];
    const printed = answer('PostToolUse', [wordsOf('PostToolUse', items)]);
    const ids = (text = ''): readonly string[] => text.match(/sb-\d{8}/g) ?? [];
    expect(ids(printed?.systemMessage)).toEqual(['sb-00000001', 'sb-00000002', 'sb-00000003']);
    expect(ids(printed?.hookSpecificOutput?.additionalContext)).toEqual(['sb-00000001', 'sb-00000003']);
  });

  test('at Stop is context alone, which the host shows by itself', () => expect(answer('Stop', [wordsOf('Stop', [mail()])])).not.toHaveProperty('systemMessage'));

  test('is nothing without words', () => expect(answer('Stop', [{ agent: [], user: [] }])).toBeUndefined());
});
