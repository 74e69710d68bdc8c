// hosts/<host>/prompts: prompt ids seen, so that a prompt typed into a running turn is known by its id (SPEC 10);
// its first line tells when the host was first asked something.
import { append, createOnce, readText, remove } from '../floor/disk-file.ts';
import { isCode } from '../floor/json-file.ts';
import { SOURCE } from '../floor/marks.ts';
import type { Words } from '../speak/claim.ts';
import type { Call } from './hook-call.ts';

/** Notes this call's prompt id as `<ms> <id>` and returns the ids noted before. */
export const notePrompt = ({ payload, paths, host, now }: Call): readonly string[] => {
  const id = payload.named.prompt_id ?? '';
  const lines = (readText(paths.prompts(host)) ?? '').split('\n').slice(0, -1);
  const seen = lines.map((line) => line.slice(line.indexOf(' ') + 1));
  if (!seen.includes(id)) append(paths.prompts(host), `${now} ${id}`);
  return seen;
};

/** Forgets what an earlier process of this pid has left: at a process's start no prompt has come yet (CONTRACT a). */
export const forgetPrompts = ({ payload, paths, host }: Call): void => {
  const { prompt_id, source } = payload.named;
  if (!prompt_id && source !== 'clear') remove(paths.prompts(host));
};

const MONITOR_COMES_WITHIN_MS = 30_000;

export const NO_MONITOR = `${SOURCE} is not watching: no monitor runs. Your session goes on.`;

/** The one line, once per host, that nobody is watching. */
export const noMonitorNotice = ({ payload, paths, host, now }: Call): Words => {
  const first = parseInt(readText(paths.prompts(host)) ?? '', 10);
  const due = !payload.named.agent_id && now - first >= MONITOR_COMES_WITHIN_MS && !isHeld(paths.monitorLock(host));
  return { agent: [], user: due && createOnce(paths.said(`${host}-${first}`, 'no-monitor'), '') ? [NO_MONITOR] : [] };
};

/**
 * Whether the process named in a lock or lease seems to live. By its pid alone: telling a reused pid may take a child
 * process, and here a wrong yes costs a notice, or lets a dead monitor's last, still unexpired word through.
 */
export const isHeld = (path: string): boolean => {
  try {
    return process.kill((JSON.parse(readText(path) ?? '') as { readonly pid: number }).pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
};
