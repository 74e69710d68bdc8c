// The host this process belongs to, told by its pid and start time (SPEC 3, Joining).
import { readFileSync } from 'node:fs';
import { isMissing } from '../floor/json-file.ts';
import { hostName } from '../floor/paths.ts';
import { isAlive, startTime, type ProcessId } from '../floor/process-file.ts';

export type Host = {
  /** Name of its folder: the pid, else `s-<session>`. */
  readonly name: string;
  /** 0 where the host does not tell its pid. */
  readonly pid: number;
  /** When it started, ms; signals from before are another process's. 0 where that is unknown. */
  readonly since: number;
  readonly session: string | undefined;
  readonly alive: () => boolean;
};

export const hostOf = (env: Readonly<Record<string, string | undefined>>): Host => {
  const told = Number(env['CLAUDE_PID'] ?? '');
  const pid = Number.isSafeInteger(told) && told > 1 ? told : undefined;
  const session = env['CLAUDE_CODE_SESSION_ID'];
  // Hosts that do not tell their pid: the shell between us and them does.
  const watched = pid ?? grandparent();
  const id: ProcessId | undefined = watched === undefined ? undefined : { pid: watched, start: startTime(watched) };
  return {
    name: hostName(pid, session ?? 'unknown'),
    pid: pid ?? 0,
    since: id === undefined ? 0 : startedAt(id.pid),
    session,
    alive: () => id === undefined || isAlive(id),
  };
};

const grandparent = (): number | undefined => {
  const pid = statField(process.ppid, PPID);
  return pid === undefined || pid <= 1 ? undefined : pid;
};

const PPID = 1;
const START = 19;
const TICKS_PER_S = 100;

/** Start in ms since the epoch, a second early: the boot time is known in seconds only. */
const startedAt = (pid: number): number => {
  const ticks = statField(pid, START);
  const boot = ticks === undefined ? undefined : /^btime (\d+)$/m.exec(readProc('/proc/stat') ?? '')?.[1];
  return ticks === undefined || boot === undefined ? 0 : Number(boot) * 1000 + (ticks * 1000) / TICKS_PER_S - 1000;
};

/** Field of /proc/<pid>/stat behind the command's name, from 0; undefined where there is no such system. */
const statField = (pid: number, field: number): number | undefined => {
  const stat = readProc(`/proc/${pid}/stat`);
  const value = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[field];
  return value === undefined ? undefined : Number(value);
};

const readProc = (path: string): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
