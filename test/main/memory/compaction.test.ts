import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { compacted, needsCompaction, planCompaction } from '../../../src/main/memory/compaction.ts';
import { addFact, LEDGER_CHARS, newLedger, renderLedger } from '../../../src/main/memory/ledger.ts';
import { renderPrefix } from '../../../src/main/memory/prefix.ts';
import { acceptSummary, digest } from '../../../src/main/memory/summary.ts';
import { toolSet } from '../../../src/main/memory/tools.ts';
import { append, emptyWindow, findObservation, number, observationBlock, renderObservations, type Window } from '../../../src/main/memory/window.ts';
import type { Block } from '../../../src/main/records.ts';

const limits = (more: Partial<Knobs['window']> = {}): Knobs['window'] => ({ ...defaultKnobs().window, budget_chars: 40_000, ...more });
const empty = (): Window => emptyWindow({ task: 't-1', nonce: '0123456789abcdef', generation: 3, ledger_text: 'goal: x' });
const pass = (window: Window, texts: readonly string[], n: number): Window => {
  const numbered = number(window, texts.map((text) => ({ kind: 'text', at: 1, uuid: 'u', text, raw_chars: text.length }) as const));
  return append(window, observationBlock('observations', numbered, { pass: n, at: n }), numbered);
};
const feedback = (window: Window, n: number): Window => append(window, { kind: 'feedback', pass: n, at: n, text: `pass ${n}: default → silent` });
const filled = (passes: number, chars: number): Window => {
  let window = empty();
  for (let n = 1; n <= passes; n += 1) window = feedback(pass(window, ['a'.repeat(chars / 2), 'b'.repeat(chars / 2)], n), n);
  return window;
};
/** The texts in order, a block that was cut in two made whole again. */
const whole = (blocks: readonly Block[]): readonly string[] => {
  const texts: { readonly key: string; text: string }[] = [];
  for (const { kind, pass: n, text } of blocks) {
    const key = `${kind} ${n}`;
    const last = texts.at(-1);
    if (last?.key === key) last.text += `\n${text}`;
    else texts.push({ key, text });
  }
  return texts.map(({ text }) => text);
};

describe('compaction', () => {
  it('begins above the threshold and ends at or below the floor', () => {
    const window = filled(10, 4000);
    expect(needsCompaction(filled(2, 4000), limits())).toBe(false);
    expect(needsCompaction(window, limits())).toBe(true);
    const after = compacted(window, 'g'.repeat(5000), planCompaction(window, limits()).kept);
    expect(after.chars).toBeLessThanOrEqual(40_000 * 0.6);
    expect(needsCompaction(after, limits())).toBe(false);
    expect(after.generation).toBe(4);
    expect(after.next_n).toBe(window.next_n);
  });

  it('loses no block: what is evicted and what is kept are all, in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', '<', '\n', '#', ' ') }), fc.nat(6000)), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        fc.record({ compaction_threshold: fc.double({ min: 0.2, max: 1, noNaN: true }), compaction_floor: fc.double({ min: 0.1, max: 0.95, noNaN: true }) }),
        (episodes, knobs) => {
          let window = empty();
          for (const [n, texts] of episodes.entries()) window = pass(window, texts.map(([text, size]) => text + 'x'.repeat(size)), n);
          const plan = planCompaction(window, limits({ budget_chars: 20_000, ...knobs }));
          expect(whole([...plan.evicted, ...plan.kept])).toEqual(window.blocks.map(({ text }) => text));
          const after = compacted(window, 'goal: x', plan.kept);
          expect([...plan.evicted_observations, ...after.observations].map(({ n }) => n)).toEqual(window.observations.map(({ n }) => n));
        },
      ),
    );
  });

  it('keeps what the coming pass has not read yet, whatever the floor', () => {
    const window = pass(filled(10, 4000), ['unread '.repeat(1500)], 11);
    const { kept } = planCompaction(window, limits({ compaction_floor: 0.1, compaction_threshold: 0.2 }));
    expect(kept).toEqual([window.blocks.at(-1)]);
  });

  it('cuts an unread block that exceeds the budget between observations', () => {
    const window = pass(empty(), Array.from({ length: 60 }, (_, i) => `${i} ${'<'.repeat(300)}`), 1);
    const plan = planCompaction(window, limits());
    const after = compacted(window, 'goal: x', plan.kept);
    expect(after.chars).toBeLessThanOrEqual(40_000);
    expect(after.chars).toBeGreaterThan(25_000);
    expect(plan.kept.length).toBe(1);
    expect(plan.kept[0]?.text).toBe(renderObservations(after.observations));
    expect(plan.kept[0]?.to).toBe(60);
    expect(findObservation(after, 60)?.n).toBe(60);
    expect(plan.evicted[0]?.to).toBe((plan.kept[0]?.from ?? 0) - 1);
  });

  it('D4: 3,000 observations never put a request above the budget, on any wire', () => {
    const knobs = defaultKnobs();
    const budget = limits({ budget_chars: 60_000 });
    const tools = toolSet({ name: 'second_brain_detector_feedback', description: 'd', input_schema: {} }, []).tools;
    let ledger = newLedger({ task: 't-1', session: 's', workspace: '/r', nonce: '0123456789abcdef', goal: 'ship', now: 1 });
    let window = emptyWindow({ task: 't-1', nonce: ledger.nonce, generation: 0, ledger_text: renderLedger(ledger) });
    let compactions = 0;
    let before = 0;
    for (let n = 1; n <= 600; n += 1) {
      window = pass(window, Array.from({ length: 5 }, (_, i) => `[tool] Edit src/a${n}.ts ${'<y'.repeat((n * 7 + i * 131) % 900)}`), n);
      if (needsCompaction(window, budget)) {
        const { evicted, evicted_observations, kept } = planCompaction(window, budget);
        ledger = addFact(ledger, digest(evicted, evicted_observations), n, knobs.ledger);
        window = compacted(window, renderLedger(ledger), kept);
        compactions += 1;
        expect(window.chars).toBeLessThanOrEqual(60_000 * 0.85);
      }
      for (const wire of ['anthropic', 'openai'] as const) {
        if (n % 10 !== 0) continue;
        const body = renderPrefix({ wire, model: 'm', tools, system: 's', workspace_root: '/r', window, cache_ttl: '5m' }).bytes;
        const request = JSON.parse(Buffer.from(body).toString('utf8') + (wire === 'openai' ? ']}' : ']}]}')) as { messages: { role: string; content: string | { text: string }[] }[] };
        const content = request.messages.at(-1)?.content ?? '';
        const chars = typeof content === 'string' ? content.length : content.reduce((sum, { text }) => sum + text.length, 0);
        expect(chars).toBeLessThanOrEqual(60_000);
      }
      before += 5;
    }
    expect(before).toBe(3000);
    expect(window.next_n).toBe(3001);
    expect(compactions).toBeGreaterThan(20);
    // Hysteresis: rare, not at every pass.
    expect(compactions).toBeLessThan(300);
  });

  it('makes room for the largest ledger', () => {
    const plan = planCompaction(filled(10, 4000), limits());
    expect(compacted(filled(10, 4000), 'x'.repeat(LEDGER_CHARS - 500), plan.kept).chars).toBeLessThanOrEqual(24_000);
  });
});

describe('a summary', () => {
  it('is taken as it is, without control characters, within its size', () => {
    expect(acceptSummary(`  Edited src/a.ts:12, then npm test failed.\u001b[0m \n`)).toBe('Edited src/a.ts:12, then npm test failed.[0m');
    expect(acceptSummary('x'.repeat(9000))?.length).toBe(1600);
    expect(acceptSummary(' ok ')).toBe(undefined);
  });
});
