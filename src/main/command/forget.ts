// What `forget` takes away of a task, a workspace or everything: files, lines in shared files, and a tombstone so that
// nothing earlier is read again (SPEC 12). It works with nothing running; a living monitor keeps its lease and finds the tombstone.
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../floor/disk-file.ts';
import { isMissing, unlessClosed, writeWhole } from '../floor/json-file.ts';
import { readLines } from '../floor/jsonl-file.ts';
import { lockHolder } from '../floor/lock-file.ts';
import { safeName, type Paths } from '../floor/paths.ts';
import { cutRanges, positionAt } from '../ingest/transcript-file.ts';
import { addTombstone } from '../memory/forgotten-file.ts';
import { forgetIndex } from '../memory/index-file.ts';
import { allLedgers, removeTask } from '../memory/ledger-file.ts';
import { readHistory } from '../speak/history-file.ts';
import { listClaims, listMail } from '../speak/mailbox-file.ts';
import { readPasses } from '../speak/passes-file.ts';
import { statusesIn } from './place.ts';
import type { Ledger, Position } from '../records.ts';
import type { Status } from '../surfaces.ts';

export type ForgetScope = { readonly kind: 'task'; readonly task: string } | { readonly kind: 'workspace'; readonly workspace: string } | { readonly kind: 'all' };

export type Forgotten = {
  readonly tasks: readonly string[];
  /** Sessions of which something went. */
  readonly sessions: number;
  readonly captures: number;
  readonly index: boolean;
};

export type ForgetInput = {
  readonly paths: Paths;
  readonly scope: ForgetScope;
  /** Where captures of passes lie. */
  readonly debug: string;
  readonly now: number;
};

/** The tombstone comes first: a monitor that looks meanwhile must not write back what is going. */
export const forget = ({ paths, scope, debug, now }: ForgetInput): Forgotten => {
  const ledgers = allLedgers(paths).map(({ ledger }) => ledger);
  const statuses = statusesIn(paths, now);
  const tasks = scope.kind === 'all' ? stemsIn(paths.tasks) : scope.kind === 'task' ? [scope.task] : tasksOf(scope.workspace, ledgers, statuses);
  const touched = scope.kind === 'all' ? namesIn(paths.sessions) : sessionsOf(new Set(tasks), ledgers, statuses, paths);
  const of = scope.kind === 'task' ? scope.task : scope.kind === 'workspace' ? scope.workspace : undefined;
  addTombstone(paths, { v: 1, at: now, scope: scope.kind, ...(of === undefined ? {} : { of }), positions: positionsOf(paths, scope, tasks, ledgers, touched) });

  for (const task of tasks) removeTask(paths, task);
  const gone = new Set(tasks);
  const sessions = touched.filter((name) => (scope.kind === 'task' ? clearTask(paths, name, gone) : clearSession(paths, name))).length;
  for (const name of touched) remove(paths.report(name));
  const captures = touched.filter((name) => removeFolder(join(debug, name))).length;
  const indexes = scope.kind === 'all' ? [forgetIndex(paths)] : tasks.map((task) => forgetIndex(paths, task));
  if (scope.kind === 'all') clearMachine(paths);
  maskNames(paths, scope.kind === 'task' ? tasks : [...tasks, ...touched]);
  return { tasks, sessions, captures, index: indexes.every(Boolean) };
};

const tasksOf = (workspace: string, ledgers: readonly Ledger[], statuses: readonly Status[]): readonly string[] => [
  ...new Set([...ledgers, ...statuses].filter((each) => each.workspace === workspace).map(({ task }) => task)),
];

/** Names before the first dot: ledgers, window logs and gate counts of a task share it, damaged ones included. */
const stemsIn = (folder: string): readonly string[] => [...new Set(namesIn(folder).map((name) => name.split('.')[0] ?? name))];

/** Folders of sessions in which one of the tasks left something. */
const sessionsOf = (tasks: ReadonlySet<string>, ledgers: readonly Ledger[], statuses: readonly Status[], paths: Paths): readonly string[] => {
  const known = new Set([...ledgers, ...statuses].filter(({ task }) => tasks.has(task)).map(({ session }) => safeName(session)));
  for (const name of namesIn(paths.sessions)) if (!known.has(name) && advisedOn(paths, name, tasks)) known.add(name);
  return [...known];
};

const advisedOn = (paths: Paths, name: string, tasks: ReadonlySet<string>): boolean =>
  readHistory(paths.history(name)).lines.some(({ advice }) => advice !== undefined && tasks.has(advice.task_id)) || mailOf(paths, name).some(({ task }) => tasks.has(task)) ||
  readPasses(paths.passes(name)).lines.some(({ task }) => tasks.has(task));

/** Where each transcript ends now, so that it is read on from there. */
const positionsOf = (paths: Paths, scope: ForgetScope, tasks: readonly string[], ledgers: readonly Ledger[], touched: readonly string[]): readonly Position[] => {
  const files = new Set(ledgers.filter(({ task }) => tasks.includes(task)).flatMap(({ position }) => (position === undefined ? [] : [position.path])));
  for (const { session, transcript } of spooledTranscripts(paths)) if (scope.kind === 'all' || touched.includes(safeName(session))) files.add(transcript);
  return [...files].flatMap((path) => endOf(path) ?? []);
};

/** Behind the last complete line: a line in the writing belongs to what comes after. */
const endOf = (path: string): Position | undefined => {
  // A path from outside: where nothing can be read there is nothing to keep from being read.
  const size = unlessClosed(() => statSync(path))?.size;
  return size === undefined ? undefined : unlessClosed(() => positionAt(path, cutRanges(path, 0, size, Number.MAX_SAFE_INTEGER).at(-1)?.to ?? 0, undefined));
};

/** Which transcripts hooks have told of; the young ones are in no ledger yet. */
const spooledTranscripts = (paths: Paths): readonly { readonly session: string; readonly transcript: string }[] =>
  namesIn(paths.hosts).flatMap((host) =>
    readLines(paths.spool(host), (raw) => {
      if (typeof raw !== 'object' || raw === null || !('session' in raw) || !('transcript' in raw)) throw new TypeError('not a signal');
      return { session: String(raw.session), transcript: String(raw.transcript) };
    }).lines,
  );

/** A session's whole folder, but the lease of a living monitor and the mailbox's folders hooks look into. True when something went. */
const clearSession = (paths: Paths, name: string): boolean => {
  const folder = paths.session(name);
  if (!existsSync(folder)) return false;
  const leased = lockHolder(paths.lease(name)) !== undefined;
  if (!leased) return removeFolder(folder);
  const rest = namesIn(folder).filter((entry) => entry !== 'lease');
  for (const entry of rest) rmSync(join(folder, entry), { recursive: true, force: true });
  return rest.length > 0;
};

/** Of a session that had other tasks too, only what belongs to these. True when something went. */
const clearTask = (paths: Paths, name: string, tasks: ReadonlySet<string>): boolean => {
  const { lines } = readHistory(paths.history(name));
  const ids = new Set(lines.flatMap(({ id, advice }) => (advice !== undefined && tasks.has(advice.task_id) ? [id] : [])));
  const kept = lines.filter(({ id }) => !ids.has(id));
  const passes = readPasses(paths.passes(name));
  const kept_passes = passes.lines.filter(({ task }) => !tasks.has(task));
  const others = kept.length > 0 || kept_passes.length > 0 || mailOf(paths, name).some(({ task }) => !tasks.has(task));
  if (!others && lockHolder(paths.lease(name)) === undefined) return clearSession(paths, name);
  if (kept.length < lines.length) writeWhole(paths.history(name), kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const fewer = kept_passes.length < passes.lines.length || passes.bad > 0;
  if (fewer) writeWhole(paths.passes(name), kept_passes.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let went = kept.length < lines.length || fewer;
  for (const { path, task } of mailOf(paths, name)) if (tasks.has(task)) went = remove(path) || went;
  // These are of the task at hand, or short-lived; a monitor that goes on writes them anew.
  const box = paths.mailbox(name);
  for (const path of [paths.status(name), paths.turn(name), paths.digest(name), paths.requests(name), paths.replies(name), join(box, 'tmp'), join(box, 'bad')]) went = removeFolder(path) || went;
  return went;
};

type MailFile = { readonly path: string; readonly task: string };

const mailOf = (paths: Paths, name: string): readonly MailFile[] => {
  const box = paths.mailbox(name);
  return [
    ...listMail(box).map((mail) => ({ path: join(box, 'new', mail.name), task: mail.advice.task_id })),
    ...listClaims(box).map((claim) => ({ path: join(box, 'claimed', claim.name), task: claim.advice.task_id })),
  ];
};

/** With everything: logs, what was said once, captures, and the folders of hosts that no monitor serves. */
const clearMachine = (paths: Paths): void => {
  for (const folder of [join(paths.data, 'log'), join(paths.data, 'said'), paths.debug, paths.reports]) removeFolder(folder);
  for (const host of namesIn(paths.hosts)) if (lockHolder(paths.monitorLock(host)) === undefined) removeFolder(join(paths.hosts, host));
};

/** Logs and budgets keep their lines (a budget forgotten would be spent twice) but not the names in them. */
const maskNames = (paths: Paths, names: readonly string[]): void => {
  for (const path of [paths.log, `${paths.log}.old`, ...namesIn(paths.budgets).map((name) => join(paths.budgets, name))]) mask(path, names);
};

/** Overwrites in place, byte for byte: whoever appends meanwhile loses nothing. */
const mask = (path: string, names: readonly string[]): void => {
  let fd: number;
  try {
    fd = openSync(path, 'r+');
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    const bytes = readFileSync(fd);
    for (const name of names.filter((each) => each.length >= SHORTEST_NAME)) {
      for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) writeSync(fd, 'x'.repeat(Buffer.byteLength(name)), at);
    }
  } finally {
    closeSync(fd);
  }
};

/** Ids are longer; what is shorter would be found in the middle of other words. */
const SHORTEST_NAME = 6;

const remove = (path: string): boolean => {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const removeFolder = (path: string): boolean => {
  if (!existsSync(path)) return false;
  rmSync(path, { recursive: true, force: true });
  return true;
};
