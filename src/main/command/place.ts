// Where a command was called: data directory, workspace, session, width. Everything else it needs it reads from there.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, workspaceOf } from '../floor/config-file.ts';
import type { Effective } from '../floor/config.ts';
import { findDataDir } from '../floor/data-dir-file.ts';
import { namesIn } from '../floor/disk-file.ts';
import { unlessMissing } from '../floor/json-file.ts';
import { pathsUnder, type Paths } from '../floor/paths.ts';
import { ownOptions } from '../pass/options-file.ts';
import { readStatus } from '../speak/status-file.ts';
import type { Status } from '../surfaces.ts';
import type { Words } from './words.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type Place = {
  readonly paths: Paths;
  /** `--data` as it was given. */
  readonly named: string | undefined;
  readonly cwd: string;
  readonly workspace: string;
  /** Named, the host's, or the one last watched here; undefined when none of these is known. */
  readonly session: string | undefined;
  readonly now: number;
  /** Columns to fill. */
  readonly width: number;
  readonly env: Env;
};

/** The place of this call; undefined, and said on stderr, when there is no data directory. */
export const openPlace = ({ flags }: Pick<Words, 'flags'>, env: Env = process.env, now = Date.now()): Place | undefined => {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' && flags[name] !== '' ? flags[name] : undefined);
  const found = findDataDir({ argument: text('data'), dist: __dirname, env, home: homedir() });
  if (!found.ok) {
    process.stderr.write(`There is no data directory in ${found.looked_in}. Start a Claude Code session with the plugin once, or name one with --data.\n`);
    return undefined;
  }
  const paths = pathsUnder(found.data);
  const cwd = text('cwd') ?? env['CLAUDE_PROJECT_DIR'] ?? unlessMissing(() => process.cwd()) ?? env['PWD'] ?? '/'; // the folder one stands in may be gone
  const workspace = workspaceOf(cwd);
  const session = text('session') ?? (env['CLAUDE_CODE_SESSION_ID'] || undefined) ?? newestStatus(paths, workspace, now)?.session;
  return { paths, named: text('data'), cwd, workspace, session, now, width: widthOf(env), env };
};

/** How a person calls this program from a shell for the same data: by the launcher, which knows where it is, once a monitor has written it. */
export const programAt = ({ paths, named }: Pick<Place, 'paths' | 'named'>): string =>
  existsSync(paths.launcher) ? word(paths.launcher) : `node ${word(join(__dirname, 'command.cjs'))}${named === undefined ? '' : ` --data ${word(named)}`}`;

/** Quoted for a shell where it must be. */
const word = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Exit code of a command that `openPlace` gave no place. */
export const NO_PLACE = 3;

const MIN_WIDTH = 40;
const MAX_WIDTH = 160;
const USUAL_WIDTH = 100;

/** Columns to fill: the terminal’s, within reason. */
export const widthOf = (env: Env): number => {
  const columns = Number(env['COLUMNS'] ?? process.stdout.columns);
  return Number.isSafeInteger(columns) && columns > 0 ? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)) : USUAL_WIDTH;
};

/** Every readable status, newest first. */
export const statusesIn = (paths: Paths, now: number): readonly Status[] =>
  namesIn(paths.sessions)
    .flatMap((name) => {
      const read = readStatus(join(paths.sessions, name, 'status.json'), now);
      return read.ok ? [read.value.status] : [];
    })
    .sort((a, b) => b.at - a.at);

const newestStatus = (paths: Paths, workspace: string, now: number): Status | undefined => statusesIn(paths, now).find((status) => status.workspace === workspace);

/** The configuration in force here, as this process sees its environment. */
export const configAt = ({ paths, workspace, env }: Pick<Place, 'paths' | 'workspace' | 'env'>): Effective =>
  loadConfig({
    paths, workspace, env,
    // Hooks have the plugin's user options in their environment, and so do the commands they start (contract j).
    options: ownOptions({ provider: env['CLAUDE_PLUGIN_OPTION_PROVIDER'] ?? '', model: env['CLAUDE_PLUGIN_OPTION_MODEL'] ?? '' }, { workspace, env }),
  });
