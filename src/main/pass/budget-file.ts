// The machine-wide budget, budget/<hour>.jsonl (SPEC 4, 7): reserve, read again, go only if it fits, settle. No lock:
// the order of lines in an append-only file decides who came first.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../floor/disk-file.ts';
import { appendLine, readLines } from '../floor/jsonl-file.ts';
import type { Knobs } from '../floor/knobs.ts';
import type { Paths } from '../floor/paths.ts';
import { headroom, hourOf, parseBudgetLine, tally, type BudgetLine, type HourSpent, type Spender } from './budget.ts';
import type { Ceiling } from '../records.ts';

/** `id` unique on the machine (a pass or compaction); `tokens` the worst case, weighted. */
export type Request = Spender & { readonly id: string; readonly task: string; readonly provider: string; readonly tokens: number };

/** What `settle` needs. */
export type Reservation = { readonly id: string; readonly at: number; readonly tokens: number };

export type Reserved =
  | { readonly go: true; readonly reservation: Reservation }
  | { readonly go: false; readonly because: 'budget'; readonly binds: Ceiling; readonly left: number };

/**
 * Reserves `request.tokens`, or says which ceiling is in the way. `task_spent` is the task's own count, which lives in
 * its ledger. Of racing processes the ones earlier in the file go; no interleaving lets them exceed a ceiling together.
 */
export const reserve = (paths: Paths, request: Request, task_spent: number, now: number, limits: Knobs['budget']): Reserved => {
  const mine: BudgetLine = { v: 1, kind: 'reserve', at: now, ...request };
  appendLine(paths.budget(hourOf(now)), mine);
  const others = linesBefore(paths, request.id, now);
  const room = headroom(task_spent, tally(others ?? [], request, now), request.provider, limits);
  const reservation = { id: request.id, at: now, tokens: request.tokens };
  // Our own line cannot be read back when it joined a half-written one: then nobody counts it, so it must not be used.
  if (others !== undefined && request.tokens <= room.tokens) return { go: true, reservation };
  settle(paths, reservation, 0, now);
  return { go: false, because: 'budget', binds: room.binds, left: room.tokens };
};

/** Replaces the reserved amount by what was really spent: tokens weighted, and money where the provider tells it. */
export const settle = (paths: Paths, { id, at }: Reservation, tokens: number, now: number, usd?: number): void =>
  // Into the file of the reservation, so that whoever reads the one reads the other.
  appendLine(paths.budget(hourOf(at)), { v: 1, kind: 'settle', id, at: now, tokens, ...(usd === undefined ? {} : { usd }) } satisfies BudgetLine);

/** What the rolling hour has seen so far, unsettled reservations in full. */
export const readSpent = (paths: Paths, who: Spender, now: number): HourSpent => tally(linesAround(paths, now).flat(), who, now);

/** Removes files that no rolling hour reaches any more; returns their names, to be logged. */
export const sweepBudgets = (paths: Paths, now: number): readonly string[] =>
  namesIn(paths.budgets).filter((name) => {
    const hour = /^(\d{1,9})\.jsonl$/.exec(name)?.[1];
    if (hour === undefined || Math.abs(Number(hour) - hourOf(now)) <= KEPT_HOURS) return false;
    rmSync(join(paths.budgets, name), { recursive: true, force: true });
    return true;
  });

// A day, for whoever wants to look; two hours would do.
const KEPT_HOURS = 24;

/**
 * Everything that counts against the reservation `id`: what precedes it in its own file, settlements that follow it, and
 * the neighbouring hours whole, since a process at the turn of the hour may append to either. Nothing if it is not there.
 */
const linesBefore = (paths: Paths, id: string, now: number): readonly BudgetLine[] | undefined => {
  const [before = [], own = [], after = []] = linesAround(paths, now);
  const at = own.findIndex((line) => line.kind === 'reserve' && line.id === id);
  if (at === -1) return undefined;
  return [...before, ...own.filter((line, i) => i < at || line.kind === 'settle'), ...after];
};

const linesAround = (paths: Paths, now: number): readonly (readonly BudgetLine[])[] =>
  [-1, 0, 1].map((step) => readLines(paths.budget(hourOf(now) + step), parseBudgetLine).lines);
