// What a pass has spent when nobody was left to count it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { add, begin, end, openObserver } from '../../src/main/observer.ts';
import { readSpent } from '../../src/main/pass/budget-file.ts';
import { crashed } from '../../src/main/pass/run-pass.ts';
import type { ForkResult } from '../../src/main/records.ts';
import type { Setup } from '../../src/main/watching.ts';
import { DETECTOR, providerOf } from '../support/fork-task.ts';
import { HOST, NOW } from '../support/mail.ts';
import { observation } from '../support/records.ts';

let data = '';
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-spending-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** The hour's count after one pass whose only fork ends as `result`. */
const spentBy = async (result: ForkResult): Promise<number> => {
  const never = (): never => {
    throw new Error('nobody is asked here');
  };
  const setup: Setup = {
    paths, session: 's1', workspace: '/w', git_dir: '/w/.git', cwd: '/w', host: String(HOST), host_pid: HOST, version: '1', shared_prompt: '',
    knobs: defaultKnobs, catalogue: () => [DETECTOR], judge: () => ({ provider: providerOf('anthropic', 'http://127.0.0.1:1'), min_cacheable: 4096 }),
    fork: () => Promise.resolve(result), summarize: never, tool: never, mcp_tools: () => [],
    entropy: () => new Uint8Array(16).fill(7), log: () => undefined, capture: () => undefined,
  };
  const w = openObserver(setup, { history: [] }, NOW);
  add(w, [observation({ kind: 'prompt', human: true, text: '[prompt] Go on.' })], NOW);
  const pass = await begin(w, 'asked', NOW);
  const reserved = pass.reservation?.tokens ?? 0;
  expect(reserved).toBeGreaterThan(1000);
  end(w, pass, await pass.results, NOW + 1000);
  expect(w.ledger.spent_tokens).toBe(readSpent(paths, { session: 's1', host: String(HOST) }, NOW + 1000).own);
  return w.ledger.spent_tokens / reserved;
};

test('D2: a fork whose thread died counts as the worst case: threads that keep dying spend nothing unseen', async () => {
  expect(await spentBy(crashed(DETECTOR, true, new Error('worker exited with code: 9')))).toBe(1);
});

test('a fork that could be counted costs what it has cost', async () => {
  const { usage_unknown: _, ...known } = crashed(DETECTOR, true, '');
  expect(await spentBy({ ...known, end: 'provider-error', usage: { ...known.usage, input: 10 } })).toBeLessThan(0.01);
});
