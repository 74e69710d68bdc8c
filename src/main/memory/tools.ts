// The tools every request names (SPEC 6, Prefix): the feedback tool and all built-ins always, then granted MCP tools.
import type { ToolDefinition } from '../records.ts';

export type ToolSet = { readonly tools: readonly ToolDefinition[]; /** Something is new: the prefix is rebuilt. */ readonly rebuilt: boolean };

/**
 * The tools of the next pass, sorted by name. What `before` named stays as it was, even when its server is gone or now
 * describes it otherwise: only a name never seen makes the prefix new. Who may call what is enforced where calls arrive.
 */
export const toolSet = (feedback: ToolDefinition, granted: readonly ToolDefinition[], before: readonly ToolDefinition[] = []): ToolSet => {
  const byName = new Map(before.map((tool) => [tool.name, tool]));
  const size = byName.size;
  // Sorted first, so that of two servers with one name the same one wins whichever connected first.
  for (const tool of [feedback, ...BUILT_IN, ...[...granted].map(bounded).sort(inOrder)]) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return { tools: [...byName.values()].sort(inOrder), rebuilt: byName.size > size };
};

/** JSON with the keys of every object in code-unit order: the same bytes however the value came to be (HAZARDS E1). */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value, 0));

const sorted = (value: unknown, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  // Schemas come from MCP servers: one nested beyond any use must not overflow the stack.
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.map((item: unknown) => sorted(item, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, depth + 1)]));
};

const MAX_DEPTH = 40;
const MAX_DESCRIPTION = 1000;
const MAX_SCHEMA = 8000;

/** What an MCP server says about its tool, within what we are willing to pay for in every request. */
const bounded = (tool: ToolDefinition): ToolDefinition => ({
  name: tool.name,
  description: tool.description.slice(0, MAX_DESCRIPTION).toWellFormed(),
  input_schema: canonicalJson(tool.input_schema).length <= MAX_SCHEMA ? tool.input_schema : { type: 'object' },
});

const inOrder = (a: ToolDefinition, b: ToolDefinition): number => {
  const [x, y] = a.name === b.name ? [canonicalJson(a), canonicalJson(b)] : [a.name, b.name];
  return x < y ? -1 : x > y ? 1 : 0;
};

const text = (description: string) => ({ description, type: 'string' });
const count = (description: string) => ({ description, minimum: 1, type: 'integer' });
const tool = (name: string, description: string, required: string, properties: Readonly<Record<string, unknown>>): ToolDefinition => ({
  name,
  description,
  input_schema: { additionalProperties: false, properties, required: [required], type: 'object' },
});

/** Read, Grep, Glob and Run, whatever this workspace allows: a grant must not change the prefix. */
export const BUILT_IN: readonly ToolDefinition[] = [
  tool('Glob', 'Lists files of the repository that match a pattern.', 'pattern', {
    path: text('Directory to look in, relative to the repository root.'),
    pattern: text('Glob such as src/**/*.ts.'),
  }),
  tool('Grep', 'Searches the repository’s files for a regular expression (no back-references, no look-around).', 'pattern', {
    glob: text('Only files that match this glob.'),
    path: text('File or directory, relative to the repository root.'),
    pattern: text('The expression.'),
  }),
  tool('Read', 'Reads a text file of the repository, or a range of its lines.', 'path', {
    limit: count('How many lines.'),
    offset: count('First line, counted from 1.'),
    path: text('File, relative to the repository root.'),
  }),
  tool('Run', 'Runs one of the exact commands your instructions list, and no other.', 'command', {
    command: text('The command, word for word.'),
  }),
];
