import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { openObserver } from '../../src/main/observer.ts';
import { NO_TALLY } from '../../src/main/speaking.ts';
import { statusOf, type Around } from '../../src/main/surfacing.ts';
import type { Provider } from '../../src/workers/contract.ts';
import type { Watching } from '../../src/main/watching.ts';
import { DETECTOR, providerOf } from '../support/fork-task.ts';
import { HOST, NOW } from '../support/mail.ts';

let data = '';
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-surfacing-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const open = (kind: Provider['kind'], own: object = {}): Watching => {
  const never = (): never => {
    throw new Error('nobody is asked here');
  };
  const paths = pathsUnder(data);
  return openObserver(
    {
      paths, session: 's1', workspace: '/w', git_dir: '/w/.git', cwd: '/w', host: String(HOST), host_pid: HOST, version: '1', shared_prompt: '',
      knobs: () => ({ ...defaultKnobs(), budget: { ...defaultKnobs().budget, machine_tokens_per_hour: 700_000 } }),
      catalogue: () => [{ ...DETECTOR, name: 'sure', confidence_floor: 0.8 }, { ...DETECTOR, name: 'late' }, { ...DETECTOR, name: 'loud' }, { ...DETECTOR, name: 'checks', tools: [{ exec: ['npm test'] }] }],
      judge: () => ({ provider: { ...providerOf('anthropic', ''), kind, ...own }, min_cacheable: 4096 }),
      fork: never, summarize: never, tool: never, mcp_tools: () => [], entropy: () => new Uint8Array(16).fill(7), log: () => undefined, capture: () => undefined,
    },
    { history: [] },
    NOW,
  );
};
const around = (spent: Partial<Around['spent']> = {}): Around => ({ spent: { own: 0, machine: 0, host: 0, ...spent }, enrolled: true, paused: false, ledgers: { count: 1 }, notices: [] });

test('a detector that was slowed, switched off, muted or left without a command says so, though it has not run since; its floor is its own', () => {
  const w = open('anthropic');
  w.detectors = { sure: { ...NO_TALLY, runs: 3 } };
  w.ledger = {
    ...w.ledger,
    stragglers: { late: { timeouts: 4, stage: 'disabled', since: NOW, retried: false, because: '4 timeouts in a row' }, sure: { timeouts: 0, stage: 'none', since: 0, retried: false, because: '' } },
    calibration: { loud: { offset: 0.2, recent: [], closed: 12, muted: true } },
  };
  const { detectors } = statusOf(w, NOW, around());
  expect(Object.keys(detectors).sort()).toEqual(['checks', 'late', 'loud', 'sure']);
  expect(detectors['sure']).toEqual({ ...NO_TALLY, runs: 3, floor: 0.8, floor_source: 'detectors.sure.confidence_floor 0.80' });
  expect(detectors['late']?.stage).toBe('disabled, 4 timeouts in a row');
  expect(detectors['checks']?.stage).toMatch(/^none of its commands may run/);
  expect(detectors['loud']?.stage).toMatch(/^muted/);
  expect(detectors['loud']?.floor_source).toBe('gate.confidence_floor 0.60, raised by 0.20 after 12 outcomes');
});

test('it names the ceiling that binds, and none where nothing is paid', () => {
  const binds = (kind: Provider['kind'], spent: Partial<Around['spent']>): readonly unknown[] => {
    const { spent: shown, phase } = statusOf(open(kind), NOW, around(spent));
    return [shown.binds, shown.left, phase];
  };
  expect(binds('anthropic', { own: 100_000, machine: 100_000 })).toEqual(['hour', 500_000, 'watching']);
  expect(binds('anthropic', { own: 1000, machine: 650_000 })).toEqual(['machine', 50_000, 'watching']);
  expect(binds('host', { own: 1000, machine: 1000, host: 300_000 })).toEqual(['host', 0, 'budget-spent']);
  expect(binds('local', { own: 600_000 })).toEqual([undefined, undefined, 'watching']);
});
