// hosts/<host>/children: which processes of the host provider this monitor runs, so that any later one can end its orphans.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn, remove } from '../floor/disk-file.ts';
import { readJson, writeJson } from '../floor/json-file.ts';
import { endGroup, isAlive, thisProcess, type ProcessId } from '../floor/process-file.ts';

type Children = { readonly v: 1; readonly monitor: ProcessId; readonly children: readonly ProcessId[] };

/** Writes down the children that run now; none of them removes the file. */
export const writeChildren = (path: string, children: readonly ProcessId[]): void => {
  if (children.length > 0) return writeJson(path, { v: 1, monitor: thisProcess(), children } satisfies Children);
  remove(path);
};

/** Kills every recorded child whose monitor is dead, under all hosts' folders. Returns the pids it killed. */
export const sweepChildren = (hosts: string): readonly number[] => {
  const killed: number[] = [];
  for (const name of namesIn(hosts)) {
    const path = join(hosts, name, 'children');
    const read = readJson(path, parseChildren);
    if (!read.ok) {
      if (read.because === 'corrupt') remove(path); // it names nobody that could be found
      continue;
    }
    if (isAlive(read.value.monitor)) continue;
    for (const child of read.value.children) if (killGroup(child)) killed.push(child.pid);
    remove(path);
  }
  return killed;
};

/** SIGKILL to a child's whole group; false when that process is gone (a reused pid is another process). */
export const killGroup = (child: ProcessId): boolean => {
  if (child.start === '' || !isAlive(child)) return false;
  return endGroup(child.pid, 'SIGKILL');
};

/** The empty folder the children work in: no project text and no project settings reach their requests. */
export const makeEmptyFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });

/** The `hosts` folder that a children file belongs to. */
export const hostsOf = (childrenFile: string): string => dirname(dirname(childrenFile));

const parseChildren = (raw: unknown): Children => {
  if (typeof raw !== 'object' || raw === null || !('monitor' in raw) || !('children' in raw) || !isProcess(raw.monitor) || !Array.isArray(raw.children)) throw new Error('not a list of children');
  return { v: 1, monitor: raw.monitor, children: raw.children.filter(isProcess) };
};

// pid 1 and 0 would be everybody's group.
const isProcess = (raw: unknown): raw is ProcessId =>
  typeof raw === 'object' && raw !== null && 'pid' in raw && 'start' in raw && Number.isSafeInteger(raw.pid) && Number(raw.pid) > 1 && typeof raw.start === 'string';
