import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { FEEDBACK_NAME, FEEDBACK_TOOL, feedbackLines } from '../../../src/main/pass/feedback.ts';
import { parseFeedback } from '../../../src/main/pass/parse-feedback.ts';
import { wellFormed } from '../../../src/main/floor/text.ts';
import type { Feedback, ForkEnd, ForkResult } from '../../../src/main/records.ts';

const feedbackOf = (raw: unknown): Feedback => {
  const read = parseFeedback(raw);
  if (!read.ok) throw new Error(read.why);
  return read.feedback;
};

const result = (detector: string, feedback: Feedback, end: ForkEnd = 'feedback'): ForkResult => ({
  detector, end, feedback, requests: 1, started_at: 0, took_ms: 1, model: 'm', pilot: false, tool_text: '',
  usage: { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
});

describe('parseFeedback', () => {
  it('reads a full answer as it is', () => {
    const answer = {
      verdict: 'advise', headline: 'h', body: 'b', evidence: ['#1'], confidence: 0.7, dedup_key: 'k', stale_if: ['go test*'],
      finish_gate: true, outcomes: [{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#4'] }], new_goal: 'g', checked: 'c',
    } as const;
    expect(feedbackOf(answer)).toEqual(answer);
  });

  it('F8: hides what looks like a secret in every field, before anything is cut', () => {
    const key = `ghp_${'q7Rw2Lm9Xc4Vb8N1'.repeat(2)}`;
    const said = `${'x '.repeat(195)}${key}`;
    const read = feedbackOf({ verdict: 'advise', headline: said, body: `PASSWORD=${key} ${key}`, evidence: [key], dedup_key: key, stale_if: [key], new_goal: said, checked: key, outcomes: [{ advice_id: key, verdict: 'rejected', evidence: [key], reason: key }] });
    expect(JSON.stringify(read)).not.toContain('q7Rw2Lm9');
    expect(read.evidence?.[0]).toMatch(/^\[redacted:github [0-9a-f]{4}\]$/);
  });

  it.each([
    ['JSON in a string', '{"verdict":"silent"}', { verdict: 'silent' }],
    ['another case and dashes', { verdict: ' Still-Open ' }, { verdict: 'still_open' }],
    ['numbers as text', { verdict: 'advise', headline: 'h', confidence: '0.8' }, { verdict: 'advise', headline: 'h', confidence: 0.8 }],
    ['per cent', { verdict: 'advise', headline: 'h', confidence: '85%' }, { verdict: 'advise', headline: 'h', confidence: 0.85 }],
    ['a share of a hundred', { verdict: 'advise', headline: 'h', confidence: 85 }, { verdict: 'advise', headline: 'h', confidence: 0.85 }],
    ['a confidence that is none', { verdict: 'advise', headline: 'h', confidence: 'high' }, { verdict: 'advise', headline: 'h' }],
    ['one string for a list', { verdict: 'advise', headline: 'h', evidence: '#3' }, { verdict: 'advise', headline: 'h', evidence: ['#3'] }],
    ['nulls', { verdict: 'silent', headline: null, evidence: null, outcomes: null, finish_gate: null }, { verdict: 'silent' }],
    ['a truth as text', { verdict: 'advise', headline: 'h', finish_gate: 'true' }, { verdict: 'advise', headline: 'h', finish_gate: true }],
    ['one bad item of a list', { verdict: 'advise', headline: 'h', evidence: ['#1', {}, '#2'] }, { verdict: 'advise', headline: 'h', evidence: ['#1', '#2'] }],
    ['a bad outcome beside a good one', { verdict: 'silent', outcomes: [{ advice_id: 'a' }, { advice_id: 'b', verdict: 'rejected', evidence: '#1' }] }, { verdict: 'silent', outcomes: [{ advice_id: 'b', verdict: 'rejected', evidence: ['#1'] }] }],
    ['a body without a headline', { verdict: 'advise', body: 'first\nsecond' }, { verdict: 'advise', headline: 'first', body: 'first\nsecond' }],
    ['fields we do not know', { verdict: 'silent', mood: 'good' }, { verdict: 'silent' }],
  ])('repairs %s', (_, raw, want) => {
    expect(feedbackOf(raw)).toEqual(want);
  });

  it.each([
    ['an empty string', '', 'verdict'],
    ['broken JSON', '{"verdict":', 'feedback'],
    ['a list', [], 'feedback'],
    ['nothing', undefined, 'feedback'],
    ['an unknown verdict', { verdict: 'shout' }, 'verdict'],
    ['an advise that says nothing', { verdict: 'advise', confidence: 1 }, 'headline'],
  ])('E8: names the field when %s arrives', (_, raw, field) => {
    const read = parseFeedback(raw);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.why.startsWith(field)).toBe(true);
  });

  it('never throws and never lets a lone surrogate or an endless text through', () => {
    const hostile = fc.letrec((tie) => ({
      value: fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null), fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 })),
    })).value;
    fc.assert(fc.property(fc.record({ verdict: fc.constantFrom('silent', 'advise'), headline: hostile, evidence: hostile, confidence: hostile, outcomes: hostile, stale_if: hostile }), (raw) => {
      const read = parseFeedback(raw);
      return !read.ok || (Object.values(read.feedback).flat().every((value) => typeof value !== 'string' || wellFormed(value) === value) && (read.feedback.confidence ?? 0) <= 1);
    }));
    expect(JSON.stringify(feedbackOf({ verdict: 'advise', headline: `${'x'.repeat(1e6)}\ud800`, evidence: Array.from({ length: 1000 }, () => 'y'.repeat(10_000)) })).length).toBeLessThan(10_000);
  });
});

describe('FEEDBACK_TOOL', () => {
  it('E1: keeps its keys sorted at every depth, since its bytes lead the cached prefix', () => {
    const sorted = (value: unknown): boolean => {
      if (Array.isArray(value)) return value.every(sorted);
      if (typeof value !== 'object' || value === null) return true;
      const keys = Object.keys(value);
      return keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key) && Object.values(value).every(sorted);
    };
    expect(sorted(FEEDBACK_TOOL)).toBe(true);
    expect(FEEDBACK_TOOL.name).toBe(FEEDBACK_NAME);
  });
});

describe('feedbackLines', () => {
  it('are the same whatever order the forks ended in', () => {
    const results = [
      result('standard-questions', { verdict: 'advise', headline: 'no test run\nsince the "first" edit', confidence: 0.72, dedup_key: 'tests-not-run:api' }),
      result('git-log', { verdict: 'silent', checked: '3 commits on health.go, none in conflict' }),
      result('repeat-failure', { verdict: 'silent' }, 'no-match'),
      result('default', { verdict: 'silent' }, 'deadline'),
      result('prior-art', { verdict: 'resolved', dedup_key: 'k', outcomes: [{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#9'] }] }),
    ];
    const lines = feedbackLines(results, 14, Date.UTC(2026, 0, 2, 15, 2));
    expect(lines).toEqual([
      '[pass 14, 15:02] default → silent (deadline)',
      '[pass 14, 15:02] git-log → silent (checked: 3 commits on health.go, none in conflict)',
      '[pass 14, 15:02] prior-art → resolved (key k; sb-1 adopted #9)',
      '[pass 14, 15:02] repeat-failure → silent (no match)',
      `[pass 14, 15:02] standard-questions → advise "no test run since the 'first' edit" (0.72; key tests-not-run:api)`,
    ]);
    expect(feedbackLines([...results].reverse(), 14, Date.UTC(2026, 0, 2, 15, 2))).toEqual(lines);
  });
});
