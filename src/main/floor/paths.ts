// Where everything lies under the data directory (SPEC 4). Pure: it names paths, others open them.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Session, task and host ids come from outside: only what is safe as a file name passes, the rest becomes a hash. */
export const safeName = (id: string): string => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) ? id : `h-${hashOf(id)}`);

/** 16 hex digits of SHA-256: names of workspaces and repositories. */
export const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 16);

/** `<host>`: CLAUDE_PID, else `s-<session>` on hosts without it (contract l). */
export const hostName = (pid: number | undefined, session: string): string => (pid === undefined ? `s-${safeName(session)}` : String(pid));

export type Paths = ReturnType<typeof pathsUnder>;

/** Every path of SPEC 4 under one data directory. */
export const pathsUnder = (data: string) => {
  const session = (id: string): string => join(data, 'sessions', safeName(id));
  const host = (name: string): string => join(data, 'hosts', safeName(name));
  const task = (id: string): string => join(data, 'tasks', safeName(id));
  return {
    data,
    config: join(data, 'config.json'),
    workspaceConfig: (root: string): string => join(data, 'workspaces', `${hashOf(root)}.json`),
    hosts: join(data, 'hosts'),
    spool: (name: string): string => join(host(name), 'events.jsonl'),
    monitorLock: (name: string): string => join(host(name), 'lock'),
    bell: (name: string): string => join(host(name), 'bell'),
    prompts: (name: string): string => join(host(name), 'prompts'),
    children: (name: string): string => join(host(name), 'children'),
    noNode: (name: string): string => join(host(name), 'no-node'),
    said: (scope: string, notice: string): string => join(data, 'said', `${safeName(scope)}.${safeName(notice)}`),
    run: (version: string): string => join(data, 'run', safeName(version)),
    runs: join(data, 'run'),
    endpoints: join(data, 'endpoints.json'),
    forgotten: join(data, 'forgotten.jsonl'),
    sessions: join(data, 'sessions'),
    session,
    lease: (id: string): string => join(session(id), 'lease'),
    turn: (id: string): string => join(session(id), 'turn.json'),
    status: (id: string): string => join(session(id), 'status.json'),
    mailbox: (id: string): string => join(session(id), 'mailbox'),
    history: (id: string): string => join(session(id), 'history.jsonl'),
    requests: (id: string): string => join(session(id), 'requests'),
    replies: (id: string): string => join(session(id), 'replies'),
    tasks: join(data, 'tasks'),
    ledger: (id: string): string => `${task(id)}.json`,
    windowLog: (id: string, generation: number): string => `${task(id)}.window.${generation}.jsonl`,
    gateCount: (id: string, n: number): string => `${task(id)}.gate.${n}`,
    index: (gitDir: string): string => join(data, 'index', `${hashOf(gitDir)}.jsonl`),
    indexes: join(data, 'index'),
    budget: (hour: number): string => join(data, 'budget', `${hour}.jsonl`),
    budgets: join(data, 'budget'),
    debug: join(data, 'debug'),
    log: join(data, 'log', 'second-brain.log'),
    launcher: join(data, 'bin', 'second-brain'),
  } as const;
};
