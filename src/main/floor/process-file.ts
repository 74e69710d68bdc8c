// Which process is which, on each system: pids are reused, so a process is its pid and its start time (SPEC 3).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isCode } from './json-file.ts';

export type ProcessId = { readonly pid: number; readonly start: string };

/** What this system tells of processes; tests stand in for the ones they do not run on. */
export type System = {
  readonly platform: NodeJS.Platform;
  /** A file under /proc, Linux only; undefined where there is none. */
  readonly proc: (name: string) => string | undefined;
  /** One process's columns as `ps` prints them, in English and UTC whatever the caller's; '' for a pid that is gone. */
  readonly ps: (columns: readonly string[], pid: number) => string;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => void;
  /** Ends a process and what it started, Windows only. */
  readonly taskkill: (pid: number) => void;
};

/** Start time as the system tells it, opaque, equal for one process only; '' where the system does not tell (Windows). */
export const startTime = (pid: number, system: System = HERE): string => {
  if (system.platform === 'linux') return statOf(pid, system)[START] ?? '';
  return system.platform === 'win32' ? '' : system.ps(['lstart'], pid);
};

/** Whether the process still runs. A zombie does not; a reused pid is another process. */
export const isAlive = ({ pid, start }: ProcessId, system: System = HERE): boolean => {
  if (!exists(pid, system)) return false;
  const { state, start: now } = lookAt(pid, system);
  return !state.startsWith('Z') && (start === '' || now === '' || now === start);
};

/** Whether there is a process of that number: cheap on every system, and right unless the pid was given away anew. */
export const exists = (pid: number, system: System = HERE): boolean => {
  try {
    system.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
};

/** The process that started this one; undefined where the system does not tell. */
export const parentOf = (pid: number, system: System = HERE): number | undefined => {
  if (system.platform === 'win32') return undefined;
  const parent = Number(system.platform === 'linux' ? statOf(pid, system)[PARENT] : system.ps(['ppid'], pid));
  return Number.isSafeInteger(parent) && parent > 0 ? parent : undefined;
};

/** Start in ms since the epoch, up to a second early: systems tell whole seconds only. 0 where they tell nothing. */
export const startedAt = (pid: number, system: System = HERE): number => {
  const start = startTime(pid, system);
  if (start === '') return 0;
  const boot = /^btime (\d+)$/m.exec(system.platform === 'linux' ? (system.proc('stat') ?? '') : '')?.[1];
  const at = system.platform === 'linux' ? Number(boot) * 1000 + (Number(start) * 1000) / TICKS_PER_S : Date.parse(`${start} UTC`);
  return Number.isFinite(at) ? at - 1000 : 0;
};

/** Signals the group that `pid` leads; on Windows, which has none, ends its whole tree. False when it is gone. */
export const endGroup = (pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL', system: System = HERE): boolean => {
  // 0 and 1 would be everybody's group.
  if (pid === undefined || pid <= 1) return false;
  try {
    if (system.platform === 'win32') system.taskkill(pid);
    else system.kill(-pid, signal);
    return true;
  } catch (error) {
    if (isCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
};

export const thisProcess = (): ProcessId => ({ pid: process.pid, start: startTime(process.pid) });

// Fields of /proc/<pid>/stat from the state on.
const PARENT = 1;
const START = 19;
const TICKS_PER_S = 100;

const lookAt = (pid: number, system: System): { readonly state: string; readonly start: string } => {
  if (system.platform === 'win32') return { state: '', start: '' };
  if (system.platform === 'linux') {
    const { 0: state = 'Z', [START]: start = '' } = statOf(pid, system);
    return { state, start };
  }
  const [, state = '', start = ''] = /^(\S+)\s+(.*)$/.exec(system.ps(['stat', 'lstart'], pid)) ?? [];
  return { state, start };
};

/** None for a pid that is gone; the name before the state may hold anything. */
const statOf = (pid: number, system: System): readonly string[] => {
  const stat = system.proc(`${pid}/stat`);
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const HERE: System = {
  platform: process.platform,
  proc: (name) => {
    try {
      return readFileSync(`/proc/${name}`, 'utf8');
    } catch (error) {
      if (isCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')) return undefined;
      throw error;
    }
  },
  ps: (columns, pid) => {
    try {
      const args = [...columns.flatMap((column) => ['-o', `${column}=`]), '-p', String(pid)];
      // Hooks and monitor may run in different languages and time zones, and must read the same start.
      return execFileSync('ps', args, { encoding: 'utf8', timeout: 2000, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }, stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return ''; // ps exits 1 for a pid that is gone
    }
  },
  kill: (pid, signal) => void process.kill(pid, signal),
  taskkill: (pid) => {
    try {
      execFileSync('taskkill', ['/PID', String(pid), '/T', '/F'], { timeout: 5000, stdio: 'ignore', windowsHide: true });
    } catch {
      return; // it exits 128 for a pid that is gone
    }
  },
};
