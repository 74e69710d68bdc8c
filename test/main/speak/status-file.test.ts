import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readStatus, writeStatus } from '../../../src/main/speak/status-file.ts';
import type { Status } from '../../../src/main/surfaces.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-status-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const none = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const status: Status = {
  v: 1, at: 5000, version: '0.1.0', host_pid: 1, session: 's', task: 't', workspace: '/w', state: 'idle', phase: 'watching', provider: 'local', model: '',
  volumes: { tools: {}, kinds: {}, unknown: {} }, primary: none, observer: none, spent: { task: 0, hour: 0, task_cap: 1, hour_cap: 1 }, passes: { count: 0, by_reason: {}, holds: {} }, detectors: {},
  advice: { generated: 0, delivered: 0, gated: {}, last_hour: 0, rate_cap: 4 }, window: { chars: 0, budget_chars: 1, compactions: 0, generation: 0 }, ledgers: { count: 0 }, notices: [],
};

describe('the status file', () => {
  test('it is read back with its age', () => {
    const path = join(folder, 'sessions', 's', 'status.json');
    writeStatus(path, status);
    expect(readStatus(path, 65_000)).toEqual({ ok: true, value: { status, age_ms: 60_000 } });
    expect(readStatus(path, 0)).toMatchObject({ ok: true, value: { age_ms: 0 } });
  });

  test('none, half of one and a later version are told apart from a status', () => {
    const path = join(folder, 'status.json');
    expect(readStatus(path, 0)).toEqual({ ok: false, because: 'missing' });
    for (const text of ['{"v":1,"at":', '{"v":2}', '[]', JSON.stringify({ ...status, volumes: 3 })]) {
      writeFileSync(path, text);
      expect(readStatus(path, 0)).toMatchObject({ ok: false, because: 'corrupt' });
    }
  });
});
