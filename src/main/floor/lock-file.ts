// A lock that its holder's death releases: a file with pid and start time, made by O_EXCL link (SPEC 3, HAZARDS B6).
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { isCode, isMissing } from './json-file.ts';
import { isAlive, thisProcess, type ProcessId } from './process-file.ts';

const holderOf = (path: string): ProcessId | undefined => {
  try {
    const raw: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof raw === 'object' && raw !== null && 'pid' in raw && 'start' in raw && typeof raw.pid === 'number' && typeof raw.start === 'string') {
      return { pid: raw.pid, start: raw.start };
    }
    return undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Who holds the lock and is alive. */
export const lockHolder = (path: string): ProcessId | undefined => {
  const holder = holderOf(path);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
};

/**
 * Takes the lock, or says that a living process has it. The file appears with its content in one step (link),
 * so nobody ever reads a half-written holder; a dead holder's file is renamed away, which one contender wins.
 */
export const takeLock = (path: string): boolean => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const me = thisProcess();
  const mine = `${path}.${me.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(mine, JSON.stringify(me), { mode: 0o600 });
  try {
    for (let round = 0; round < 3; round += 1) {
      try {
        linkSync(mine, path);
        return true;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
      const holder = holderOf(path);
      if (holder !== undefined && isAlive(holder)) return holder.pid === me.pid && holder.start === me.start;
      if (!removeDead(path, holder)) return false;
    }
    return false;
  } finally {
    unlinkSync(mine);
  }
};

/** Renames the dead holder's file away; false when what was moved turned out to be somebody else's new lock. */
const removeDead = (path: string, dead: ProcessId | undefined): boolean => {
  const grave = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, grave);
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
  const moved = holderOf(grave);
  if (moved !== undefined && (moved.pid !== dead?.pid || moved.start !== dead.start) && isAlive(moved)) {
    try {
      linkSync(grave, path); // give it back
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    unlinkSync(grave);
    return false;
  }
  unlinkSync(grave);
  return true;
};

/** Gives the lock up if this process holds it. */
export const releaseLock = (path: string): void => {
  const me = thisProcess();
  const holder = holderOf(path);
  if (holder?.pid === me.pid && holder.start === me.start) unlinkSync(path);
};
