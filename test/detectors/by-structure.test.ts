// Detectors that code decides: without a match nobody is asked, with one the model may still hold its tongue, and rules say it alone.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Knobs } from '../../src/main/floor/knobs.ts';
import { appendIndex } from '../../src/main/memory/index-file.ts';
import type { Paths } from '../../src/main/floor/paths.ts';
import type { IndexLine } from '../../src/main/surfaces.ts';
import { advise, silent, type Rule } from '../support/competent-model.ts';
import { holds, type Case } from '../support/detector-cases.ts';
import { openDetectorRun, type DetectorRun } from '../support/detector-run.ts';
import { claim, edit, end, fails, prompt, run, say } from '../support/story.ts';

let on: DetectorRun;
beforeAll(async () => {
  on = await openDetectorRun();
});
afterAll(() => on.close());

/** What code found, as the tail tells it. */
const matchIn = (tail: string): { readonly key: string; readonly cites: readonly string[] } | undefined => {
  const found = /Citations: (.*)\nKey: (.*)/.exec(tail);
  return found === null ? undefined : { cites: (found[1] ?? '').split(', '), key: found[2] ?? '' };
};

describe('repeat-failure', () => {
  const rule: Rule = ({ tail, find }) => {
    const match = matchIn(tail);
    if (match === undefined) throw new Error('asked without a match');
    if (find('prompt', 'keep trying', 'red first').length > 0) return silent('the failures are meant');
    return advise({ headline: 'The same command fails for the same reason each time', body: 'Each attempt ends on the missing variable.', evidence: match.cites, dedup_key: match.key });
  };
  type Both = Case & { readonly asked: boolean; readonly local: boolean };
  const again = (command: string, wait = 20) => fails(command, 'Error: DATABASE_URL is not set\n    at connect (src/db.ts:4)', wait);
  const cases: readonly Both[] = [
    {
      what: 'one command in four dresses',
      parts: [prompt('Get the tests to pass.'), again('npm test'), again('npm test 2>&1 | tail -20'), again('npm test'), again('cd . && npm test'), say('Let me try again.'), run('ls')],
      speaks: { to: 'agent', key: /^repeat-failure:npm-test:/, seen: [/^#\d+ \[error\].*DATABASE_URL is not set/] },
      asked: true, local: true,
    },
    {
      what: 'a build that ends alike three times',
      parts: [prompt('Build the image.'), ...[1, 2, 3].map(() => fails('docker build -t shop .', 'failed to solve: failed to read dockerfile: open Dockerfile: no such file or directory', 30)), say('Strange.'), run('ls')],
      speaks: { to: 'agent', key: /^repeat-failure:docker-build/, seen: [/no such file or directory/] },
      asked: true, local: true,
    },
    { what: 'already mended: it went through in between', parts: [prompt('Get the tests to pass.'), again('npm test'), again('npm test'), run('npm test'), again('npm test'), claim('One is left.'), end()], asked: false, local: false },
    { what: 'different commands', parts: [prompt('Get the tests to pass.'), again('npm test'), again('npm run lint'), again('npm run build'), claim('All three fail.'), end()], asked: false, local: false },
    { what: 'twice is no row', parts: [prompt('Get the tests to pass.'), again('npm test'), again('npm test'), claim('Two failures.'), end()], asked: false, local: false },
    // Code counts, and only a reader knows what was meant.
    { what: 'the user wants the retries', parts: [prompt('The service is flaky: keep trying the smoke test until it is up.'), again('npm run smoke'), again('npm run smoke'), again('npm run smoke'), say('Still down.')], asked: true, local: false },
  ];
  test.each(cases)('$what', async ({ parts, speaks, asked }) => {
    const played = await on.play({ parts, rules: { 'repeat-failure': rule }, detectors: { 'repeat-failure': {} } });
    holds(played, 'repeat-failure', speaks, asked);
    expect(played.requests.length > 0).toBe(asked);
  });
  test.each(cases)('$what, by rules', async ({ parts, local }) => {
    const { advice } = await on.play({ parts, local: true, detectors: { 'repeat-failure': {} } });
    expect(advice.map(({ kind, evidence }) => [kind, evidence.length >= 3])).toEqual(local ? [['repeat-failure', true]] : []);
  });
});

describe('cross-task-collision', () => {
  const rule: Rule = ({ tail, find }) => {
    const match = matchIn(tail);
    if (match === undefined) throw new Error('asked without a match');
    if (find('prompt', 'my other session').length > 0) return silent('the user knows of it');
    return advise({ headline: 'Another session writes the same file', body: 'Its goal reads like other work; edits may be overwritten.', evidence: match.cites, dedup_key: match.key });
  };
  const START = 20;
  const other = (path: string, { cwd = on.root, ago_s = 60, session = 'other', git_dir = on.root }: { readonly cwd?: string; readonly ago_s?: number; readonly session?: string; readonly git_dir?: string } = {}) => (paths: Paths, start: number): void =>
    appendIndex(paths, { task: `t-${session}`, session, cwd, git_dir, goal: 'Move the money types', paths: [path], at: start + (START - ago_s) * 1000 });
  const work = [prompt('Round the totals.', 0), edit('src/money.ts', 'floor', 'round', START), claim('Totals are rounded.'), end(), prompt('Thanks. Anything else?', 30), run('ls')];
  type Crossed = Case & { readonly before: () => (paths: Paths, start: number) => void; readonly asked: boolean; readonly local: 'agent' | 'human' | 'nobody' };
  const cases: readonly Crossed[] = [
    { what: 'in the same checkout: the agent is told', parts: work, before: () => other('src/money.ts'), speaks: { to: 'agent', key: 'cross-task-collision:src/money.ts', seen: [/^#\d+ \[tool\] Edit .*src\/money\.ts/, /^src\/money\.ts/] }, asked: true, local: 'agent' },
    { what: 'in another worktree: the person alone', parts: work, before: () => other('src/money.ts', { cwd: '/elsewhere/shop-2' }), speaks: { to: 'human', key: 'cross-task-collision:src/money.ts', seen: [/src\/money\.ts/] }, asked: true, local: 'human' },
    { what: 'another file', parts: work, before: () => other('src/money-format.ts'), asked: false, local: 'nobody' },
    { what: 'longer ago than the index remembers', parts: work, before: () => other('src/money.ts', { ago_s: 1000 }), asked: false, local: 'nobody' },
    { what: 'another repository', parts: work, before: () => other('src/money.ts', { git_dir: '/other/.git' }), asked: false, local: 'nobody' },
    { what: 'the user has just spoken of it', parts: [prompt('Round the totals. I know that my other session is in money.ts too, we merge later.', 0), ...work.slice(1)], before: () => other('src/money.ts'), asked: true, local: 'agent' },
  ];
  test.each(cases)('$what', async ({ parts, before, speaks, asked }) => {
    const played = await on.play({ parts, before: before(), rules: { 'cross-task-collision': rule }, detectors: { 'cross-task-collision': {} } });
    holds(played, 'cross-task-collision', speaks, asked);
    expect(played.requests.length > 0).toBe(asked);
  });
  test.each(cases)('$what, by rules', async ({ parts, before, local }) => {
    const { advice } = await on.play({ parts, before: before(), local: true, detectors: { 'cross-task-collision': {} } });
    expect(advice.map(({ human_only }) => (human_only ? 'human' : 'agent'))).toEqual(local === 'nobody' ? [] : [local]);
  });

  test('a file is told once an hour, however often both write it; another file is told at once', async () => {
    const parts = [
      prompt('Round the totals.', 0),
      ...Array.from({ length: 6 }, (_, n) => [edit('src/money.ts', `a${n}`, `b${n}`, 30), claim(`Step ${n} is finished.`), end(), prompt(`Go on with step ${n + 1}, please.`, 400)]).flat(),
      edit('src/vat.ts', 'a', 'b', 10), claim('Vat as well.'), end(), prompt('Good.', 30),
      edit('src/money.ts', 'a9', 'b9', 3600), claim('An hour later.'), end(), prompt('Good.', 30),
    ];
    const before = (paths: Paths, start: number): void => {
      for (let s = 0; s < 7200; s += 100) for (const path of ['src/money.ts', 'src/vat.ts']) if (path === 'src/money.ts' || s > 2000) appendIndex(paths, { task: 't-other', session: 'other', cwd: on.root, git_dir: on.root, goal: 'Move the money types', paths: [path], at: start + s * 1000 });
    };
    // The other session's lines all lie there from the start, most of them ahead of their time.
    const knobs = (base: Knobs): Knobs => ({ ...base, index: { ...base.index, compact_interval_s: 86_400 } });
    const { events } = await on.play({ parts, before, knobs, local: true, detectors: { 'cross-task-collision': {} } });
    const raised = events.flatMap((event) => (event.type === 'fork' && event.verdict === 'advise' ? [`${Math.floor((event.at - (events.find((one) => one.type === 'pass')?.at ?? 0)) / 3_600_000)} h: ${event.headline?.includes('vat') === true ? 'vat' : 'money'}`] : []));
    expect(raised).toEqual(['0 h: money', '0 h: vat', '1 h: money']);
  });

  test('what nobody counts any more leaves the index every compact_interval_s, while a session writes', async () => {
    const step = (n: number, seconds: number) => [prompt(`Step ${n}, please.`, seconds), edit('src/money.ts', `a${n}`, `b${n}`, 10), claim(`Step ${n} is finished.`), end()];
    const kept = async (later_s: number): Promise<readonly string[]> => {
      const before = (paths: Paths, start: number): void => appendIndex(paths, { task: 't-other', session: 'other', cwd: on.root, git_dir: on.root, goal: 'Gone long ago', paths: ['src/old.ts'], at: start - 3_600_000 });
      const { paths } = await on.play({ parts: [...step(1, 0), ...step(2, later_s), prompt('Good.', 30)], before, local: true, detectors: { 'cross-task-collision': {} } });
      return readFileSync(paths.index(on.root), 'utf8').trim().split('\n').map((line) => (JSON.parse(line) as IndexLine).goal.slice(0, 13));
    };
    expect(await kept(300)).toEqual(['Gone long ago', 'Step 1, pleas', 'Step 1, pleas']);
    expect(await kept(700)).toEqual(['Step 1, pleas', 'Step 1, pleas']);
  });
});
