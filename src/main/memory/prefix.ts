// The bytes that all forks of a pass share, and that the next pass extends (SPEC 6, Prefix; HAZARDS E1–E4).
import type { ToolDefinition } from '../records.ts';
import { frameBlock, frameLedger } from './framing.ts';
import { canonicalJson } from './tools.ts';
import type { Window } from './window.ts';

export type Wire = 'anthropic' | 'openai' | 'host';
export type CacheTtl = '5m' | '1h';

/** Everything the prefix depends on. `system` is the shared prompt; `workspace_root` the repository's root, fixed at task load. */
export type PrefixInput = {
  readonly wire: Wire;
  readonly model: string;
  readonly tools: readonly ToolDefinition[];
  readonly system: string;
  readonly workspace_root: string;
  readonly window: Window;
  readonly cache_ttl: CacheTtl;
};

/**
 * `bytes` is what a ForkTask carries. `open` is the same up to the last block's closing quote, mark aside: the next
 * rendering of a grown window starts with it. Kept by the caller, it spares encoding what was encoded before.
 */
export type RenderedPrefix = { readonly bytes: Uint8Array; readonly open: Uint8Array; readonly head: string; readonly window: Window };

/**
 * The request body from its first byte to behind the block that carries the cache mark (openai: behind the user
 * message). One mark, at the end: with the CLI's own three that makes the four a request may have (contract k).
 * `before`, the last rendering for the same task, makes the cost that of the new blocks and one copy.
 */
export const renderPrefix = (input: PrefixInput, before?: RenderedPrefix): RenderedPrefix => {
  const { window, wire } = input;
  const head = renderHead(input);
  const known = before !== undefined && before.head === head && extendsWindow(window, before.window) ? before : undefined;
  const fresh = window.blocks.slice(known?.window.blocks.length ?? 0).map((block) => frameBlock(window.nonce, block));
  const text = wire === 'openai' ? openaiBlocks(fresh) : anthropicBlocks(fresh);
  const open = concat(known?.open ?? encoder.encode(head), encoder.encode(text));
  return { bytes: concat(open, encoder.encode(closing(wire, input.cache_ttl))), open, head, window };
};

const encoder = new TextEncoder();

/** From `{` to the end of the ledger block's text, its quote included where blocks are blocks. */
const renderHead = ({ wire, model, tools, system, workspace_root, window }: PrefixInput): string => {
  const ledger = frameLedger(window.nonce, window.ledger_text);
  const list = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, description, input_schema }) =>
    wire === 'openai' ? { function: { description, name, parameters: input_schema }, type: 'function' } : { description, input_schema, name });
  const lead = `{"model":${JSON.stringify(model)},"tools":${canonicalJson(list)}`;
  if (wire === 'openai') {
    const prompt = JSON.stringify(`${system}\n\n${workspaceBlock(workspace_root)}`);
    return `${lead},"messages":[{"role":"system","content":${prompt}},{"role":"user","content":${quoted(ledger)}`;
  }
  const blocks = [system, workspaceBlock(workspace_root)].map((text) => `{"type":"text","text":${JSON.stringify(text)}}`);
  return `${lead},"system":[${blocks.join(',')}],"messages":[{"role":"user","content":[{"type":"text","text":${JSON.stringify(ledger)}`;
};

/** The root and nothing that changes within a task: no date, no working directory (HAZARDS E2). Its name is data too. */
export const workspaceBlock = (root: string): string => `Repository root (a path, nothing else): ${JSON.stringify(root.slice(0, 1000).toWellFormed())}`;

/** Each block closes the one before it and stays open itself, so that the mark can move without changing what lies before. */
const anthropicBlocks = (texts: readonly string[]): string => texts.map((text) => `},{"type":"text","text":${JSON.stringify(text)}`).join('');

/** Here the message is one string, which stays open: blocks continue it. */
const openaiBlocks = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(`\n\n${text}`).slice(1, -1)).join('');

const quoted = (text: string): string => JSON.stringify(text).slice(0, -1);

const closing = (wire: Wire, ttl: CacheTtl): string =>
  wire === 'openai' ? '"}' : `,"cache_control":{"type":"ephemeral","ttl":"${wire === 'host' ? '5m' : ttl}"}}`;

/** The same task and generation, and every block of `before` is still there, in place and unchanged. */
const extendsWindow = (window: Window, before: Window): boolean =>
  window.nonce === before.nonce &&
  window.generation === before.generation &&
  window.ledger_text === before.ledger_text &&
  window.blocks.length >= before.blocks.length &&
  before.blocks.every((block, i) => block === window.blocks[i]);

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
};

/**
 * How long the provider shall keep the prefix (SPEC 6): longer when passes come more than four minutes apart on average.
 * `gaps_ms` are the times between recent passes; `current` stays unless the prefix is rebuilt anyway.
 */
export const chooseTtl = (
  knob: 'auto' | CacheTtl,
  wire: Wire,
  { gaps_ms, current, rebuilding }: { readonly gaps_ms: readonly number[]; readonly current?: CacheTtl; readonly rebuilding: boolean },
): CacheTtl => {
  if (wire === 'host') return '5m'; // its own marks are 5m and come first; a longer one behind them is refused (HAZARDS E4)
  if (current !== undefined && !rebuilding) return current;
  if (knob !== 'auto') return knob;
  const mean = gaps_ms.length === 0 ? 0 : gaps_ms.reduce((sum, gap) => sum + gap, 0) / gaps_ms.length;
  return mean > 240_000 ? '1h' : '5m';
};
