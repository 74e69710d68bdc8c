// Evidence or nothing (SPEC 9): a citation counts only when code finds it in what was observed or in what a fork's tools returned.
import type { Evidence, Observation } from '../records.ts';
import { headOf, tailOf } from '../floor/text.ts';

/**
 * Where citations are looked for. `window_text` holds observations only: with feedback in it, what a detector once made up
 * would prove itself at the next pass. `tool_text` is everything this fork's tools returned, and a structural match's lead.
 */
export type EvidenceSources = {
  readonly observation: (n: number) => Pick<Observation, 'text'> | undefined;
  readonly window_text: string;
  readonly tool_text: string;
};

/**
 * The citations that hold, each reduced to the part that was found; made-up ones are gone. `#n` names an observation. Paths,
 * commits, commands and quotations must occur literally: runs of white space count as one space, case counts (save in
 * hashes), and a match neither starts nor ends inside a word. Time grows linearly with the sources.
 */
export const checkEvidence = (citations: readonly string[], sources: EvidenceSources): readonly Evidence[] => {
  const cites = citations.slice(0, MAX_CITATIONS).map((cite) => fold(headOf(cite, MAX_CITE)));
  const places = cites.every((cite) => numbersIn(cite).length > 0) ? [] : [fold(sources.window_text), fold(sources.tool_text)];
  const found = cites.flatMap((cite) => resolve(cite, sources, places));
  const seen = new Set<string>();
  return found.filter(({ cite }) => !seen.has(cite) && seen.add(cite) !== undefined);
};

const MAX_CITATIONS = 20;
const MAX_CITE = 300;

const resolve = (cite: string, sources: EvidenceSources, places: readonly string[]): readonly Evidence[] => {
  const numbers = numbersIn(cite);
  if (numbers.length > 0) {
    return numbers.flatMap((n) => {
      const seen = sources.observation(n);
      return seen === undefined ? [] : [{ cite: `#${n}`, text: headOf(fold(headOf(seen.text, 1000)), TEXT_CAP) }];
    });
  }
  for (const candidate of candidatesIn(cite)) {
    const hit = find(candidate, places);
    if (hit !== undefined) return [hit];
  }
  return [];
};

/** `#12`, `[#12]`, `#12 what it was`, `#3, #5`, `#3-#5`: the leading numbers; what follows is the model's gloss and is dropped. */
const numbersIn = (cite: string): readonly number[] => {
  const lead = /^[[(]?#\d{1,9}(?:[\s,;&–-]{1,3}#\d{1,9}){0,9}(?![\w#])/.exec(cite)?.[0] ?? '';
  return [...lead.matchAll(/#(\d{1,9})/g)].map((match) => Number(match[1]));
};

/** The citation as given, then what it most likely quotes: its marked part, what follows a label, the path or hash in it. */
const candidatesIn = (cite: string): readonly string[] => {
  const bare = cite.replace(/^["'`“‘]+|["'`”’.,;]+$/g, '');
  const marked = /[`"“]([^`"”]{4,})[`"”]/.exec(cite)?.[1];
  const labelled = /^(?:\[\w{2,8}\] ?)?[A-Za-z][\w ]{1,19}: ?(.+)$/.exec(bare)?.[1];
  const called = /^(?:\[\w{2,8}\] )(?:\w+ )?(.+)$/.exec(bare)?.[1];
  const token = bare.split(' ').map((word) => word.replace(/^[("'`[]+|[)"'`\],.;:]+$/g, ''));
  return [
    ...(speaksForItself(bare) ? [bare] : []),
    ...[marked, labelled, called].filter((part) => part !== undefined).filter(speaksForItself),
    ...token.filter((word) => isPath(word) || isCommit(word)),
  ];
};

/** Whether finding the text would prove anything: trivial words occur everywhere. */
const speaksForItself = (text: string): boolean => {
  if (isPath(text) || isCommit(text)) return true;
  const words = text.toLowerCase().split(' ').filter((word) => /^[^[]*[\p{L}\p{N}]/u.test(word)).map((word) => word.replace(/[^\p{L}\p{N}_-]/gu, ''));
  if (words.length < 2) return text.length >= 8 && !text.startsWith('[') && /[^a-z]/.test(text.slice(1));
  const telling = words.filter((word) => !FUNCTION_WORDS.has(word));
  return text.length >= 6 && telling.length >= 2 && telling.some((word) => !WEAK_WORDS.has(word));
};

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be been but by for from has have i in is it its no not now of on or so that the there they this to was we were will with yes you'.split(' '),
);
const WEAK_WORDS: ReadonlySet<string> = new Set('bash edit write read done error errors fail failed file files fix fixed ok run runs test tests work works tool text prompt note agent user'.split(' '));

const isCommit = (text: string): boolean => /^[0-9a-f]{7,40}$/i.test(text) && /\d/.test(text);

const isPath = (text: string): boolean => {
  const { path } = splitLine(text);
  return path.length >= 4 && !/\s/.test(path) && !path.includes('://') && (/[\p{L}\p{N}_)][/\\][\p{L}\p{N}_.([]/u.test(path) || /[\p{L}\p{N}_-]\.[A-Za-z]\w{0,9}$/u.test(path));
};

/** `src/a.ts:12`, `:12:5`, `:12-20`, `#L12`, `@L3-L9` → the path and its line part. */
const splitLine = (text: string): { readonly path: string; readonly line: string } => {
  const line = /(?::\d{1,7}(?:[:-]\d{1,7})?|[#@]L\d{1,7}(?:-L?\d{1,7})?)$/.exec(text)?.[0] ?? '';
  return { path: text.slice(0, text.length - line.length).replace(/^\.\//, ''), line };
};

const find = (candidate: string, places: readonly string[]): Evidence | undefined => {
  if (!isPath(candidate)) return literal(isCommit(candidate) ? candidate.toLowerCase() : candidate, places);
  const { path, line } = splitLine(candidate);
  return (line === '' ? undefined : literal(path + line, places)) ?? literal(path, places);
};

const literal = (needle: string, places: readonly string[]): Evidence | undefined => {
  for (const place of places) {
    const at = indexOfWhole(place, needle);
    if (at !== -1) return { cite: needle, text: around(place, at, needle.length) };
  }
  return undefined;
};

/** Where `needle` stands in `place` as a whole: `a.ts` is not in `a.tsx` nor in `data.ts`, but in `src/a.ts`. */
const indexOfWhole = (place: string, needle: string): number => {
  const openStart = !/^[\p{L}\p{N}_]/u.test(needle);
  const openEnd = !/[\p{L}\p{N}_]$/u.test(needle);
  for (let at = place.indexOf(needle); at !== -1; at = place.indexOf(needle, at + needle.length)) {
    const end = at + needle.length;
    const startsWhole = openStart || !/[\p{L}\p{N}_.-]/u.test(place.charAt(at - 1));
    const endsWhole = openEnd || !/^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u.test(place.slice(end, end + 2));
    if (startsWhole && endsWhole) return at;
  }
  return -1;
};

const TEXT_CAP = 160;
const BEFORE = 40;

/** One line of what stands around the match. */
const around = (place: string, at: number, length: number): string => {
  const before = tailOf(place.slice(Math.max(0, at - BEFORE), at), BEFORE);
  return headOf(before + place.slice(at, at + Math.max(length, TEXT_CAP)), TEXT_CAP).trim();
};

// Two passes that leave single spaces alone: most of any text is made of them.
const fold = (text: string): string => text.replace(/[^\S ]+/g, ' ').replace(/ {2,}/g, ' ').trim();
