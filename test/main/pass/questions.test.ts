import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { answeredAfter, parseQuestions, readStream, standing, type Question } from '../../../src/main/pass/questions.ts';
import type { Numbered } from '../../../src/main/records.ts';

const seen = (n: number, over: Partial<Numbered>): Numbered => ({ n, at: n, uuid: `u${n}`, raw_chars: 1, kind: 'tool', text: '', call: `c${n}`, ...over });
const edit = (n: number, path: string): Numbered => seen(n, { tool: 'Edit', writes: true, paths: [path], text: `[tool] Edit ${path}` });
const ran = (n: number, command: string): Numbered => seen(n, { tool: 'Bash', command, text: `[tool] Bash ${command}` });
const question = (over: Partial<Question> = {}): Question => ({
  id: 'q', text: 't', finding: 'f', applies_when: ['edit:*.ts', '!edit:*.d.ts'], answered_by: ['run:check'], waived_by: ['prompt:no checks'], lasting_by: [], perhaps_by: [], each_time: true, ...over,
});
const state = (stream: readonly Numbered[], over: Partial<Question> = {}) => standing(question(over), readStream(stream));

describe('standing', () => {
  it('asks only when something raises the question, exclusions left out', () => {
    expect(state([])).toEqual({ state: 'not-asked' });
    expect(state([edit(1, 'a.d.ts'), edit(2, 'a.md'), ran(3, 'cat a.ts')])).toEqual({ state: 'not-asked' });
    expect(state([edit(1, 'C:\\src\\A.TS')])).toEqual({ state: 'open', changes: [1] });
  });

  it('is answered by what came last, or by anything when one answer is enough', () => {
    const stream = [edit(1, 'a.ts'), ran(2, 'cd x && check --all | tail'), edit(3, 'b.ts')];
    expect(state(stream.slice(0, 2))).toEqual({ state: 'answered', by: 2 });
    expect(state(stream)).toEqual({ state: 'open', changes: [3], answered_before: true });
    expect(state(stream, { each_time: false })).toEqual({ state: 'answered', by: 2 });
    expect(answeredAfter(question(), readStream(stream), 2)).toBeUndefined();
  });

  it('counts no edit that failed or was refused', () => {
    const failed = seen(2, { kind: 'error', call: 'c1', text: '[error]' });
    const refused = seen(4, { kind: 'note', note: 'refusal', call: 'c3', text: '[note]' });
    expect(state([edit(1, 'a.ts'), failed, edit(3, 'b.ts'), refused])).toEqual({ state: 'not-asked' });
  });

  it('is waived by the user’s words, but not by the agent saying the same', () => {
    expect(state([seen(1, { kind: 'prompt', text: '[prompt] No checks, please' }), edit(2, 'a.ts')])).toEqual({ state: 'waived', by: 1 });
    expect(state([seen(1, { kind: 'text', text: '[text] no checks' }), edit(2, 'a.ts')]).state).toBe('open');
  });

  it('a waiver is good for its own turn and for what was done before, not for the next task', () => {
    const prompt = (n: number, text: string): Numbered => seen(n, { kind: 'prompt', text: `[prompt] ${text}` });
    const ended = (n: number): Numbered => seen(n, { kind: 'note', note: 'turn-end', text: '[note]' });
    const first = [prompt(1, 'rename, no checks'), edit(2, 'a.ts'), ended(3)];
    expect(state([...first, prompt(4, 'why?'), ended(5)])).toEqual({ state: 'waived', by: 1 });
    expect(state([...first, prompt(4, 'now b'), edit(5, 'b.ts')])).toEqual({ state: 'open', changes: [5], waived_before: true });
    expect(state([...first, prompt(4, 'now b'), edit(5, 'b.ts'), ran(6, 'check')])).toEqual({ state: 'answered', by: 6 });
    // Typed into a running turn, a prompt begins nothing.
    expect(state([prompt(1, 'rename, no checks'), edit(2, 'a.ts'), prompt(3, 'and b'), edit(4, 'b.ts')])).toEqual({ state: 'waived', by: 1 });
    expect(state([edit(1, 'a.ts'), ended(2), prompt(3, 'no checks needed')])).toEqual({ state: 'waived', by: 3 });
  });

  it('a lasting waiver holds until the user asks after all, or it was answered all the same', () => {
    const prompt = (n: number, text: string): Numbered => seen(n, { kind: 'prompt', text: `[prompt] ${text}` });
    const ended = (n: number): Numbered => seen(n, { kind: 'note', note: 'turn-end', text: '[note]' });
    const lasting = { waived_by: ['prompt:checks', '!prompt:with checks'], lasting_by: ['prompt:today'] };
    const first = [prompt(1, 'No checks today. Rename it'), edit(2, 'a.ts'), ended(3)];
    expect(state([...first, prompt(4, 'now b'), edit(5, 'b.ts')], lasting)).toEqual({ state: 'waived', by: 1 });
    expect(state([...first, prompt(4, 'now b, with checks'), edit(5, 'b.ts')], lasting).state).toBe('open');
    expect(state([...first, prompt(4, 'now b'), ran(5, 'check'), edit(6, 'b.ts')], lasting).state).toBe('open');
    // Said in another sentence, it is of something else.
    expect(state([prompt(1, 'It broke today. No checks'), edit(2, 'a.ts'), ended(3), prompt(4, 'now b'), edit(5, 'b.ts')], lasting).state).toBe('open');
  });

  it('reads the user’s words sentence by sentence, each between bars', () => {
    const prompt = (text: string): Numbered => seen(1, { kind: 'prompt', text: `[prompt] ${text}` });
    const waives = (text: string): boolean => state([prompt(text), edit(2, 'a.ts')], { waived_by: ['prompt:checks', '!prompt:| run checks'] }).state === 'waived';
    expect(waives('Skip checks')).toBe(true);
    expect(waives('Rename it. Run checks')).toBe(false);
    expect(waives('Run checks! Or rather, no checks')).toBe(true);
    expect(waives('run checks but no slow checks')).toBe(true);
  });

  it('a waiver is history once the question was answered after all', () => {
    const prompt = (n: number, text: string): Numbered => seen(n, { kind: 'prompt', text: `[prompt] ${text}` });
    const ended = (n: number): Numbered => seen(n, { kind: 'note', note: 'turn-end', text: '[note]' });
    expect(state([prompt(1, 'rename, no checks'), edit(2, 'a.ts'), ended(3), prompt(4, 'now b'), edit(5, 'b.ts'), ran(6, 'check'), edit(7, 'b.ts')])).toEqual({ state: 'open', changes: [7], answered_before: true });
  });

  it('no answer is a run whose program is not there; a red one is', () => {
    const failed = (text: string): Numbered => seen(3, { kind: 'error', call: 'c2', text });
    expect(state([edit(1, 'a.ts'), ran(2, 'check'), failed('[error] Bash: Exit code 127\nbash: check: command not found')]).state).toBe('open');
    expect(state([edit(1, 'a.ts'), ran(2, 'check'), failed('[error] Bash: Exit code 1\n2 failed')]).state).toBe('answered');
  });

  it('a watcher in the background answers for every later change', () => {
    const watcher = seen(1, { tool: 'Bash', command: 'check --watch', text: '[tool] Bash — "on save" (in background)\ncheck --watch' });
    expect(state([watcher, edit(2, 'a.ts')])).toEqual({ state: 'answered', by: 1 });
    expect(state([ran(1, 'check --watch'), edit(2, 'a.ts')]).state).toBe('open');
  });

  it('counts no edit that was taken back, and none that touches a comment only', () => {
    expect(state([edit(1, '/r/src/a.ts'), ran(2, 'git checkout -- src/a.ts')])).toEqual({ state: 'not-asked' });
    expect(state([edit(1, '/r/src/a.ts'), ran(2, 'git restore src/b.ts')]).state).toBe('open');
    expect(state([edit(1, '/r/src/a.ts'), ran(2, 'git checkout -b topic')]).state).toBe('open');
    expect(state([ran(1, 'git checkout -- src/a.ts'), edit(2, '/r/src/a.ts')]).state).toBe('open');
    expect(state([seen(1, { tool: 'Edit', writes: true, paths: ['a.ts'], text: '[tool] Edit a.ts (+1 -0)\n+ // why' })])).toEqual({ state: 'not-asked' });
  });

  it('says when what ran after the last change may have been the answer', () => {
    const unsure = { perhaps_by: ['run:*', '!run:ls', '!run:git'] };
    expect(state([edit(1, 'a.ts'), ran(2, 'ls && git status')], unsure)).toEqual({ state: 'open', changes: [1] });
    expect(state([edit(1, 'a.ts'), ran(2, 'ls && zig-zag all | tail')], unsure)).toEqual({ state: 'open', changes: [1], perhaps: 2 });
    expect(state([ran(1, 'zig-zag all'), edit(2, 'a.ts')], unsure)).toEqual({ state: 'open', changes: [2] });
    const gone = seen(3, { kind: 'error', call: 'c2', text: '[error] Bash: Exit code 127\nzig-zag: command not found' });
    expect(state([edit(1, 'a.ts'), ran(2, 'zig-zag all'), gone], unsure)).toEqual({ state: 'open', changes: [1] });
  });

  it('a commit that takes half a minute has run its hooks', () => {
    const commit = (command: string, took: number): Numbered[] => [edit(1, 'a.ts'), seen(2, { tool: 'Bash', command, text: '[tool]', at: 1000 }), seen(3, { kind: 'text', text: '[text] ok', at: 1000 + took })];
    const hooks = { answered_by: ['run:git-hooks', '!run:git'] };
    expect(state(commit('git commit -m x', 31_000), hooks).state).toBe('answered');
    expect(state(commit('git commit -m x', 3000), hooks).state).toBe('open');
    expect(state(commit('git commit --no-verify -m x', 31_000), hooks).state).toBe('open');
  });

  it.each<[string, Numbered, boolean]>([
    ['run:npm test', ran(2, 'npm test -- a'), true],
    ['run:rake$', ran(2, 'rake'), true],
    ['run:rake$', ran(2, 'rake build'), false],
    ['run:npm test', ran(2, 'npm testing'), false],
    ['run:npm test', ran(2, 'grep "npm test" x'), false],
    ['tool:mcp__*__run*', seen(2, { tool: 'mcp__ide__runTests', text: '[tool]' }), true],
    ['say:don\'t', seen(2, { kind: 'text', text: '[text] I don’t' }), true],
    ['agent:pass', seen(2, { kind: 'agent', text: '[agent] all pass' }), true],
    ['[note] deployed', seen(2, { kind: 'note', text: '[note] Deployed by CI' }), true],
    ['edit:*test*', edit(2, 'test/a.ts'), true],
  ])('%s, held against its own kind of observation', (pattern, observation, want) => {
    expect(state([edit(1, 'a.ts'), observation], { answered_by: [pattern], each_time: false }).state === 'answered').toBe(want);
  });

  it('excludes one simple command, not all that stand beside it', () => {
    const answers = { answered_by: ['run:*test*', '!run:cat', '!run:* add *'] };
    expect(state([edit(1, 'a.ts'), ran(2, 'cat test.log && ./dev unit-tests')], answers).state).toBe('answered');
    for (const command of ['cat tests/a.ts', 'npm run x && cat test.log', 'uv add pytest']) expect(state([edit(1, 'a.ts'), ran(2, command)], answers).state).toBe('open');
  });
});

describe('parseQuestions', () => {
  it('takes what is usable from any config', () => {
    expect(parseQuestions({ questions: [{ id: 'a', text: 't', applies_when: ['x', 5], each_time: 'yes' }, null, 7, { id: 'b' }] })).toEqual([
      { id: 'a', text: 't', finding: 'Unanswered: t', applies_when: ['x'], answered_by: [], waived_by: [], lasting_by: [], perhaps_by: [], each_time: false },
    ]);
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.anything()), fc.anything(), (config, questions) => Array.isArray(parseQuestions({ ...config, questions }))));
  });
});
