// A session's task over days: what a resume brings back, what is swept, and what stays forgotten, with real files and the rules as judge.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forget } from '../../src/main/command/forget.ts';
import { openJudge } from '../../src/main/entry/judge.ts';
import { openSession } from '../../src/main/entry/session.ts';
import { sweep } from '../../src/main/entry/sweep.ts';
import { defaultKnobs, type Knobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { readLedger } from '../../src/main/memory/ledger-file.ts';
import { loadCatalogue } from '../../src/main/pass/catalogue-file.ts';
import { judgeLocally } from '../../src/workers/model/local.ts';
import type { Signal } from '../../src/main/records.ts';
import { claim, edit, end, prompt, story, type Part } from '../support/story.ts';

const SESSION = 's-1';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NO_USAGE = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

let base = '';
let root = '';
let paths: Paths;
let transcript = '';
let knobs: Knobs;
let start = 0;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-tasks-')));
  root = join(base, 'shop');
  mkdirSync(join(root, 'src'), { recursive: true });
  paths = pathsUnder(join(base, 'data'));
  transcript = join(base, `${SESSION}.jsonl`);
  const defaults = defaultKnobs();
  knobs = { ...defaults, model: { ...defaults.model, provider: 'local' }, window: { ...defaults.window, budget_chars: 6000 } };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (now: number, source: string | undefined) => {
  const { detectors } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} });
  const session = openSession({
    paths, host: 'h', host_pid: process.pid, session: SESSION, transcript, cwd: root, workspace: root, source, origin: undefined, started: undefined, since: undefined, patient: false,
    runtime: { version: 'test', dist: join(base, 'none'), catalogue: 'plugin/detectors.json', prompts: 'plugin/prompts' },
    knobs: () => knobs, catalogue: () => detectors, env: { HOME: base }, children: () => () => undefined,
    judge: openJudge({ knobs: () => knobs, env: {}, root: () => root, endpoints: undefined, log: () => undefined }),
    pools: () => { throw new Error('nothing large here'); },
    ports: {
      fork: (task) => Promise.resolve({ detector: task.detector.name, end: 'feedback', feedback: judgeLocally(task), usage: NO_USAGE, requests: 0, started_at: now, took_ms: 0, model: 'local', pilot: task.pilot, tool_text: '' }),
      summarize: () => Promise.resolve({ text: '', usage: NO_USAGE }),
    },
    notices: () => [], paused: () => false, log: () => undefined, ring: () => undefined,
  }, now);
  if (session === undefined) throw new Error('somebody else has the session');
  return session;
};
const stop = (at: number): Signal => ({ v: 1, event: 'Stop', at, session: SESSION, transcript, cwd: root, attended: true });

/** What the host writes while `parts` happen, and what the monitor does meanwhile: reads, hears the turn's end, has its pass. */
const goBy = async (session: ReturnType<typeof open>, id: string, parts: readonly Part[], at: number): Promise<number> => {
  const { lines } = story(id, root, parts);
  appendFileSync(transcript, `${lines.join('\n')}\n`);
  await session.read(at);
  session.hear(stop(at), at);
  session.step(at, true);
  await session.idle();
  return at;
};
const work = (n: number): readonly Part[] => [
  prompt(n === 0 ? 'Round the totals of every invoice.' : `Go on with invoice ${n}: the totals again.`), ...Array.from({ length: 6 }, (_, at) => edit(`src/invoice-${n}-${at}.ts`, 'floor'.repeat(30), 'round'.repeat(30))), claim(`Invoice ${n} is rounded.`), end(),
];

/** A day's work of several compactions, closed in the evening. */
const dayOfWork = async (): Promise<string> => {
  start = Date.UTC(2026, 4, 4, 8);
  for (let n = 0; n < 6; n += 1) for (let at = 0; at < 6; at += 1) writeFileSync(join(root, `src/invoice-${n}-${at}.ts`), '');
  const session = open(start, 'startup');
  for (let n = 0; n < 6; n += 1) await goBy(session, `w${n}`, work(n), start + n * 600_000);
  const { task } = session.watching().ledger;
  session.close(start + HOUR, 'ended');
  return task;
};
const digest = (): string => (JSON.parse(readFileSync(paths.digest(SESSION), 'utf8')) as { readonly text: string }).text;

describe('a resume', () => {
  test('goes on with the task; after more than a day, what its facts cite is looked for and what is gone is marked, for people and model', async () => {
    const task = await dayOfWork();
    // What the hook looks for, which speaks before any monitor has looked.
    const { cites } = JSON.parse(readFileSync(paths.digest(SESSION), 'utf8')) as { readonly cites: readonly string[] };
    expect(cites.length).toBeGreaterThan(0);
    expect(cites.every((path) => existsSync(path) && path.startsWith(root))).toBe(true);
    for (let at = 0; at < 6; at += 1) rmSync(join(root, `src/invoice-0-${at}.ts`));
    const session = open(start + 2 * DAY, 'resume');
    expect(session.watching().ledger).toMatchObject({ task, goal: 'Round the totals of every invoice.' });
    const marked = session.watching().ledger.facts.filter(({ text }) => text.includes('[no longer there: '));
    expect(marked.length).toBeGreaterThan(0);
    expect(marked.every(({ text }) => !/no longer there: [^\]]*invoice-[1-5]/.test(text))).toBe(true);
    session.surface(start + 2 * DAY);
    expect(digest().length).toBeLessThanOrEqual(1200);
    expect(digest()).toContain('goal: Round the totals of every invoice.');
    await goBy(session, 'w9', [prompt('Where were we with the invoice totals?'), claim('At invoice 6.'), end()], start + 2 * DAY + 60_000);
    const shown = [session.watching().window.ledger_text, ...session.watching().window.blocks.map(({ text }) => text)].join('\n');
    expect(shown).toMatch(/\[note\] no longer there: (?:\S*src\/invoice-0-\d\.ts(?:, )?){6}\n/);
    session.close(start + 2 * DAY + HOUR, 'ended');
  });

  test('within the day nothing is looked for, and the window is the same to the byte', async () => {
    await dayOfWork();
    rmSync(join(root, 'src/invoice-0-0.ts'));
    const before = readdirSync(paths.tasks).filter((name) => name.includes('.window.')).map((name) => readFileSync(join(paths.tasks, name), 'utf8'));
    const session = open(start + 2 * HOUR, 'resume');
    expect(session.watching().ledger.facts.some(({ text }) => text.includes('no longer there'))).toBe(false);
    expect(readdirSync(paths.tasks).filter((name) => name.includes('.window.')).map((name) => readFileSync(join(paths.tasks, name), 'utf8'))).toEqual(before);
    session.close(start + 3 * HOUR, 'ended');
  });

  test('a clear begins anew, and what it ended is not found again', async () => {
    const task = await dayOfWork();
    const session = open(start + 2 * HOUR, 'resume');
    session.hear({ v: 1, event: 'SessionEnd', at: start, session: SESSION, transcript, cwd: root, reason: 'clear' }, start + 2 * HOUR);
    session.close(start + 2 * HOUR, 'ended');
    const after = open(start + 3 * HOUR, 'clear');
    expect(after.watching().ledger.task).not.toBe(task);
    after.close(start + 3 * HOUR, 'ended');
    const resumed = open(start + 4 * HOUR, 'resume');
    expect(resumed.watching().ledger.task).not.toBe(task);
    resumed.close(start + 4 * HOUR, 'ended');
  });
});

describe('a standing instruction', () => {
  const told = async (first: string): Promise<{ readonly tasks: number; readonly said: readonly string[] }> => {
    start = Date.UTC(2026, 4, 4, 8);
    const session = open(start, 'startup');
    await goBy(session, 'w1', [prompt(first), claim('Understood.'), end()], start);
    const { task } = session.watching().ledger;
    await goBy(session, 'w2', work(1).map((part, at) => (at === 0 ? prompt('Invoice totals are wrong by a cent, round each amount commercially') : part)), start + 600_000);
    const tasks = new Set([task, session.watching().ledger.task]).size;
    const said = [...session.watching().rows.values()].flatMap((row) => JSON.stringify(row).match(/standard-questions:tests_run/g) ?? []);
    session.close(start + HOUR, 'ended');
    return { tasks, said };
  };

  test('of the session holds in the next task as well, where one of a task does not', async () => {
    expect(await told('For this whole session: no tests')).toEqual({ tasks: 2, said: [] });
    rmSync(join(base, 'data'), { recursive: true });
    rmSync(transcript);
    const other = await told('Look around. No tests for this');
    expect(other.tasks).toBe(2);
    expect(other.said.length).toBeGreaterThan(0);
  });
});

describe('the sweep', () => {
  const age = (days: number): void => {
    for (const folder of [paths.tasks, paths.session(SESSION)]) for (const name of readdirSync(folder)) utimesSync(join(folder, name), (start + DAY * days) / 1000, (start + DAY * days) / 1000);
    utimesSync(paths.session(SESSION), (start + DAY * days) / 1000, (start + DAY * days) / 1000);
  };

  test('takes a dormant task after its time, with its window; one that is being watched stays', async () => {
    const task = await dayOfWork();
    age(0);
    const session = open(start + 8 * DAY, 'resume');
    session.surface(start + 8 * DAY);
    sweep(paths, knobs, start + 8 * DAY);
    expect(existsSync(paths.ledger(task))).toBe(true);
    session.close(start + 8 * DAY, 'ended');
    age(8);
    expect(sweep(paths, knobs, start + 20 * DAY).some((line) => line.includes(task))).toBe(true);
    expect(readdirSync(paths.tasks).filter((name) => name.startsWith(task))).toEqual([]);
  });
});

describe('what was forgotten', () => {
  test('is not written back by the monitor that had it, not read again, and not resumed', async () => {
    const task = await dayOfWork();
    const session = open(start + 2 * HOUR, 'resume');
    await goBy(session, 'w7', work(7), start + 2 * HOUR);
    forget({ paths, scope: { kind: 'task', task }, debug: paths.debug, now: start + 2 * HOUR + 1000 });
    expect(session.isForgotten()).toBe(true);
    session.close(start + 2 * HOUR + 2000, 'forgotten');
    expect(readdirSync(paths.tasks)).toEqual([]);
    expect(readLedger(paths, task).ok).toBe(false);

    const again = open(start + 3 * HOUR, 'resume');
    expect(again.watching().ledger.task).not.toBe(task);
    await goBy(again, 'w8', [prompt('Something else: print the labels.'), edit('src/label.ts', 'a', 'b'), claim('Printed.'), end()], start + 3 * HOUR + 1000);
    const { ledger, window } = again.watching();
    expect(ledger.goal).toBe('Something else: print the labels.');
    expect(window.observations.some(({ text }) => text.includes('invoice'))).toBe(false);
    again.close(start + 4 * HOUR, 'ended');
    expect(readdirSync(paths.tasks).map((name) => readFileSync(join(paths.tasks, name), 'utf8')).join('')).not.toContain('invoice');
  });
});
