import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCatalogue, type Overrides } from '../../../src/main/pass/catalogue.ts';
import { filesOf, loadCatalogue, readSharedPrompt } from '../../../src/main/pass/catalogue-file.ts';
import { parseQuestions } from '../../../src/main/pass/questions.ts';
import type { Detector } from '../../../src/main/records.ts';

const read = (detectors: unknown, overrides: Overrides = {}) => parseCatalogue({ detectors }, overrides, (name) => (name === 'a.md' ? 'text of a' : undefined));
const only = (detectors: unknown, overrides: Overrides = {}): Detector => {
  const found = read(detectors, overrides);
  if (!found.ok || found.detectors[0] === undefined) throw new Error(found.ok ? 'none' : found.why);
  return found.detectors[0];
};
const questions = [{ id: 'q1', text: 't1', applies_when: ['edit:*'], answered_by: ['run:x'] }, { id: 'q2', text: 't2', applies_when: [], answered_by: [] }];

describe('parseCatalogue', () => {
  it('fills a row with the defaults and takes prompts from text or file', () => {
    expect(only({ d: { system: 'look' } })).toEqual({ name: 'd', enabled: true, system: 'look', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {} });
    expect(only({ d: { system: 'prompts/a.md' } }).system).toBe('text of a');
    expect(only({ d: { system: 'Was there a look at README.md' } }).system).toBe('Was there a look at README.md');
  });

  it.each([
    ['a list', [], 'detectors: '],
    ['an unknown field', { d: { system: 's', cadance: 1 } }, 'detectors.d.cadance: no such field'],
    ['a bad cadence', { d: { system: 's', cadence: 'every_nth:0' } }, 'detectors.d.cadence: every_pass or every_nth:<n>'],
    ['a bad tool', { d: { system: 's', tools: ['Write'] } }, 'detectors.d.tools.0: '],
    ['a missing prompt', { d: { system: 'prompts/b.md' } }, 'detectors.d.system: no text in prompts/b.md'],
    ['a prompt out of the folder', { d: { system: 'prompts/../../a.md' } }, 'detectors.d.system: a prompt’s file is prompts/<name>.md'],
    ['a prompt of another name', { d: { system: 'prompts/a b.md' } }, 'detectors.d.system: a prompt’s file is'],
    ['a prompt of another folder', { d: { system: '/etc/a.md' } }, 'detectors.d.system: a prompt’s file is'],
    ['no prompt at all', { d: {} }, 'detectors.d.system: '],
    ['a bad question', { d: { system: 's', config: { questions: [{ id: 'q' }] } } }, 'detectors.d.config.questions.0.text: '],
    ['a bad name', { 'D d': { system: 's' } }, 'detectors.D d: lower-case letters, digits and - only'],
  ])('names the field of %s', (_, detectors, why) => {
    const found = read(detectors);
    expect(found.ok ? '' : found.why).toContain(why);
  });

  it('overrides single fields, and leaves out what is wrong, saying which', () => {
    const found = read({ d: { system: 's' }, e: { system: 's' } }, { d: { enabled: false, cadence: 'every_nth:3', deadline_s: 'long' }, f: { enabled: true } });
    expect(found).toMatchObject({ ok: true, detectors: [{ enabled: false, cadence: 'every_nth:3' }, { name: 'e', enabled: true }], problems: [expect.stringMatching(/^detectors\.f: no such/), expect.stringMatching(/^detectors\.d\.deadline_s: /)] });
  });

  it('changes, removes and adds questions by id, or replaces them all', () => {
    const row = { d: { system: 's', config: { questions, note: 'kept' } } };
    const merged = only(row, { d: { config: { questions: { q1: { text: 'new' }, q2: null, q3: { text: 't3', applies_when: ['run:y'], answered_by: ['run:z'] } } } } });
    expect(parseQuestions(merged.config).map(({ id, text, answered_by }) => [id, text, answered_by])).toEqual([['q1', 'new', ['run:x']], ['q3', 't3', ['run:z']]]);
    expect(merged.config['note']).toBe('kept');
    expect(parseQuestions(only(row, { d: { config: { questions: [questions[1]] } } }).config).map(({ id }) => id)).toEqual(['q2']);
    const bad = read(row, { d: { config: { questions: { q1: { text: 5 } } } } });
    expect(bad).toMatchObject({ ok: true, problems: [expect.stringContaining('detectors.d.config.questions.0.text')] });
  });
});

const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
afterAll(() => rmSync(folder, { recursive: true }));
const bundle = { bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} };

describe('loadCatalogue', () => {
  it('ships nine detectors, of which the three without tools are on', () => {
    const { detectors, source, problems } = loadCatalogue(bundle);
    expect({ source, problems }).toEqual({ source: 'bundle', problems: [] });
    expect(detectors.filter(({ enabled }) => enabled).map(({ name }) => name)).toEqual(['default', 'repeat-failure', 'standard-questions']);
    expect(detectors.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual(['git-log', 'prior-art', 'constraint-drift', 'goal-drift', 'static-analysis', 'cross-task-collision']);
    expect(detectors.filter(({ pilot }) => pilot).map(({ name }) => name)).toEqual(['repeat-failure']);
    expect(detectors.find(({ name }) => name === 'constraint-drift')?.confidence_floor).toBe(0.8);
    expect(detectors.find(({ name }) => name === 'static-analysis')?.tools).toEqual(['Read', { exec: [] }]);
    for (const { name, system } of detectors) {
      expect(system, name).toMatch(/Not a finding:/);
      expect(system.length, name).toBeLessThan(2500);
    }
    expect(readSharedPrompt(bundle.prompts)).toMatch(/nonce/);
  });

  it('takes a sound file of the user’s wholesale, with prompts of its own or ours', () => {
    const file = join(folder, 'mine.json');
    mkdirSync(join(folder, 'prompts'));
    writeFileSync(join(folder, 'prompts', 'own.md'), 'my own look');
    writeFileSync(file, JSON.stringify({ detectors: { own: { system: 'prompts/own.md' }, theirs: { system: 'prompts/goal-drift.md' } } }));
    const loaded = loadCatalogue({ ...bundle, file, overrides: { own: { enabled: false } } });
    expect(loaded).toMatchObject({ source: 'user', problems: [], detectors: [{ name: 'own', system: 'my own look', enabled: false }, { name: 'theirs' }] });
  });

  it.each([
    ['missing', undefined, 'no such file'],
    ['not JSON', '{', 'JSON'],
    ['wrong in one row', '{"detectors":{"a":{"system":"s"},"b":{"system":7}}}', 'detectors.b.system'],
  ])('falls back to the bundle, saying why, when the user’s file is %s', (name, text, why) => {
    const file = join(folder, `${name}.json`);
    if (text !== undefined) writeFileSync(file, text);
    const loaded = loadCatalogue({ ...bundle, file });
    expect(loaded.source).toBe('bundle');
    expect(loaded.detectors).toHaveLength(9);
    expect(loaded.problems).toEqual([expect.stringContaining(why)]);
  });

  it('names what is to be watched: the file and the prompts beside it', () => {
    const file = join(folder, 'watched', 'mine.json');
    expect(filesOf(file)).toEqual([file]);
    mkdirSync(join(folder, 'watched', 'prompts'), { recursive: true });
    writeFileSync(join(folder, 'watched', 'prompts', 'own.md'), 'x');
    expect(filesOf(file)).toEqual([file, join(folder, 'watched', 'prompts', 'own.md')]);
    expect([filesOf(''), filesOf(join(folder, 'n'.repeat(300), 'x'))]).toEqual([[], [join(folder, 'n'.repeat(300), 'x')]]);
  });

  it('falls back for a folder in the file’s place, too', () => {
    expect(loadCatalogue({ ...bundle, file: folder }).problems).toHaveLength(1);
  });
});
