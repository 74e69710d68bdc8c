// The host's settings files, read for their deny rules alone: managed, the user's, the project's and the local ones (SPEC 7.2).
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isCode, isMissing } from '../floor/json-file.ts';
import { defaultSealed, denyRules } from './deny-rules.ts';

export type DenySource = {
  /** Real path of the repository's root. */
  readonly workspace: string;
  readonly cwd: string;
  /** The monitor's; only CLAUDE_CONFIG_DIR is looked at, and in addition: a repository can set it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homes?: readonly string[];
  /** Folder of the managed settings. */
  readonly managed?: string;
};

export type Denials = {
  /** For the file tools' jail. */
  readonly denied: readonly string[];
  /** For projection, which sees paths as commands spell them. */
  readonly sealed: readonly string[];
  /** Files whose rules could not be read, each in one line. */
  readonly problems: readonly string[];
};

/** Every rule that is in force now, our defaults with them. Broken files are named and cost only themselves. */
export const readDenials = (source: DenySource): Denials => {
  const homes = source.homes ?? homesOf();
  const project = [...new Set([source.workspace, source.cwd])];
  const denied = new Set(defaultSealed);
  const sealed = new Set(defaultSealed);
  const problems: string[] = [];
  for (const path of settingsFiles(source, homes, project)) {
    const read = readSettings(path);
    if (read === undefined) continue;
    const { absolute, loose, problem } = 'problem' in read ? { absolute: [], loose: [], problem: read.problem } : denyRules(read.value, { project, homes, settings: join(path, '..') });
    for (const pattern of absolute) denied.add(pattern);
    for (const pattern of [...absolute, ...loose]) sealed.add(pattern);
    if (problem !== undefined) problems.push(`${path}: ${problem}; deny rules there are not all in force`);
  }
  return { denied: [...denied], sealed: [...sealed], problems };
};

const MAX_BYTES = 2_000_000;
const MAX_FILES = 50;

/** Home folders, the account's own entry last. */
export const homesOf = (): readonly string[] => {
  try {
    // HOME can be set by a repository; the account's own entry cannot.
    return [...new Set([homedir(), userInfo().homedir])];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [homedir()]; // an account without an entry
    throw error;
  }
};

const settingsFiles = ({ env, managed }: DenySource, homes: readonly string[], project: readonly string[]): readonly string[] => {
  const own = env['CLAUDE_CONFIG_DIR'];
  const folders = [...homes.map((home) => join(home, '.claude')), ...(own === undefined || own === '' ? [] : [own]), ...project.map((root) => join(root, '.claude'))];
  const central = managed ?? MANAGED[process.platform] ?? '/etc/claude-code';
  return [
    join(central, 'managed-settings.json'),
    ...jsonIn(join(central, 'managed-settings.d')),
    ...[...new Set(folders)].flatMap((folder) => [join(folder, 'settings.json'), join(folder, 'settings.local.json')]),
  ];
};

/** Folders of the managed settings, elsewhere /etc/claude-code. */
export const MANAGED: Readonly<Record<string, string>> = { darwin: '/Library/Application Support/ClaudeCode', win32: 'C:\\Program Files\\ClaudeCode' };

const jsonIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json')).sort().slice(0, MAX_FILES).map((name) => join(folder, name));
  } catch (error) {
    if (isMissing(error) || isCode(error, 'EACCES', 'EPERM')) return [];
    throw error;
  }
};

/** undefined where there is no file. A fifo or an enormous file in a repository must not hold us. */
export const readSettings = (path: string): { readonly value: unknown } | { readonly problem: string } | undefined => {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { problem: 'not a file' };
    if (stat.size > MAX_BYTES) return { problem: `over ${MAX_BYTES} bytes` };
    return { value: JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SyntaxError) return { problem: 'not valid JSON' };
    if (error instanceof Error && 'code' in error) return { problem: String(error.code) };
    throw error;
  }
};
