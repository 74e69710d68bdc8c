// The environment of the children a detector's tools start: built from scratch, since a repository can set any variable of ours (SPEC 3).
import { delimiter, dirname, isAbsolute, sep } from 'node:path';

export type ChildEnvSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Programs in it are not found by name. */
  readonly root: string;
  /** This process's node, whose folder comes first. */
  readonly exec_path: string;
};

/** Where programs are found, who we are and how we write; nothing that could steer a program, and our mark. */
export const childEnv = ({ env, root, exec_path }: ChildEnvSource): Record<string, string> => {
  const inherited = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && folder !== root && !folder.startsWith(`${root}${sep}`));
  const kept = KEPT.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    PATH: [...new Set([dirname(exec_path), ...inherited, ...STANDARD])].join(delimiter),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    PAGER: 'cat',
    // git takes no lock of the user's index, and asks for no password.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    SECOND_BRAIN_FORK: '1',
  };
};

const KEPT = ['HOME', 'USER', 'LOGNAME', 'TMPDIR', 'TZ', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP', 'PATHEXT', 'ComSpec'];
const STANDARD = sep === '/' ? ['/usr/local/bin', '/usr/bin', '/bin'] : [];
