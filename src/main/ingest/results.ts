// What is kept of a call's result: failures, refusals, the user's answers, an agent's conclusion; of a success that it was one.
import type { Observation } from '../records.ts';
import { keepHead } from './elision.ts';
import { conclusionOf } from './prompts.ts';
import { blocksOf, fieldsOf, idAt, isFields, listAt, numberAt, plainText, spelledBytesIn, textAt, type Fields, type RecordContext, type Writable } from './transcript.ts';

/** One `tool_result` block of `record`. */
export const projectResult = (block: Fields, record: Fields, context: RecordContext): readonly Observation[] => {
  const call = idAt(block, 'tool_use_id') ?? '';
  const base = { at: context.at, uuid: context.uuid, call };
  if (block['is_error'] === true) {
    const text = plainText(block['content']) || plainText(record['toolUseResult']);
    const denied = textAt(record, 'toolDenialKind') ?? (text.startsWith(OLD_REFUSAL) ? 'user-rejected' : undefined);
    return [denied === undefined ? failure(text, base, context) : refusal(denied, text.length, base)];
  }
  // `toolUseResult` belongs to the one result of the record.
  const details = fieldsOf(record['toolUseResult']);
  const anchor = anchorOf(details);
  const launches = launchOf(details);
  const done: Writable<Observation> = { kind: 'done', at: base.at, uuid: base.uuid, call, text: anchor === undefined ? '[done]' : `[done] ${anchor}`, raw_chars: spelledBytesIn(block['content']) };
  if (anchor !== undefined) done.anchor = anchor;
  if (launches !== undefined) done.launches = launches;
  return [done, ...answers(details, base, context), ...conclusion(details, call, context)];
};

/**
 * Whether none of this record's texts is told: results that succeeded, and neither an answer, a conclusion nor words
 * beside them. Decided on the record's shape, so that its texts may be hollow.
 */
export const isSilent = (record: Fields): boolean => {
  const details = fieldsOf(record['toolUseResult']);
  if (record['type'] !== 'user' || 'answers' in details || 'agentId' in details || 'toolDenialKind' in record) return false;
  return blocksOf(fieldsOf(record['message'])['content']).every((block) => block['type'] === 'tool_result' && block['is_error'] !== true);
};

/** Hosts that write no `toolDenialKind` say it in the result. */
const OLD_REFUSAL = "The user doesn't want to proceed with this tool use";

type Base = { readonly at: number; readonly uuid: string; readonly call: string };

const failure = (text: string, base: Base, { clean, limits }: RecordContext): Observation => {
  const words = text.trim().replace(/^<tool_use_error>/, '').replace(/<\/tool_use_error>$/, '');
  return { kind: 'error', ...base, text: `[error] ${keepHead(clean(words), limits.error_head, limits.harvest_max)}`, raw_chars: text.length };
};

const refusal = (denied: string, chars: number, base: Base): Observation => {
  const who = denied === 'user-rejected' ? 'the user refused a call' : `a call was refused (${/^[\w-]{1,40}$/.test(denied) ? denied : 'unknown'})`;
  return { kind: 'note', note: 'refusal', ...base, text: `[note] ${who}`, raw_chars: chars };
};

const HUNKS_SHOWN = 20;

/** `@L88-L94`, hunks joined by commas: where the new text stands. */
const anchorOf = (details: Fields): string | undefined => {
  const hunks = listAt(details, 'structuredPatch')
    .slice(0, HUNKS_SHOWN)
    .map((raw) => {
      const hunk = fieldsOf(raw);
      const start = numberAt(hunk, 'newStart');
      return start < 1 ? '' : `L${start}-L${start + Math.max(1, numberAt(hunk, 'newLines')) - 1}`;
    })
    .filter((range) => range !== '');
  return hunks.length === 0 ? undefined : `@${hunks.join(',')}`;
};

/** The id of what goes on behind the result: a background shell, an agent, a monitor. */
const launchOf = (details: Fields): string | undefined => {
  const shell = idAt(details, 'backgroundTaskId');
  if (shell !== undefined) return shell;
  const status = textAt(details, 'status') ?? '';
  if (details['isAsync'] === true || status.endsWith('_launched')) return idAt(details, 'agentId') ?? idAt(details, 'taskId');
  return 'persistent' in details || 'timeoutMs' in details ? idAt(details, 'taskId') : undefined;
};

/** AskUserQuestion: the user's own words. */
const answers = (details: Fields, base: Base, { clean, limits }: RecordContext): readonly Observation[] => {
  const given = details['answers'];
  if (!isFields(given) || !Array.isArray(details['questions'])) return [];
  const lines = Object.entries(given).map(([question, answer]) => `asked "${question}", answered: ${plainText(answer) || JSON.stringify(answer)}`);
  const text = lines.join('\n');
  if (text === '') return [];
  return [{ kind: 'prompt', ...base, text: `[prompt] ${keepHead(clean(text), limits.user_prompt_cap, limits.harvest_max)}`, raw_chars: text.length, human: true }];
};

const conclusion = (details: Fields, call: string, context: RecordContext): readonly Observation[] => {
  const id = idAt(details, 'agentId');
  const text = plainText(details['content']).trim();
  if (id === undefined || text === '' || textAt(details, 'status') !== 'completed') return [];
  const type = textAt(details, 'agentType');
  return [conclusionOf(text, { id, call, ...(type === undefined ? {} : { type }) }, context)];
};
