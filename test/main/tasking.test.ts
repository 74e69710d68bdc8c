import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultKnobs, type Knobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { readLedger } from '../../src/main/memory/ledger-file.ts';
import { readWindow } from '../../src/main/memory/window-file.ts';
import { add, begin, end, endTurn, openObserver } from '../../src/main/observer.ts';
import { listMail, putMail } from '../../src/main/speak/mailbox-file.ts';
import { readHistory } from '../../src/main/speak/history-file.ts';
import { switchTask } from '../../src/main/tasking.ts';
import type { Detector, Feedback, ForkResult, Observation } from '../../src/main/records.ts';
import type { SummaryResult } from '../../src/workers/contract.ts';
import type { Setup, Watching } from '../../src/main/watching.ts';
import { providerOf } from '../support/fork-task.ts';
import { advice, said } from '../support/mail.ts';

const NOW = Date.UTC(2026, 10, 30, 9);
const DETECTOR: Detector = { name: 'goal-drift', enabled: true, system: 's', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: true, config: {} };
const NO_USAGE = { input: 1000, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

let data = '';
let paths: Paths;
let logs: string[] = [];
let feedback: Feedback = { verdict: 'silent' };
let summarize: () => Promise<SummaryResult> = () => Promise.resolve({ text: '', usage: NO_USAGE });
let knobs: Knobs = defaultKnobs();
let drawn = 0;
let w: Watching;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-tasking-'));
  paths = pathsUnder(data);
  [logs, feedback, knobs, drawn] = [[], { verdict: 'silent' }, defaultKnobs(), 0];
  const setup: Setup = {
    paths, session: 's', workspace: '/w', git_dir: '/w', cwd: '/w', host: '1', host_pid: 1, version: 'v', shared_prompt: 'p',
    knobs: () => knobs, catalogue: () => [DETECTOR],
    judge: () => ({ provider: providerOf('anthropic', 'http://127.0.0.1:1'), min_cacheable: Number.POSITIVE_INFINITY }),
    fork: ({ detector: { name } }): Promise<ForkResult> => Promise.resolve({ detector: name, end: 'feedback', feedback, usage: NO_USAGE, requests: 1, started_at: 1, took_ms: 5, model: 'm', pilot: true, tool_text: '' }),
    summarize: () => summarize(),
    tool: () => Promise.resolve({ ok: false, text: '' }), mcp_tools: () => [],
    entropy: () => new Uint8Array(16).fill((drawn += 1)), log: (line) => void logs.push(line), capture: () => undefined,
  };
  w = openObserver(setup, { history: [] }, NOW);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

let uuids = 0;
const seen = (kind: Observation['kind'], text: string, over: Partial<Observation> = {}): Observation => ({ kind, at: NOW, uuid: `u${(uuids += 1)}`, text: `[${kind}] ${text}`, raw_chars: text.length, ...over });
const asks = (text: string): Observation => seen('prompt', text, { human: true });
const wrote = (path: string): Observation => seen('tool', `Edit ${path}`, { tool: 'Edit', writes: true, paths: [path] });
const pass = async (): Promise<void> => {
  const started = await begin(w, 'volume', NOW + 1000);
  end(w, started, await started.results, NOW + 2000);
};
const texts = (): readonly string[] => w.window.observations.map(({ n, text }) => `#${n} ${text}`);
const waiting = (): readonly string[] => w.queue.waiting.map(({ observation }) => observation.text);

const OTHER = 'Write a landing page in German with pricing table and newsletter signup';

describe('a prompt that shares nothing with the task, after a finished turn', () => {
  const first = async (): Promise<string> => {
    add(w, [asks('Round the totals of every invoice'), wrote('/w/src/invoice.ts')], NOW);
    endTurn(w, 'end_turn', NOW);
    return w.ledger.task;
  };

  test('is not lost on a disk that refuses the new task’s files, nor is what follows it', async () => {
    await first();
    renameSync(paths.tasks, `${paths.tasks}.well`);
    symlinkSync('/sys', paths.tasks); // nobody may write there
    add(w, [asks(OTHER), wrote('/w/web/index.html')], NOW);
    rmSync(paths.tasks);
    renameSync(`${paths.tasks}.well`, paths.tasks);
    expect(waiting().slice(-2)).toEqual([`[prompt] ${OTHER}`, '[tool] Edit /w/web/index.html']);
  });

  test('begins a task of its own: the prompt is its first observation, and the old window keeps all that was before', async () => {
    const old = await first();
    add(w, [asks(OTHER), wrote('/w/web/index.html')], NOW);
    expect(w.ledger).toMatchObject({ goal: OTHER, pass: 0 });
    expect(w.ledger.task).not.toBe(old);
    expect(texts()).toEqual([]);
    expect(waiting()).toEqual([`[prompt] ${OTHER}`, '[tool] Edit /w/web/index.html']);
    expect(readWindow(paths, old)?.window?.observations.map(({ text }) => text)).toEqual(['[prompt] Round the totals of every invoice', '[tool] Edit /w/src/invoice.ts', '[note] the turn ended (end_turn)']);
  });

  test('does so too when a pass has taken the turn away before, and the signal of the prompt came first', async () => {
    await first();
    await pass();
    w.session = { ...w.session, state: 'working' };
    add(w, [seen('note', 'a background task is finished', { note: 'background' }), asks(OTHER)], NOW);
    expect(w.ledger.goal).toBe(OTHER);
  });

  test('does not while the turn runs, after an interrupt, or when it shares a word', async () => {
    add(w, [asks('Round the totals of every invoice'), wrote('/w/src/invoice.ts'), asks(OTHER)], NOW);
    add(w, [seen('note', 'interrupted', { note: 'interrupt' }), asks(OTHER)], NOW);
    endTurn(w, 'end_turn', NOW);
    add(w, [asks('Print each invoice with green headings, bigger margins and company logos')], NOW);
    expect(w.ledger.goal).toBe('Round the totals of every invoice');
  });

  test('takes back what waits in the mailbox, and is what a restart goes on with', async () => {
    await first();
    const item = advice({ session_id: 's', host_pid: 1 });
    putMail(paths.mailbox('s'), item, said(item));
    add(w, [asks(OTHER)], NOW);
    expect(listMail(paths.mailbox('s'))).toEqual([]);
    expect(readHistory(paths.history('s')).lines.at(-1)).toMatchObject({ id: item.id, because: 'moved-on' });
    const left = readLedger(paths, w.ledger.task);
    expect(left.ok && left.value.goal).toBe(OTHER);
  });
});

describe('a new goal that a fork reports', () => {
  test('takes along the prompt that set it, what came of it, and what waits', async () => {
    add(w, [asks('Round the totals'), wrote('/w/src/invoice.ts')], NOW);
    await pass();
    const old = w.ledger.task;
    add(w, [asks('Now the newsletter'), wrote('/w/web/letter.html')], NOW);
    feedback = { verdict: 'silent', new_goal: 'Send a newsletter' };
    const started = await begin(w, 'volume', NOW + 1000);
    add(w, [wrote('/w/web/later.html')], NOW + 1500);
    end(w, started, await started.results, NOW + 2000);
    expect(w.ledger).toMatchObject({ goal: 'Send a newsletter' });
    expect(w.ledger.task).not.toBe(old);
    expect(texts()).toEqual(['#1 [prompt] Now the newsletter', '#2 [tool] Edit /w/web/letter.html']);
    expect(waiting()).toEqual(['[tool] Edit /w/web/later.html']);
    // What was seen is not looked for again, what was not is.
    expect(readWindow(paths, w.ledger.task)?.window?.observations.map(({ text }) => text)).toEqual(['[prompt] Now the newsletter', '[tool] Edit /w/web/letter.html']);
    expect(readWindow(paths, old)?.window?.observations[0]?.text).toBe('[prompt] Round the totals');
  });

  test('is no goal without a prompt of its own: a model cannot split at every pass', async () => {
    add(w, [asks('Round the totals'), wrote('/w/src/invoice.ts')], NOW);
    feedback = { verdict: 'silent', new_goal: 'Conquer the world' };
    const { task } = w.ledger;
    await pass();
    add(w, [wrote('/w/src/more.ts')], NOW);
    await pass();
    expect(w.ledger).toMatchObject({ task, goal: 'Round the totals' });
    expect(logs.filter((line) => line.includes('without a new prompt'))).toHaveLength(2);
  });
});

test('a pass that is overtaken by another task is paid by its own', async () => {
  add(w, [asks('Round the totals'), wrote('/w/src/invoice.ts')], NOW);
  const old = w.ledger.task;
  const started = await begin(w, 'volume', NOW + 1000);
  const reserved = w.ledger.spent_tokens;
  switchTask(w, 'another', NOW + 1500);
  expect(started.cancel.signal.aborted).toBe(true);
  end(w, started, await started.results, NOW + 2000);
  expect(reserved).toBeGreaterThan(1000);
  expect(w.ledger.spent_tokens).toBe(0);
  const left = readLedger(paths, old);
  expect(left.ok && left.value.spent_tokens).toBe(1000);
});

test('a forgotten task stays forgotten when its last pass is paid', async () => {
  add(w, [asks('Round the totals'), wrote('/w/src/invoice.ts')], NOW);
  const old = w.ledger.task;
  const started = await begin(w, 'volume', NOW + 1000);
  switchTask(w, 'another', NOW + 1500);
  rmSync(paths.ledger(old));
  end(w, started, await started.results, NOW + 2000);
  expect(readLedger(paths, old)).toMatchObject({ ok: false, because: 'missing' });
});

test('no task begins while a compaction waits for its summary: the window stays the one it was made of', async () => {
  knobs = { ...knobs, window: { ...knobs.window, budget_chars: 4000 } };
  for (let n = 0; n < 30; n += 1) add(w, [asks(`Round the totals of invoice ${n} ${'x'.repeat(200)}`)], NOW);
  let answer: (result: SummaryResult) => void = () => undefined;
  summarize = () => new Promise((resolve) => { answer = resolve; });
  endTurn(w, 'end_turn', NOW);
  const { task } = w.ledger;
  const starting = begin(w, 'volume', NOW + 1000);
  await new Promise((resolve) => setImmediate(resolve));
  add(w, [asks(OTHER)], NOW + 1100);
  expect(w.ledger.task).toBe(task);
  summarize = () => Promise.resolve({ text: 'Totals were rounded.', usage: NO_USAGE });
  answer({ text: 'Totals were rounded in invoice.ts.', usage: NO_USAGE });
  const started = await starting;
  expect(w.window).toMatchObject({ task, generation: 1 });
  // What its summary took is part of what the watching has cost.
  expect(w.observer.input).toBe(1000);
  end(w, started, await started.results, NOW + 2000);
  expect(waiting()).toEqual([`[prompt] ${OTHER}`]);
});
