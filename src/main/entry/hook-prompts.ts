// hosts/<host>/prompts: prompt ids seen, so that a prompt typed into a running turn is known by its id (SPEC 10);
// its first line tells when the host was first asked something.
import { appendFileSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isCode, unlessMissing } from '../floor/json-file.ts';
import { lockHolder } from '../floor/lock-file.ts';
import type { HookPaths } from '../floor/paths.ts';
import type { Words } from '../speak/claim.ts';
import type { Call } from './hook-call.ts';

/** `<ms> <prompt id>`, a line per prompt: the oldest first. */
const linesOf = ({ paths, host }: Call): readonly string[] => (unlessMissing(() => readFileSync(paths.prompts(host), 'utf8')) ?? '').split('\n').slice(0, -1);

/** Notes this call's prompt id and returns the ids noted before. */
export const notePrompt = (call: Call): readonly string[] => {
  const { payload, paths, host, now } = call;
  const id = payload.named.prompt_id ?? '';
  const seen = linesOf(call).map((line) => line.slice(line.indexOf(' ') + 1));
  if (!seen.includes(id)) {
    mkdirSync(dirname(paths.prompts(host)), { recursive: true, mode: 0o700 });
    appendFileSync(paths.prompts(host), `${now} ${id}\n`, { mode: 0o600 });
  }
  return seen;
};

/** Forgets what an earlier process of this pid has left: at a process's start no prompt has come yet (CONTRACT a). */
export const forgetPrompts = ({ payload, paths, host }: Call): void => {
  const { prompt_id, source } = payload.named;
  if (prompt_id === undefined && source !== 'clear') unlessMissing(() => unlinkSync(paths.prompts(host)));
};

const MONITOR_COMES_WITHIN_MS = 30_000;

const NO_MONITOR = 'Second Brain is not watching this session: its monitor did not start, or has ended. Your session is not affected; /second-brain-stats tells more.';

/** The one line, once per host, that nobody is watching. */
export const noMonitorNotice = (call: Call): Words => {
  const { payload, paths, host, now } = call;
  const first = Number(linesOf(call)[0]?.split(' ')[0]);
  const due = payload.named.agent_id === undefined && now - first >= MONITOR_COMES_WITHIN_MS && lockHolder(paths.monitorLock(host)) === undefined;
  return { agent: [], user: due && sayOnce(paths, `${host}-${first}`, 'no-monitor') ? [NO_MONITOR] : [] };
};

/** Whether this is the first time the notice is given in the scope: the file decides among any number of callers. */
export const sayOnce = (paths: HookPaths, scope: string, notice: string): boolean => {
  const path = paths.said(scope, notice);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
};
