// Finds the data directory for whoever was started without being told it (SPEC 4): one answer for every process.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMissing } from './json-file.ts';

export type DataDirAsk = {
  /** `--data`; the launcher and our hooks always give it. */
  readonly argument: string | undefined;
  /** Folder of the running bundle: a copy under `<data>/run/<version>/dist` belongs to that directory. */
  readonly dist: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
};

export type DataDir = { readonly ok: true; readonly data: string; readonly from: 'argument' | 'launcher' | 'newest' } | { readonly ok: false; readonly looked_in: string };

/** The argument, else the directory this code runs from, else the newest `second-brain-*` among the host's plugin data. */
export const findDataDir = ({ argument, dist, env, home }: DataDirAsk): DataDir => {
  if (argument !== undefined && argument !== '') return { ok: true, data: argument, from: 'argument' };
  const runs = dirname(dirname(dist));
  if (basename(dist) === 'dist' && basename(runs) === 'run') return { ok: true, data: dirname(runs), from: 'launcher' };
  const parent = join(hostConfigDir(env, home), 'plugins', 'data');
  const newest = foldersIn(parent)
    .map((name) => join(parent, name))
    .sort((a, b) => touchedAt(b) - touchedAt(a))[0];
  return newest === undefined ? { ok: false, looked_in: parent } : { ok: true, data: newest, from: 'newest' };
};

/** Where the host keeps its settings and its plugins' data (HAZARDS B9). */
export const hostConfigDir = (env: Readonly<Record<string, string | undefined>>, home: string): string => env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');

const foldersIn = (parent: string): readonly string[] => {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith('second-brain-'))
      .map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

/** A folder's own time changes only when entries come and go, so those below that change often are asked too. */
const touchedAt = (data: string): number => Math.max(...['', 'sessions', 'hosts', 'log'].map((name) => statSync(join(data, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
