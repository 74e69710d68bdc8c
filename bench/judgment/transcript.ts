// Steps become the records of a transcript, shaped like the host's (2.1.332): uuid chain, message ids, usage, bookkeeping between.
// Everything that is drawn hangs on the session's id and the step's key, so that twins share every record but those that differ.
import { createHash } from 'node:crypto';
import type { CallStep, Step } from './steps.ts';

/** A written session: its lines, and where each step stands in it. */
export type Transcript = {
  readonly lines: readonly string[];
  /** Time of each line in ms; a line without one has its predecessor's. */
  readonly times: readonly number[];
  /** Step key → index of its last line and the uuids of its records. */
  readonly places: ReadonlyMap<string, { readonly record: number; readonly at: number; readonly uuids: readonly string[] }>;
  readonly session: string;
};

const START = Date.UTC(2026, 4, 4, 8);

/** Writes `steps` down as one session in `root`. */
export const transcript = (id: string, root: string, steps: readonly Step[]): Transcript => {
  const writer = openWriter(id, root);
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    const parallel = step.kind === 'call' && step.group !== undefined && before?.kind === 'call' && before.group === step.group;
    if (parallel) continue;
    if (step.kind === 'call' && step.group !== undefined) {
      const end = steps.findIndex((each, at) => at > index && !(each.kind === 'call' && each.group === step.group));
      writer.calls(steps.slice(index, end === -1 ? steps.length : end) as CallStep[]);
    } else writer.step(step);
  }
  return writer.done();
};

const openWriter = (id: string, root: string) => {
  const session = uuidOf(`${id}/session`);
  const lines: string[] = [];
  const times: number[] = [];
  const places = new Map<string, { record: number; at: number; uuids: readonly string[] }>();
  let parent: string | null = null;
  let at = START;
  let prompts = 0;
  let prompt_id = '';
  let context = 14_000;

  const write = (record: object): void => {
    lines.push(JSON.stringify(record));
    times.push(at);
  };
  const chained = (uuid: string, fields: object): string => {
    write({
      parentUuid: parent, isSidechain: false, ...fields, uuid, timestamp: new Date(at).toISOString(),
      userType: 'external', entrypoint: 'cli', cwd: root, sessionId: session, version: '2.1.332', gitBranch: 'main',
    });
    parent = uuid;
    return uuid;
  };
  const plain = (fields: object): void => write({ ...fields, sessionId: session });
  const place = (key: string, uuids: readonly string[]): void => void places.set(key, { record: lines.length - 1, at, uuids });
  const pass = (seconds: number): void => void (at += Math.round(seconds * 1000));

  const message = (key: string, content: object, stop: string, index = 0): string => {
    const written = Math.ceil(JSON.stringify(content).length / 4);
    context = (context + written) % 150_000;
    const usage = {
      input_tokens: 3, cache_creation_input_tokens: written, cache_read_input_tokens: context, output_tokens: written,
      service_tier: 'standard', cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: written },
    };
    return chained(uuidOf(`${id}/${key}/a${index}`), {
      type: 'assistant', apiBlockIndex: index, requestId: `req_01${digest(`${id}/${key}`, 20)}`,
      message: { id: `msg_01${digest(`${id}/${key}`, 20)}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [content], stop_reason: stop, stop_sequence: null, usage },
    });
  };
  const human = (key: string, text: string): string => {
    prompts += 1;
    prompt_id = uuidOf(`${id}/${key}/prompt`);
    return chained(uuidOf(`${id}/${key}/u`), {
      promptId: prompt_id, type: 'user', message: { role: 'user', content: text }, permissionMode: 'acceptEdits',
      origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human', turnPosition: { promptIndex: prompts, turnIndex: prompts },
    });
  };
  const result = (key: string, call: string, caller: string, content: unknown, structured: unknown, failed: boolean): string =>
    chained(uuidOf(`${id}/${key}/r`), {
      promptId: prompt_id, type: 'user',
      message: { role: 'user', content: [{ tool_use_id: call, type: 'tool_result', content, ...(failed ? { is_error: true } : {}) }] },
      toolUseResult: structured, sourceToolAssistantUUID: caller,
    });
  const notification = (key: string, text: string): string =>
    chained(uuidOf(`${id}/${key}/n`), {
      promptId: uuidOf(`${id}/${key}/prompt`), type: 'user', message: { role: 'user', content: text }, permissionMode: 'acceptEdits',
      origin: { kind: 'task-notification', producer: 'session-task' }, promptSource: 'system', turnOrigin: 'task_notification',
    });
  const callId = (key: string): string => `toolu_01${digest(`${id}/${key}/call`, 20)}`;

  /** Calls of one message: all are made, then all come back. */
  const calls = (group: readonly CallStep[]): void => {
    const made = group.map((call, index) => {
      pass(index === 0 ? call.wait : 1);
      return message(call.key, { type: 'tool_use', id: callId(call.key), name: call.tool, input: call.input }, 'tool_use', index);
    });
    for (const [index, call] of group.entries()) {
      pass(call.took);
      const caller = made[index] ?? '';
      const content = call.failed && call.tool === 'Bash' ? `Exit code 1\n${call.output}` : call.failed ? `<tool_use_error>${call.output}</tool_use_error>` : call.output;
      const uuid = result(call.key, callId(call.key), caller, content, call.failed ? `Error: ${content}` : structured(call), call.failed);
      place(call.key, [caller, uuid]);
    }
  };

  const step = (each: Step): void => {
    const { key } = each;
    if (each.kind === 'call') return calls([each]);
    pass(each.wait);
    switch (each.kind) {
      case 'prompt': {
        plain({ type: 'mode', mode: 'normal' });
        return place(key, [human(key, each.text)]);
      }
      case 'queued': {
        plain({ type: 'queue-operation', operation: 'enqueue', timestamp: new Date(at).toISOString(), content: each.text });
        plain({ type: 'queue-operation', operation: 'remove', timestamp: new Date(at).toISOString(), content: each.text, reason: 'absorbed_mid_turn' });
        return place(key, [chained(uuidOf(`${id}/${key}/q`), { type: 'attachment', attachment: { type: 'queued_command', prompt: each.text, commandMode: 'prompt', origin: { kind: 'human' }, timestamp: new Date(at).toISOString(), humanTurn: true } })]);
      }
      case 'say':
        return place(key, [message(key, { type: 'text', text: each.text }, each.claim === true ? 'end_turn' : 'tool_use')]);
      case 'agent': {
        const agentId = `a${digest(`${id}/${key}/agent`, 16)}`;
        const caller = message(key, { type: 'tool_use', id: callId(key), name: 'Agent', input: { description: each.description, prompt: each.prompt, subagent_type: each.type } }, 'tool_use');
        pass(each.took);
        const content = [{ type: 'text', text: each.conclusion }];
        return place(key, [caller, result(key, callId(key), caller, content, { status: 'completed', agentId, agentType: each.type, prompt: each.prompt, content, totalDurationMs: each.took * 1000, totalToolUseCount: 4 }, false)]);
      }
      case 'background': {
        const task = `b${digest(`${id}/${key}/task`, 8)}`;
        const caller = message(key, { type: 'tool_use', id: callId(key), name: 'Bash', input: { command: each.command, description: each.description, run_in_background: true } }, 'tool_use');
        pass(1);
        return place(key, [caller, result(key, callId(key), caller, `Command running in background with ID: ${task}.`, { stdout: '', stderr: '', interrupted: false, isImage: false, backgroundTaskId: task }, false)]);
      }
      case 'report': {
        const task = `b${digest(`${id}/${each.of}/task`, 8)}`;
        return place(key, [notification(key, `<task-notification>\n<task-id>${task}</task-id>\n<tool-use-id>${callId(each.of)}</tool-use-id>\n<status>completed</status>\n<summary>Background command "${each.description}" completed (exit code 0)</summary>\n</task-notification>`)]);
      }
      case 'interrupt':
        return place(key, [chained(uuidOf(`${id}/${key}/i`), { promptId: prompt_id, type: 'user', message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] }, rowSource: 'harness' })]);
      case 'compact': {
        parent = null;
        chained(uuidOf(`${id}/${key}/c`), { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata: { trigger: 'auto', preTokens: context }, isMeta: false });
        return place(key, [chained(uuidOf(`${id}/${key}/s`), { type: 'user', message: { role: 'user', content: 'This session is being continued from a previous conversation that ran out of context.' }, isCompactSummary: true, isVisibleInTranscriptOnly: true })]);
      }
      case 'resume': {
        // Copies of what is there already, as hosts write them on a resume: the same uuids, so nothing new.
        for (const copy of lines.filter((line) => line.includes('"uuid"')).slice(-4)) {
          lines.push(copy);
          times.push(at);
        }
        return plain({ type: 'permission-mode', permissionMode: 'acceptEdits' });
      }
      case 'end': {
        place(key, [chained(uuidOf(`${id}/${key}/e`), { type: 'system', subtype: 'turn_duration', durationMs: 60_000, isMeta: false })]);
        return plain({ type: 'last-prompt', lastPrompt: 'as above', leafUuid: parent });
      }
    }
  };

  plain({ type: 'ai-title', aiTitle: 'A working session' });
  plain({ type: 'permission-mode', permissionMode: 'acceptEdits' });
  return { step, calls, done: (): Transcript => ({ lines, times, places, session }) };
};

/** The structured copy of a result that the host keeps beside the text. */
const structured = ({ tool, input, output, file }: CallStep): unknown => {
  if (tool === 'Bash') return { stdout: output, stderr: '', interrupted: false, isImage: false };
  if (tool === 'Read') return { type: 'text', file: { filePath: file ?? '', content: output, numLines: output.split('\n').length, startLine: 1, totalLines: 200 } };
  if (tool === 'Edit') {
    const { old_string, new_string } = input;
    const patch = [{ oldStart: 40, oldLines: 3, newStart: 40, newLines: 4, lines: [...String(old_string).split('\n').map((line) => `-${line}`), ...String(new_string).split('\n').map((line) => `+${line}`)] }];
    return { filePath: file ?? '', oldString: old_string, newString: new_string, originalFile: null, structuredPatch: patch, userModified: false, replaceAll: false };
  }
  if (tool === 'Write') return { type: 'create', filePath: file ?? '', content: input['content'], structuredPatch: [], originalFile: null };
  return { type: 'text', text: output };
};

const digest = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);

const uuidOf = (text: string): string => {
  const hex = digest(text, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};
