// Where a look at history or at prior art starts: facts that code finds cheaply. Hints for a model, never a decision (SPEC 7, 8).
import { relative, sep } from 'node:path';
import { headOf, wellFormed } from '../floor/text.ts';
import type { Detector, Numbered } from '../records.ts';

/** `commits`: what lately touched the written files. `definitions`: what has the names of newly written ones. */
export type LeadKind = 'commits' | 'definitions';

/** `config.leads` of a detector, if it is one we know. */
export const leadKind = ({ config }: Pick<Detector, 'config'>): LeadKind | undefined => {
  const { leads } = config;
  return leads === 'commits' || leads === 'definitions' ? leads : undefined;
};

/** Written files relative to `root`, with `/`; the latest ones, nothing outside of it. */
export const writtenPaths = (observations: readonly Numbered[], root: string): readonly string[] =>
  [...new Set(observations.flatMap(({ writes, paths }) => (writes === true ? (paths ?? []).slice(0, 1).flatMap((path) => inside(root, path)) : [])))].slice(-MAX_PATHS);

const MAX_PATHS = 12;
const MAX_PATH = 300;

const inside = (root: string, path: string): readonly string[] => {
  const rel = (/^(?:\/|[A-Za-z]:[\\/])/.test(path) ? relative(root, path) : path).split(sep).join('/').replace(/^(?:\.\/)+/, '');
  return rel === '' || rel.length > MAX_PATH || rel.startsWith('/') || /^[A-Za-z]:/.test(rel) || rel.split('/').includes('..') || rel.includes('\0') ? [] : [rel];
};

// ── commits ──────────────────────────────────────────────────────────────────

/** What each commit begins with in the form below. */
export const COMMIT_START = '\x1e';
/** The form in which git is asked for commits; its fields are parted by characters that no message holds on purpose. */
export const COMMIT_FORMAT = '%x1e%h%x1f%ct%x1f%s%x1f%b%x1f';

/** `git log --numstat` in that form as lines for a model; '' for none. `since`: when the watch began. */
export const commitLines = (raw: string, now: number, since: number): string => {
  const rows = raw.split(COMMIT_START).slice(1, MAX_COMMITS + 1).flatMap((record) => {
    const [hash = '', seconds = '', subject = '', body = '', stat = ''] = record.split('\x1f');
    const at = Number(seconds) * 1000;
    if (!/^[0-9a-f]{7,40}$/.test(hash) || !Number.isFinite(at)) return [];
    const files = stat.split('\n').flatMap((line) => statOf(line)).slice(0, MAX_FILES);
    const said = oneLine(body);
    return [`- ${hash} ${ageOf(now - at)}${at >= since ? ', since this session began' : ''}: ${headOf(oneLine(subject), 120)}${said === '' ? '' : ` — ${headOf(said, 200)}`}${files.length === 0 ? '' : ` [${files.join(', ')}]`}`];
  });
  return rows.length === 0 ? '' : headOf(`Commits that touched the files written here:\n${rows.join('\n')}`, MAX_LEAD);
};

const MAX_COMMITS = 8;
const MAX_FILES = 4;
/** A tail's room is counted on when a pass is paid for. */
const MAX_LEAD = 2000;

const statOf = (line: string): readonly string[] => {
  const [plus = '', minus = '', path = ''] = line.split('\t');
  return /^(?:\d+|-)$/.test(plus) && path !== '' ? [plus === '-' ? headOf(path, 120) : `${headOf(path, 120)} +${plus} -${minus}`] : [];
};

const oneLine = (text: string): string => wellFormed(text.slice(0, 2000).replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());

const DAY_MS = 86_400_000;

const ageOf = (ms: number): string => {
  const days = Math.floor(Math.max(0, ms) / DAY_MS);
  if (days > 0) return `${days} day${days === 1 ? '' : 's'} ago`;
  const hours = Math.floor(Math.max(0, ms) / 3_600_000);
  return hours > 0 ? `${hours} hour${hours === 1 ? '' : 's'} ago` : 'within the last hour';
};

// ── definitions ──────────────────────────────────────────────────────────────

export type Definition = { readonly name: string; readonly path: string };

/** Functions, classes and the like that the edits bring and did not take away, as far as their shortened text shows. Tests define nothing of use elsewhere. */
export const newDefinitions = (observations: readonly Numbered[], root: string): readonly Definition[] => {
  const found = new Map<string, Definition>();
  for (const { writes, paths, text, tool } of observations) {
    const [path] = writes === true ? (paths ?? []).slice(0, 1).flatMap((each) => inside(root, each)) : [];
    if (path === undefined || /test|spec|mock|fixture|vendor|generated/i.test(path)) continue;
    const lines = text.slice(0, MAX_TEXT).split('\n').slice(1);
    const edited = tool !== 'Write';
    const gone = new Set(edited ? lines.filter((line) => line.startsWith('- ')).flatMap((line) => definedIn(line.slice(2))) : []);
    for (const line of lines) {
      if (edited && !line.startsWith('+ ')) continue;
      for (const name of definedIn(edited ? line.slice(2) : line)) if (!gone.has(name) && !COMMON.has(name.toLowerCase())) found.set(name, { name, path });
    }
  }
  return [...found.values()].slice(-MAX_NAMES);
};

const MAX_TEXT = 8000;
const MAX_NAMES = 8;
const COMMON: ReadonlySet<string> = new Set('main init setup start stop close open index default handler render config options props state error result value data item list test tests update create'.split(' '));

const KEYWORDS = 'function\\*?|class|interface|enum|struct|trait|def|fn|fun|func(?:\\s*\\([^)]{0,80}\\))?';
const DEFINES = new RegExp(`^\\s{0,12}(?:export )?(?:default )?(?:pub(?:\\([a-z]{1,12}\\))? )?(?:abstract |async |static )?(?:${KEYWORDS})\\s{1,4}(?:self\\.)?([\\p{L}_$][\\p{L}\\p{N}_$]{3,59})`, 'u');
const ASSIGNS = /^\s{0,12}(?:export )?(?:const|let|var) ([\p{L}_$][\p{L}\p{N}_$]{3,59})(?:: [^=]{1,80})? = (?:async )?(?:function\b|\(|<|[\w$]{1,30} =>)/u;

const definedIn = (line: string): readonly string[] => {
  const name = (DEFINES.exec(line.slice(0, 300)) ?? ASSIGNS.exec(line.slice(0, 300)))?.[1];
  return name === undefined ? [] : [name];
};

/** Where any of the names is defined, however its words are joined: an expression for Grep. */
export const definitionPattern = (definitions: readonly Definition[]): string => {
  const names = [...new Set(definitions.map(({ name }) => wordsOf(name).join('_?').replaceAll('$', '\\$')))];
  // Grep takes 300 characters; what does not fit is not looked for.
  let joined = '';
  for (const name of names) if (joined.length + name.length < 160) joined += `${joined === '' ? '' : '|'}${name}`;
  return joined === '' ? '' : `(?i)\\b(?:function\\*?|class|interface|enum|struct|trait|def|fn|fun|func(?:\\s*\\([^)]*\\))?|const|let|var)\\s+(?:self\\.)?(?:${joined})\\b`;
};

const wordsOf = (name: string): readonly string[] => name.replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1_').toLowerCase().split('_').filter((word) => word !== '');

/** Grep's rows (`path:line: text`) that lie elsewhere than the new definitions, as lines for a model; '' for none. */
export const definitionLines = (grep: string, definitions: readonly Definition[]): string => {
  const rows = grep.split('\n').flatMap((row) => {
    const path = /^(.{1,300}?):\d{1,7}: /.exec(row)?.[1];
    if (path === undefined) return [];
    const squeezed = row.slice(path.length).toLowerCase().replaceAll('_', '');
    const twins = definitions.filter(({ name }) => squeezed.includes(wordsOf(name).join('')));
    return twins.length === 0 || twins.some((twin) => twin.path === path) ? [] : [`- ${headOf(oneLine(row), 200)}`];
  });
  if (rows.length === 0) return '';
  const written = definitions.map(({ name, path }) => `${name} in ${path}`).join(', ');
  return headOf(`Newly written here: ${headOf(written, 600)}. The same names are defined at:\n${rows.slice(0, MAX_ROWS).join('\n')}`, MAX_LEAD);
};

const MAX_ROWS = 10;
