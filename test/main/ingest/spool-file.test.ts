import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendLine } from '../../../src/main/floor/jsonl-file.ts';
import { readSpool, spoolStart, type SpoolPosition } from '../../../src/main/ingest/spool-file.ts';
import { parseSignal } from '../../../src/main/ingest/signal.ts';
import type { Signal } from '../../../src/main/records.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-spool-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const signal = (at: number, more: Partial<Signal> = {}): Signal => ({ v: 1, event: 'Stop', at, session: 's1', transcript: '/t/s1.jsonl', cwd: '/p', ...more });
const times = (signals: readonly Signal[]): readonly number[] => signals.map(({ at }) => at);

describe('the spool', () => {
  test('no file has no signals', () => {
    expect(readSpool(path, spoolStart, 0, 0)).toMatchObject({ signals: [], bad: 0, position: spoolStart });
  });

  test('is read forward, a half-written line left for the next time', () => {
    appendLine(path, signal(1));
    const first = readSpool(path, spoolStart, 0, 0);
    const line = `${JSON.stringify(signal(2))}\n`;
    appendFileSync(path, line.slice(0, 20));
    const second = readSpool(path, first.position, 0, 0);
    appendFileSync(path, line.slice(20));
    expect([first, second, readSpool(path, second.position, 0, 0)].map(({ signals }) => times(signals))).toEqual([[1], [], [2]]);
  });

  test('lines from before the host’s start are another process’s', () => {
    for (const at of [1, 5, 9]) appendLine(path, signal(at));
    expect(readSpool(path, spoolStart, 5, 0)).toMatchObject({ stale: 1, signals: [{ at: 5 }, { at: 9 }] });
  });

  test('garbage is counted and hides nothing', () => {
    writeFileSync(path, `nonsense\n${JSON.stringify(signal(1))}\n{"v":2}\n\0\0\n[]\n\r\n${'x'.repeat(1_100_000)}\n${JSON.stringify(signal(2))}\n`);
    const read = readSpool(path, spoolStart, 0, 0);
    expect(times(read.signals)).toEqual([1, 2]);
    expect(read.bad).toBe(5);
  });

  test('past its size it is renamed away, late lines of the old file are read, and then it goes', () => {
    let position: SpoolPosition = spoolStart;
    const got: number[] = [];
    const read = (now: number): boolean => {
      const one = readSpool(path, position, 0, now);
      ({ position } = one);
      got.push(...times(one.signals));
      return one.rotated;
    };
    for (let at = 1; at <= 30; at += 1) appendLine(path, signal(at, { last_text: 'x'.repeat(10_000) }));
    expect(read(1000)).toBe(true);
    expect(existsSync(path)).toBe(false);
    appendLine(`${path}.old`, signal(31)); // a hook that had opened it before
    appendLine(path, signal(32));
    expect(read(2000)).toBe(false);
    read(20_000);
    expect(existsSync(`${path}.old`)).toBe(false);
    appendLine(path, signal(33));
    read(21_000);
    expect(got).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
    expect(statSync(path).size).toBeLessThan(10_000);
  });

  test('B6: a monitor that begins anew reads an old file left behind before the current one', () => {
    appendLine(`${path}.old`, signal(1));
    appendLine(path, signal(2));
    const first = readSpool(path, spoolStart, 0, 1000);
    expect(times(first.signals)).toEqual([1, 2]);
    expect(times(readSpool(path, first.position, 0, 20_000).signals)).toEqual([]);
    expect(existsSync(`${path}.old`)).toBe(false);
  });

  test('a file that became shorter is another one', () => {
    for (const at of [1, 2, 3]) appendLine(path, signal(at));
    const { position } = readSpool(path, spoolStart, 0, 0);
    rmSync(path);
    appendLine(path, signal(4));
    expect(times(readSpool(path, position, 0, 0).signals)).toEqual([4]);
  });
});

describe('a signal', () => {
  test('passes through its check unchanged when it is whole', () => {
    const whole = signal(1, {
      event: 'SubagentStop', source: 'resume', reason: 'other', prompt_id: 'p', origin: 'human', agent_id: 'a', agent_type: 't', last_text: 'x',
      stop_hook_active: false, background: [{ id: 'b', type: 'shell' }], attended: true, permission_mode: 'plan', provider: 'local', model: 'm',
    });
    expect(parseSignal(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });

  test('loses fields of a wrong type or size, and keeps an unreadable task as outstanding', () => {
    const odd = { ...signal(1), source: 7, origin: 'god', prompt_id: 'x'.repeat(1000), background: [null, { id: 3, type: 'cron' }], extra: 1 };
    expect(parseSignal(odd)).toEqual(signal(1, { background: [{ id: '', type: 'unknown' }, { id: '', type: 'cron' }] }));
  });

  test.each([['v', 2], ['event', 'PreToolUse'], ['at', '1'], ['at', null], ['session', ''], ['session', 3], ['transcript', undefined], ['cwd', []]])('without a good %s (%j) is none', (key, value) => {
    expect(() => parseSignal({ ...signal(1), [key]: value })).toThrow(TypeError);
  });

  test('of any shape either passes or throws a TypeError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.object().map((more) => ({ ...signal(1), ...more }))), (raw) => {
        try {
          parseSignal(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});
