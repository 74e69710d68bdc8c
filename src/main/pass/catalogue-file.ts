// Opens detectors.json and the prompts beside it: the user's own file when it is sound, else the bundled one with the reason (SPEC 8).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from '../floor/disk-file.ts';
import { messageOf } from '../floor/failure.ts';
import { isMissing, readJson } from '../floor/json-file.ts';
import type { Detector } from '../records.ts';
import { parseCatalogue, type Catalogue, type Overrides } from './catalogue.ts';

export type CatalogueFiles = {
  /** The bundled detectors.json. */
  readonly bundle: string;
  /** The folder of the bundled prompts. */
  readonly prompts: string;
  /** The user's own file; empty for none. */
  readonly file: string;
  readonly overrides: Overrides;
};

export type LoadedCatalogue = { readonly detectors: readonly Detector[]; readonly source: 'bundle' | 'user'; readonly problems: readonly string[] };

/** The catalogue in force. A user's file may name prompts of its own beside it, or the bundled ones. Throws only when the bundle itself is broken. */
export const loadCatalogue = ({ bundle, prompts, file, overrides }: CatalogueFiles): LoadedCatalogue => {
  const problems: string[] = [];
  if (file !== '') {
    const own = readCatalogue(file, [join(dirname(file), 'prompts'), prompts], overrides);
    if (own.ok) return { detectors: own.detectors, source: 'user', problems: own.problems };
    problems.push(`catalogue.file ${file}: ${own.why}; the bundled catalogue is used`);
  }
  const shipped = readCatalogue(bundle, [prompts], overrides);
  if (!shipped.ok) throw new Error(`the bundled catalogue is broken: ${shipped.why}`);
  return { detectors: shipped.detectors, source: 'bundle', problems: [...problems, ...shipped.problems] };
};

/** Every file whose change is one of the user's catalogue: itself, and the prompts beside it. */
export const filesOf = (file: string): readonly string[] => {
  if (file === '') return [];
  const folder = join(dirname(file), 'prompts');
  try {
    return [file, ...namesIn(folder).slice(0, MOST_PROMPTS).map((name) => join(folder, name))];
  } catch {
    return [file]; // closed to us: reading the catalogue says so
  }
};

const MOST_PROMPTS = 100;

/** The system prompt every detector shares. */
export const readSharedPrompt = (prompts: string): string => readFileSync(join(prompts, 'shared.md'), 'utf8').trim();

const readCatalogue = (path: string, folders: readonly string[], overrides: Overrides): Catalogue => {
  try {
    const read = readJson(path, (raw) => raw);
    if (!read.ok) return { ok: false, why: read.because === 'missing' ? 'no such file' : read.why };
    return parseCatalogue(read.value, overrides, (name) => readPrompt(folders, name));
  } catch (error) {
    return { ok: false, why: messageOf(error) }; // a folder, no permission: said, and the bundle goes on
  }
};

const readPrompt = (folders: readonly string[], name: string): string | undefined => {
  for (const folder of folders) {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
};
