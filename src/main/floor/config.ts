// From layers of configuration to effective knobs, each traced to the layer it came from (SPEC 13). Pure.
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { isDeep } from './depth.ts';
import { defaultKnobs, isKnob, KNOBS, type Knob, type Knobs } from './knobs.ts';
import { isObject } from './object.ts';
import { redact } from './redact.ts';

export type LayerName = 'default' | 'option' | 'global' | 'workspace' | 'env';

/** A layer's values as `group.knob` → raw value; `detectors` holds its whole map. */
export type Layer = { readonly name: LayerName; readonly values: ReadonlyMap<string, unknown>; readonly problems: readonly string[] };

export type Effective = {
  readonly knobs: Knobs;
  /** `group.knob` → the layer its value came from. */
  readonly sources: ReadonlyMap<string, LayerName>;
  /** What was wrong and what was done about it, a sentence each. */
  readonly problems: readonly string[];
};

type Row = { readonly group: string; readonly name: string; readonly knob: Knob<unknown> };

/** Every knob by its full name, `detectors` among them without a dot. */
export const knobRows = (): ReadonlyMap<string, Row> => {
  const rows = new Map<string, Row>();
  for (const [group, entry] of Object.entries(KNOBS)) {
    if (isKnob(entry)) rows.set(group, { group, name: '', knob: entry });
    else for (const [name, knob] of Object.entries(entry)) rows.set(`${group}.${name}`, { group, name, knob });
  }
  return rows;
};

const schemaOf = (knob: Knob<unknown>): z.ZodType => {
  const { min = -Infinity, max = Infinity } = knob;
  switch (knob.type) {
    case 'int':
      return z.number().int().min(min).max(max);
    case 'number':
      return z.number().min(min).max(max);
    case 'bool':
      return z.boolean();
    case 'text':
      return z.string().max(4096);
    case 'path':
      return z.string().max(4096).refine((value) => value === '' || (isAbsolute(value) && !value.includes('\0')));
    case 'choice':
      return z.enum(knob.choices ?? []);
    case 'list':
      return z.array(z.enum(knob.choices ?? [])).max(32);
    case 'map':
      return z.record(z.string().max(4096), z.unknown());
    case 'switches':
      return z.record(z.string().max(4096), z.boolean());
  }
};

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

/** One value against its row: range and type, with words that say what would be right. */
export const checkValue = (name: string, value: unknown): Checked => {
  const row = knobRows().get(name);
  if (row === undefined) return { ok: false, why: `there is no knob ${name}` };
  if (isDeep(value)) return { ok: false, why: `${name} is nested too deep` };
  const parsed = schemaOf(row.knob).safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, why: `${name} takes ${rangeWords(row.knob)}, not ${redact(JSON.stringify(value) ?? '').slice(0, 80)}` };
};

/** What a knob takes, e.g. `a whole number from 0 to 1000 per hour`. */
export const rangeWords = (knob: Knob<unknown>): string => {
  const unit = knob.unit === undefined || knob.unit === '' ? '' : ` ${knob.unit}`;
  switch (knob.type) {
    case 'int':
      return `a whole number from ${knob.min} to ${knob.max}${unit}`;
    case 'number':
      return `a number from ${knob.min} to ${knob.max}${unit}`;
    case 'bool':
      return 'true or false';
    case 'text':
      return 'a text';
    case 'path':
      return 'an absolute path, or nothing';
    case 'choice':
      return `one of ${(knob.choices ?? []).join(', ')}`;
    case 'list':
      return `a list of ${(knob.choices ?? []).join(', ')}`;
    case 'map':
      return 'an object';
    case 'switches':
      return 'an object of true and false';
  }
};

/** A typed word as the knob's value: `true`, `0.5`, `a,b`, JSON for maps. */
export const parseWord = (knob: Knob<unknown>, word: string): unknown => {
  if (knob.type === 'int' || knob.type === 'number') return word.trim() === '' ? word : Number(word);
  if (knob.type === 'bool') return word === 'true' ? true : word === 'false' ? false : word;
  if (knob.type === 'list') return word === '' ? [] : word.split(',').map((item) => item.trim());
  if (knob.type !== 'map' && knob.type !== 'switches') return word;
  try {
    return JSON.parse(word);
  } catch {
    return word; // the check then says what would be right
  }
};

/** A config document as a layer. Unknown names and bad values are left out and named; `$schema` and `version` are not knobs. */
export const layerOf = (name: LayerName, document: unknown, where: string): Layer => {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { name, values, problems: [`${where}: expected a JSON object; its values are not used`] };
  }
  const take = (full: string, value: unknown): void => {
    if (full === 'run_tool.enabled' && name !== 'workspace') {
      problems.push(`${where}: run_tool.enabled counts only in a workspace's own layer`);
      return;
    }
    const checked = checkValue(full, value);
    const kept = checked.ok ? checked.value : soundPart(full, value);
    if (kept !== undefined) values.set(full, kept);
    if (!checked.ok) problems.push(`${where}: ${checked.why}`);
  };
  for (const [group, entry] of Object.entries(document)) {
    if (group === '$schema' || group === 'version') continue;
    if (group === 'detectors') take('detectors', entry);
    else if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) {
      for (const [knob, value] of Object.entries(entry)) take(`${group}.${knob}`, value);
    } else problems.push(`${where}: ${group} is not a group of knobs`);
  }
  return { name, values, problems };
};

/** Of several switches one wrong does not undo the others: each may be a workspace that must not be watched. */
const soundPart = (full: string, value: unknown): unknown =>
  knobRows().get(full)?.knob.type === 'switches' && isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, on]) => typeof on === 'boolean')) : undefined;

/** Switches that guard the user: a repository that could turn them would get commands run, or secrets sent. */
const NOT_FROM_ENV: ReadonlySet<string> = new Set(['run_tool.enabled', 'projection.redact', 'model.test_endpoint', 'model.trust_env']);

/** `SECOND_BRAIN_<GROUP>_<KNOB>`: numbers and switches only, since a repository's settings can set any variable (SPEC 3). */
export const envLayer = (env: Readonly<Record<string, string | undefined>>): Layer => {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  for (const [full, { knob }] of knobRows()) {
    const variable = variableOf(full);
    const word = env[variable];
    if (word === undefined || NOT_FROM_ENV.has(full)) continue;
    if (knob.type !== 'int' && knob.type !== 'number' && knob.type !== 'bool') {
      problems.push(`${variable} is not used: the environment sets numbers and switches only`);
      continue;
    }
    const checked = checkValue(full, parseWord(knob, word));
    if (checked.ok) values.set(full, checked.value);
    else problems.push(`${variable}: ${checked.why}`);
  }
  return { name: 'env', values, problems };
};

/** The layers, lowest first, laid over the defaults. `mute.all` mutes when true in any layer; detector fields merge. */
export const effective = (layers: readonly Layer[]): Effective => {
  const groups = structuredClone(defaultKnobs()) as Record<string, Record<string, unknown>>;
  const sources = new Map<string, LayerName>([...knobRows().keys()].map((name) => [name, 'default']));
  const problems = layers.flatMap((layer) => layer.problems);
  for (const layer of layers) {
    for (const [full, value] of layer.values) {
      if (full === 'mute.all' && value === false && groups['mute']?.['all'] === true) continue;
      const [group = '', knob] = full.split('.');
      if (layer.name === 'env' && knob !== undefined && loosens(full, value, groups[group]?.[knob])) {
        problems.push(`${variableOf(full)} is not used: the environment may lower a budget and switch watching off, not the reverse`);
        continue;
      }
      if (knob === undefined) groups[group] = mergeDetectors(groups[group] ?? {}, value);
      else (groups[group] ??= {})[knob] = value;
      sources.set(full, layer.name);
    }
  }
  const knobs = groups as unknown as Knobs;
  return { knobs, sources, problems: [...problems, ...crossProblems(knobs)] };
};

/** Whether a value of the environment's would undo what its user has refused or capped: a repository can set it. */
const loosens = (full: string, value: unknown, before: unknown): boolean => {
  if (full === 'enable.default') return value === true && before === false;
  // No ceiling of the machine's is written as 0.
  const cap = (tokens: unknown): number => (full === 'budget.machine_tokens_per_hour' && tokens === 0 ? Infinity : Number(tokens));
  return full.startsWith('budget.') && cap(value) > cap(before);
};

const variableOf = (full: string): string => `SECOND_BRAIN_${full.replace('.', '_').toUpperCase()}`;

const mergeDetectors = (below: Record<string, unknown>, above: unknown): Record<string, unknown> => {
  const out = { ...below };
  for (const [name, fields] of Object.entries(above as Record<string, unknown>)) {
    out[name] = typeof fields === 'object' && fields !== null ? { ...(out[name] as object | undefined), ...fields } : fields;
  }
  return out;
};

const TTL_S = { '5m': 300, '1h': 3600 } as const;

/** Values that are right alone and wrong together. */
const crossProblems = ({ window, model, loop }: Knobs): readonly string[] => [
  ...(window.compaction_floor >= window.compaction_threshold ? ['window.compaction_floor must stay below window.compaction_threshold: the window would be compacted at every pass'] : []),
  ...(model.cache_ttl !== 'auto' && loop.max_interval_s > TTL_S[model.cache_ttl] ? [`model.cache_ttl ${model.cache_ttl} is shorter than loop.max_interval_s: slow sessions write the prefix anew each pass`] : []),
];
