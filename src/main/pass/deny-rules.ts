// Which paths the file tools may not read and no rendering may quote (SPEC 7.2): names that hold secrets, and the host's own deny rules as patterns.
import { isObject } from '../floor/object.ts';

/** Names of files that hold secrets wherever they lie; matched with the last part of a path, or any of its ends. */
export const defaultSealed: readonly string[] = [
  '.env', '.env.*', '*.env', '.envrc', '.netrc', '_netrc', '.npmrc', '.yarnrc.yml', '.pypirc', '.pgpass', '.my.cnf', '.htpasswd', '.git-credentials', '.dockercfg',
  '*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ed25519_sk',
  'credentials.json', 'service-account*.json', 'secrets.json', 'secrets.y*ml', '*.tfstate', '*.tfstate.backup', '*.tfvars',
  '.git/config', '.aws/credentials', '.aws/config', '.ssh/**', '.gnupg/**', '.kube/config', '.docker/config.json', '.azure/**', '.config/gcloud/**', '.config/gh/hosts.yml',
];

/** Folders a rule's path can be relative to. All absolute. */
export type RuleBases = {
  /** Where the host runs, and the repository's root. */
  readonly project: readonly string[];
  readonly homes: readonly string[];
  /** Folder of the settings file the rule stands in. */
  readonly settings: string;
};

/** `absolute` are patterns of whole paths; `loose` also fit the paths as commands spell them. */
export type Patterns = { readonly absolute: readonly string[]; readonly loose: readonly string[] };

/**
 * The Read rules under `permissions.deny` of a parsed settings file. `problem` says what of it could not be used.
 * Where a rule leaves open what it is relative to, it closes all it can mean.
 */
export const denyRules = (settings: unknown, bases: RuleBases): Patterns & { readonly problem?: string } => {
  const none: Patterns = { absolute: [], loose: [] };
  if (!isObject(settings)) return { ...none, problem: 'not an object' };
  const permissions = settings['permissions'];
  if (permissions === undefined) return none;
  const deny = isObject(permissions) ? permissions['deny'] : permissions;
  if (deny === undefined) return none;
  if (!Array.isArray(deny)) return { ...none, problem: 'permissions.deny is not a list' };
  const absolute: string[] = [];
  const loose: string[] = [];
  let bad = 0;
  for (const rule of deny.slice(0, MAX_RULES)) {
    const path = typeof rule === 'string' && rule.length <= MAX_RULE ? readPath(rule) : undefined;
    if (path === undefined) bad += 1;
    else if (path !== '') {
      absolute.push(...anchored(path, bases).flatMap(withContents));
      loose.push(...looseOf(path).flatMap(withContents));
    }
  }
  bad += Math.max(0, deny.length - MAX_RULES);
  return { absolute: [...new Set(absolute)], loose: [...new Set(loose)], ...(bad === 0 ? {} : { problem: `${bad} entries of permissions.deny are no rules` }) };
};

const MAX_RULES = 1000;
const MAX_RULE = 1000;

/** The path of a Read rule, `**` for the bare tool; '' for a rule about something else, undefined for none at all. */
const readPath = (rule: string): string | undefined => {
  const open = rule.indexOf('(');
  const tool = (open === -1 ? rule : rule.slice(0, open)).trim();
  if (tool === '') return undefined;
  if (tool !== 'Read') return '';
  if (open === -1) return '**';
  const path = rule.slice(open + 1, rule.trimEnd().endsWith(')') ? rule.lastIndexOf(')') : undefined).trim();
  return path === '' ? '**' : plain(path);
};

/** In the words of our patterns: a class becomes `?`, a choice becomes `*`; both close more, never less. */
const plain = (path: string): string => path.replace(/\\(?=[^\\/\w])/g, '').replaceAll('\\', '/').replace(/\[[^\]/]*\]/g, '?').replace(/\{[^}/]*\}/g, '*');

const anchored = (path: string, { project, homes, settings }: RuleBases): readonly string[] => {
  if (path.startsWith('//')) return [path.slice(1)];
  if (/^[A-Za-z]:\//.test(path)) return [path];
  if (path.startsWith('~/')) return homes.map((home) => under(home, path.slice(2)));
  const bare = path.replace(/^(?:\.?\/)+/, '');
  if (path.startsWith('/')) return [...project, settings].map((base) => under(base, bare));
  return project.flatMap((base) => (path.startsWith('./') || bare.startsWith('**/') ? [under(base, bare)] : [under(base, `**/${bare}`)]));
};

const under = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`;

const looseOf = (path: string): readonly string[] => {
  if (path.startsWith('//')) return [];
  const bare = path.replace(/^(?:~?\.?\/)+/, '').replace(/^(?:\*\*\/)+/, '');
  return /^\**$/.test(bare) ? ['**'] : [bare];
};

/** A rule that names a folder closes what is in it. */
const withContents = (pattern: string): readonly string[] => {
  const bare = pattern.replace(/\/+$/, '');
  return bare.endsWith('/**') || bare === '**' ? [bare, ...(bare === '**' ? [] : [bare.slice(0, -3)])] : [bare, `${bare}/**`];
};
