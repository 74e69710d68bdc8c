import { expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/main/pass/catalogue-file.ts';
import { raisedAfter, withoutQuestion } from '../../../src/main/pass/checklist.ts';
import type { Detector, Numbered } from '../../../src/main/records.ts';

const { detectors } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} });
const seen = (n: number, over: Partial<Numbered>): Numbered => ({ kind: 'tool', n, at: n, uuid: `u${n}`, raw_chars: 1, text: '[tool]', ...over });
const edit = (n: number, path: string): Numbered => seen(n, { tool: 'Edit', call: `c${n}`, text: `[tool] Edit ${path} (+1 -0)\n+ x`, paths: [path], writes: true });
const look = seen(1, { tool: 'Bash', call: 'c1', command: 'ls src', text: '[tool] Bash ls src' });
const idsOf = (raised: ReturnType<typeof raisedAfter>): readonly string[] => raised.get('standard-questions')?.ids ?? [];

test('work that only looks raises no question of the bundled checklist, an edit of source does', () => {
  const before = raisedAfter(new Map(), detectors, [look], [look]);
  expect(withoutQuestion(before)).toEqual(['standard-questions']);
  const after = raisedAfter(before, detectors, [look, edit(2, '/r/src/a.ts')], [edit(2, '/r/src/a.ts')]);
  expect(idsOf(after)).toEqual(expect.arrayContaining(['tests_run', 'tests_added', 'compiles']));
  expect(idsOf(after)).not.toContain('deployed');
  expect(withoutQuestion(after)).toEqual([]);
});

test('a question that was raised stays so, and what was read is not read again', () => {
  const first = raisedAfter(new Map(), detectors, [edit(1, '/r/src/a.ts')], []);
  expect(idsOf(first)).toContain('tests_run');
  expect(idsOf(raisedAfter(first, detectors, [], [look]))).toEqual(idsOf(first));
  const unread = raisedAfter(raisedAfter(new Map(), detectors, [], []), detectors, [edit(1, '/r/src/a.ts')], []);
  expect(idsOf(unread)).toEqual([]);
});

test('a checklist that was changed is held against the whole window', () => {
  const own = (applies_when: readonly string[]): Detector => ({
    name: 'standard-questions', enabled: true, system: 's', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false,
    config: { questions: [{ id: 'listed', text: 'was it listed?', applies_when, answered_by: [], waived_by: [] }] },
  });
  const before = raisedAfter(new Map(), [own(['edit:*.md'])], [look], [look]);
  expect(idsOf(before)).toEqual([]);
  expect(idsOf(raisedAfter(before, [own(['run:ls'])], [look], []))).toEqual(['listed']);
});

test('a failed edit raises nothing, nor does a detector without a checklist, or one that is off', () => {
  const failed = [edit(1, '/r/src/a.ts'), seen(2, { kind: 'error', call: 'c1', text: '[error] Edit: not found' })];
  expect(idsOf(raisedAfter(new Map(), detectors, failed, failed))).toEqual([]);
  const off = detectors.map((each) => ({ ...each, enabled: false }));
  expect([...raisedAfter(new Map(), off, failed, failed).keys()]).toEqual([]);
  expect([...raisedAfter(new Map(), detectors, failed, failed).keys()]).toEqual(['standard-questions']);
});
