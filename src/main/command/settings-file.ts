// The user's settings.json of the host: read and replaced whole, through links and with its mode, and the backup beside it.
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissing } from '../floor/json-file.ts';

export type Settings = { readonly path: string; readonly backup: string; readonly text: string | undefined; readonly backup_text: string | undefined };

/** The file behind `path` (it may be a link into someone's dotfiles). */
export const readSettings = (path: string): Settings => {
  const real = existsSync(path) ? realpathSync(path) : path;
  const backup = `${path}.second-brain-backup`;
  return { path: real, backup, text: textOf(real), backup_text: textOf(backup) };
};

/** Keeps what was there, then replaces it in one step. */
export const replaceSettings = ({ path, backup, text }: Settings, next: string, keep: boolean): void => {
  if (keep && text !== undefined) put(backup, text, modeOf(path));
  put(path, next, modeOf(path));
};

/** Takes away the file we made, or the backup that is no longer needed. */
export const removeSettings = (path: string): void => {
  if (existsSync(path)) unlinkSync(path);
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;

const put = (path: string, text: string, mode: number): void => {
  mkdirSync(dirname(path), { recursive: true });
  const temp = `${path}.${process.pid}.tmp`;
  writeFileSync(temp, text, { mode, flush: true });
  chmodSync(temp, mode); // a umask must not narrow what was there
  renameSync(temp, path);
};
