// The ledgers, tasks/<task>.json (SPEC 4, 6): written through, found by session, swept when they are old or too many.
import { lstatSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { namesIn, readText } from '../floor/disk-file.ts';
import { readJson, setAside, writeJson, type Loaded } from '../floor/json-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import type { Paths } from '../floor/paths.ts';
import type { Ledger } from '../records.ts';

/** The task's ledger. One that is corrupt or of a newer version has been set aside as `*.bad` and is to be rebuilt. */
export const readLedger = (paths: Paths, task: string): Loaded<Ledger> => {
  const path = paths.ledger(task);
  const loaded = readJson(path, parseLedger);
  if (!loaded.ok && loaded.because === 'corrupt') setAside(path);
  return loaded;
};

export const writeLedger = (paths: Paths, ledger: Ledger): void => writeJson(paths.ledger(ledger.task), ledger);

/** The session's latest task that goes on: not one that /clear has ended. */
export const findBySession = (paths: Paths, session: string): Ledger | undefined =>
  allLedgers(paths)
    .filter(({ ledger }) => ledger.session === session && ledger.ended === undefined)
    .sort((a, b) => b.ledger.touched_at - a.ledger.touched_at)[0]?.ledger;

/** The workspace's latest task that goes on and whose window holds one of these records; only those touched last are looked into. */
export const findByRecords = (paths: Paths, workspace: string, uuids: readonly string[]): Ledger | undefined =>
  allLedgers(paths)
    .filter(({ ledger }) => ledger.workspace === workspace && ledger.ended === undefined)
    .sort((a, b) => b.ledger.touched_at - a.ledger.touched_at)
    .slice(0, LOOKED_INTO)
    .find(({ ledger }) => {
      const log = readText(paths.windowLog(ledger.task, ledger.generation)) ?? '';
      return uuids.some((uuid) => log.includes(`"uuid":${JSON.stringify(uuid)}`));
    })?.ledger;

const LOOKED_INTO = 8;

/** How many ledgers there are and when the oldest was written: by names and times only, since status asks often. */
export const ledgerStock = (paths: Paths): { readonly count: number; readonly oldest_at?: number } => {
  const times = namesIn(paths.tasks)
    .filter(isLedgerName)
    .flatMap((name) => statOf(join(paths.tasks, name))?.mtimeMs ?? []);
  return times.length === 0 ? { count: 0 } : { count: times.length, oldest_at: Math.floor(Math.min(...times)) };
};

/** `window-bytes`: the window only, which a resumed task rebuilds from its transcript; the ledger stays. One that cannot be read is kept for a person to look at. */
export type Deletion = { readonly task: string; readonly because: 'ttl' | 'workspace-cap' | 'bytes-cap' | 'window-bytes' | 'orphan' | 'unreadable, set aside' };

/**
 * Deletes tasks untouched for `ttl_days`, then the least recently touched over the caps; of the bytes, windows go before
 * ledgers. A task in `active` (leased by a live monitor) loses nothing. What went is returned, to be logged.
 */
export const sweepLedgers = (paths: Paths, active: ReadonlySet<string>, now: number, limits: Knobs['ledger']): readonly Deletion[] => {
  const deletions: Deletion[] = [];
  const oldest_at = now - limits.ttl_days * 86_400_000;
  const perWorkspace = new Map<string, number>();
  let ledgers = 0; // bytes kept of ledgers, and of everything
  let everything = 0;
  for (const { ledger, own_bytes, bytes } of allLedgers(paths).sort((a, b) => b.ledger.touched_at - a.ledger.touched_at)) {
    const { task, workspace } = ledger;
    const kept = perWorkspace.get(workspace) ?? 0;
    const because =
      ledger.touched_at < oldest_at ? 'ttl'
      : kept >= limits.max_per_workspace ? 'workspace-cap'
      : ledgers + own_bytes > limits.max_bytes ? 'bytes-cap'
      : everything + bytes > limits.max_bytes && bytes > own_bytes ? 'window-bytes'
      : undefined;
    if (because !== undefined && !active.has(task)) {
      if (because === 'window-bytes') removeWindows(paths, task);
      else removeTask(paths, task);
      deletions.push({ task, because });
      if (because !== 'window-bytes') continue;
    }
    perWorkspace.set(workspace, kept + 1);
    ledgers += own_bytes;
    everything += because === 'window-bytes' ? own_bytes : bytes;
  }
  for (const task of setDamagedAside(paths, active)) deletions.push({ task, because: 'unreadable, set aside' });
  for (const task of orphans(paths, oldest_at)) {
    if (active.has(task)) continue;
    removeTask(paths, task);
    deletions.push({ task, because: 'orphan' });
  }
  return deletions;
};

/** Removes everything under tasks/ that belongs to the task. */
export const removeTask = (paths: Paths, task: string): void => removeByStem(paths, `${basename(paths.ledger(task), '.json')}.`);

const removeWindows = (paths: Paths, task: string): void => removeByStem(paths, `${basename(paths.ledger(task), '.json')}.window.`);

const removeByStem = (paths: Paths, stem: string): void => {
  for (const name of namesIn(paths.tasks)) {
    if (name.startsWith(stem)) rmSync(join(paths.tasks, name), { recursive: true, force: true });
  }
};

/** `bytes` of everything of the task, `own_bytes` of the ledger alone. */
type Found = { readonly ledger: Ledger; readonly own_bytes: number; readonly bytes: number };

/** Every readable ledger: damaged ones are left for `readLedger` or, once old, for the sweep of orphans. */
export const allLedgers = (paths: Paths): Found[] => {
  const names = namesIn(paths.tasks);
  const sizes = new Map<string, number>();
  for (const name of names) {
    const task = name.slice(0, name.indexOf('.'));
    sizes.set(task, (sizes.get(task) ?? 0) + (statOf(join(paths.tasks, name))?.size ?? 0));
  }
  return names.flatMap((name) => {
    if (!isLedgerName(name)) return [];
    const path = join(paths.tasks, name);
    const loaded = readJson(path, parseLedger);
    return loaded.ok ? [{ ledger: loaded.value, own_bytes: statOf(path)?.size ?? 0, bytes: sizes.get(basename(name, '.json')) ?? 0 }] : [];
  });
};

/** Ledgers that cannot be read are moved out of the way for a person to look at; the sweep of orphans takes them once they are old. */
const setDamagedAside = (paths: Paths, active: ReadonlySet<string>): readonly string[] =>
  namesIn(paths.tasks).filter(isLedgerName).flatMap((name) => {
    const task = basename(name, '.json');
    const loaded = readJson(join(paths.tasks, name), parseLedger);
    if (loaded.ok || loaded.because === 'missing' || active.has(task)) return [];
    setAside(join(paths.tasks, name));
    return [task];
  });

const isLedgerName = (name: string): boolean => /^[^.]+\.json$/.test(name);

/** Tasks without a readable ledger whose files are all older than `oldest_at`. */
const orphans = (paths: Paths, oldest_at: number): readonly string[] => {
  const known = new Set(allLedgers(paths).map(({ ledger }) => basename(paths.ledger(ledger.task), '.json')));
  const newest = new Map<string, number>();
  for (const name of namesIn(paths.tasks)) {
    const task = name.slice(0, name.indexOf('.'));
    if (task === '' || known.has(task)) continue;
    newest.set(task, Math.max(newest.get(task) ?? 0, statOf(join(paths.tasks, name))?.mtimeMs ?? 0));
  }
  return [...newest].filter(([, at]) => at < oldest_at).map(([task]) => task);
};

const statOf = (path: string): { readonly size: number; readonly mtimeMs: number } | undefined => lstatSync(path, { throwIfNoEntry: false });

const parseLedger = (raw: unknown): Ledger => Shape.parse(raw) as Ledger;

const verdict = z.enum(['adopted', 'partially_adopted', 'rejected', 'already_handled', 'no_evidence', 'contradicted']);
const Shape = z.object({
  v: z.literal(1),
  task: z.string(),
  session: z.string(),
  workspace: z.string(),
  nonce: z.string().min(8),
  created_at: z.number(),
  touched_at: z.number(),
  goal: z.string(),
  facts: z.array(z.object({ at: z.number(), text: z.string() })),
  advice: z.array(
    z.object({
      id: z.string(),
      detector: z.string(),
      headline: z.string(),
      key: z.string(),
      at: z.number(),
      verdict: verdict.optional(),
      reason: z.string().optional(),
    }),
  ),
  suppressed: z.array(z.object({ key: z.string(), at: z.number(), because: z.string() })),
  calibration: z.record(z.string(), z.object({ offset: z.number(), recent: z.array(verdict), closed: z.number(), muted: z.boolean() })),
  stragglers: z.record(
    z.string(),
    z.object({ timeouts: z.number(), stage: z.enum(['none', 'rate-limited', 'disabled']), since: z.number(), retried: z.boolean(), because: z.string() }),
  ),
  pass: z.number(),
  generation: z.number(),
  position: z.object({ path: z.string(), dev: z.number(), ino: z.number(), offset: z.number(), hash: z.string(), uuid: z.string().optional() }).optional(),
  spent_tokens: z.number(),
  pace: z.object({ last_start: z.number(), salience_draws: z.array(z.number()) }).optional(),
  since: z.number().optional(),
  ended: z.literal('clear').optional(),
});
