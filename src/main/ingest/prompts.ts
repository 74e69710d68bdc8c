// What people and the host put into the conversation: prompts, slash commands, interrupts, notifications (SPEC 5.2).
import { OWN_COMMAND, isOwnNotification } from '../floor/marks.ts';
import { headOf } from '../floor/text.ts';
import type { Observation } from '../records.ts';
import { keepEnds, keepHead } from './elision.ts';
import type { RecordContext } from './transcript.ts';

/** What a text in a user's place is. `aside` is the host's own, or ours: never observed. */
export type Said =
  | { readonly kind: 'human'; readonly text: string }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'notification'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'aside' };

/** `origin` is the record's `origin.kind`; hosts that write none leave the text to tell. */
export const whatIsSaid = (raw: string, origin: string | undefined): Said => {
  const text = raw.trim();
  if (text === '') return { kind: 'aside' };
  const human = origin === 'human';
  if (text.startsWith('[Request interrupted by user') && text.length < 200) return { kind: 'interrupt' };
  if (!human && (text.startsWith('<task-notification>') || text.startsWith('[SYSTEM NOTIFICATION'))) return { kind: 'notification', text };
  if (text.startsWith('<command-name>') || text.startsWith('<command-message>')) {
    const command = typedCommand(text);
    return command === undefined ? { kind: 'aside' } : { kind: 'command', text: command };
  }
  if (text.startsWith('<bash-input>')) return { kind: 'command', text: `!${inside(text, 'bash-input') ?? ''}` };
  if (!human && ASIDES.some((tag) => text.startsWith(tag))) return { kind: 'aside' };
  return human || origin === undefined ? { kind: 'human', text } : { kind: 'aside' };
};

const ASIDES = ['<local-command-', '<bash-stdout>', '<bash-stderr>', '<system-reminder>', '<user-prompt-submit-hook>'];

/** `/name args` as it was typed; ours are no activity. */
const typedCommand = (text: string): string | undefined => {
  const name = inside(text, 'command-name')?.trim() ?? '';
  const args = inside(text, 'command-args')?.trim() ?? '';
  if (name === '' || name.replace(/^\//, '').split(':').at(-1)?.startsWith(OWN_COMMAND) === true) return undefined;
  return `${name.startsWith('/') ? name : `/${name}`}${args === '' ? '' : ` ${args}`}`;
};

/** What stands between `<tag>` and `</tag>`. */
const inside = (text: string, tag: string): string | undefined => {
  const start = text.indexOf(`<${tag}>`);
  if (start === -1) return undefined;
  const from = start + tag.length + 2;
  // The last end tag: a result may quote one.
  const end = text.lastIndexOf(`</${tag}>`);
  return text.slice(from, end < from ? undefined : end);
};

/** `human`: words for the agent, which may say what the task is; a command that the host runs itself says nothing of it. */
export const promptOf = (text: string, context: RecordContext, human = true): Observation => ({
  kind: 'prompt',
  at: context.at,
  uuid: context.uuid,
  text: `[prompt] ${keepEnds(context.clean(text), context.limits.user_prompt_cap, context.limits.harvest_max)}`,
  raw_chars: text.length,
  ...(human ? { human } : {}),
});

export const interruptOf = ({ at, uuid }: RecordContext): Observation => ({
  kind: 'note',
  note: 'interrupt',
  at,
  uuid,
  text: '[note] the user interrupted the turn',
  raw_chars: 0,
  reason: 'interrupt',
});

/** A task's end as a note, and an agent's conclusion behind it; events of monitors and our own notifications are none. */
export const notificationOf = (text: string, context: RecordContext): readonly Observation[] => {
  if (isOwnNotification(text)) return [];
  const { at, uuid, clean, limits } = context;
  const status = inside(text, 'status')?.trim();
  const id = inside(text, 'task-id')?.trim() ?? '';
  if (status === undefined || !/^[\w-]{1,40}$/.test(status) || id === '' || id.length > 200) return [];
  const summary = keepHead(clean(inside(text, 'summary')?.trim() ?? ''), limits.error_head, limits.harvest_max);
  const note: Observation = {
    kind: 'note',
    note: 'background',
    at,
    uuid,
    text: `[note] background ${headOf(clean(id), 80)} ${status}${summary === '' ? '' : `: ${summary}`}`,
    raw_chars: text.length,
    settles: id,
    reason: status,
  };
  const result = inside(text, 'result')?.trim() ?? '';
  if (result === '' || !(inside(text, 'summary') ?? '').trimStart().startsWith('Agent')) return [note];
  return [note, conclusionOf(result, { id }, context)];
};

/** An agent's last words, capped. */
export const conclusionOf = (text: string, agent: { readonly id: string; readonly type?: string; readonly call?: string }, context: RecordContext): Observation => ({
  kind: 'agent',
  at: context.at,
  uuid: context.uuid,
  text: `[agent] ${agent.type === undefined ? '' : `${context.clean(agent.type)}: `}${keepHead(context.clean(text), context.limits.subagent_final_cap, context.limits.harvest_max)}`,
  raw_chars: text.length,
  settles: agent.id,
  ...(agent.call === undefined ? {} : { call: agent.call }),
});
