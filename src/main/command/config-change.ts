// What `config set` and `config reset` make of a config document, or why they leave it alone. Pure.
import { checkValue, knobRows, parseWord } from '../floor/config.ts';
import { isObject } from '../floor/object.ts';
import { serverProblems } from '../pass/mcp-config.ts';
import { noSuchText } from '../show/config.ts';

type Document = Readonly<Record<string, unknown>>;

/** `knob`: what the change is about, by its full name. */
export type Change =
  | { readonly ok: true; readonly knob: string; readonly apply: (document: Document) => Record<string, unknown>; readonly warn?: string }
  | { readonly ok: false; readonly why: string };

/** Says what is wrong with `detectors` overrides, a sentence each: the catalogue knows. */
export type CheckDetectors = (overrides: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => readonly string[];

/** `set NAME WORD`: checked before anything is written. */
export const setChange = (name: string, word: string, global: boolean, check: CheckDetectors): Change => {
  if (name === 'detectors') return setDetectors(word, check);
  if (name.startsWith('detectors.')) return setDetectorField(name, word, check);
  const row = knobRows().get(name);
  if (row === undefined) return { ok: false, why: noSuchText(name) };
  if (name === 'run_tool.enabled' && global) return { ok: false, why: 'run_tool.enabled counts only in a workspace’s own layer: leave out --global.' };
  const value = parseWord(row.knob, word);
  const checked = checkValue(name, Number.isNaN(value) ? word : value);
  if (!checked.ok) return { ok: false, why: `${checked.why}.` };
  const wrong = name === 'mcp.servers' ? serverProblems(checked.value as Document) : []; // a map by its check
  if (wrong.length > 0) return { ok: false, why: `${wrong.join('; ')}.` };
  const { group, name: knob } = row;
  return {
    ok: true,
    knob: name,
    apply: (document) => ({ ...document, [group]: { ...fieldsOf(document[group]), [knob]: checked.value } }),
    ...(row.knob.warn === undefined ? {} : { warn: row.knob.warn }),
  };
};

/** `reset WHAT`: a knob, a group, a detector's field, a detector, or `all`. */
export const resetChange = (what: string): Change => {
  if (what === 'all') return { ok: true, knob: 'all', apply: ({ $schema, version }) => ({ ...($schema === undefined ? {} : { $schema }), ...(version === undefined ? {} : { version }) }) };
  const path = what.split('.');
  const isGroup = [...knobRows().values()].some(({ group }) => group === what);
  if (!isGroup && !knobRows().has(what) && path[0] !== 'detectors') return { ok: false, why: noSuchText(what) };
  return { ok: true, knob: what, apply: (document) => without(document, path) };
};

const setDetectors = (word: string, check: CheckDetectors): Change => {
  const value = asJson(word);
  if (!isObject(value) || !Object.values(value).every(isObject)) return { ok: false, why: 'detectors takes an object of objects, as JSON: {"<name>": {"<field>": value}}.' };
  const problems = check(value as Record<string, Document>);
  return problems.length > 0 ? { ok: false, why: `${problems.join('; ')}.` } : { ok: true, knob: 'detectors', apply: (document) => ({ ...document, detectors: value }) };
};

/** `detectors.<name>.<field>`, or one key of its `config`. */
const setDetectorField = (name: string, word: string, check: CheckDetectors): Change => {
  const [, detector = '', field = '', key, ...more] = name.split('.');
  if (detector === '' || field === '' || more.length > 0 || (key !== undefined && (field !== 'config' || key === ''))) return { ok: false, why: 'Name a field: detectors.<name>.<field>, or detectors.<name>.config.<key>.' };
  const value = asJson(word);
  const problems = check({ [detector]: { [field]: key === undefined ? value : { [key]: value } } });
  if (problems.length > 0) return { ok: false, why: `${problems.join('; ')}.` };
  return {
    ok: true,
    knob: name,
    apply: (document) => {
      const all = fieldsOf(document['detectors']);
      const own = fieldsOf(all[detector]);
      const next = key === undefined ? value : { ...fieldsOf(own[field]), [key]: value };
      return { ...document, detectors: { ...all, [detector]: { ...own, [field]: next } } };
    },
  };
};

/** JSON where it is JSON, else the word itself: `false`, `0.7`, `["a"]`, but also `every_nth:3`. */
const asJson = (word: string): unknown => {
  try {
    return JSON.parse(word) as unknown;
  } catch {
    return word; // the check then says what would be right
  }
};

/** The document without the entry at `path`, and without groups that this leaves empty. */
const without = (document: Document, [first = '', ...rest]: readonly string[]): Record<string, unknown> => {
  const { [first]: entry, ...others } = document;
  if (rest.length === 0 || !isObject(entry)) return rest.length === 0 ? others : { ...document };
  const left = without(entry, rest);
  return Object.keys(left).length === 0 ? others : { ...document, [first]: left };
};

const fieldsOf = (raw: unknown): Document => (isObject(raw) ? raw : {});
