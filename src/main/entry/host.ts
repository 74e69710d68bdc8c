// The host this process belongs to, told by its pid and start time (SPEC 3, Joining).
import { hostName } from '../floor/paths.ts';
import { exists, isAlive, parentOf, startedAt, startTime, type ProcessId } from '../floor/process-file.ts';

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
  let asked = 0;
  return {
    name: hostName(pid, session ?? 'unknown'),
    pid: pid ?? 0,
    since: id === undefined ? 0 : startedAt(id.pid),
    session,
    alive: () => {
      asked += 1;
      return id === undefined || (asked % LOOK_EVERY === 0 || process.platform === 'linux' ? isAlive(id) : exists(id.pid));
    },
  };
};

const grandparent = (): number | undefined => {
  const pid = parentOf(process.ppid);
  return pid === undefined || pid <= 1 ? undefined : pid;
};

/** A look at the start time takes a child process on some systems: every so often is enough for a pid given away anew. */
const LOOK_EVERY = 30;
