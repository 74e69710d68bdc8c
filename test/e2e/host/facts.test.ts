// What we rely on in the host, asked of the host itself with a probe plugin. A failure here names the fact that has moved.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHost } from '../../support/describe-host.ts';
import { runHeadless, startHost, toldTo, type Host } from '../../support/host.ts';
import { startWorld, waitUntil, type World } from '../../support/host-world.ts';
import { makeProbePlugin, type ProbePlugin } from '../../support/probe-plugin.ts';

const EVENT_TAG = '<task-notification>';

describeHost('the real host', () => {
  let world: World;
  let probe: ProbePlugin;
  let host: Host;
  let statusRuns: string;

  beforeAll(async () => {
    world = await startWorld({
      script: {
        scenarios: {
          hi: [{ content: ['Running.', { tool: 'Bash', input: { command: 'echo hi', description: 'Say hi' } }] }, { content: ['Ran it.'] }],
          agent: [{ content: [{ tool: 'Agent', input: { description: 'Look around', prompt: '@@inside look', subagent_type: 'general-purpose' } }] }, { content: ['Sent somebody.'] }, { content: ['Heard back.'] }],
          inside: [{ content: [{ tool: 'Bash', input: { command: 'echo inside', description: 'Look' } }] }, { content: ['FACT-REPORT'] }],
          slow: [{ content: ['Waiting.', { tool: 'Bash', input: { command: 'tail -f /dev/null', description: 'Wait' } }] }, { content: ['Never said.'] }],
          refused: [{ error: { status: 400, type: 'invalid_request_error', message: 'FACT-REFUSED' } }],
          fail: [{ content: [{ tool: 'Bash', input: { command: 'ls /nonexistent', description: 'Fail' } }] }, { content: ['It failed.'] }],
        },
        fallback: { content: ['Fine.'] },
      },
    });
    probe = await makeProbePlugin(world);
    statusRuns = join(world.out, 'status');
    writeFileSync(join(world.config, 'settings.json'), JSON.stringify({ statusLine: { type: 'command', command: `echo run >> ${statusRuns}; echo FACT-STATUS`, refreshInterval: 1 }, pluginConfigs: { 'probe@inline': { options: { provider: 'fact-option' } } } }));
    host = await startHost({ world, plugin: probe.plugin });
    await host.waitFor(/1 monitor/);
  });
  afterAll(() => world?.stop());

  test('d: a monitor starts by itself in an interactive session and knows the host as CLAUDE_PID', async () => {
    await waitUntil(() => probe.monitor().length > 0, 10_000, 'the monitor never started');
    const [start] = probe.monitor();
    expect(start?.env?.['CLAUDE_PID']).toBe(String(host.pid));
    expect(start?.cwd).toBe(world.project);
    expect(start?.argv).toEqual([expect.stringContaining('/.claude/plugins/data/probe-inline'), `project=${world.project}`]);
    expect(start?.env).not.toHaveProperty('CLAUDE_PLUGIN_DATA');
  });

  test('j: a monitor inherits the user’s key, and none of the plugin’s options', () => {
    const [start] = probe.monitor();
    expect(start?.has_key).toBe(true);
    expect(Object.keys(start?.env ?? {}).filter((name) => name.startsWith('CLAUDE_PLUGIN_OPTION_'))).toEqual([]);
  });

  test('c: a hook’s arguments have the host’s placeholders replaced, and nothing else; there is no shell', () => {
    const [call] = probe.hooks('SessionStart');
    expect(call?.argv).toEqual(['$0 "$HOME"', call?.env['CLAUDE_PLUGIN_DATA']]);
  });

  test('j: hooks are handed the plugin’s options', () => {
    const [call] = probe.hooks('SessionStart');
    expect(call?.env['CLAUDE_PLUGIN_OPTION_PROVIDER']).toBe('fact-option');
  });

  test('b: context from PostToolUse reaches the next request, its message reaches the screen alone', async () => {
    probe.answer('PostToolUse', {
      times: 1,
      json: { systemMessage: 'FACT-SHOWN to the user', hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'FACT-CONTEXT for the model' } },
    });
    await host.prompt('@@hi please');
    await host.waitFor(/Ran it\./);
    await host.idle();
    const told = toldTo(host.requests().at(-1));
    expect(told.filter((text) => text.includes('PostToolUse:Bash hook additional context: FACT-CONTEXT for the model'))).toHaveLength(1);
    expect(told.join('\n')).not.toContain('FACT-SHOWN');
    expect(await host.scrollback()).toContain('PostToolUse:Bash says: FACT-SHOWN to the user');
  });

  test('a: hooks are handed the session, its transcript and the prompt, and run under the same CLAUDE_PID', () => {
    const call = probe.hooks('PostToolUse').at(-1);
    expect(call?.payload).toMatchObject({ transcript_path: host.transcript(), cwd: world.project, tool_name: 'Bash', tool_response: { stdout: 'hi' } });
    expect(host.transcript()).toContain(String(call?.payload['session_id']));
    expect(call?.payload['prompt_id']).toBe(probe.hooks('UserPromptSubmit').at(-1)?.payload['prompt_id']);
    expect(call?.env).toMatchObject({ CLAUDE_PID: String(host.pid), CLAUDE_CODE_ENTRYPOINT: 'cli' });
    expect(call?.env['CLAUDE_PLUGIN_DATA']).toContain('probe-inline');
  });

  test('e: the transcript proves what a hook put into the context and onto the screen', () => {
    const attachments = JSON.stringify(host.records().filter(({ type }) => type === 'attachment'));
    expect(attachments).toMatch(/"type":"hook_additional_context","content":\["FACT-CONTEXT for the model"\]/);
    expect(attachments).toMatch(/"type":"hook_system_message","content":"FACT-SHOWN to the user"/);
  });

  test('e: records name their parent; a result names its call; usage stands on every block of an answer', () => {
    const records = host.records();
    const uuids = new Set(records.map(({ uuid }) => uuid));
    const spoken = records.filter(({ type }) => type === 'user' || type === 'assistant');
    for (const { uuid, parentUuid, sessionId, timestamp } of spoken) {
      expect(typeof uuid).toBe('string');
      expect(parentUuid === null || uuids.has(parentUuid)).toBe(true);
      expect(host.transcript()).toContain(String(sessionId));
      expect(Date.parse(String(timestamp))).toBeGreaterThan(0);
    }
    const answers = spoken.filter(({ type }) => type === 'assistant').map(({ message }) => message as { id?: string; usage?: object; content: readonly { type: string; id?: string }[] });
    expect(answers.every(({ id, usage }) => id !== undefined && usage !== undefined)).toBe(true);
    const call = answers.flatMap(({ content }) => content).find(({ type }) => type === 'tool_use');
    const result = spoken.find(({ toolUseResult }) => toolUseResult !== undefined);
    expect(result).toMatchObject({ toolUseResult: { stdout: 'hi' }, message: { content: [{ type: 'tool_result', tool_use_id: call?.id }] } });
    expect(probe.hooks('PostToolUse').at(-1)?.payload['tool_use_id']).toBe(call?.id);
  });

  test('b: context from PostToolUseFailure reaches the next request', async () => {
    probe.answer('PostToolUseFailure', { times: 1, json: { hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'FACT-FAILED' } } });
    await host.prompt('@@fail please');
    await host.waitFor(/It failed\./);
    await host.idle();
    expect(toldTo(host.requests().at(-1)).join('\n')).toContain('hook additional context: FACT-FAILED');
    expect(probe.hooks('PostToolUseFailure').at(-1)?.payload).toMatchObject({ tool_name: 'Bash', error: expect.stringContaining('Exit code 2') });
  });

  test('d: a line of the monitor raises UserPromptSubmit, and a block with a reason makes no request', async () => {
    const before = host.requests().length;
    const reason = 'FACT-BLOCKED nothing to say';
    probe.answer('UserPromptSubmit', { when: 'FACT-BELL-1', times: 1, json: { decision: 'block', reason, hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } } });
    probe.say('FACT-BELL-1');
    await host.waitFor(/FACT-BLOCKED/);
    await host.idle();
    const prompt = String(probe.hooks('UserPromptSubmit').at(-1)?.payload['prompt']);
    expect(prompt.startsWith(EVENT_TAG)).toBe(true);
    expect(prompt).toContain(`<summary>Monitor event: "${probe.description}"</summary>`);
    expect(host.requests()).toHaveLength(before);
  });

  test('d: a line of the monitor that is let through wakes an idle session with our context, and shows our message', async () => {
    const before = host.requests().length;
    probe.answer('UserPromptSubmit', {
      when: 'FACT-BELL-2',
      times: 1,
      json: { systemMessage: 'FACT-WOKEN', hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'FACT-WOKEN' } },
    });
    probe.say('FACT-BELL-2');
    await host.waitFor(/says: FACT-WOKEN/);
    await waitUntil(() => host.requests().length > before, 10_000, 'no request after the bell');
    await host.idle();
    expect(host.requests()).toHaveLength(before + 1);
    expect(toldTo(host.requests().at(-1)).join('\n')).toContain('hook additional context: FACT-WOKEN');
  });

  test('b: a typed prompt that is blocked costs no request and the reason is printed', async () => {
    const before = host.requests().length;
    probe.answer('UserPromptSubmit', {
      when: 'FACT-TYPED',
      times: 1,
      json: { decision: 'block', reason: 'FACT-ANSWERED for free', hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } },
    });
    await host.prompt('FACT-TYPED by a human');
    await host.waitFor(/blocked by hook[^]*FACT-ANSWERED for free/);
    await host.idle();
    expect(host.requests()).toHaveLength(before);
    await host.keys('C-u'); // a blocked prompt may stand in the input box again
  });

  test('b: context from Stop continues the turn once and is shown to the user', async () => {
    const before = host.requests().length;
    probe.answer('Stop', { times: 1, json: { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'FACT-UNDONE tests not run' } } });
    await host.prompt('Finish this.');
    await waitUntil(() => host.requests().length >= before + 2, 15_000, 'the turn did not go on');
    await host.idle();
    expect(host.requests()).toHaveLength(before + 2);
    expect(toldTo(host.requests().at(-1)).at(-1)).toContain('Stop hook additional context: FACT-UNDONE tests not run');
    expect(await host.scrollback()).toContain('FACT-UNDONE tests not run');
    expect(probe.hooks('Stop').slice(-2).map(({ payload }) => payload['stop_hook_active'])).toEqual([false, true]);
    expect(probe.hooks('Stop').at(-1)?.payload['background_tasks']).toEqual([expect.objectContaining({ type: 'monitor', description: probe.description })]);
  });

  test('a: inside a subagent hooks name it and the main session; its end brings its report', async () => {
    await host.prompt('@@agent send somebody');
    await host.waitFor(/Heard back\./, 30_000);
    await host.idle();
    const inside = probe.hooks('PostToolUse').at(-1)?.payload;
    expect(inside).toMatchObject({ transcript_path: host.transcript(), agent_type: 'general-purpose', tool_input: { command: 'echo inside' } });
    const ended = probe.hooks('SubagentStop').at(-1)?.payload;
    expect(ended).toMatchObject({ agent_id: inside?.['agent_id'], agent_type: 'general-purpose', last_assistant_message: 'FACT-REPORT' });
  });

  test('a: Esc during a call ends the turn with neither a Stop nor a word of the call; the transcript alone tells', async () => {
    const stops = probe.hooks('Stop').length;
    const calls = [...probe.hooks('PostToolUse'), ...probe.hooks('PostToolUseFailure')].length;
    await host.prompt('@@slow think about it');
    await waitUntil(() => world.processes().some(({ command }) => command.includes('tail -f /dev/null')), 20_000, async () => `not run\n${await host.scrollback()}`);
    await host.keys('Escape');
    await waitUntil(() => host.records().some((record) => JSON.stringify(record).includes('[Request interrupted')), 10_000, async () => `no record\n${await host.scrollback()}`);
    await host.idle();
    expect(probe.hooks('Stop')).toHaveLength(stops);
    expect(probe.hooks('StopFailure')).toHaveLength(0);
    expect([...probe.hooks('PostToolUse'), ...probe.hooks('PostToolUseFailure')]).toHaveLength(calls);
  });

  test('a: a refused request ends the turn with StopFailure and an API error in the transcript', async () => {
    const stops = probe.hooks('Stop').length;
    await host.prompt('@@refused please');
    await waitUntil(() => probe.hooks('StopFailure').length > 0, 20_000, async () => `no StopFailure\n${await host.scrollback()}`);
    await host.idle();
    expect(String(probe.hooks('StopFailure').at(-1)?.payload['last_assistant_message'])).toContain('FACT-REFUSED');
    expect(probe.hooks('Stop')).toHaveLength(stops);
    expect(host.records().findLast(({ type }) => type === 'assistant')).toMatchObject({ isApiErrorMessage: true });
  });

  test('f: a command answered by UserPromptExpansion prints our text whole and costs no request', async () => {
    const before = host.requests().length;
    const reason = Array.from({ length: 12 }, (_, index) => `FACT-LINE-${index}`).join('\n');
    probe.answer('UserPromptExpansion', { times: 1, json: { decision: 'block', reason, hookSpecificOutput: { hookEventName: 'UserPromptExpansion', suppressOriginalPrompt: true } } });
    await host.prompt('/probe:ask something');
    await host.waitFor(/FACT-LINE-0[^]*FACT-LINE-11/);
    await host.idle();
    expect(host.requests()).toHaveLength(before);
    expect(probe.hooks('UserPromptExpansion').at(-1)?.payload).toMatchObject({ command_name: 'probe:ask', command_args: 'something' });
    await host.keys('C-u');
  });

  test('g: the status line runs again every refreshInterval seconds in an idle session', async () => {
    expect(await host.screen()).toContain('FACT-STATUS');
    const runs = (): number => readFileSync(statusRuns, 'utf8').length / 4;
    const before = runs();
    await waitUntil(() => runs() >= before + 3, 10_000, 'the status line is not a timer');
  });

  test('d: /clear changes the session and keeps the monitor', async () => {
    const old = probe.hooks('Stop').at(-1)?.payload['session_id'];
    await host.prompt('/clear');
    await waitUntil(() => probe.hooks('SessionStart').at(-1)?.payload['source'] === 'clear', 10_000, 'no SessionStart after /clear');
    expect(probe.hooks('SessionStart').at(-1)?.payload['session_id']).not.toBe(old);
    expect(probe.hooks('SessionEnd').at(-1)?.payload).toMatchObject({ reason: 'clear', session_id: old });
    expect(probe.monitor().filter(({ event }) => event === 'start')).toHaveLength(1);
  });

  test('d: print mode runs hooks and starts no monitor', async () => {
    const before = probe.hooks('Stop').length;
    const run = await runHeadless('Say something.', { world, plugin: probe.plugin });
    expect(run.code).toBe(0);
    expect(probe.hooks('Stop')).toHaveLength(before + 1);
    expect(probe.monitor().filter(({ event }) => event === 'start')).toHaveLength(1);
  });

  test('d: /exit ends the monitor with SIGTERM, before SessionEnd hooks', async () => {
    const second = await startHost({ world, plugin: probe.plugin });
    await second.waitFor(/1 monitor/);
    await waitUntil(() => probe.monitor().some(({ env }) => env?.['CLAUDE_PID'] === String(second.pid)), 10_000, 'no second monitor');
    await second.exit();
    const { pid } = probe.monitor().find(({ env }) => env?.['CLAUDE_PID'] === String(second.pid)) ?? {};
    const ended = probe.monitor().find((entry) => entry.event === 'SIGTERM' && entry.pid === pid);
    expect(ended).toBeDefined();
    const left = probe.hooks('SessionEnd').find(({ env }) => env['CLAUDE_PID'] === String(second.pid));
    expect(left?.payload['reason']).toBe('prompt_input_exit');
    expect(left?.at).toBeGreaterThanOrEqual(ended?.at ?? Infinity);
  });

  test('d: a host killed hard leaves its monitor behind, unsignalled', async () => {
    host.kill('SIGKILL');
    await waitUntil(() => !host.alive(), 5_000, 'the host survived its SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { pid } = probe.monitor()[0] ?? {};
    expect(world.processes().some((process) => process.pid === pid)).toBe(true);
    expect(probe.monitor().some((entry) => entry.pid === pid && entry.event === 'SIGTERM')).toBe(false);
  });

  test('the harness leaves no process and no folder behind', async () => {
    const { dir } = world;
    const pids = world.processes().map(({ pid }) => pid);
    await world.stop();
    expect(world.processes()).toEqual([]);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(dir)).toBe(false);
  });
});

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
