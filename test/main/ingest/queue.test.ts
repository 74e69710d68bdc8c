import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyQueue, enqueue, lastChars, take } from '../../../src/main/ingest/queue.ts';
import type { Observation } from '../../../src/main/records.ts';
import { observation } from '../../support/records.ts';

const LIMITS = { episode_cap_chars: 60_000 };
const call = (id: string, text: string, more: Partial<Observation> = {}): Observation => observation({ kind: 'tool', tool: 'Bash', call: id, text, raw_chars: 10, ...more });
const done = (id: string, more: Partial<Observation> = {}): Observation => observation({ kind: 'done', call: id, text: '[done] Bash', raw_chars: 5, ...more });
const texts = (...observations: readonly Observation[]): readonly string[] => take(enqueue(emptyQueue, observations, LIMITS)).episode.map(({ text }) => text);

test('a command that the host ran itself is no activity and brings no pass forward', () => {
  const queue = enqueue(emptyQueue, [observation({ kind: 'prompt', text: '[prompt] /model' })], LIMITS);
  expect(queue).toMatchObject({ activity: false, salient: [] });
  expect(enqueue(queue, [observation({ kind: 'prompt', text: '[prompt] go on', human: true })], LIMITS)).toMatchObject({ activity: true, salient: ['user_prompt'] });
});

describe('folding', () => {
  test('a done goes into its call when both wait, also over several reads', () => {
    const first = enqueue(emptyQueue, [call('1', '[tool] Bash npm test'), call('2', '[tool] Bash ls')], LIMITS);
    const both = enqueue(first, [done('2'), done('1')], LIMITS);
    expect(take(both).episode.map(({ text }) => text)).toEqual(['[tool] Bash npm test → done', '[tool] Bash ls → done']);
    expect(take(both).episode[0]?.raw_chars).toBe(15);
  });

  test('a done whose call went with an earlier episode stands for itself', () => {
    expect(texts(done('9'))).toEqual(['[done] Bash']);
  });

  test('an edit’s anchor goes behind its path, the mark to the end of the first line', () => {
    const edit = call('1', '[tool] Edit src/a.ts\n- old\n+ new', { tool: 'Edit', writes: true, paths: ['src/a.ts'] });
    expect(texts(edit, done('1', { anchor: '@L88-L94' }))).toEqual(['[tool] Edit src/a.ts @L88-L94 → done\n- old\n+ new']);
  });

  test('an anchor without a path in the text goes to the end of the line', () => {
    expect(texts(call('1', '[tool] Edit', { writes: true }), done('1', { anchor: '@L1-L2' }))).toEqual(['[tool] Edit @L1-L2 → done']);
  });

  test('a command of several lines is marked at its end', () => {
    expect(texts(call('1', '[tool] Bash cd x\nmake'), done('1'))).toEqual(['[tool] Bash cd x\nmake → done']);
  });

  test('work that outlives its call is started, not done, and keeps its id', () => {
    expect(take(enqueue(emptyQueue, [call('1', '[tool] Bash x &'), done('1', { launches: 'b1' })], LIMITS)).episode).toMatchObject([{ text: '[tool] Bash x & → started', launches: 'b1' }]);
  });

  test('identical neighbours become one with their number', () => {
    const calls = ['1', '2', '3'].flatMap((id) => [call(id, '[tool] Bash npm test'), done(id)]);
    expect(texts(...calls)).toEqual(['[tool] Bash npm test → done ×3']);
    expect(texts(observation({ text: '[text] Noted.' }), observation({ text: '[text] Noted.' }))).toEqual(['[text] Noted. ×2']);
  });

  test('repeats folded at the cap are added up, not marked twice', () => {
    let queue = emptyQueue;
    for (let i = 0; i < 300; i += 1) queue = enqueue(queue, [call(`${i}`, `[tool] Bash ${'y'.repeat(100)}`), done(`${i}`)], { episode_cap_chars: 2000 });
    expect(take(queue).episode.map(({ text }) => text)).toEqual([`[tool] Bash ${'y'.repeat(100)} → done ×300`]);
  });

  test('errors, prompts and calls without a result stay single', () => {
    const error = observation({ kind: 'error', text: '[error] Bash: no' });
    expect(texts(error, error)).toHaveLength(2);
    expect(texts(call('1', '[tool] Bash x'), call('2', '[tool] Bash x'))).toHaveLength(2);
  });
});

describe('what the trigger asks', () => {
  test('characters, the oldest time, what is salient and whether there is activity', () => {
    const queue = enqueue(emptyQueue, [observation({ at: 7, text: '[text] abc' }), observation({ kind: 'error', at: 9, text: '[error] x' }), observation({ kind: 'prompt', human: true, text: '[prompt] y' })], LIMITS);
    expect(queue).toMatchObject({ chars: 29, oldest_at: 7, salient: ['error', 'user_prompt'], activity: true });
    expect(take(queue).queue).toEqual(emptyQueue);
  });

  test('notes alone are no activity', () => {
    expect(enqueue(emptyQueue, [observation({ kind: 'note', note: 'background' })], LIMITS).activity).toBe(false);
  });

  test('a prompt of nobody’s is not salient', () => {
    expect(enqueue(emptyQueue, [observation({ kind: 'prompt' })], LIMITS).salient).toEqual([]);
  });
});

describe('shedding', () => {
  const many = (n: number): readonly Observation[] => Array.from({ length: n }, (_, i) => call(`${i}`, `[tool] Bash step ${i} ${'x'.repeat(80)}`, { tool: i % 3 === 0 ? 'Edit' : 'Bash' }));

  test('takes the least salient of the middle, marks the gap, and keeps errors and prompts', () => {
    const marks = [observation({ kind: 'error', text: '[error] Bash: kept' }), observation({ kind: 'prompt', human: true, text: '[prompt] kept too' })];
    const all = [...many(40), ...marks, ...many(60)];
    const { episode } = take(enqueue(emptyQueue, all, { episode_cap_chars: 4000 }));
    const kept = episode.map(({ text }) => text);
    expect(kept).toContain('[error] Bash: kept');
    expect(kept).toContain('[prompt] kept too');
    expect(kept[0]).toBe(all[0]?.text);
    expect(kept.at(-1)).toBe(all.at(-1)?.text);
    expect(kept.filter((text) => /^\[note\] \d+ observations left out here \((bash \d+, edit \d+|edit \d+, bash \d+)\)$/.test(text))).toHaveLength(2);
    expect(episode.filter(({ note }) => note === 'gap').every(({ kind }) => kind === 'note')).toBe(true);
  });

  test('later shedding adds up earlier gaps', () => {
    let queue = emptyQueue;
    for (let round = 0; round < 50; round += 1) queue = enqueue(queue, many(10), { episode_cap_chars: 2000 });
    const { episode } = take(queue);
    const left = episode.filter(({ note }) => note === 'gap').map(({ text }) => Number(/\d+/.exec(text)?.[0]));
    expect(left).toHaveLength(1);
    expect((left[0] ?? 0) + episode.length - 1).toBe(500);
  });

  test('nothing exceeds the cap, whatever comes, and nothing is lost without a mark', () => {
    const any = fc.record({
      kind: fc.constantFrom('prompt', 'text', 'tool', 'done', 'error', 'agent', 'note'),
      text: fc.string({ minLength: 1, maxLength: 1500 }),
      tool: fc.constantFrom('Bash', 'Edit', 'Read', '__proto__'),
    });
    fc.assert(
      fc.property(fc.array(fc.array(any, { maxLength: 40 }), { maxLength: 6 }), (reads) => {
        let queue = emptyQueue;
        let count = 0;
        for (const some of reads) {
          const observations = some.map((each, i) => observation({ ...each, uuid: `${count + i}` }));
          count += some.length;
          queue = enqueue(queue, observations, { episode_cap_chars: 2000 });
          expect(queue.chars).toBeLessThanOrEqual(2000);
        }
        const { episode } = take(queue);
        const stood = episode.map(({ text, note }) => (note === 'gap' ? Number(/\d+/.exec(text)?.[0]) : Number(/ ×(\d+)$/.exec(text)?.[1] ?? 1)));
        expect(stood.reduce((a, b) => a + b, 0)).toBe(count);
      }),
      { numRuns: 150 },
    );
  });
});

test('history is the most recent that its characters allow', () => {
  const all = ['aaaa', 'bb', 'cccc', 'd'].map((text) => observation({ text }));
  expect(lastChars(all, 5).map(({ text }) => text)).toEqual(['cccc', 'd']);
  expect(lastChars(all, 0)).toEqual([]);
  expect(lastChars(all, 99)).toHaveLength(4);
});

test('calls of ever new names are counted by few of them, so that shedding stays cheap', () => {
  const queue = Array.from({ length: 60 }, (_, batch) => Array.from({ length: 100 }, (__, i) => call(`${batch}-${i}`, '[tool] x', { tool: `name-${batch}-${i}` })))
    .reduce((sum, batch) => enqueue(sum, batch, { episode_cap_chars: 1000 }), emptyQueue);
  const gaps = queue.waiting.filter(({ left_out }) => left_out !== undefined);
  expect(Math.max(...gaps.map(({ left_out }) => Object.keys(left_out ?? {}).length))).toBeLessThanOrEqual(51);
  const counted = gaps.flatMap(({ left_out }) => Object.values(left_out ?? {})).reduce((sum, count) => sum + count, 0);
  expect(counted + queue.waiting.length - gaps.length).toBe(6000);
});

test('names of calls that JavaScript knows itself, or that end in half a character, are names like any other', () => {
  const names = ['__proto__', 'constructor', `${'n'.repeat(39)}😀`];
  const { waiting } = enqueue(emptyQueue, Array.from({ length: 90 }, (_, i) => call(`${i}`, '[tool] some words', { tool: names[i % 3] ?? '' })), { episode_cap_chars: 400 });
  const gap = waiting.find(({ left_out }) => left_out !== undefined);
  expect(gap?.observation.text).toMatch(/__proto__ \d+.*constructor \d+|constructor \d+.*__proto__ \d+/);
  expect(waiting.every(({ observation: { text } }) => text.toWellFormed() === text)).toBe(true);
});

test('an observation without a time does not make what waits look old', () => {
  expect(enqueue(emptyQueue, [call('1', 'x', { at: 0 }), call('2', 'y', { at: 7 })], LIMITS).oldest_at).toBe(7);
  expect(enqueue(emptyQueue, [call('1', 'x', { at: 0 })], LIMITS).oldest_at).toBeUndefined();
});
