// config.json and workspaces/<key>.json: read as layers, changed under a lock, never moved when broken (SPEC 4, 13).
import { realpathSync } from 'node:fs';
import { effective, envLayer, layerOf, type Effective, type Layer, type LayerName } from './config.ts';
import { isMissing, readJson, writeWhole } from './json-file.ts';
import { releaseLock, takeLock } from './lock-file.ts';
import { repositoryRoot } from './workspace-file.ts';
import type { Knobs } from './knobs.ts';
import type { Paths } from './paths.ts';

export type ConfigSource = {
  readonly paths: Paths;
  /** Real path of the repository root, else of the working directory. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Plugin user options: provider and model only (contract j). */
  readonly options: { readonly provider?: string; readonly model?: string };
  /** Layers of the last good read: they stay in force while a file is broken. */
  readonly last?: readonly Layer[];
};

const documentLayer = (name: LayerName, path: string, last: readonly Layer[] | undefined): Layer => {
  const loaded = readJson(path, (raw) => raw);
  if (loaded.ok) return layerOf(name, loaded.value, path);
  if (loaded.because === 'missing') return { name, values: new Map(), problems: [] };
  const before = last?.find((layer) => layer.name === name);
  return { name, values: before?.values ?? new Map(), problems: [`${path} is not valid JSON (${loaded.why}); ${before === undefined ? 'its values are not used' : 'the last good values stay'}`] };
};

/** Effective configuration with its layers, so that the next read can fall back on them. */
export const loadConfig = (source: ConfigSource): Effective & { readonly layers: readonly Layer[] } => {
  const { paths, workspace, env, options, last } = source;
  const optionLayer = layerOf(
    'option',
    { model: { ...(options.provider === undefined || options.provider === '' ? {} : { provider: options.provider }), ...(options.model === undefined || options.model === '' ? {} : { name: options.model }) } },
    'plugin options',
  );
  const layers = [optionLayer, documentLayer('global', paths.config, last), documentLayer('workspace', paths.workspaceConfig(workspace), last), envLayer(env)];
  return { ...effective(layers), layers };
};

export type ChangeResult = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Changes one document under its lock, so that concurrent writers lose nothing. A broken document is not overwritten. */
export const changeConfig = async (path: string, change: (document: Record<string, unknown>) => Record<string, unknown>): Promise<ChangeResult> => {
  const lock = `${path}.lock`;
  for (let tries = 0; !takeLock(lock); tries += 1) {
    if (tries >= 100) return { ok: false, why: `${path} is being changed by another process; try again` };
    await new Promise((resolve) => setTimeout(resolve, 20 + (tries % 7) * 5));
  }
  try {
    const loaded = readJson(path, (raw) => raw);
    if (!loaded.ok && loaded.because === 'corrupt') return { ok: false, why: `${path} is not valid JSON (${loaded.why}); mend or remove it first` };
    const document = loaded.ok ? loaded.value : {};
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return { ok: false, why: `${path} does not hold a JSON object; mend or remove it first` };
    writeWhole(path, `${JSON.stringify(change({ ...document }), null, 2)}\n`);
    return { ok: true };
  } finally {
    releaseLock(lock);
  }
};

/** The workspace of a working directory: the repository's root, else itself, as a real path. */
export const workspaceOf = (cwd: string): string => {
  let real: string;
  try {
    real = realpathSync(cwd);
  } catch (error) {
    if (!isMissing(error)) throw error;
    real = cwd;
  }
  return repositoryRoot(real) ?? real;
};

/** Whether a workspace is watched: its entry in `enable.workspaces`, else `enable.default` (SPEC 3). */
export const isEnrolled = ({ enable }: Pick<Knobs, 'enable'>, workspace: string): boolean => enable.workspaces[workspace] === true || (enable.workspaces[workspace] !== false && enable.default);
