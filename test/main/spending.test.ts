// What a pass has spent when nobody was left to count it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { add, begin, end, openObserver } from '../../src/main/observer.ts';
import { readSpent } from '../../src/main/pass/budget-file.ts';
import { crashed } from '../../src/main/pass/run-pass.ts';
import type { Detector, ForkResult } from '../../src/main/records.ts';
import type { Setup } from '../../src/main/watching.ts';
import { DETECTOR, providerOf } from '../support/fork-task.ts';
import { HOST, NOW } from '../support/mail.ts';
import { observation } from '../support/records.ts';

let data = '';
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-spending-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const setupOf = (over: Partial<Setup>): Setup => ({
  paths: pathsUnder(mkdtempSync(join(data, 'one-'))), session: 's1', workspace: '/w', git_dir: '/w/.git', cwd: '/w', host: String(HOST), host_pid: HOST, version: '1', shared_prompt: '',
  knobs: defaultKnobs, catalogue: () => [DETECTOR], judge: () => ({ provider: providerOf('anthropic', 'http://127.0.0.1:1'), min_cacheable: 4096 }),
  fork: nobody, summarize: nobody, tool: nobody, mcp_tools: () => [],
  entropy: () => new Uint8Array(16).fill(7), log: () => undefined, capture: () => undefined, ...over,
});

const nobody = (): never => {
  throw new Error('nobody is asked here');
};

/** What was reserved for one pass whose only fork ends as `result`, and the hour's count after it. */
const spentBy = async (result: ForkResult, detector: Detector = DETECTOR): Promise<{ readonly reserved: number; readonly spent: number }> => {
  const setup = setupOf({ catalogue: () => [detector], fork: () => Promise.resolve(result) });
  const w = openObserver(setup, { history: [] }, NOW);
  add(w, [observation({ kind: 'prompt', human: true, text: '[prompt] Go on.' })], NOW);
  const pass = await begin(w, 'asked', NOW);
  const reserved = pass.reservation?.tokens ?? 0;
  expect(reserved).toBeGreaterThan(1000);
  end(w, pass, await pass.results, NOW + 1000);
  expect(w.ledger.spent_tokens).toBe(readSpent(setup.paths, { session: 's1', host: String(HOST) }, NOW + 1000).own);
  return { reserved, spent: w.ledger.spent_tokens };
};

test('D2: a fork whose thread died counts as the worst case: threads that keep dying spend nothing unseen', async () => {
  const { reserved, spent } = await spentBy(crashed(DETECTOR, true, new Error('worker exited with code: 9')));
  expect(spent).toBe(reserved);
});

test('D2: of a fork that died in its tool loop one request counts unseen: its first, or the next beside what was seen', async () => {
  const loops: Detector = { ...DETECTOR, tools: ['Read'] };
  const dead = crashed(loops, true, new Error('worker exited with code: 9'));
  const unseen = await spentBy(dead, loops);
  expect(unseen.spent).toBeGreaterThan(unseen.reserved / 20);
  expect(unseen.spent).toBeLessThan(unseen.reserved / 4);
  const usage = { ...dead.usage, input: 700, output: 20 };
  const seen = await spentBy({ ...dead, usage }, loops);
  expect(seen.spent).toBeGreaterThan(unseen.spent);
  expect(seen.spent).toBeLessThan(seen.reserved / 2);
  const all = await spentBy({ ...dead, usage: { ...usage, input: unseen.reserved - 10 } }, loops);
  expect(all.spent).toBe(all.reserved + 90);
});

test('a fork that could be counted costs what it has cost', async () => {
  const { usage_unknown: _, ...known } = crashed(DETECTOR, true, '');
  expect((await spentBy({ ...known, end: 'provider-error', usage: { ...known.usage, input: 10 } })).spent).toBe(10);
});

test('what the provider keeps is not counted on once the prefix is another one', async () => {
  const { usage_unknown: _, ...known } = crashed(DETECTOR, true, '');
  let tools: readonly string[] = [];
  const logged: string[] = [];
  const result: ForkResult = { ...known, end: 'feedback', usage: { ...known.usage, cache_read: 5000 } };
  const setup = setupOf({
    fork: () => Promise.resolve(result), log: (line) => void logged.push(line), shared_prompt: 'Watch. '.repeat(4000),
    mcp_tools: () => tools.map((name) => ({ server: 's', tool: 'look', name, read_only: true, definition: { name, description: '', input_schema: {} } })),
  });
  const w = openObserver(setup, { history: [] }, NOW);
  const reserved: number[] = [];
  for (const [i, more] of [[], [], ['mcp__s__look'], ['mcp__s__look'], []].entries()) {
    tools = more;
    add(w, [observation({ kind: 'prompt', human: true, text: '[prompt] Go on.' })], NOW + i * 1000);
    const pass = await begin(w, 'asked', NOW + i * 1000);
    reserved.push(pass.reservation?.tokens ?? 0);
    end(w, pass, await pass.results, NOW + i * 1000 + 500);
  }
  const [cold = 0, warm = 0, other = 0, again = 0, gone = 0] = reserved;
  expect(warm).toBeLessThan(cold - 4000);
  expect(other).toBeGreaterThan(cold);
  expect(again).toBeLessThan(other - 4000);
  expect(gone - again).toBeLessThan(1000);
  expect(w.rebuilds).toBe(1);
  expect(logged.filter((line) => line.includes('prefix'))).toEqual(['the prefix is written anew: there is a new tool']);
});
