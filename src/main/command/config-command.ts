// `config`: shows every knob with its layer, and changes one layer; what is refused changes nothing and says why.
import { existsSync } from 'node:fs';
import { join, relative, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runtimeInPlace } from '../entry/runtime.ts';
import { changeConfig } from '../floor/config-file.ts';
import { readJson, writeWhole } from '../floor/json-file.ts';
import { isObject } from '../floor/object.ts';
import { loadCatalogue } from '../pass/catalogue-file.ts';
import { changedText, configSchema, configText, knobsOf, unsetText } from '../show/config.ts';
import { fit } from '../show/plain.ts';
import { resetChange, setChange, type Change, type CheckDetectors } from './config-change.ts';
import { configAt, NO_PLACE, openPlace, type Place } from './place.ts';
import type { Words } from './words.ts';

export const configCommand = async (words: Words): Promise<number> => {
  const place = openPlace(words);
  if (place === undefined) return NO_PLACE;
  const [verb = 'show', name, ...values] = words.positionals;
  const global = words.flags['global'] === true;
  if (verb === 'show' && values.length === 0) return show(place, name);
  if (verb === 'set' && name !== undefined && values.length > 0) return change(place, setChange(name, values.join(' '), global, checkIn(place)), global);
  if (verb === 'reset' && name !== undefined && values.length === 0) return reset(place, name, global);
  // A name alone is a question about it.
  if (verb !== 'show' && verb !== 'set' && verb !== 'reset' && name === undefined) return show(place, verb);
  return say(USAGE, 2);
};

const USAGE = 'Use: config [show] [<knob | group>] · config set <knob> <value> [--global] · config reset <knob | group | all> [--global]';

const show = (place: Place, which: string | undefined): number => say(configText(configAt(place), which, place.width), knobsOf(which).length === 0 ? 1 : 0);

const say = (text: string, code: number): number => {
  process.stdout.write(`${text}\n`);
  return code;
};

/** What is not set in the layer that was meant is said, with the value in force: it is often set in the other one. */
const reset = async (place: Place, what: string, global: boolean): Promise<number> => {
  const wanted = resetChange(what);
  const read = readJson(pathOf(place, global), (raw) => raw);
  const document = read.ok ? read.value : read.because === 'missing' ? {} : undefined;
  if (!wanted.ok || !isObject(document) || !isDeepStrictEqual(wanted.apply(document), { ...document })) return change(place, wanted, global);
  return say(fit(unsetText(configAt(place), what, global ? 'global' : 'workspace'), place.width), 0);
};

const pathOf = ({ paths, workspace }: Place, global: boolean): string => (global ? paths.config : paths.workspaceConfig(workspace));

const change = async (place: Place, wanted: Change, global: boolean): Promise<number> => {
  const { paths, width } = place;
  if (!wanted.ok) return say(fit(`Nothing changed: ${wanted.why}`, width), 1);
  const path = pathOf(place, global);
  const schema = schemaFor(paths.data, path);
  const done = await changeConfig(path, (document) => (existsSync(path) ? wanted.apply(document) : { $schema: schema, ...wanted.apply(document) }));
  if (!done.ok) return say(fit(`Nothing changed: ${done.why}.`, width), 1);
  return say(fit(changedText(configAt(place), wanted, global ? 'global' : 'workspace'), width), 0);
};

/** Overrides are held against the catalogue in force; another layer's faults are not this change's. */
const checkIn = (place: Place): CheckDetectors => (overrides) => {
  const { catalogue, prompts } = runtimeInPlace(join(__dirname, '..'));
  const { detectors, problems } = loadCatalogue({ bundle: catalogue, prompts, file: configAt(place).knobs.catalogue.file, overrides });
  const names = detectors.map(({ name }) => name);
  const unknown = Object.keys(overrides).filter((name) => !names.includes(name));
  if (unknown.length > 0) return [`there is no detector ${unknown.join(', ')}; there are ${names.join(', ')}`];
  return problems.filter((problem) => problem.startsWith('detectors.'));
};

/** Writes the schema beside the documents unless it is there, and gives its path as a document names it. */
const schemaFor = (data: string, document: string): string => {
  const path = join(data, 'config.schema.json');
  const schema = configSchema();
  const before = readJson(path, (raw) => JSON.stringify(raw));
  if (!before.ok || before.value !== JSON.stringify(schema)) writeWhole(path, `${JSON.stringify(schema, null, 2)}\n`);
  return `./${relative(dirname(document), path).replaceAll('\\', '/')}`.replace('./..', '..');
};
