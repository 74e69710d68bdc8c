import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { addTombstone, forgottenUpTo, isForgotten, readTombstones } from '../../../src/main/memory/forgotten-file.ts';
import { addAdvice, addFact, newLedger, suppress } from '../../../src/main/memory/ledger.ts';
import { findBySession, ledgerStock, readLedger, removeTask, sweepLedgers, writeLedger } from '../../../src/main/memory/ledger-file.ts';
import type { Ledger } from '../../../src/main/records.ts';

let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-ledger-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const DAY = 86_400_000;
const NOW = 100 * DAY;
const limits = (more: Partial<Knobs['ledger']> = {}): Knobs['ledger'] => ({ ...defaultKnobs().ledger, ...more });
const put = (task: string, more: Partial<Ledger> = {}): Ledger => {
  const ledger = { ...newLedger({ task, session: `s-${task}`, workspace: '/r', nonce: '0123456789abcdef', goal: 'g', now: NOW }), ...more };
  writeLedger(paths, ledger);
  writeFileSync(paths.windowLog(task, 0), 'w'.repeat(1000));
  writeFileSync(paths.gateCount(task, 1), '');
  return ledger;
};

describe('a ledger on disk', () => {
  it('comes back as it was written', () => {
    const ledger = suppress(addAdvice(addFact(put('t-1'), 'f', 1, limits()), { id: 'a', detector: 'd', headline: 'h', key: 'k', at: 1, verdict: 'adopted', reason: 'r' }, 2), 'k', 'b', 3);
    const whole: Ledger = {
      ...ledger,
      calibration: { default: { offset: 0.05, recent: ['adopted'], closed: 1, muted: false } },
      stragglers: { default: { timeouts: 1, stage: 'none', since: 0, retried: false, because: 'slow' } },
      position: { path: '/t', dev: 1, ino: 2, offset: 3, hash: 'h', uuid: 'u' },
      ended: 'clear',
    };
    writeLedger(paths, whole);
    expect(readLedger(paths, 't-1')).toEqual({ ok: true, value: whole });
  });

  it('is set aside when it is corrupt or newer than we are, and missing afterwards', () => {
    for (const text of ['{"v":1', '{}', JSON.stringify({ ...put('t-1'), v: 2 })]) {
      writeFileSync(paths.ledger('t-1'), text);
      expect(readLedger(paths, 't-1')).toMatchObject({ ok: false, because: 'corrupt' });
      expect(existsSync(`${paths.ledger('t-1')}.bad`)).toBe(true);
      expect(readLedger(paths, 't-1')).toEqual({ ok: false, because: 'missing' });
    }
  });

  it('is found by its session, the latest that was not ended by clear', () => {
    put('t-1', { session: 's', touched_at: 1 });
    put('t-2', { session: 's', touched_at: 3 });
    put('t-3', { session: 's', touched_at: 9, ended: 'clear' });
    put('t-4', { session: 'other', touched_at: 10 });
    expect(findBySession(paths, 's')?.task).toBe('t-2');
    expect(findBySession(paths, 'none')).toBe(undefined);
  });

  it('is counted with the age of the oldest', () => {
    expect(ledgerStock(paths)).toEqual({ count: 0 });
    put('t-1');
    put('t-2');
    utimesSync(paths.ledger('t-1'), 1000, 1000);
    expect(ledgerStock(paths)).toEqual({ count: 2, oldest_at: 1_000_000 });
  });
});

describe('the sweep', () => {
  it('deletes what was dormant too long, all its files, and says so', () => {
    put('t-old', { touched_at: NOW - 8 * DAY });
    put('t-new', { touched_at: NOW - 6 * DAY });
    expect(sweepLedgers(paths, new Set(), NOW, limits())).toEqual([{ task: 't-old', because: 'ttl' }]);
    expect(readdirSync(paths.tasks).sort()).toEqual(['t-new.gate.1', 't-new.json', 't-new.window.0.jsonl']);
  });

  it('keeps the most recently touched of a workspace, and of all while the bytes last', () => {
    for (let i = 0; i < 5; i += 1) put(`t-${i}`, { touched_at: NOW - i });
    put('t-elsewhere', { workspace: '/q', touched_at: NOW - 9 });
    expect(sweepLedgers(paths, new Set(), NOW, limits({ max_per_workspace: 3 }))).toEqual([
      { task: 't-3', because: 'workspace-cap' },
      { task: 't-4', because: 'workspace-cap' },
    ]);
    expect(sweepLedgers(paths, new Set(), NOW, limits({ max_bytes: 700 })).map(({ because }) => because)).toContain('bytes-cap');
    expect(ledgerStock(paths).count).toBeLessThan(4);
  });

  it('takes windows before ledgers when bytes run out', () => {
    put('t-1', { touched_at: NOW });
    put('t-2', { touched_at: NOW - 1 });
    expect(sweepLedgers(paths, new Set(), NOW, limits({ max_bytes: 2200 }))).toEqual([{ task: 't-2', because: 'window-bytes' }]);
    expect(readLedger(paths, 't-2').ok).toBe(true);
    expect(readdirSync(paths.tasks)).not.toContain('t-2.window.0.jsonl');
  });

  it('never takes a task that a live monitor has leased', () => {
    put('t-1', { touched_at: 0 });
    put('t-2', { touched_at: NOW });
    expect(sweepLedgers(paths, new Set(['t-1', 't-2']), NOW, limits({ max_per_workspace: 1, max_bytes: 10 }))).toEqual([]);
  });

  it('takes files whose ledger is gone once they are old', () => {
    put('t-1');
    rmSync(paths.ledger('t-1'));
    const [log, gate] = [paths.windowLog('t-1', 0), paths.gateCount('t-1', 1)];
    for (const path of [log, gate]) utimesSync(path, NOW / 1000, NOW / 1000);
    expect(sweepLedgers(paths, new Set(), NOW + DAY, limits())).toEqual([]);
    expect(sweepLedgers(paths, new Set(), NOW + 8 * DAY, limits())).toEqual([{ task: 't-1', because: 'orphan' }]);
    expect(readdirSync(paths.tasks)).toEqual([]);
  });

  it('leaves tasks whose name begins alike', () => {
    put('t-1');
    put('t-11');
    removeTask(paths, 't-1');
    expect(readdirSync(paths.tasks).sort()).toEqual(['t-11.gate.1', 't-11.json', 't-11.window.0.jsonl']);
  });

  it('finds nothing to do in an empty data directory', () => {
    expect(sweepLedgers(paths, new Set(), NOW, limits())).toEqual([]);
  });
});

describe('a tombstone', () => {
  const position = (path: string, offset: number) => ({ path, dev: 1, ino: 1, offset, hash: 'h' });

  it('says what was forgotten, and that later memory is not', () => {
    addTombstone(paths, { v: 1, at: 50, scope: 'task', of: 't-1', positions: [position('/a', 10)] });
    addTombstone(paths, { v: 1, at: 60, scope: 'workspace', of: '/r', positions: [] });
    const tombstones = readTombstones(paths);
    expect(isForgotten({ task: 't-1', workspace: '/q', since: 40 }, tombstones)).toBe(true);
    expect(isForgotten({ task: 't-1', workspace: '/q', since: 51 }, tombstones)).toBe(false);
    expect(isForgotten({ task: 't-2', workspace: '/r', since: 40 }, tombstones)).toBe(true);
    expect(isForgotten({ task: 't-2', workspace: '/q', since: 40 }, tombstones)).toBe(false);
    addTombstone(paths, { v: 1, at: 70, scope: 'all', positions: [] });
    expect(isForgotten({ task: 't-2', workspace: '/q', since: 69 }, readTombstones(paths))).toBe(true);
  });

  it('keeps the furthest position of each transcript, damaged lines aside', () => {
    addTombstone(paths, { v: 1, at: 1, scope: 'all', positions: [position('/a', 10), position('/b', 5)] });
    writeFileSync(paths.forgotten, '{"v":1,"at":"x"}\nnonsense\n', { flag: 'a' });
    addTombstone(paths, { v: 1, at: 2, scope: 'all', positions: [position('/a', 30)] });
    addTombstone(paths, { v: 1, at: 3, scope: 'all', positions: [position('/a', 20)] });
    expect(forgottenUpTo('/a', readTombstones(paths))?.offset).toBe(30);
    expect(forgottenUpTo('/c', readTombstones(paths))).toBe(undefined);
  });
});
