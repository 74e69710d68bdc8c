// Puts leads together for one session: git in a child of its own, definitions through the compute pool's Grep.
import { redact } from '../floor/redact.ts';
import type { Knobs } from '../floor/knobs.ts';
import { recentCommits } from '../pass/git-history.ts';
import { commitLines, definitionLines, definitionPattern, leadKind, newDefinitions, writtenPaths } from '../pass/leads.ts';
import type { Detector, Numbered, ToolReply } from '../records.ts';
import type { FileToolTask } from '../../workers/contract.ts';

export type LeadOptions = {
  readonly fileTool: (task: FileToolTask) => Promise<ToolReply>;
  readonly workspace: string;
  readonly denied: () => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly knobs: () => Pick<Knobs, 'projection'>;
};

/** What a lead is looked for in: the observations a detector has not looked at yet, and when their task began. */
export type LeadAsk = { readonly observations: readonly Numbered[]; readonly now: number; readonly since: number };

/** A hint costs a fork's start at most this long. */
const LEAD_MS = 1500;

/** The lead for one detector's look, or nothing: none asked for, none found, or no time. */
export const openLeads = ({ fileTool, workspace, denied, env, knobs }: LeadOptions) => async (detector: Detector, { observations, now, since }: LeadAsk): Promise<string | undefined> => {
  const kind = leadKind(detector);
  if (kind === undefined) return undefined;
  const hide = knobs().projection.redact;
  if (kind === 'commits') {
    const raw = await recentCommits({ root: workspace, paths: writtenPaths(observations, workspace), env, timeout_ms: LEAD_MS });
    // Whole messages: a secret that a cap cuts in two would not be known for one.
    const lines = commitLines(hide ? redact(raw) : raw, now, since);
    return lines === '' ? undefined : lines;
  }
  const definitions = newDefinitions(observations, workspace);
  const pattern = definitionPattern(definitions);
  if (pattern === '') return undefined;
  const found = await fileTool({ kind: 'file-tool', tool: 'Grep', args: { pattern }, root: workspace, denied: denied(), deadline_ms: LEAD_MS, redact: hide });
  const lines = found.ok ? definitionLines(found.text, definitions) : '';
  return lines === '' ? undefined : lines;
};
