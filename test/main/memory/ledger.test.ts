import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { frameLedger } from '../../../src/main/memory/framing.ts';
import { addAdvice, addFact, branchLedger, citedPaths, closeAdvice, LEDGER_CHARS, markGone, newLedger, renderLedger, setGoal, spend, suppress } from '../../../src/main/memory/ledger.ts';
import type { AdviceRow, Ledger } from '../../../src/main/records.ts';

const limits = defaultKnobs().ledger;
const fresh = (): Ledger => newLedger({ task: 't-1', session: 's-1', workspace: '/r', nonce: '0123456789abcdef', goal: 'ship  the\nthing', now: 100 });
const row = (id: string, more: Partial<AdviceRow> = {}): AdviceRow => ({ id, detector: 'default', headline: `headline ${id}`, key: `k-${id}`, at: 1, ...more });

describe('the ledger', () => {
  it('keeps 200 rows of advice, the oldest adjudicated leaving first', () => {
    let ledger = addAdvice(addAdvice(fresh(), row('open'), 1), row('closed', { verdict: 'adopted' }), 1);
    for (let i = 0; i < 199; i += 1) ledger = addAdvice(ledger, row(`n${i}`), 2);
    expect(ledger.advice.length).toBe(200);
    expect(ledger.advice[0]?.id).toBe('open');
    expect(ledger.advice.some(({ id }) => id === 'closed')).toBe(false);
    expect(addAdvice(ledger, row('last'), 3).advice.some(({ id }) => id === 'open')).toBe(false);
  });

  it('closes an advice once; the first verdict stands and unknown ids change nothing', () => {
    const ledger = closeAdvice(addAdvice(fresh(), row('a'), 1), 'a', 'rejected', 'user said no', 2);
    expect(ledger.advice[0]).toMatchObject({ verdict: 'rejected', reason: 'user said no' });
    expect(closeAdvice(ledger, 'a', 'adopted', undefined, 3)).toBe(ledger);
    expect(closeAdvice(ledger, 'b', 'adopted', undefined, 3)).toBe(ledger);
  });

  it('keeps as many facts as the knob says, newest, each within its size', () => {
    let ledger = fresh();
    for (let i = 0; i < 70; i += 1) ledger = addFact(ledger, `fact ${i} ${'x'.repeat(3000)}`, i, limits);
    expect(ledger.facts.length).toBe(60);
    expect(ledger.facts[0]?.text).toMatch(/^fact 10 /);
    expect(Math.max(...ledger.facts.map(({ text }) => text.length))).toBe(2000);
    expect(addFact(ledger, '  \n', 99, limits)).toBe(ledger);
  });

  it('suppresses a key once, with the latest reason', () => {
    const ledger = suppress(suppress(fresh(), 'k', 'rejected', 1), 'k', 'contradicted', 2);
    expect(ledger.suppressed).toEqual([{ key: 'k', at: 2, because: 'contradicted' }]);
  });

  it('never spends below nothing when a reservation is given back', () => {
    expect(spend(spend(fresh(), 500), -120).spent_tokens).toBe(380);
    expect(spend(fresh(), -5).spent_tokens).toBe(0);
  });

  it('branches with all it knew and a count of its own', () => {
    const from: Ledger = { ...spend(addAdvice(fresh(), row('a'), 1), 9), pass: 4, ended: 'clear', position: { path: 'p', dev: 1, ino: 1, offset: 1, hash: '' } };
    const branch = branchLedger(from, { task: 't-2', session: 's-2', nonce: 'fedcba9876543210' }, 500);
    expect(branch).toMatchObject({ task: 't-2', session: 's-2', nonce: 'fedcba9876543210', created_at: 500, spent_tokens: 0, pass: 4, advice: from.advice });
    expect([branch.ended, branch.position]).toEqual([undefined, undefined]);
  });

  it('marks facts whose cited files are gone, once', () => {
    const ledger = addFact(fresh(), 'Edited src/a/b.ts:12 and docs/c.md; /abs is no citation.', 1, limits);
    expect(citedPaths(ledger)).toEqual(['src/a/b.ts', 'docs/c.md']);
    expect(citedPaths(addFact(fresh(), 'wrote: /r/src/a.ts, see https://example.com/x/y and //host/share', 1, limits))).toEqual(['/r/src/a.ts']);
    const marked = markGone(ledger, ['docs/c.md']);
    expect(marked.facts[0]?.text).toMatch(/\[no longer there: docs\/c\.md\]$/);
    expect(markGone(marked, ['docs/c.md'])).toEqual(marked);
  });
});

describe('the rendered ledger', () => {
  it('shows goal, open and adjudicated advice, suppressed keys and facts, newest first', () => {
    let ledger = fresh();
    for (let i = 0; i < 12; i += 1) ledger = addAdvice(ledger, row(`o${i}`), i);
    ledger = suppress(closeAdvice(ledger, 'o11', 'rejected', 'not wanted', 20), 'k-o11', 'rejected', 20);
    ledger = addFact(addFact(ledger, 'older fact', 1, limits), 'newer fact\nwith a line', 2, limits);
    const text = renderLedger(ledger);
    expect(text.split('\n')[0]).toBe('goal: ship the thing');
    expect(text).not.toContain('o0 default');
    expect(text).toContain('- o1 default: headline o1');
    expect(text).toContain('- o11 default: rejected (not wanted): headline o11');
    expect(text).toContain('- k-o11 (rejected)');
    expect(text.indexOf('newer fact\n  with a line')).toBeLessThan(text.indexOf('older fact'));
    expect(text).not.toContain('calibration');
  });

  it('stays within its characters, framed and escaped, cutting the oldest facts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('<', 'a', '\n', '🙂') }), fc.nat(2500)), { maxLength: 20 }), fc.nat(30), (facts, rows) => {
        let ledger = setGoal(fresh(), '<'.repeat(900), 1);
        for (const [text, size] of facts) ledger = addFact(ledger, text + '<'.repeat(size), 1, limits);
        for (let i = 0; i < rows; i += 1) {
          ledger = addAdvice(ledger, row(`${i}`, { headline: '<h'.repeat(200), ...(i % 2 === 0 ? { verdict: 'rejected', reason: '<r'.repeat(200) } : {}) }), 1);
          ledger = suppress(ledger, `${'<k'.repeat(100)}${i}`, 'rejected', 1);
        }
        expect(frameLedger(ledger.nonce, renderLedger(ledger)).length).toBeLessThanOrEqual(LEDGER_CHARS);
      }),
      { numRuns: 60 },
    );
    const full = addFact(addFact(fresh(), `old ${'x'.repeat(1900)}`, 1, limits), `new ${'y'.repeat(1900)}`, 2, limits);
    expect(renderLedger(addFact(addFact(full, `n2 ${'z'.repeat(1900)}`, 3, limits), 'n3 last', 4, limits))).toMatch(/n3 last\n- n2 z+\n- new y+\n- old x+…$/);
  });
});
