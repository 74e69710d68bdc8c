// What the monitor gives its sessions for tools: the port with everything it needs, put together here.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { realpathSync } from '../floor/disk-file.ts';
import { unlessClosed } from '../floor/json-file.ts';
import { childEnv } from '../pass/child-env.ts';
import type { OnRecord } from '../pass/children-file.ts';
import { readDenials, type Denials } from '../pass/deny-file.ts';
import type { Mcp, McpOptions } from '../pass/mcp-client.ts';
import { openToolPort, type ToolPortOptions } from '../pass/tool-port.ts';
import { openLeads } from './leads.ts';

export type ToolsOptions = Pick<ToolPortOptions, 'fileTool' | 'knobs' | 'plan_mode' | 'last_write_at'> & {
  /** Folder of the bundles. */
  readonly dist: string;
  readonly workspace: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly children: OnRecord;
  readonly log: (line: string) => void;
};

/** The tool port of one session. `refresh` reads the host's deny rules anew (before each pass); `denials` are those last read. */
export const openTools = (options: ToolsOptions) => {
  const { dist, workspace, cwd, env, log } = options;
  const inherited = childEnv({ env, root: workspace, exec_path: process.execPath, real: (folder) => unlessClosed(() => realpathSync(folder)) });
  let denials: Denials = readDenials({ workspace, cwd, env });
  const port = openToolPort({
    ...options,
    root: workspace,
    denied: () => denials.denied,
    // A home that a project sets may be the repository, where `npx` would find the repository's programs.
    mcp: () => loadMcp(dist, { env: inherited, cwd: inherited['HOME'] ?? inherited['USERPROFILE'] ?? dist, children: options.children, log }),
    now: () => Date.now(),
    env: inherited,
  });
  return {
    ...port,
    lead: openLeads({ ...options, denied: () => denials.denied, env: inherited }),
    denials: (): Denials => denials,
    /** Whether a rule has come that was not there: what was read under the old ones must not be used. */
    refresh: (): { readonly tightened: boolean } => {
      const before = new Set(denials.denied);
      denials = readDenials({ workspace, cwd, env });
      return { tightened: denials.denied.some((pattern) => !before.has(pattern)) };
    },
    problems: (): readonly string[] => [...denials.problems, ...port.problems()],
  };
};

/** Opens the MCP client out of its own bundle. */
export const loadMcp = async (dist: string, options: McpOptions): Promise<Mcp> => {
  const path = join(dist, 'mcp.cjs');
  const loaded: unknown = createRequire(path)(path);
  if (!isMcpModule(loaded)) throw new Error('mcp.cjs is not the bundle it should be');
  return loaded.openMcp(options);
};

const isMcpModule = (loaded: unknown): loaded is { readonly openMcp: (options: McpOptions) => Mcp } =>
  typeof loaded === 'object' && loaded !== null && 'openMcp' in loaded && typeof loaded.openMcp === 'function';
