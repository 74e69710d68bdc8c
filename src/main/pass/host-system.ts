// The system prompt of the host provider's children: ours, and behind it the tools as text, since the CLI offers none (contract k). Pure.
import type { ToolDefinition } from '../records.ts';

/** The same bytes for a whole task: everything that differs between forks stands in their tails. */
export const hostSystem = (system: string, tools: readonly ToolDefinition[]): string => {
  const listed = tools.map(({ name, description, input_schema }) => `${name}: ${description}\nArguments (JSON Schema): ${JSON.stringify(input_schema)}`);
  return `${system}

# How to answer
You have no tools in the usual sense. A call is your whole reply: one JSON object {"call": NAME, "args": ARGUMENTS}, without fences, without a word before or behind it. The next message holds what the call returned. What you may call is named at the end of each first message; anything else is refused. Every look ends with a call of ${listed.length === 0 ? 'the feedback tool' : 'the tool that reports your feedback'}.

# Calls
${listed.join('\n\n')}
`;
};
