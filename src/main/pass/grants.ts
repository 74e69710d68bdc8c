// Which of the tools on the wire a detector may call (SPEC 7.2): all are named to every fork, and each call is checked again.
import type { Detector } from '../records.ts';
import { leadKind } from './leads.ts';

/** A connected server's tool: `name` on the wire, and whether its server calls it read-only. */
export type McpTool = { readonly server: string; readonly tool: string; readonly name: string; readonly read_only: boolean };

const FILE_TOOLS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob']);

/** Wire names granted to the detector. A server's grant admits its read-only tools only; any other must be named itself. */
export const grantOf = (detector: Pick<Detector, 'tools'>, mcp: readonly McpTool[], run_enabled: boolean): readonly string[] => {
  const names = new Set<string>();
  for (const grant of detector.tools) {
    if (typeof grant !== 'string') {
      if (run_enabled && grant.exec.length > 0) names.add('Run');
    } else if (FILE_TOOLS.has(grant)) names.add(grant);
    else if (grant.startsWith('mcp:')) for (const tool of mcp) if (admits(grant.slice(4), tool)) names.add(tool.name);
  }
  return [...names].sort();
};

const admits = (grant: string, { server, tool, read_only }: McpTool): boolean => (grant.includes('/') ? grant === `${server}/${tool}` : grant === server && read_only);

/** Whether the detector was given commands to find things by, none of them may run here, and code looks nothing up for it either. */
export const mayRunNoCommand = (detector: Pick<Detector, 'tools' | 'config'>, run_enabled: boolean): boolean =>
  detector.tools.some((grant) => typeof grant !== 'string') && !(run_enabled && commandsOf(detector).length > 0) && leadKind(detector) === undefined;

/** The exact commands a detector may run. */
export const commandsOf = (detector: Pick<Detector, 'tools'>): readonly string[] => detector.tools.flatMap((grant) => (typeof grant === 'string' ? [] : grant.exec));
