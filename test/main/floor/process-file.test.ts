// Processes as each system tells of them. Linux is this machine; macOS and Windows are stood in for by what their tools print.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { endGroup, exists, isAlive, parentOf, startedAt, startTime, thisProcess, type System } from '../../../src/main/floor/process-file.ts';

const gone = (code: string): Error => Object.assign(new Error(code), { code });

type Row = { readonly stat: string; readonly lstart: string; readonly ppid: string };

/** A system with these processes that writes down what it was asked to do. */
const system = (platform: NodeJS.Platform, rows: Readonly<Record<number, Row>> = {}) => {
  const done: string[] = [];
  const made: System = {
    platform,
    proc: () => {
      throw new Error('there is no /proc here');
    },
    ps: (columns, pid) => {
      if (platform === 'win32') throw new Error('there is no ps here');
      const row: Readonly<Record<string, string>> | undefined = rows[pid];
      return row === undefined ? '' : columns.map((column) => row[column]).join(' ');
    },
    kill: (pid, signal) => {
      if (rows[Math.abs(pid)] === undefined) throw gone('ESRCH');
      if (platform === 'win32' && pid < 0) throw gone('EINVAL');
      done.push(`${signal} ${pid}`);
    },
    taskkill: (pid) => void done.push(`taskkill ${pid}`),
  };
  return { system: made, done };
};

const ROW: Row = { stat: 'Ss', lstart: 'Mon Nov 30 17:24:46 2026', ppid: '77' };

describe('on macOS', () => {
  const { system: mac } = system('darwin', { 42: ROW, 43: { ...ROW, stat: 'Z+' } });

  test('a process is told by the start that ps prints', () => {
    expect(startTime(42, mac)).toBe('Mon Nov 30 17:24:46 2026');
    expect(isAlive({ pid: 42, start: 'Mon Nov 30 17:24:46 2026' }, mac)).toBe(true);
    expect(isAlive({ pid: 42, start: 'Mon Nov 30 17:24:47 2026' }, mac)).toBe(false);
    expect(isAlive({ pid: 42, start: '' }, mac)).toBe(true);
  });

  test('a zombie and a pid that is gone do not run', () => {
    expect(isAlive({ pid: 43, start: '' }, mac)).toBe(false);
    expect(isAlive({ pid: 44, start: '' }, mac)).toBe(false);
    expect(exists(44, mac)).toBe(false);
  });

  test('the start is known in time as well, a second early, and the parent by its pid', () => {
    expect(startedAt(42, mac)).toBe(Date.UTC(2026, 10, 30, 17, 24, 45));
    expect(startedAt(44, mac)).toBe(0);
    expect(parentOf(42, mac)).toBe(77);
    expect(parentOf(44, mac)).toBe(undefined);
  });

  test('a group is signalled whole', () => {
    const { system: other, done } = system('darwin', { 42: ROW });
    expect(endGroup(42, 'SIGTERM', other)).toBe(true);
    expect(endGroup(44, 'SIGKILL', other)).toBe(false);
    expect(done).toEqual(['SIGTERM -42']);
  });
});

describe('on Windows', () => {
  const { system: windows, done } = system('win32', { 42: ROW });

  test('a process is told by its pid alone', () => {
    expect(startTime(42, windows)).toBe('');
    expect(startedAt(42, windows)).toBe(0);
    expect(parentOf(42, windows)).toBe(undefined);
    expect(isAlive({ pid: 42, start: '' }, windows)).toBe(true);
    expect(isAlive({ pid: 44, start: '' }, windows)).toBe(false);
  });

  test('a child ends with everything it started, though there are no groups', () => {
    done.length = 0;
    expect(endGroup(42, 'SIGTERM', windows)).toBe(true);
    expect(done).toEqual(['taskkill 42']);
  });
});

describe('on this system', () => {
  test('this process runs, has a parent and started a while ago', () => {
    expect(isAlive(thisProcess())).toBe(true);
    expect(parentOf(process.pid)).toBe(process.ppid);
    const since = startedAt(process.pid);
    expect(since).toBeGreaterThan(Date.now() - 3_600_000);
    expect(since).toBeLessThan(Date.now());
  });

  test('another process with the same pid is another process', () => {
    expect(isAlive({ pid: process.pid, start: '1' })).toBe(false);
  });

  test('a group ends with its leader’s children; no pid, 0 and 1 end nobody', async () => {
    const child = spawn('/bin/sh', ['-c', 'sleep 30 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const grandchild = Number(line.toString());
    expect(isAlive({ pid: grandchild, start: '' })).toBe(true);
    expect(endGroup(child.pid, 'SIGKILL')).toBe(true);
    await once(child, 'close');
    for (let round = 0; round < 100 && isAlive({ pid: grandchild, start: '' }); round += 1) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isAlive({ pid: grandchild, start: '' })).toBe(false);
    for (const pid of [undefined, 0, 1, -1]) expect(endGroup(pid, 'SIGKILL')).toBe(false);
  });
});
