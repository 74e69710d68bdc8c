// Whether this workspace is watched and whether we may speak: the few knobs a hook needs, read by hand (SPEC 3, 13).
import { namesIn, readText, realpathSync } from '../floor/disk-file.ts';
import { unlessMissing } from '../floor/json-file.ts';
import { repositoryRoot } from '../floor/workspace-file.ts';
import { isFields, type Call, type Fields, type Scope } from './hook-call.ts';

/** The scope of this call's project. Throws on a config file that cannot be read, which keeps us silent: it may hold a refusal. */
export const scopeOf = ({ payload, paths, env }: Pick<Call, 'payload' | 'paths' | 'env'>): Scope => {
  // Asked for only where some file has a say about single workspaces: it takes a look at every folder above.
  const workspace = (): string => {
    const named = env['CLAUDE_PROJECT_DIR'] || payload.cwd;
    const folder = unlessMissing(() => realpathSync(named)) ?? named;
    return repositoryRoot(folder) ?? folder;
  };
  const own = namesIn(paths.workspaces).length > 0 ? [paths.workspaceConfig(workspace())] : []; // naming it loads crypto
  // Trimmed of a byte order mark: some editors write one.
  const layers = [paths.config, ...own].map((path) => fieldsIn(JSON.parse((readText(path) ?? '{}').trim())));
  const enable = layers.map((layer) => fieldsIn(layer['enable']));
  const listed = enable.map(({ workspaces }) => (isFields(workspaces) ? workspaces[workspace()] : undefined));
  // A project's settings can set the environment: it may switch off what the user watches, not on what they do not.
  const choices = [...enable.map((group) => group['default']), env['SECOND_BRAIN_ENABLE_DEFAULT'] === 'false' ? false : undefined, ...listed];
  const mutes = [...layers.map((layer) => fieldsIn(layer['mute'])['all']), env['SECOND_BRAIN_MUTE_ALL'] === 'true'];
  return { enrolled: choices.findLast((value) => typeof value === 'boolean') !== false, muted: mutes.includes(true) };
};

const fieldsIn = (raw: unknown): Fields => (isFields(raw) ? raw : {});
