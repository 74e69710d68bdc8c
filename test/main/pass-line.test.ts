import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { add, begin, end, openObserver } from '../../src/main/observer.ts';
import type { Detector, ForkResult, Observation } from '../../src/main/records.ts';
import { readPasses } from '../../src/main/speak/passes-file.ts';
import type { PassLine } from '../../src/main/surfaces.ts';
import type { Pass, Setup, Watching } from '../../src/main/watching.ts';

const NOW = Date.UTC(2026, 10, 30, 9);
const detector = (name: string): Detector => ({ name, enabled: true, system: 's', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: name === 'first', config: {} });
const result = (name: string, over: Partial<ForkResult> = {}): ForkResult => ({
  detector: name, end: 'feedback', feedback: { verdict: 'silent' }, usage: { input: 100, output: 10, cache_read: 1000, cache_write_5m: 0, cache_write_1h: 0 },
  requests: 1, started_at: NOW + 1000, took_ms: 700, model: 'm', pilot: name === 'first', tool_text: 'never kept', ...over,
});

let data: string;
let w: Watching;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-line-'));
  const setup: Setup = {
    paths: pathsUnder(data), session: 's', workspace: '/w', git_dir: '/w', cwd: '/w', host: '1', host_pid: 1, version: 'v', shared_prompt: 'p',
    knobs: defaultKnobs,
    catalogue: () => [detector('first'), detector('second'), { ...detector('third'), when: ['nowhere'] }],
    judge: () => ({ provider: { kind: 'local', model: '', base_url: '', headers: {}, cache_ttl: '5m' } as unknown as ReturnType<Setup['judge']>['provider'], price: { input: 1, output: 5 }, min_cacheable: Infinity }),
    fork: ({ detector: { name } }) => Promise.resolve(name === 'first' ? result(name) : result(name, { started_at: NOW + 1600, end: 'deadline', cause: 'c'.repeat(900) })),
    summarize: () => Promise.reject(new Error('not asked')),
    tool: () => Promise.resolve({ ok: false, text: '' }),
    mcp_tools: () => [],
    entropy: () => new Uint8Array(16),
    log: () => undefined,
    capture: () => undefined,
  };
  w = openObserver(setup, { history: [] }, NOW);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const seen = (kind: Observation['kind'], text: string, over: Partial<Observation> = {}): Observation => ({ kind, at: NOW, uuid: text, text, raw_chars: 10, ...over });

const passed = async (observations: readonly Observation[], meanwhile: (pass: Pass) => Pass = (pass) => pass): Promise<PassLine> => {
  add(w, observations, NOW);
  const pass = await begin(w, 'volume', NOW + 1000);
  const results = await pass.results;
  end(w, meanwhile(pass), results, NOW + 4000);
  const line = readPasses(w.setup.paths.passes('s')).lines.at(-1);
  if (line === undefined) throw new Error('no line was written');
  return line;
};

describe('the line of a pass', () => {
  test('holds when and why it ran, each fork beside the first, what did not run, and what it cost', async () => {
    expect(await passed([seen('tool', '[tool] Bash ls')])).toMatchObject({
      v: 1, pass: 1, task: w.ledger.task, at: NOW + 1000, ended_at: NOW + 4000, because: 'volume', provider: 'local', observations: 1,
      forks: [
        { detector: 'first', pilot: true, verdict: 'silent', end: 'feedback', from_ms: 0, took_ms: 700, tokens: 250 },
        { detector: 'second', pilot: false, end: 'deadline', from_ms: 600 },
      ],
      skipped: [{ detector: 'third', because: 'when' }],
      tokens: 500, usd: 0.0005,
      window: { budget_chars: 400_000, compactions: 0 },
    });
  });

  test('marks prompts of people, edits by their file, errors, and turns of fate; nothing else', async () => {
    const { marks } = await passed([
      seen('prompt', '[user] make it\nfast', { human: true }),
      seen('prompt', '[user] a notification', { human: false }),
      seen('text', '[text] words'),
      seen('tool', '[tool] Edit a.ts (+1 -1)\n+ new\n- old', { tool: 'Edit', writes: true, paths: ['a.ts'] }),
      seen('tool', '[tool] Read b.ts', { tool: 'Read', paths: ['b.ts'] }),
      seen('error', '[error] Bash failed'),
      seen('note', '[note] compacted', { note: 'compaction' }),
      seen('note', '[note] the turn ended', { note: 'turn-end' }),
    ]);
    expect(marks.map(({ kind, text }) => [kind, text])).toEqual([['prompt', 'make it fast'], ['edit', 'Edit a.ts (+1 -1)'], ['error', 'Bash failed'], ['note', 'compacted']]);
  });

  test('each pass marks its own episode', async () => {
    await passed([seen('error', '[error] one')]);
    expect((await passed([seen('error', '[error] two')])).marks.map(({ text }) => text)).toEqual(['two']);
  });

  test('texts are cut, and of too many marks the edits go first, counted', async () => {
    const many = Array.from({ length: 500 }, (_, i) => seen('tool', `[tool] Edit ${i}`, { uuid: `e${i}`, tool: 'Edit', writes: true, paths: [`${i}.ts`] }));
    const line = await passed([...many, seen('prompt', `[user] ${'😀'.repeat(500)}`, { human: true })]);
    expect(line.marks).toHaveLength(400);
    expect(line.more_marks).toBe(101);
    const prompt = line.marks.find(({ kind }) => kind === 'prompt');
    expect(prompt?.text.length).toBeLessThanOrEqual(160);
    expect(prompt?.text.isWellFormed()).toBe(true);
    expect(line.forks[1]?.cause?.length).toBeLessThanOrEqual(160);
    expect(JSON.stringify(line)).not.toContain('never kept');
  });

  test('a pass whose task was left meanwhile is accounted to it, with nothing of the new one', async () => {
    const line = await passed([seen('error', '[error] of the old task')], (pass) => ({ ...pass, stamp: { ...pass.stamp, task: 'left' } }));
    expect(line).toMatchObject({ task: 'left', tokens: 500, marks: [] });
  });
});
