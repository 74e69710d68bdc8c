// The one dispatch behind every tool a fork calls (SPEC 3, 7.2): the grant is looked at for each call, whatever the fork believes.
import { messageOf } from '../floor/failure.ts';
import type { Knobs } from '../floor/knobs.ts';
import type { Detector, ToolReply, ToolRequest } from '../records.ts';
import type { FileToolTask } from '../../workers/contract.ts';
import type { OnRecord } from './children-file.ts';
import { commandsOf, grantOf } from './grants.ts';
import type { Mcp } from './mcp-client.ts';
import type { McpListing } from './mcp-result.ts';
import { runCommand } from './run-command.ts';

export type ToolPortOptions = {
  readonly fileTool: (task: FileToolTask) => Promise<ToolReply>;
  /** Real path of the repository's root: the jail, and where commands run. */
  readonly root: string;
  readonly denied: () => readonly string[];
  readonly knobs: () => Pick<Knobs, 'run_tool' | 'mcp' | 'loop' | 'projection'>;
  /** Loads and opens the MCP client; called at most once until it succeeds, and only when a server is granted. */
  readonly mcp: () => Promise<Mcp>;
  readonly plan_mode: () => boolean;
  /** When the last write in the tree was seen. */
  readonly last_write_at: () => number | undefined;
  readonly now: () => number;
  readonly children: OnRecord;
  /** Environment of commands, built from scratch (`childEnv`). */
  readonly env: Readonly<Record<string, string>>;
};

export type ToolPort = ReturnType<typeof openToolPort>;

/** No method rejects. */
export const openToolPort = (options: ToolPortOptions) => {
  const { fileTool, root, denied, knobs, plan_mode, last_write_at, now, env } = options;
  let mcp: Mcp | undefined;
  let loading: Promise<Mcp> | undefined;
  let closed = false;
  let known: readonly Detector[] = [];
  let problems: readonly string[] = [];
  let running = false;

  const listed = (): readonly McpListing[] => mcp?.tools() ?? [];

  const run = async (detector: Detector, { args }: ToolRequest): Promise<ToolReply> => {
    if (running) return refuse('Another command is running.');
    running = true;
    try {
      return await runCommand({
        command: args['command'], allowed: commandsOf(detector), enabled: knobs().run_tool.enabled, plan_mode: plan_mode(),
        quiet_since: () => now() - (last_write_at() ?? Number.NEGATIVE_INFINITY),
        cwd: root, env, children: options.children, timeout_ms: deadlineOf(detector), redact: knobs().projection.redact,
      });
    } finally {
      running = false;
    }
  };

  const deadlineOf = ({ deadline_s }: Detector): number => (deadline_s ?? knobs().loop.fork_deadline_s) * 1000;

  return {
    /** Runs one call for a detector, or says in a sentence why not. */
    tool: async (detector: Detector, request: ToolRequest): Promise<ToolReply> => {
      const { tool, args } = request;
      if (!grantOf(detector, listed(), knobs().run_tool.enabled).includes(tool)) {
        return refuse(tool === 'Run' && commandsOf(detector).length > 0 ? 'Run is off in this workspace.' : `${tool.slice(0, 80)} is not granted to ${detector.name}.`);
      }
      if (tool === 'Run') return run(detector, request);
      const deadline_ms = deadlineOf(detector);
      const { redact } = knobs().projection;
      if (tool === 'Read' || tool === 'Grep' || tool === 'Glob') {
        return fileTool({ kind: 'file-tool', tool, args, root, denied: denied(), deadline_ms: Math.min(FILE_MS, deadline_ms / 2), redact });
      }
      const listing = listed().find(({ name }) => name === tool);
      return listing === undefined || mcp === undefined ? refuse(`${tool.slice(0, 80)} is gone.`) : mcp.call(listing, args, Math.min(MCP_MS, deadline_ms), redact);
    },

    /** The tools of connected servers that some detector is granted. */
    mcp_tools: (): readonly McpListing[] => {
      const granted = new Set(known.flatMap((detector) => grantOf(detector, listed(), false)));
      return listed().filter(({ name }) => granted.has(name));
    },

    /** Connects the servers that enabled detectors are granted, and lets go of all others. Waits for slow starts. */
    connect: async (detectors: readonly Detector[]): Promise<void> => {
      known = detectors.filter(({ enabled }) => enabled);
      const { servers } = knobs().mcp;
      const grants = known.flatMap(({ name, tools }) => tools.flatMap((tool) => (typeof tool === 'string' && tool.startsWith('mcp:') ? [{ name, grant: tool.slice(4) }] : [])));
      const wanted = [...new Set(grants.map(({ grant }) => serverOf(grant)))].filter((server) => Object.hasOwn(servers, server)).sort();
      const unknown = grants.filter(({ grant }) => !Object.hasOwn(servers, serverOf(grant))).map(({ name, grant }) => `detectors.${name}.tools: mcp:${grant} names no server of mcp.servers`);
      if (wanted.length > 0 || mcp !== undefined) {
        try {
          mcp = await (loading ??= options.mcp());
          // Closed while it loaded: what is opened now nobody would end.
          if (closed) return await mcp.close();
          await mcp.connect(servers, wanted);
        } catch (error) {
          loading = undefined;
          problems = [...unknown, `MCP cannot be used: ${messageOf(error)}`];
          return;
        }
      }
      const writing = grants.filter(({ grant }) => listed().some(({ server, tool, read_only }) => !read_only && grant === `${server}/${tool}`));
      problems = [...unknown, ...writing.map(({ name, grant }) => `detectors.${name}.tools: mcp:${grant} is not read-only by its server's word; it is granted because it is named`)];
    },

    /** What is wrong with the granted tools, one line each, as of now. */
    problems: (): readonly string[] => [...problems, ...(mcp?.problems() ?? [])],

    close: async (): Promise<void> => {
      closed = true;
      await mcp?.close();
    },
  };
};

const FILE_MS = 5000;
const MCP_MS = 15_000;

const serverOf = (grant: string): string => grant.split('/', 1)[0] ?? grant;

const refuse = (text: string): ToolReply => ({ ok: false, text });
