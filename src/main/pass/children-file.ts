// hosts/<host>/children: which processes this monitor runs (the host provider's, MCP servers, commands), so that any later one can end its orphans.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, remove } from '../floor/disk-file.ts';
import { isDiskTrouble, readJson, unlessClosed, writeJson } from '../floor/json-file.ts';
import { endGroup, isAlive, startTime, thisProcess, type ProcessId } from '../floor/process-file.ts';

type Children = { readonly v: 1; readonly monitor: ProcessId; readonly children: readonly ProcessId[] };

/** Told of a child that has started and leads a process group of its own; the function it returns is called when that has ended. */
export type OnRecord = (pid: number | undefined) => () => void;

/** The record of this monitor's children. What a monitor before it left there must have been swept. */
export const openChildren = (path: string): OnRecord => {
  const running = new Set<ProcessId>();
  const write = (): void => {
    try {
      if (running.size > 0) writeJson(path, { v: 1, monitor: thisProcess(), children: [...running] } satisfies Children);
      else remove(path);
    } catch (error) {
      if (!isDiskTrouble(error)) throw error; // better a child that only we know of than one whose end is not heard
    }
  };
  return (pid) => {
    if (pid === undefined) return () => undefined;
    const child = { pid, start: startTime(pid) };
    running.add(child);
    write();
    return () => {
      if (running.delete(child)) write();
    };
  };
};

/** Kills every recorded child whose monitor is dead, under all hosts' folders. Returns the pids it killed. */
export const sweepChildren = (hosts: string): readonly number[] => {
  const killed: number[] = [];
  for (const name of namesIn(hosts)) {
    const path = join(hosts, name, 'children');
    const read = unlessClosed(() => readJson(path, parseChildren));
    if (read === undefined) continue;
    if (!read.ok) {
      if (read.because === 'corrupt') rmSync(path, { recursive: true, force: true }); // it names nobody that could be found
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

const parseChildren = (raw: unknown): Children => {
  if (typeof raw !== 'object' || raw === null || !('monitor' in raw) || !('children' in raw) || !isProcess(raw.monitor) || !Array.isArray(raw.children)) throw new Error('not a list of children');
  return { v: 1, monitor: raw.monitor, children: raw.children.filter(isProcess) };
};

// pid 1 and 0 would be everybody's group.
const isProcess = (raw: unknown): raw is ProcessId =>
  typeof raw === 'object' && raw !== null && 'pid' in raw && 'start' in raw && Number.isSafeInteger(raw.pid) && Number(raw.pid) > 1 && typeof raw.start === 'string';
