// What a session that is opened goes on with: its task, its window, where its reading stands (SPEC 4, 6).
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Paths } from '../floor/paths.ts';
import { forgottenUntil, forgottenUpTo, isForgotten, readTombstones } from '../memory/forgotten-file.ts';
import { goneFrom } from '../memory/git-file.ts';
import { findBySession, readLedger } from '../memory/ledger-file.ts';
import { branchLedger, citedPaths, markGone } from '../memory/ledger.ts';
import { chooseTask, taskId, taskNonce } from '../memory/task.ts';
import { readWindow } from '../memory/window-file.ts';
import { readHistory } from '../speak/history-file.ts';
import { readTurn } from '../speak/turn-file.ts';
import type { Restored } from '../observer.ts';
import type { Ledger, NoteKind, Observation, Position } from '../records.ts';

export type SessionAsk = {
  readonly paths: Paths;
  readonly session: string;
  readonly transcript: string;
  readonly workspace: string;
  /** SessionStart's source, and the session this host was in before: a fork's origin. */
  readonly source: string | undefined;
  readonly origin: string | undefined;
  /** When it started, by its SessionStart: records from before were not made in it. */
  readonly started: number | undefined;
  /** When the workspace came to be watched, if this process saw it: nothing of before is ours. */
  readonly since: number | undefined;
  readonly log: (line: string) => void;
};

export type Beginning = {
  readonly restored: Restored;
  /** What the model is told of how the session came to be, and of what its task cites that is no longer there. */
  readonly notes: readonly Observation[];
  /** How far this transcript was forgotten: nothing before is read again. */
  readonly tombstone: Position | undefined;
  /** The session begins under our eyes: its file is activity from the first byte. */
  readonly fresh: boolean;
  /** Records from before are dropped unseen. */
  readonly since: number | undefined;
};

export const restore = (options: SessionAsk, now: number): Beginning => {
  const { paths, session, transcript, source, log } = options;
  const found = ledgerFor(options, now);
  // What a task cites may have moved while nobody looked.
  const gone = found === undefined || now - found.touched_at <= DORMANT_MS ? [] : goneFrom(options.workspace, citedPaths(found));
  const ledger = found === undefined || gone.length === 0 ? found : markGone(found, gone);
  const { window, dropped = 0, aside = [] } = ledger === undefined ? {} : readWindow(paths, ledger.task);
  if (dropped > 0 || aside.length > 0) log(`window of ${ledger?.task}: ${dropped} bytes of a half-written line dropped, ${aside.length} logs set aside`);
  // The file comes with the first prompt: one that is not there yet will be new from its first byte, but for what a fork copies into it.
  const begins = source === 'startup' || source === 'clear';
  const fresh = (!existsSync(transcript) && source !== 'fork') || (ledger === undefined && begins) || options.since !== undefined;
  const tombstones = readTombstones(paths);
  const tombstone = forgottenUpTo(transcript, tombstones);
  // A fork's file, or one nobody had read yet, has copies of what was forgotten, and no position of its own.
  // Not from a time to come: a clock was set back.
  const since = Math.min(now, Math.max(options.since ?? ledger?.since ?? 0, forgottenUntil(options.workspace, tombstones))) || undefined;
  // On disk before anything is read: killed before its first pass, this session is still read from here.
  const position = tombstone ?? (fresh ? { path: transcript, dev: 0, ino: 0, offset: 0, hash: '' } : undefined);
  const turn = readTurn(paths.turn(session));
  const { lines: history, bad } = readHistory(paths.history(session));
  if (bad > 0) log(`${bad} lines of the history of ${session} cannot be read`);
  return {
    restored: {
      ...(ledger === undefined ? {} : { ledger }), ...(window === undefined ? {} : { window }), ...(position === undefined ? {} : { position }), ...(turn === undefined ? {} : { turn }),
      ...(since === undefined ? {} : { since }),
      history,
    },
    notes: [...began(source, now), ...missing(gone, now)],
    tombstone, fresh, since,
  };
};

const DORMANT_MS = 86_400_000;

const note = (kind: NoteKind, what: string, text: string, at: number): Observation => ({ kind: 'note', note: kind, at, uuid: `${what}-${at}`, text: `[note] ${text}`, raw_chars: 0 });

const began = (source: string | undefined, now: number): readonly Observation[] => {
  const beginning = source === undefined ? undefined : BEGINNINGS[source];
  return beginning === undefined ? [] : [note(beginning.note, 'began', beginning.text, now)];
};

/** By SessionStart's source. */
const BEGINNINGS: Readonly<Record<string, { readonly note: NoteKind; readonly text: string }>> = {
  clear: { note: 'clear', text: 'the conversation before this was cleared' },
  resume: { note: 'resume', text: 'the session was resumed here' },
  fork: { note: 'fork', text: 'the session goes on from here as a branch of another' },
};

/** A window that was restored keeps its head as it was, so that is told behind it. */
const missing = (gone: readonly string[], now: number): readonly Observation[] =>
  gone.length === 0 ? [] : [note('resume', 'gone', `no longer there: ${gone.slice(0, GONE_TOLD).join(', ')}${gone.length > GONE_TOLD ? ` and ${gone.length - GONE_TOLD} more` : ''}`, now)];

const GONE_TOLD = 20;

/** The task this session goes on with, by how it started (SPEC 6); undefined for a new one. */
const ledgerFor = ({ paths, session, origin, source, workspace }: SessionAsk, now: number): Ledger | undefined => {
  const own = findBySession(paths, session);
  const from = own === undefined && source === 'fork' && origin !== undefined ? findBySession(paths, origin) : undefined;
  const choice = chooseTask(source, own !== undefined ? 'own' : from !== undefined ? 'origin' : 'none');
  if (choice.kind === 'new') return undefined;
  if (choice.kind === 'branch') return from === undefined ? undefined : branchLedger(from, { task: taskId(randomBytes(8)), session, nonce: taskNonce(randomBytes(8)) }, now);
  if (own === undefined || isForgotten({ task: own.task, workspace, since: own.created_at }, readTombstones(paths))) return undefined;
  const loaded = readLedger(paths, own.task);
  return loaded.ok ? loaded.value : undefined;
};
