// A lock that its holder's death releases: a file with pid and start time, made by O_EXCL link (SPEC 3, HAZARDS B6).
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { isCode, isMissing, unlessMissing } from './json-file.ts';
import { isAlive, thisProcess, type ProcessId } from './process-file.ts';

/** `beat`: when the holder of a lease last showed that it runs, ms. */
type Holder = ProcessId & { readonly beat?: number };

/** By path, or by a descriptor that is at the file's start. */
const holderOf = (path: string | number): Holder | undefined => {
  try {
    const raw: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof raw === 'object' && raw !== null && 'pid' in raw && 'start' in raw && typeof raw.pid === 'number' && typeof raw.start === 'string') {
      return { pid: raw.pid, start: raw.start, ...('beat' in raw && typeof raw.beat === 'number' ? { beat: raw.beat } : {}) };
    }
    return undefined;
  } catch (error) {
    if (isMissing(error) || isCode(error, 'EISDIR', 'ELOOP') || error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Who holds the lock and is alive. */
export const lockHolder = (path: string): ProcessId | undefined => {
  const holder = holderOf(path);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
};

/** A lease lasts this long after its holder's last beat: far longer than a busy monitor is silent. */
export const LEASE_MS = 60_000;

const isSilent = (holder: Holder, now: number | undefined, patient: boolean): boolean => now !== undefined && !patient && holder.beat !== undefined && now - holder.beat > LEASE_MS;

/** Whether `takeLock` would take this lease, for whoever asks often: this only reads. */
export const isFree = (path: string, now: number, patient: boolean): boolean => {
  const holder = holderOf(path);
  return holder === undefined || !isAlive(holder) || isSilent(holder, now, patient) || isMe(holder);
};

/**
 * Takes the lock, or says that a living process has it. With `now` it is a lease, which may also be taken from a
 * process that lives but has not beaten for LEASE_MS: one that hangs, or was suspended; `patient` leaves it to that one. The file appears with its content in one step (link),
 * so nobody ever reads a half-written holder; a dead holder's file is renamed away, which one contender wins.
 */
export const takeLock = (path: string, now?: number, patient = false): boolean => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const me = thisProcess();
  const mine = `${path}.${me.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(mine, JSON.stringify(now === undefined ? me : { ...me, beat: now }), { mode: 0o600 });
  try {
    for (let round = 0; round < 3; round += 1) {
      try {
        linkSync(mine, path);
        return true;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
      const holder = holderOf(path);
      if (holder !== undefined && isAlive(holder) && (!isSilent(holder, now, patient) || isMe(holder))) return isMe(holder);
      if (!removeDead(path, holder)) return false;
    }
    return false;
  } finally {
    unlinkSync(mine);
  }
};

/** Renames the dead holder's file away; false when what was moved turned out to be somebody else's new lock, or beats again. */
const removeDead = (path: string, dead: Holder | undefined): boolean => {
  const grave = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, grave);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  const moved = holderOf(grave);
  if (moved !== undefined && (moved.pid !== dead?.pid || moved.start !== dead.start || moved.beat !== dead.beat) && isAlive(moved)) {
    try {
      linkSync(grave, path); // give it back
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    unlinkSync(grave);
    return false;
  }
  rmSync(grave, { recursive: true }); // what lay in the lock's place may be a folder
  return true;
};

/**
 * Beats: whether the lease is still this process's. Written into the very file that was read, so that a beat that comes
 * too late goes into one that nobody looks at any more.
 */
export const keepLease = (path: string, now: number): boolean => {
  const fd = unlessMissing(() => openSync(path, 'r+'));
  if (fd === undefined) return false;
  try {
    const holder = holderOf(fd);
    if (!isMe(holder)) return false;
    writeSync(fd, JSON.stringify({ ...thisProcess(), beat: now }), 0);
  } finally {
    closeSync(fd);
  }
  return isMe(holderOf(path));
};

/** Gives the lock up if this process holds it. */
export const releaseLock = (path: string): void => {
  if (isMe(holderOf(path))) unlinkSync(path);
};

const isMe = (holder: ProcessId | undefined): boolean => {
  const me = thisProcess();
  return holder?.pid === me.pid && holder.start === me.start;
};
