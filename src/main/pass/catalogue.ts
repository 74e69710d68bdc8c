// The catalogue of detectors (SPEC 8): read strictly, overridden field by field, every fault named by its field.
import * as z from 'zod';
import { isObject } from '../floor/object.ts';
import type { Detector } from '../records.ts';

export type Catalogue =
  | { readonly ok: true; readonly detectors: readonly Detector[]; /** Overrides that were left out, each with its field. */ readonly problems: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** `detectors` of the config: by name, any field of a row. */
export type Overrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The detectors of a parsed catalogue file, in its order. `prompt` gives the text of `prompts/<name>.md`. One bad row
 * makes the whole catalogue unusable (its user should know); a bad override only loses itself.
 */
export const parseCatalogue = (raw: unknown, overrides: Overrides, prompt: (name: string) => string | undefined): Catalogue => {
  const { File, Row } = schemas();
  const file = File.safeParse(raw);
  if (!file.success) return { ok: false, why: whyOf(file.error, []) };
  const detectors: Detector[] = [];
  const problems = Object.keys(overrides).filter((name) => !Object.hasOwn(file.data.detectors, name)).map((name) => `detectors.${name}: no such detector`);
  for (const [name, row] of Object.entries(file.data.detectors)) {
    const read = parseRow(Row, name, row, prompt);
    if (!read.ok) return read;
    let { detector } = read;
    let applied: Readonly<Record<string, unknown>> = row;
    for (const [field, value] of Object.entries(overrides[name] ?? {})) {
      const changed = { ...applied, [field]: field === 'config' ? mergedConfig(applied['config'], value) : value };
      const again = parseRow(Row, name, changed, prompt);
      if (again.ok) [detector, applied] = [again.detector, changed];
      else problems.push(again.why);
    }
    detectors.push(detector);
  }
  return { ok: true, detectors, problems };
};

type ReadRow = { readonly ok: true; readonly detector: Detector } | { readonly ok: false; readonly why: string };

const parseRow = (Row: ReturnType<typeof schemas>['Row'], name: string, row: unknown, prompt: (name: string) => string | undefined): ReadRow => {
  const read = Row.safeParse(row);
  if (!read.success) return { ok: false, why: whyOf(read.error, ['detectors', name]) };
  const { system, deadline_s, confidence_floor, structural, cadence, ...rest } = read.data;
  const named = /^prompts\/([\w-]+\.md)$/.exec(system)?.[1];
  // A question is not one word; what looks like a file's name was meant as one.
  if (named === undefined && /^(?:prompts\/.*|\S+)\.md$/.test(system)) return { ok: false, why: `detectors.${name}.system: a prompt’s file is prompts/<name>.md, of letters, digits, - and _` };
  const text = named === undefined ? system : prompt(named);
  if (text === undefined || text.trim() === '') return { ok: false, why: `detectors.${name}.system: no text in ${system}` };
  return {
    ok: true,
    detector: {
      name, ...rest, system: text.trim(), cadence: cadence as Detector['cadence'],
      ...(deadline_s === undefined ? {} : { deadline_s }), ...(confidence_floor === undefined ? {} : { confidence_floor }), ...(structural === undefined ? {} : { structural }),
    },
  };
};

/** An override's config over the row's: field by field, and questions by id when given as a map (null removes one). */
const mergedConfig = (base: unknown, over: unknown): unknown => {
  if (!isObject(over)) return over;
  const config = isObject(base) ? { ...base, ...over } : over;
  const { questions } = over;
  return isObject(questions) ? { ...config, questions: mergedQuestions(isObject(base) ? base['questions'] : [], questions) } : config;
};

const mergedQuestions = (base: unknown, over: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const rows = new Map<string, unknown>((Array.isArray(base) ? base : []).flatMap((row: unknown) => (isObject(row) && typeof row['id'] === 'string' ? [[row['id'], row]] : [])));
  for (const [id, row] of Object.entries(over)) {
    const before = rows.get(id);
    if (row === null) rows.delete(id);
    else rows.set(id, isObject(row) ? { id, ...(isObject(before) ? before : {}), ...row } : row);
  }
  return [...rows.values()];
};

/** Made anew for each file: they take longer to make than a file to read, and watching begins before. */
const schemas = () => {
  const text = z.string().min(1).max(20_000);
  const patterns = z.array(z.string().min(1).max(400)).max(1000);
  const share = z.number().min(0).max(1);

  const Question = z.strictObject({
    id: z.string().regex(/^[\w-]{1,60}$/, 'letters, digits, - and _ only'),
    text: z.string().min(1).max(300),
    finding: z.string().min(1).max(160).optional(),
    applies_when: patterns,
    answered_by: patterns,
    perhaps_by: patterns.default([]),
    waived_by: patterns.default([]),
    lasting_by: patterns.default([]),
    each_time: z.boolean().default(false),
    local_confidence: share.optional(),
  });

  const Config = z.looseObject({ questions: z.array(Question).max(50).optional(), min_failures: z.number().int().min(2).max(100).optional(), leads: z.enum(['commits', 'definitions']).optional() });

  const Tool = z.union([
    z.enum(['Read', 'Grep', 'Glob']),
    z.string().regex(/^mcp:[\w.-]+(\/[\w.-]+)?$/, 'one of Read, Grep, Glob, mcp:<server>, mcp:<server>/<tool>'),
    z.strictObject({ exec: z.array(z.string().min(1).max(1000)).max(100) }),
  ]);

  const Row = z.strictObject({
    enabled: z.boolean().default(true),
    system: text,
    tools: z.array(Tool).max(100).default([]),
    schema: z.literal('feedback_v1').default('feedback_v1'),
    deadline_s: z.number().min(1).max(600).optional(),
    cadence: z.string().regex(/^(every_pass|every_nth:[1-9]\d{0,3})$/, 'every_pass or every_nth:<n>').default('every_pass'),
    when: patterns.default([]),
    confidence_floor: share.optional(),
    pilot: z.boolean().default(false),
    structural: z.enum(['repeat-failure', 'cross-task-collision']).optional(),
    config: Config.default({}),
  });

  const File = z.strictObject({
    about: z.string().optional(),
    detectors: z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'lower-case letters, digits and - only'), z.record(z.string(), z.unknown())),
  });

  return { File, Row };
};

const whyOf = (error: z.ZodError, at: readonly string[]): string => {
  const issue = error.issues[0];
  if (issue === undefined) return 'unreadable';
  const path = [...at, ...issue.path.map(String), ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])].join('.');
  return `${path === '' ? 'catalogue' : path}: ${issue.code === 'unrecognized_keys' ? 'no such field' : issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message}`;
};
