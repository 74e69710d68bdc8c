// What git leaves out: .gitignore files read as rules, the deepest file and the last fitting rule deciding.
import { compileGlob } from './glob-pattern.ts';

type Rule = { readonly negated: boolean; readonly folders_only: boolean; /** Takes the path below the file's folder, and its last part. */ readonly fits: (path: string, name: string) => boolean };

/** The rules of one .gitignore; `base` is its folder relative to the root, '' or ending in a slash. */
export type Ignore = { readonly base: string; readonly rules: readonly Rule[] };

/** Rules in the order of the file; lines that cannot be read are left out. */
export const parseIgnore = (base: string, text: string): Ignore => ({
  base,
  rules: text.split('\n', MAX_RULES).flatMap((line) => {
    const rule = ruleOf(line);
    return rule === undefined ? [] : [rule];
  }),
});

/** Whether a path relative to the root is ignored; `files` from the root down. Folders above it were asked before it. */
export const isIgnored = (files: readonly Ignore[], path: string, folder: boolean): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { base, rules } of files.toReversed()) {
    const below = path.slice(base.length);
    const last = rules.findLast((rule) => (folder || !rule.folders_only) && rule.fits(below, name));
    if (last !== undefined) return !last.negated;
  }
  return false;
};

const MAX_RULES = 1000;
// What no person writes costs time for every file; such a rule ignores nothing.
const MAX_LENGTH = 200;
const MAX_STARS = 8;

const ruleOf = (line: string): Rule | undefined => {
  let pattern = line.replace(/\r$/, '');
  while (pattern.endsWith(' ') && !pattern.endsWith('\\ ')) pattern = pattern.slice(0, -1);
  if (pattern === '' || pattern.startsWith('#') || pattern.length > MAX_LENGTH || pattern.split('*').length > MAX_STARS + 1) return undefined;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const folders_only = pattern.endsWith('/');
  if (folders_only) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  const fits = compileGlob(pattern.replace(/^\//, ''), { braces: false });
  if (fits === undefined) return undefined;
  return { negated, folders_only, fits: anchored ? (path) => fits(path) : (_path, name) => fits(name) };
};
