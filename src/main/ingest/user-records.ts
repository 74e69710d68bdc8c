// What a user record holds: results of calls, and what people or the host put in a user's place.
import { isOwnNotification } from '../floor/marks.ts';
import type { Observation, Projected, ReadEvent } from '../records.ts';
import { interruptOf, notificationOf, promptOf, whatIsSaid } from './prompts.ts';
import { blocksAreKnown } from './record-types.ts';
import { projectResult } from './results.ts';
import { blocksOf, fieldsOf, idAt, sizeOfBlocks, textAt, type Fields, type Part, type RecordContext } from './transcript.ts';

/** A user record: results, prompts, commands, notifications, interrupts. */
export const projectUser = (record: Fields, context: RecordContext): Part => {
  const content = fieldsOf(record['message'])['content'];
  const blocks = blocksOf(content);
  const raw_chars = sizeOfBlocks(blocks);
  if (record['isCompactSummary'] === true) return { type: 'user/compact-summary', raw_chars };
  if (record['isMeta'] === true) return { type: 'user/meta', raw_chars };
  const observations: Observation[] = [];
  const events: ReadEvent[] = [];
  let prompt: Projected['prompt'];
  const origin = textAt(fieldsOf(record['origin']), 'kind');
  const prompt_id = idAt(record, 'promptId');
  const opens = (by: 'human' | 'notification' | 'bell'): void => {
    if (prompt !== undefined) return;
    prompt = by === 'human' ? by : 'notification';
    events.push({ kind: 'prompt', origin: by, at: context.at, ...(prompt_id === undefined ? {} : { prompt_id }) });
  };
  for (const block of blocks) {
    if (block['type'] === 'tool_result') {
      observations.push(...projectResult(block, record, context));
      events.push({ kind: 'tool-result', at: context.at, call: idAt(block, 'tool_use_id') ?? '' });
    }
    const text = block['type'] === 'text' ? textAt(block, 'text') : undefined;
    if (text === undefined) continue;
    const said = whatIsSaid(text, origin);
    if (said.kind === 'interrupt') {
      observations.push(interruptOf(context));
      events.push({ kind: 'interrupt', at: context.at });
    } else if (said.kind === 'notification') {
      observations.push(...notificationOf(said.text, context));
      opens(isOwnNotification(said.text) ? 'bell' : 'notification');
    } else if (said.kind === 'command') {
      // Commands that the host runs itself open no turn; those that do have an origin.
      observations.push(promptOf(said.text, context, origin === 'human'));
      if (origin === 'human') opens('human');
    } else if (said.kind === 'human') {
      observations.push(promptOf(said.text, context));
      opens('human');
    } else if (origin !== undefined && origin !== 'human') opens('notification');
  }
  return { observations, events, raw_chars, ...(prompt === undefined ? {} : { prompt }), unknown: !blocksAreKnown(blocks) };
};
