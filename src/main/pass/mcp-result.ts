// What an MCP server says, in our words: tool names for the wire, and a result as text.
import { createHash } from 'node:crypto';
import { isObject } from '../floor/object.ts';
import { redact } from '../floor/redact.ts';
import { headOf, wellFormed } from '../floor/text.ts';
import type { ToolDefinition, ToolReply } from '../records.ts';
import type { McpTool } from './grants.ts';

/** A tool as every request names it. */
export type McpListing = McpTool & { readonly definition: ToolDefinition };

/** `mcp__<server>__<tool>` in the letters and the length every provider takes; a hash tells apart what had to be changed. */
export const wireName = (server: string, tool: string): string => {
  const whole = `mcp__${server}__${tool}`;
  const plain = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  if (plain === whole && whole.length <= MAX_NAME) return whole;
  const mark = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
  return `${plain.slice(0, MAX_NAME - mark.length - 1)}_${mark}`;
};

const MAX_NAME = 64;

/** The parts of a `tools/call` result this module looks at. */
export type CallResult = { readonly content?: readonly unknown[]; readonly structuredContent?: unknown; readonly isError?: boolean | undefined };

/** A result as one text, redacted and within `room`; the structured form counts only where there is no text (HAZARDS F3). */
export const resultReply = ({ content = [], structuredContent, isError }: CallResult, hide: boolean, room: number): ToolReply => {
  const texts = content.flatMap(textOf);
  const said = texts.length === 0 && structuredContent !== undefined ? [JSON.stringify(structuredContent)] : texts;
  const whole = said.concat(content.flatMap(mediaOf)).join('\n');
  const clean = wellFormed(hide ? redact(whole) : whole);
  const text = clean.length <= room ? clean : `${headOf(clean, room - 60)}\n… ${clean.length - room + 60} more characters left out`;
  return { ok: isError !== true, text: text === '' ? '(no content)' : text };
};

const textOf = (item: unknown): readonly string[] => {
  if (!isObject(item)) return [];
  if (item['type'] === 'text' && typeof item['text'] === 'string') return [item['text']];
  const { resource } = item;
  if (item['type'] === 'resource' && isObject(resource) && typeof resource['text'] === 'string') return [`${String(resource['uri'])}:\n${resource['text']}`];
  return item['type'] === 'resource_link' && typeof item['uri'] === 'string' ? [item['uri']] : [];
};

const mediaOf = (item: unknown): readonly string[] =>
  isObject(item) && (item['type'] === 'image' || item['type'] === 'audio') ? [`[${item['type']} ${String(item['mimeType']).slice(0, 40)}, not shown]`] : [];
