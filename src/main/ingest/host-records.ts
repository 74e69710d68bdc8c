// What the host's own records tell: attachments, system records, the prompt queue.
import { adviceIdsIn, SOURCE } from '../floor/marks.ts';
import type { Observation, Proof } from '../records.ts';
import { keepEnds } from './elision.ts';
import { notificationOf, promptOf, whatIsSaid } from './prompts.ts';
import { plainName } from './record-types.ts';
import { fieldsOf, plainText, textAt, type Fields, type Part, type RecordContext } from './transcript.ts';

/** An attachment: a prompt taken up mid-turn, a notification, or the proof that something of ours arrived. */
export const projectAttachment = (attachment: Fields, context: RecordContext): Part => {
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

/** A system record: ends of turns, compactions, blocked prompts, commands the host ran. */
export const projectSystem = (record: Fields, context: RecordContext): Part => {
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
        // A block of our own (a command, an empty bell) answers a prompt that opened no turn.
        ...(textAt(ending, 'kind') === 'blocked_by_hook' && !plainText(ending['reason']).startsWith(SOURCE) ? { events: [{ kind: 'blocked', at }] } : {}),
        raw_chars: content.length,
      };
    }
    case 'local_command': {
      const said = whatIsSaid(plainText(record['content']), undefined);
      return said.kind === 'command' ? { observations: [promptOf(said.text, context, false)], raw_chars: said.text.length } : {};
    }
    default:
      return {};
  }
};

const OPERATIONS = ['enqueue', 'dequeue', 'remove', 'popAll'] as const;

/** A queue record, for hosts that record mid-turn prompts nowhere else. */
export const projectQueue = (record: Fields, { clean, limits }: RecordContext): Part => {
  const op = OPERATIONS.find((name) => name === record['operation']);
  if (op === undefined) return { unknown: true };
  const text = plainText(record['content']);
  const reason = textAt(record, 'reason');
  return {
    queue: { op, text: keepEnds(clean(text), limits.user_prompt_cap, limits.harvest_max), ...(reason === undefined ? {} : { reason: plainName(reason) }) },
    raw_chars: text.length,
  };
};
