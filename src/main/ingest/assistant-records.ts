// What an assistant record says: narration, calls, and the host's word that the request failed.
import { headOf } from '../floor/text.ts';
import type { Observation, Usage } from '../records.ts';
import { keepEnds } from './elision.ts';
import { ruleFor } from './projection-rules.ts';
import { blocksAreKnown } from './record-types.ts';
import { blocksOf, charsIn, fieldsOf, idAt, numberAt, plainText, sizeOfBlocks, textAt, type Fields, type Part, type RecordContext, type Writable } from './transcript.ts';

/** An assistant record: one block of an answer each, on current hosts. */
export const projectAssistant = (record: Fields, context: RecordContext): Part => {
  const { at, uuid, clean, limits } = context;
  const message = fieldsOf(record['message']);
  const blocks = blocksOf(message['content']);
  if (record['isApiErrorMessage'] === true || textAt(message, 'model') === '<synthetic>') return projectApiError(plainText(message['content']), record, context);
  const observations: Observation[] = [];
  for (const block of blocks) {
    if (block['type'] === 'tool_use') observations.push(projectCall(block, context));
    const text = block['type'] === 'text' ? textAt(block, 'text') : undefined;
    if (text === undefined || text.trim() === '') continue;
    observations.push({ kind: 'text', at, uuid, text: `[text] ${keepEnds(clean(text), limits.text_cap, limits.harvest_max)}`, raw_chars: text.length });
  }
  const part: Writable<Part> = { observations, events: [{ kind: 'response', at }], raw_chars: sizeOfBlocks(blocks), unknown: !blocksAreKnown(blocks) };
  const usage = usageOf(fieldsOf(message['usage']));
  if (usage !== undefined) part.usage = { message: idAt(message, 'id') ?? '', usage };
  return part;
};

const TOOL_CHARS = 200;

const projectCall = (block: Fields, context: RecordContext): Observation => {
  const tool = textAt(block, 'name') ?? 'unnamed';
  const name = headOf(context.clean(tool), TOOL_CHARS);
  const call = idAt(block, 'id');
  const input = fieldsOf(block['input']);
  const { text, command, paths, writes } = ruleFor(tool)(input, context);
  const observation: Writable<Observation> = { kind: 'tool', at: context.at, uuid: context.uuid, text: `[tool] ${name}${text}`.trimEnd(), raw_chars: charsIn(input), tool: name };
  if (call !== undefined) observation.call = call;
  if (command !== undefined) observation.command = command;
  if (paths !== undefined) observation.paths = paths;
  if (writes !== undefined) observation.writes = writes;
  return observation;
};

const projectApiError = (text: string, record: Fields, { at, uuid, clean, limits }: RecordContext): Part => {
  // The host also puts its own words where an answer would be, e.g. that none was asked for.
  if (record['isApiErrorMessage'] !== true && !text.startsWith('API Error')) return { raw_chars: text.length };
  const note: Observation = {
    kind: 'note',
    note: 'api-error',
    at,
    uuid,
    text: `[note] the request failed: ${keepEnds(clean(text.replace(/^API Error:? ?/, '')), limits.error_head, limits.harvest_max)}`,
    raw_chars: text.length,
    reason: 'api-error',
  };
  return { observations: [note], events: [{ kind: 'api-error', at }], raw_chars: text.length };
};

const usageOf = (usage: Fields): Usage | undefined => {
  if (typeof usage['output_tokens'] !== 'number' && typeof usage['input_tokens'] !== 'number') return undefined;
  const written = fieldsOf(usage['cache_creation']);
  const hour = numberAt(written, 'ephemeral_1h_input_tokens');
  const total = numberAt(usage, 'cache_creation_input_tokens');
  return {
    input: numberAt(usage, 'input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cache_read: numberAt(usage, 'cache_read_input_tokens'),
    // Hosts without the split write for five minutes.
    cache_write_5m: numberAt(written, 'ephemeral_5m_input_tokens') || Math.max(0, total - hour),
    cache_write_1h: hour,
  };
};
