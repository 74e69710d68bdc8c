// Takes away what nobody needs any more: old tasks, sessions, hosts, budgets, index lines. Every deletion is told.
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../floor/disk-file.ts';
import { messageOf } from '../floor/failure.ts';
import { unlessClosed } from '../floor/json-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import { lockHolder } from '../floor/lock-file.ts';
import type { Paths } from '../floor/paths.ts';
import { compactIndexes } from '../memory/index-file.ts';
import { sweepLedgers } from '../memory/ledger-file.ts';
import { sweepBudgets } from '../pass/budget-file.ts';
import { sweepChildren } from '../pass/children-file.ts';
import { readStatus } from '../speak/status-file.ts';

const DAY_MS = 86_400_000;

/** One sweep; the lines say what went and why. What a living monitor holds is active and stays. */
export const sweep = (paths: Paths, knobs: Pick<Knobs, 'ledger' | 'index' | 'sessions' | 'debug'>, now: number): readonly string[] => {
  const leased = namesIn(paths.sessions).filter((name) => lockHolder(paths.lease(name)) !== undefined);
  const active = new Set(
    leased.flatMap((name) => {
      const status = readStatus(paths.status(name), now);
      return status.ok ? [status.value.status.task] : [];
    }),
  );
  const ttl_ms = knobs.sessions.ttl_days * DAY_MS;
  return [
    ...part('index', () => (compactIndexes(paths, now, knobs.index), [])),
    ...part('children', () => sweepChildren(paths.hosts).map((pid) => `ended ${pid}, a child that a dead monitor had left`)),
    ...part('tasks', () => sweepLedgers(paths, active, now, knobs.ledger).map(({ task, because }) => `swept task ${task}: ${because}`)),
    ...part('budgets', () => sweepBudgets(paths, now).map((name) => `swept budget ${name}`)),
    ...part('sessions', () => old(paths.sessions, ttl_ms, now, (name) => !leased.includes(name)).map((name) => `swept session ${name}`)),
    ...part('reports', () => old(paths.reports, ttl_ms, now, (name) => !leased.includes(name.replace(/\.html$/, ''))).map((name) => `swept report ${name}`)),
    ...part('hosts', () => old(paths.hosts, DAY_MS, now, (name) => lockHolder(paths.monitorLock(name)) === undefined).map((name) => `swept host ${name}`)),
    // Told for one process's life; the other notices are told once for good.
    ...part('notices', () => old(paths.saids, DAY_MS, now, (name) => name.endsWith('.no-monitor')).map((name) => `swept notice ${name}`)),
    ...part('captures', () => sweepCaptures(knobs.debug.path === '' ? paths.debug : knobs.debug.path, knobs.debug, now)),
  ];
};

/** What one part cannot do costs that part, never the others. */
const part = (name: string, act: () => readonly string[]): readonly string[] => {
  try {
    return act();
  } catch (error) {
    return [`sweeping ${name} failed: ${messageOf(error)}`];
  }
};

/**
 * Captures past their days, then the oldest passes until all of them take less than half of `max_bytes`. `root` may be a
 * folder of the user's with much else in it: only what is named as captures are goes, and what is closed to us is passed by.
 */
export const sweepCaptures = (root: string, { ttl_days, max_bytes }: Pick<Knobs['debug'], 'ttl_days' | 'max_bytes'>, now: number): readonly string[] => {
  const entriesOf = (folder: string): readonly string[] => unlessClosed(() => namesIn(folder)) ?? [];
  const passes = entriesOf(root)
    .filter((session) => SESSION.test(session))
    .flatMap((session) => entriesOf(join(root, session)).filter((pass) => /^\d+$/.test(pass)).map((pass) => join(root, session, pass)))
    .map((folder) => ({ folder, at: newest(folder), own: namesIn(folder).reduce((sum, name) => sum + (lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0) }))
    .sort((a, b) => b.at - a.at);
  let bytes = 0;
  return passes.flatMap(({ folder, at, own }) => {
    bytes += own;
    if (now - at < ttl_days * DAY_MS && bytes <= max_bytes / 2) return [];
    rmSync(folder, { recursive: true, force: true });
    return [`swept capture ${folder}`];
  });
};

/** A session's folder: the host's id, or the hash of one that could not be a name. */
const SESSION = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|h-[\da-f]{16})$/;

/** Far more than anyone works on at once: what is older than so many others goes before its time. */
const MOST = 500;

/** Removes what in `parent` is older, by its newest entry, than `ttl_ms`, or than MOST others, and that `may` allows. */
const old = (parent: string, ttl_ms: number, now: number, may: (name: string) => boolean): readonly string[] =>
  namesIn(parent)
    .filter(may)
    .map((name) => ({ name, at: newest(join(parent, name)) }))
    .sort((a, b) => b.at - a.at)
    .filter(({ name, at }, place) => {
      if (place < MOST && now - at < ttl_ms) return false;
      rmSync(join(parent, name), { recursive: true, force: true });
      return true;
    })
    .map(({ name }) => name);

const newest = (folder: string): number =>
  Math.max(lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0, ...namesIn(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
