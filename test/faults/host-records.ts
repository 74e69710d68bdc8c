// Records of a transcript as the stand-in host writes them: shapes of 2.1.332, chained by uuid, one line per call.
import { randomUUID } from 'node:crypto';

export type Records = {
  readonly prompt: (text: string, prompt_id: string) => string;
  /** A turn that a notification opened: nothing a person has typed. */
  readonly notification: (text: string, prompt_id: string) => string;
  readonly say: (text: string, stop: 'tool_use' | 'end_turn') => string;
  readonly call: (id: string, command: string) => string;
  readonly result: (id: string, output: string, failed: boolean) => string;
  readonly attachment: (attachment: object) => string;
  readonly blocked: (reason: string) => string;
  readonly turnEnded: () => string;
};

/** Lines of one session, each ending in a newline; `parent` is the uuid of the last record that stands there already. */
export const openRecords = (session: string, cwd: string, parent: string | null, now: () => number = Date.now): Records => {
  let last = parent;
  let caller = '';
  let prompt_id = '';
  const line = (fields: object): string => {
    const uuid = randomUUID();
    const text = JSON.stringify({
      parentUuid: last, isSidechain: false, ...fields, uuid, timestamp: new Date(now()).toISOString(),
      userType: 'external', entrypoint: 'cli', cwd, sessionId: session, version: '2.1.332', gitBranch: 'main',
    });
    last = uuid;
    return `${text}\n`;
  };
  const assistant = (content: object, stop: string): string => {
    const usage = { input_tokens: 3, cache_creation_input_tokens: 40, cache_read_input_tokens: 14_000, output_tokens: 40, service_tier: 'standard' };
    const message = { id: `msg_01${randomUUID().replaceAll('-', '').slice(0, 18)}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [content], stop_reason: stop, stop_sequence: null, usage };
    const text = line({ type: 'assistant', message });
    caller = last ?? '';
    return text;
  };
  return {
    prompt: (text, id) => {
      prompt_id = id;
      return line({ promptId: id, type: 'user', message: { role: 'user', content: text }, permissionMode: 'acceptEdits', origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' });
    },
    notification: (text, id) => {
      prompt_id = id;
      return line({ promptId: id, type: 'user', message: { role: 'user', content: text }, permissionMode: 'acceptEdits', origin: { kind: 'task-notification', producer: 'session-task' }, promptSource: 'system', turnOrigin: 'task_notification' });
    },
    say: (text, stop) => assistant({ type: 'text', text }, stop),
    call: (id, command) => assistant({ type: 'tool_use', id, name: 'Bash', input: { command, description: 'Do a part of the work' } }, 'tool_use'),
    result: (id, output, failed) =>
      line({
        promptId: prompt_id, type: 'user', message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: failed ? `Exit code 1\n${output}` : output, is_error: failed }] },
        toolUseResult: failed ? `Error: Exit code 1\n${output}` : { stdout: output, stderr: '', interrupted: false, isImage: false }, sourceToolAssistantUUID: caller,
      }),
    attachment: (attachment) => line({ type: 'attachment', attachment }),
    blocked: (reason) => line({ type: 'system', subtype: 'informational', content: `UserPromptSubmit operation blocked by hook:\n${reason}`, isMeta: false, promptSubmitEnding: { ending: { kind: 'blocked_by_hook', reason } } }),
    turnEnded: () => line({ type: 'system', subtype: 'turn_duration', durationMs: 1000, isMeta: false }),
  };
};
