import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lazyPools } from '../../../src/main/entry/lazy-pools.ts';

let dist = '';
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'sb-lazy-'));
});
afterEach(() => rmSync(dist, { recursive: true, force: true }));

test('pools that could not be loaded for one task are loaded for the next', async () => {
  const pools = lazyPools({ dist, fork_threads: 1, width: 1, compute_threads: 1 });
  const task = { kind: 'project', path: '', from: 0, to: 0, limits: {} } as unknown as Parameters<typeof pools.project>[0];
  await expect(pools.project(task)).rejects.toThrow();
  await pools.close();
  writeFileSync(join(dist, 'pools.cjs'), 'exports.openPools = () => ({ project: async () => ({ items: [], bad_lines: 7 }), close: async () => undefined });');
  expect(await pools.project(task)).toEqual({ items: [], bad_lines: 7 });
  await pools.close();
});
