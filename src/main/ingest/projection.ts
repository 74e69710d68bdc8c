// One transcript line into what may be known of it (SPEC 5.2, 5.3): pure and stateless, so that ranges can run anywhere.
import type { ProjectionLimits } from '../../workers/contract.ts';
import { adviceIdsIn } from '../floor/marks.ts';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { Observation, Projected, Proof, ReadEvent, Usage } from '../records.ts';
import { keepEnds } from './elision.ts';
import { hollow, isHollowable } from './hollow.ts';
import { ruleFor } from './projection-rules.ts';
import { interruptOf, notificationOf, promptOf, whatIsSaid } from './prompts.ts';
import { blocksAreKnown, isKnownType } from './record-types.ts';
import { projectResult } from './results.ts';
import { blocksOf, charsIn, fieldsOf, isFields, numberAt, plainText, textAt, timeOf, type Fields, type RecordContext } from './transcript.ts';

/**
 * What one line (without its newline) holds. Never throws: a line that is no record, or one whose shape breaks us, is
 * of type `bad-line`.
 */
export const projectLine = (line: Uint8Array, limits: ProjectionLimits): Projected => {
  const bytes = trimmed(line);
  const cheap = isHollowable(bytes) ? hollow(bytes) : undefined;
  return projectText(cheap ?? bytes.toString('utf8'), limits);
};

/** The same from the line's text: what `projectLine` must agree with. */
export const projectText = (text: string, limits: ProjectionLimits): Projected => {
  if (text.trim() === '') return nothing('empty');
  try {
    const record: unknown = JSON.parse(text);
    return isFields(record) ? projectRecord(record, limits) : BAD;
  } catch {
    return BAD; // counted by its type: one damaged record never hides the rest
  }
};

const nothing = (type: string): Projected => ({ type, observations: [], events: [], proofs: [], raw_chars: 0 });
const BAD: Projected = { ...nothing('bad-line'), unknown: true };

/** Without a byte order mark and a carriage return. */
const trimmed = (line: Uint8Array): Buffer => {
  const start = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
  return Buffer.from(line.buffer, line.byteOffset + start, Math.max(0, end - start));
};

/** What a kind of record adds to what all have. */
type Part = Partial<Omit<Projected, 'unknown'>> & { readonly unknown?: boolean };

const projectRecord = (record: Fields, limits: ProjectionLimits): Projected => {
  const clean = limits.redact ? (text: string): string => redact(wellFormed(text)) : wellFormed;
  const uuid = textAt(record, 'uuid');
  const parent = textAt(record, 'parentUuid');
  const session = textAt(record, 'sessionId');
  const fork = textAt(fieldsOf(record['forkedFrom']), 'sessionId');
  const context: RecordContext = { limits, clean, at: timeOf(record), uuid: uuid ?? '' };
  const { unknown, ...part } = partOf(record, context);
  const type = part.type ?? typeOf(record);
  return {
    ...nothing(type),
    ...(unknown === true || !isKnownType(type) ? { unknown: true } : {}),
    ...(uuid === undefined ? {} : { uuid }),
    ...(parent === undefined ? {} : { parent }),
    ...(context.at === 0 ? {} : { at: context.at }),
    ...(session === undefined ? {} : { session }),
    ...(fork === undefined ? {} : { forked_from: fork }),
    ...part,
  };
};

const partOf = (record: Fields, context: RecordContext): Part => {
  // A subagent's own conversation; its conclusion comes by notification, result or signal.
  if (record['isSidechain'] === true) return { type: 'sidechain', raw_chars: charsIn(fieldsOf(record['message'])['content']) };
  switch (record['type']) {
    case 'assistant':
      return projectAssistant(record, context);
    case 'user':
      return projectUser(record, context);
    case 'attachment':
      return projectAttachment(fieldsOf(record['attachment']), context);
    case 'system':
      return projectSystem(record, context);
    case 'queue-operation':
      return projectQueue(record, context);
    default:
      return {};
  }
};

/** `type`, with the subtype where there is one; names from outside are kept short and plain. */
const typeOf = (record: Fields): string => {
  const type = plainName(textAt(record, 'type'));
  const subtype = type === 'attachment' ? textAt(fieldsOf(record['attachment']), 'type') : type === 'system' ? textAt(record, 'subtype') : undefined;
  return subtype === undefined ? type : `${type}/${plainName(subtype)}`;
};

const plainName = (name: string | undefined): string => (name ?? 'untyped').replace(/[^\w.-]/g, '?').slice(0, 60);

// ─── assistant ───

const projectAssistant = (record: Fields, context: RecordContext): Part => {
  const { at, uuid, clean, limits } = context;
  const message = fieldsOf(record['message']);
  const blocks = blocksOf(message['content']);
  if (record['isApiErrorMessage'] === true || textAt(message, 'model') === '<synthetic>') return projectApiError(plainText(message['content']), record, context);
  const observations = blocks.flatMap((block): readonly Observation[] => {
    if (block['type'] === 'tool_use') return [projectCall(block, context)];
    const text = block['type'] === 'text' ? textAt(block, 'text') : undefined;
    if (text === undefined || text.trim() === '') return [];
    return [{ kind: 'text', at, uuid, text: `[text] ${keepEnds(clean(text), limits.text_cap, limits.harvest_max)}`, raw_chars: text.length }];
  });
  const usage = usageOf(fieldsOf(message['usage']));
  return {
    observations,
    events: [{ kind: 'response', at }],
    raw_chars: blocks.reduce((chars, block) => chars + charsOfBlock(block), 0),
    ...(usage === undefined ? {} : { usage: { message: textAt(message, 'id') ?? '', usage } }),
    unknown: !blocksAreKnown(blocks),
  };
};

const projectCall = (block: Fields, context: RecordContext): Observation => {
  const tool = textAt(block, 'name') ?? 'unnamed';
  const name = context.clean(tool.slice(0, 200));
  const call = textAt(block, 'id');
  const input = fieldsOf(block['input']);
  const { text, ...parts } = ruleFor(tool)(input, context);
  return {
    kind: 'tool',
    at: context.at,
    uuid: context.uuid,
    text: `[tool] ${name}${text}`.trimEnd(),
    raw_chars: charsIn(input),
    tool: name,
    ...(call === undefined ? {} : { call }),
    ...parts,
  };
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

const charsOfBlock = (block: Fields): number => charsIn([block['text'], block['thinking'], block['input'], block['content']]);

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

// ─── user ───

const projectUser = (record: Fields, context: RecordContext): Part => {
  const content = fieldsOf(record['message'])['content'];
  const blocks = blocksOf(content);
  const raw_chars = blocks.reduce((chars, block) => chars + charsOfBlock(block), 0);
  if (record['isCompactSummary'] === true) return { type: 'user/compact-summary', raw_chars };
  if (record['isMeta'] === true) return { type: 'user/meta', raw_chars };
  const observations: Observation[] = [];
  const events: ReadEvent[] = [];
  let prompt: Projected['prompt'];
  const origin = textAt(fieldsOf(record['origin']), 'kind');
  const prompt_id = textAt(record, 'promptId');
  const opens = (by: 'human' | 'notification'): void => {
    if (prompt !== undefined) return;
    prompt = by;
    events.push({ kind: 'prompt', origin: by, at: context.at, ...(prompt_id === undefined ? {} : { prompt_id }) });
  };
  for (const block of blocks) {
    if (block['type'] === 'tool_result') {
      observations.push(...projectResult(block, record, context));
      events.push({ kind: 'tool-result', at: context.at, call: textAt(block, 'tool_use_id') ?? '' });
    }
    const text = block['type'] === 'text' ? textAt(block, 'text') : undefined;
    if (text === undefined) continue;
    const said = whatIsSaid(text, origin);
    if (said.kind === 'interrupt') {
      observations.push(interruptOf(context));
      events.push({ kind: 'interrupt', at: context.at });
    } else if (said.kind === 'notification') {
      observations.push(...notificationOf(said.text, context));
      opens('notification');
    } else if (said.kind === 'command') {
      observations.push(promptOf(said.text, context));
      // Commands that the host runs itself open no turn; those that do have an origin.
      if (origin === 'human') opens('human');
    } else if (said.kind === 'human') {
      observations.push(promptOf(said.text, context));
      opens('human');
    } else if (origin !== undefined && origin !== 'human') opens('notification');
  }
  return { observations, events, raw_chars, ...(prompt === undefined ? {} : { prompt }), unknown: !blocksAreKnown(blocks) };
};

// ─── attachment, system, queue ───

const projectAttachment = (attachment: Fields, context: RecordContext): Part => {
  const { at } = context;
  switch (attachment['type']) {
    case 'queued_command': {
      const text = plainText(attachment['prompt']);
      const mode = textAt(attachment, 'commandMode');
      const said = whatIsSaid(text, mode === 'prompt' ? (textAt(fieldsOf(attachment['origin']), 'kind') ?? 'human') : mode);
      if (said.kind === 'notification') return { observations: notificationOf(said.text, context), events: [{ kind: 'prompt', origin: 'notification', at }], raw_chars: text.length };
      if (said.kind !== 'human' && said.kind !== 'command') return { raw_chars: text.length };
      return { observations: [promptOf(said.text, context)], events: [{ kind: 'prompt', origin: 'human', at }], raw_chars: text.length };
    }
    case 'hook_additional_context':
      return { proofs: proofsIn(plainText(attachment['content']), 'context', at) };
    case 'hook_system_message':
      return { proofs: proofsIn(plainText(attachment['content']), 'message', at) };
    default:
      return {};
  }
};

const proofsIn = (text: string, channel: Proof['channel'], at: number): readonly Proof[] => {
  const ids = adviceIdsIn(text);
  return ids.length === 0 ? [] : [{ ids, channel, at }];
};

const projectSystem = (record: Fields, context: RecordContext): Part => {
  const { at, uuid } = context;
  switch (record['subtype']) {
    // The last record of a turn that really ended: a Stop that a hook held back writes `stop_hook_summary` only.
    case 'turn_duration': {
      const note: Observation = { kind: 'note', note: 'turn-end', at, uuid, text: '[note] the turn ended', raw_chars: 0, reason: 'end_turn' };
      return { observations: [note], events: [{ kind: 'turn-end', at, reason: 'end_turn' }] };
    }
    case 'compact_boundary': {
      const trigger = textAt(fieldsOf(record['compactMetadata']), 'trigger') === 'manual' ? 'by the user' : 'by the host';
      return { observations: [{ kind: 'note', note: 'compaction', at, uuid, text: `[note] the conversation was compacted ${trigger}`, raw_chars: 0 }] };
    }
    case 'informational': {
      const content = plainText(record['content']);
      const ending = fieldsOf(fieldsOf(record['promptSubmitEnding'])['ending']);
      return {
        proofs: proofsIn(content, 'informational', at),
        ...(textAt(ending, 'kind') === 'blocked_by_hook' ? { events: [{ kind: 'blocked', at }] } : {}),
        raw_chars: content.length,
      };
    }
    case 'local_command': {
      const said = whatIsSaid(plainText(record['content']), undefined);
      return said.kind === 'command' ? { observations: [promptOf(said.text, context)], raw_chars: said.text.length } : {};
    }
    default:
      return {};
  }
};

const OPERATIONS = ['enqueue', 'dequeue', 'remove', 'popAll'] as const;

const projectQueue = (record: Fields, { clean, limits }: RecordContext): Part => {
  const op = OPERATIONS.find((name) => name === record['operation']);
  if (op === undefined) return { unknown: true };
  const text = plainText(record['content']);
  const reason = textAt(record, 'reason');
  return {
    queue: { op, text: keepEnds(clean(text), limits.user_prompt_cap, limits.harvest_max), ...(reason === undefined ? {} : { reason: plainName(reason) }) },
    raw_chars: text.length,
  };
};
