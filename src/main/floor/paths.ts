// Where everything lies under the data directory (SPEC 4). Pure: it names paths, others open them.
import { join } from 'node:path';

/** Session, task and host ids come from outside: only what is safe as a file name passes, the rest becomes a hash. */
export const safeName = (id: string): string => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) ? id : `h-${hashOf(id)}`);

/** 16 hex digits of SHA-256: names of workspaces and repositories. Loads crypto when first called: it is half of a hook's start. */
export const hashOf = (value: string): string => process.getBuiltinModule('node:crypto').hash('sha256', value, 'hex').slice(0, 16);

/** `<host>`: CLAUDE_PID, else `s-<session>` on hosts without it (contract l). */
export const hostName = (pid: number | undefined, session: string): string => (pid === undefined ? `s-${safeName(session)}` : String(pid));

/** The paths a hook needs: few and without node:path, since its bundle carries them. Windows takes `/` too. */
export const hookPathsUnder = (data: string) => {
  const session = (id: string): string => `${data}/sessions/${safeName(id)}`;
  const host = (name: string): string => `${data}/hosts/${safeName(name)}`;
  return {
    data,
    config: `${data}/config.json`,
    workspaces: `${data}/workspaces`,
    workspaceConfig: (root: string): string => `${data}/workspaces/${hashOf(root)}.json`,
    spool: (name: string): string => `${host(name)}/events.jsonl`,
    monitorLock: (name: string): string => `${host(name)}/lock`,
    bell: (name: string): string => `${host(name)}/bell`,
    prompts: (name: string): string => `${host(name)}/prompts`,
    said: (scope: string, notice: string): string => `${data}/said/${safeName(scope)}.${safeName(notice)}`,
    lease: (id: string): string => `${session(id)}/lease`,
    turn: (id: string): string => `${session(id)}/turn.json`,
    digest: (id: string): string => `${session(id)}/digest.json`,
    mailbox: (id: string): string => `${session(id)}/mailbox`,
    gateCount: (id: string, n: number): string => `${data}/tasks/${safeName(id)}.gate.${n}`,
  } as const;
};

export type HookPaths = ReturnType<typeof hookPathsUnder>;
export type Paths = ReturnType<typeof pathsUnder>;

/** Every path of SPEC 4 under one data directory. */
export const pathsUnder = (data: string) => {
  const session = (id: string): string => join(data, 'sessions', safeName(id));
  const host = (name: string): string => join(data, 'hosts', safeName(name));
  const task = (id: string): string => join(data, 'tasks', safeName(id));
  return {
    ...hookPathsUnder(data),
    hosts: join(data, 'hosts'),
    saids: join(data, 'said'),
    children: (name: string): string => join(host(name), 'children'),
    noNode: (name: string): string => join(host(name), 'no-node'),
    run: (version: string): string => join(data, 'run', safeName(version)),
    runs: join(data, 'run'),
    endpoints: join(data, 'endpoints.json'),
    forgotten: join(data, 'forgotten.jsonl'),
    sessions: join(data, 'sessions'),
    session,
    status: (id: string): string => join(session(id), 'status.json'),
    history: (id: string): string => join(session(id), 'history.jsonl'),
    passes: (id: string): string => join(session(id), 'passes.jsonl'),
    requests: (id: string): string => join(session(id), 'requests'),
    replies: (id: string): string => join(session(id), 'replies'),
    tasks: join(data, 'tasks'),
    ledger: (id: string): string => `${task(id)}.json`,
    windowLog: (id: string, generation: number): string => `${task(id)}.window.${generation}.jsonl`,
    index: (gitDir: string): string => join(data, 'index', `${hashOf(gitDir)}.jsonl`),
    indexes: join(data, 'index'),
    budget: (hour: number): string => join(data, 'budget', `${hour}.jsonl`),
    budgets: join(data, 'budget'),
    debug: join(data, 'debug'),
    report: (id: string): string => join(data, 'reports', `${safeName(id)}.html`),
    reports: join(data, 'reports'),
    log: join(data, 'log', 'second-brain.log'),
    launcher: join(data, 'bin', 'second-brain'),
  } as const;
};
