// Whether this workspace is watched and whether we may speak: the few knobs a hook needs, read by hand (SPEC 3, 13).
import { realpathSync } from 'node:fs';
import { readJson, unlessMissing } from '../floor/json-file.ts';
import { repositoryRoot } from '../floor/workspace-file.ts';
import type { Call, Scope } from './hook-call.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The scope of this call's project. A config file that cannot be read keeps us silent: it may hold a refusal. */
export const scopeOf = ({ payload, paths, env }: Pick<Call, 'payload' | 'paths' | 'env'>): Scope => {
  const named = env['CLAUDE_PROJECT_DIR'] || payload.cwd || process.cwd();
  const folder = unlessMissing(() => realpathSync(named)) ?? named;
  const workspace = repositoryRoot(folder) ?? folder;
  const layers = [readJson(paths.config, (raw) => raw), readJson(paths.workspaceConfig(workspace), (raw) => raw)];
  if (layers.some((layer) => !layer.ok && layer.because === 'corrupt')) return { enrolled: false, muted: true };
  const values = layers.map((layer) => (layer.ok && isFields(layer.value) ? layer.value : {}));
  const all = (group: string, knob: string): readonly unknown[] => [...values.map((layer) => knobOf(layer, group, knob)), switchOf(env[`SECOND_BRAIN_${group}_${knob}`.toUpperCase()])];
  const listed = all('enable', 'workspaces').findLast(isFields)?.[workspace];
  const byDefault = all('enable', 'default').findLast((value) => typeof value === 'boolean') ?? true;
  return { enrolled: typeof listed === 'boolean' ? listed : byDefault === true, muted: all('mute', 'all').includes(true) };
};

const knobOf = (layer: Fields, group: string, knob: string): unknown => (isFields(layer[group]) ? layer[group][knob] : undefined);

const switchOf = (word: string | undefined): boolean | undefined => (word === 'true' ? true : word === 'false' ? false : undefined);
