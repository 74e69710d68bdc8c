// Which process is which: pids are reused, so a process is its pid and its start time (SPEC 3).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isCode } from './json-file.ts';

export type ProcessId = { readonly pid: number; readonly start: string };

/** Start time as the system tells it, opaque, equal for one process only; '' where the system does not tell. */
export const startTime = (pid: number): string => {
  if (process.platform === 'linux') return statOf(pid)[19] ?? '';
  if (process.platform === 'win32') return '';
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000, stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return ''; // ps exits 1 for a pid that is gone
  }
};

/** Whether the process still runs. A zombie does not; a reused pid is another process. */
export const isAlive = ({ pid, start }: ProcessId): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  if (process.platform === 'linux' && (statOf(pid)[0] ?? 'Z') === 'Z') return false;
  const now = startTime(pid);
  return start === '' || now === '' || now === start;
};

/** Fields of /proc/<pid>/stat from the state on (the name before it may hold anything); none for a pid that is gone. */
const statOf = (pid: number): readonly string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')) return [];
    throw error;
  }
};

export const thisProcess = (): ProcessId => ({ pid: process.pid, start: startTime(process.pid) });
