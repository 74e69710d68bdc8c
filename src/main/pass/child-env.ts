// The environments of the children we start: built from scratch, since a repository can set any variable of ours (SPEC 3).
import { delimiter, dirname, isAbsolute, sep } from 'node:path';

export type ChildEnvSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Programs in it are not found by name. */
  readonly root: string;
  /** This process's node, whose folder comes first. */
  readonly exec_path: string;
  /** Real path of a folder; undefined when there is none. */
  readonly real: (folder: string) => string | undefined;
};

/**
 * Where programs are found, who we are and how we write; nothing that could steer a program, and our mark. What lies in
 * the repository is left out by its real path: `..`, links and /proc/self/cwd spell the way there in many words.
 */
export const childEnv = (source: ChildEnvSource): Record<string, string> => ({
  ...inherited(source, NAMES, FOLDERS),
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
  PAGER: 'cat',
  // git takes no lock of the user's index, and asks for no password.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  SECOND_BRAIN_FORK: '1',
});

/**
 * What a password manager needs to find itself and its agent; programs and folders of the repository are left out as above.
 * `home`, a real path, is the user's by their account: theirs though they work in it.
 */
export const keyCommandEnv = (source: ChildEnvSource, home: string | undefined): Record<string, string> => ({
  ...inherited(source, [...NAMES, 'LANG', 'DBUS_SESSION_BUS_ADDRESS', 'GPG_TTY'], [...FOLDERS, 'XDG_RUNTIME_DIR', 'SSH_AUTH_SOCK']),
  ...(home === undefined || source.real(source.env['HOME'] ?? '') !== home ? {} : { HOME: home }),
});

const inherited = ({ env, root, exec_path, real }: ChildEnvSource, names: readonly string[], folders: readonly string[]): Record<string, string> => {
  const outside = (folder: string): readonly string[] => {
    const path = isAbsolute(folder) ? real(folder) : undefined;
    return path === undefined || path === root || path.startsWith(`${root}${sep}`) ? [] : [path];
  };
  const kept = [...names, ...folders.filter((name) => outside(env[name] ?? '').length > 0)].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), PATH: [...new Set([dirname(exec_path), ...(env['PATH'] ?? '').split(delimiter).flatMap(outside), ...STANDARD])].join(delimiter) };
};

const NAMES = ['USER', 'LOGNAME', 'TZ', 'PATHEXT', 'ComSpec'];
/** A home in the repository would bring its own configuration of npm, git and the like. */
const FOLDERS = ['HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP'];
const STANDARD = sep === '/' ? ['/usr/local/bin', '/usr/bin', '/bin'] : [];
