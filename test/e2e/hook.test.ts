// The built guard and hook as processes: every event with and without mail, faults, races, and odd surroundings.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MONITOR_DESCRIPTION } from '../../src/main/floor/marks.ts';
import { bellLine } from '../../src/main/speak/finish-gate.ts';
import { writeBell } from '../../src/main/speak/bell-file.ts';
import { putMail } from '../../src/main/speak/mailbox-file.ts';
import { writeTurn } from '../../src/main/speak/turn-file.ts';
import type { Advice } from '../../src/main/records.ts';
import { buildHook, makeAdvice, makeTurn, makeWorld, runHook, said, sample, spoolOf, takeLease, type Ran, type World } from '../support/hook-run.ts';

const dist = mkdtempSync(join(tmpdir(), 'sb-dist-'));
let guard = '';
let world: World;

beforeAll(async () => {
  guard = await buildHook(dist);
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.remove());

const REGISTERED = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'SubagentStop', 'Stop', 'StopFailure', 'SessionEnd'];
const SPEAKING = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop']);

const put = (changes: Partial<Advice> = {}): Advice => {
  const advice = makeAdvice(world, changes);
  putMail(world.paths.mailbox(world.session), advice, said(advice));
  return advice;
};

type Options = { readonly env?: Readonly<Record<string, string>>; readonly data?: string; readonly guard?: string; readonly open?: boolean };

const run = (event: string, stdin: string, { env, data, guard: other, open }: Options = {}): Promise<Ran> => runHook(other ?? guard, [data ?? world.data, event], env ?? world.env, stdin, open);

const call = (name: string, changes: Readonly<Record<string, unknown>> = {}, options: Options = {}): Promise<Ran> =>
  run(name.split('.')[0] ?? '', JSON.stringify(sample(name, { session_id: world.session, cwd: world.project, ...changes })), options);

const without = (...names: readonly string[]): Record<string, string> => Object.fromEntries(Object.entries(world.env).filter(([name]) => !names.includes(name)));

type Printed = { systemMessage?: string; decision?: string; reason?: string; hookSpecificOutput?: { hookEventName: string; additionalContext?: string; suppressOriginalPrompt?: boolean } };

/** stdout as the host takes it: nothing, or exactly one object with nothing but known fields, naming its event. */
const strict = ({ code, stdout, stderr }: Ran, event: string): Printed | undefined => {
  expect(code).toBe(0);
  expect(stderr).toBe('');
  if (stdout === '') return undefined;
  const printed = JSON.parse(stdout) as Printed;
  expect(SPEAKING.has(event)).toBe(true);
  expect(Object.keys(printed).every((key) => ['systemMessage', 'hookSpecificOutput', 'decision', 'reason'].includes(key))).toBe(true);
  if (printed.hookSpecificOutput !== undefined) expect(printed.hookSpecificOutput.hookEventName).toBe(event);
  expect(stdout.length).toBeLessThan(10_000);
  return printed;
};

describe('the bundle', () => {
  test('is at most 20 kB and requires nothing but built-ins', () => {
    const text = readFileSync(join(dist, 'hook.cjs'), 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
    expect([...text.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name).filter((name) => name?.startsWith('node:') !== true)).toEqual([]);
  });
});

describe('every sample payload', () => {
  const names = readdirSync('test/fixtures/hooks').map((name) => name.replace(/\.json$/, '')).filter((name) => REGISTERED.includes(name.split('.')[0] ?? ''));

  test.each(names)('A6: %s without mail prints nothing', async (name) => {
    takeLease(world);
    expect(strict(await call(name), name.split('.')[0] ?? '')).toBeUndefined();
  });

  test.each(names)('A2: %s with mail prints nothing or one valid answer of its own event', async (name) => {
    takeLease(world);
    const event = name.split('.')[0] ?? '';
    writeTurn(world.paths.turn(world.session), makeTurn());
    const advice = put();
    const printed = strict(await call(name), event);
    const drains = ['PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'].includes(event) && !name.includes('subagent');
    expect(printed).toEqual(drains ? { systemMessage: said(advice).user, hookSpecificOutput: { hookEventName: event, additionalContext: said(advice).agent } } : undefined);
  });

  test.each(REGISTERED)('A6: %s with empty, broken, foreign and 5 MB stdin stays silent', async (event) => {
    put();
    const huge = JSON.stringify({ hook_event_name: 'Nothing', tool_response: 'x'.repeat(5_000_000) });
    for (const stdin of ['', '{', 'null', '[]', '"text"', '{"hook_event_name":"Stop2"}', huge, `${JSON.stringify(sample('Stop'))}{}`]) {
      expect(strict(await run(event, stdin), event)).toBeUndefined();
    }
  });

  test('A6: a 5 MB tool result does not keep the mail back', async () => {
    put();
    const printed = strict(await call('PostToolUse.Bash', { tool_response: { stdout: 'é'.repeat(2_500_000) } }), 'PostToolUse');
    expect(printed?.systemMessage).toContain('sb-abcd1234');
  });
});

describe('a host that leaves stdin open', () => {
  const SAMPLES: Readonly<Record<string, string>> = { SessionStart: 'SessionStart.resume', UserPromptSubmit: 'UserPromptSubmit', PostToolUse: 'PostToolUse.Bash', PostToolUseFailure: 'PostToolUseFailure.Bash', SubagentStop: 'SubagentStop', Stop: 'Stop', StopFailure: 'StopFailure', SessionEnd: 'SessionEnd.clear' };
  const textOf = (event: string): string => JSON.stringify(sample(SAMPLES[event] ?? '', { session_id: world.session, cwd: world.project }));

  test('A6: the end of the document is enough, with a newline behind it or none: each event does what it does', async () => {
    takeLease(world);
    writeTurn(world.paths.turn(world.session), makeTurn());
    for (const event of REGISTERED) {
      put({ finish_gate: true, human_only: event === 'SessionStart', id: `sb-0000000${REGISTERED.indexOf(event)}` });
      const printed = strict(await run(event, `${textOf(event)}${event === 'Stop' ? '\n' : ''}`, { open: true }), event);
      expect(printed !== undefined).toBe(SPEAKING.has(event));
      rmSync(join(world.paths.mailbox(world.session), 'new'), { recursive: true });
    }
    expect(spoolOf(world).map(({ event }) => event)).toEqual(REGISTERED.filter((event) => event !== 'PostToolUse'));
  });

  test('A6: with half a document, or nothing, each event ends by itself and says nothing', async () => {
    put();
    const texts = REGISTERED.flatMap((event) => ['', textOf(event).slice(0, 100)].map((text) => ({ event, text })));
    const runs = await Promise.all(texts.map(async ({ event, text }) => ({ event, ran: await run(event, text, { open: true }) })));
    for (const { event, ran } of runs) expect(strict(ran, event)).toBeUndefined();
    expect(readdirSync(join(world.paths.mailbox(world.session), 'new'))).toHaveLength(1);
  }, 60_000);

  test('A6: a prompt’s hook ends by itself where it has nothing to do, too', async () => {
    expect(strict(await run('UserPromptSubmit', '', { open: true, env: { ...world.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } }), 'UserPromptSubmit')).toBeUndefined();
  }, 60_000);

  test('A6: 5 MB that end in braces again and again are read to their end', async () => {
    put();
    const braces = { stdout: Array.from({ length: 2000 }, (_, n) => ({ n, text: '}'.repeat(2500) })) };
    const printed = strict(await run('PostToolUse', JSON.stringify(sample('PostToolUse.Bash', { session_id: world.session, cwd: world.project, tool_response: { stdout: '}'.repeat(100), more: braces } })), {}), 'PostToolUse');
    expect(printed?.systemMessage).toContain('sb-abcd1234');
  });

  test('A6: 5 MB with stdin left open still bring the mail', async () => {
    put();
    const printed = strict(await call('PostToolUse.Bash', { tool_response: { stdout: 'é'.repeat(2_500_000) } }, { open: true }), 'PostToolUse');
    expect(printed?.systemMessage).toContain('sb-abcd1234');
  });

  test('A6: 40 MB are read to the end and not looked at, whether stdin is closed or not', async () => {
    put();
    const huge = { tool_response: { stdout: 'x'.repeat(40_000_000) } };
    for (const open of [false, true]) expect(strict(await call('PostToolUse.Bash', huge, { open }), 'PostToolUse')).toBeUndefined();
    expect(readdirSync(join(world.paths.mailbox(world.session), 'new'))).toHaveLength(1);
  }, 60_000);
});

describe('delivery', () => {
  test('the agent and the user get the same words, once', async () => {
    const advice = put();
    const first = strict(await call('PostToolUse.Bash'), 'PostToolUse');
    expect(first?.systemMessage?.startsWith(first.hookSpecificOutput?.additionalContext ?? '-')).toBe(true);
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')).toBeUndefined();
    const [claimed] = readdirSync(join(world.paths.mailbox(world.session), 'claimed'));
    expect(claimed).toMatch(new RegExp(`^${advice.id}\\.PostToolUse\\.toolu_[A-Za-z0-9]+\\.\\d+$`));
  });

  test('A4: of two drains at the same moment one prints', async () => {
    put();
    const runs = await Promise.all([call('PostToolUse.Bash'), call('PostToolUse.Bash')]);
    expect(runs.filter((ran) => strict(ran, 'PostToolUse') !== undefined)).toHaveLength(1);
  });

  test('of 100 racing drains exactly one prints each advisory', async () => {
    for (const id of ['sb-aaaaaaa1', 'sb-aaaaaaa2', 'sb-aaaaaaa3']) put({ id });
    const runs: Ran[] = [];
    for (let batch = 0; batch < 5; batch += 1) runs.push(...(await Promise.all(Array.from({ length: 20 }, () => call('PostToolUse.Bash')))));
    const all = runs.map((ran) => strict(ran, 'PostToolUse')?.hookSpecificOutput?.additionalContext ?? '').join('\n');
    for (const id of ['sb-aaaaaaa1', 'sb-aaaaaaa2', 'sb-aaaaaaa3']) expect(all.split(id)).toHaveLength(2);
  });

  test('B5: a subagent’s hook claims nothing', async () => {
    put();
    expect(strict(await call('PostToolUse.subagent.Bash'), 'PostToolUse')).toBeUndefined();
    expect(readdirSync(join(world.paths.mailbox(world.session), 'new'))).toHaveLength(1);
  });

  test('a prompt typed into a running turn claims nothing, the next turn’s does', async () => {
    takeLease(world);
    strict(await call('UserPromptSubmit', { prompt_id: 'p1' }), 'UserPromptSubmit');
    put();
    expect(strict(await call('UserPromptSubmit', { prompt_id: 'p1' }), 'UserPromptSubmit')).toBeUndefined();
    expect(strict(await call('UserPromptSubmit', { prompt_id: 'p2' }), 'UserPromptSubmit')?.systemMessage).toContain('sb-abcd1234');
  });

  test('what is for the user alone never reaches the agent', async () => {
    put({ human_only: true });
    const printed = strict(await call('PostToolUseFailure.Bash'), 'PostToolUseFailure');
    expect(printed?.systemMessage).toContain('sb-abcd1234');
    expect(printed?.hookSpecificOutput).toBeUndefined();
  });

  test('a mute in either layer holds at once', async () => {
    put();
    writeFileSync(world.paths.config, JSON.stringify({ mute: { all: true } }));
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')).toBeUndefined();
    rmSync(world.paths.config);
    mkdirSync(dirname(world.paths.workspaceConfig(world.project)), { recursive: true });
    writeFileSync(world.paths.workspaceConfig(world.project), JSON.stringify({ mute: { all: true } }));
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')).toBeUndefined();
    rmSync(world.paths.workspaceConfig(world.project));
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')).toBeDefined();
  });

  test('a damaged mail file is set aside and the others are said', async () => {
    put();
    writeFileSync(join(world.paths.mailbox(world.session), 'new', 'aa'), '{"advice":{"id":7}}');
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')?.systemMessage).toContain('sb-abcd1234');
    expect(readdirSync(join(world.paths.mailbox(world.session), 'bad'))).toEqual(['aa']);
  });

  test('a digest says first which of its files have gone, within its cap', async () => {
    const here = join(world.project, 'here.ts');
    writeFileSync(here, '');
    const told = async (cites: readonly string[] | undefined, text = 'Goal: a counter.'): Promise<string | undefined> => {
      mkdirSync(dirname(world.paths.digest(world.session)), { recursive: true });
      writeFileSync(world.paths.digest(world.session), JSON.stringify({ v: 1, text, at: 1, cites }));
      return strict(await call('SessionStart.resume'), 'SessionStart')?.systemMessage;
    };
    const gone = [here, join(world.project, 'gone.ts')];
    expect(await told([here])).toBe('Goal: a counter.');
    expect(await told(undefined)).toBe('Goal: a counter.');
    expect(await told(gone)).toBe(`No longer there: ${world.project}/gone.ts\nGoal: a counter.`);
    expect((await told(gone, 'x'.repeat(1200)))?.length).toBe(1200);
  });

  test('a resumed session is told its digest once, and only at a resume', async () => {
    mkdirSync(dirname(world.paths.digest(world.session)), { recursive: true });
    writeFileSync(world.paths.digest(world.session), JSON.stringify({ text: 'Goal: a counter.', at: Date.now() }));
    expect(strict(await call('SessionStart.startup'), 'SessionStart')).toBeUndefined();
    expect(strict(await call('SessionStart.resume'), 'SessionStart')).toEqual({ systemMessage: 'Goal: a counter.', hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Goal: a counter.' } });
    expect(strict(await call('SessionStart.resume'), 'SessionStart')).toBeUndefined();
  });
});

describe('the finish gate', () => {
  const worthy: Partial<Advice> = { finish_gate: true, confidence: 0.9 };
  const bellPrompt = (nonce: string): string => `<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: "Second Brain watcher"</summary>\n<event>${bellLine(nonce)}</event>\n</task-notification>`;

  test('continues a turn once, by context alone, and counts it first', async () => {
    takeLease(world);
    writeTurn(world.paths.turn(world.session), makeTurn());
    const advice = put(worthy);
    expect(strict(await call('Stop'), 'Stop')).toEqual({ hookSpecificOutput: { hookEventName: 'Stop', additionalContext: said(advice).agent } });
    expect(existsSync(world.paths.gateCount('task-1', 1))).toBe(true);
    put({ ...worthy, id: 'sb-bbbbbbb2' });
    for (let again = 0; again < 5; again += 1) expect(strict(await call('Stop'), 'Stop')).toBeUndefined();
  });

  test('A4: two Stop hooks at once continue the turn once', async () => {
    takeLease(world);
    writeTurn(world.paths.turn(world.session), makeTurn());
    put(worthy);
    put({ ...worthy, id: 'sb-bbbbbbb2' });
    const runs = await Promise.all([call('Stop'), call('Stop')]);
    expect(runs.filter((ran) => strict(ran, 'Stop') !== undefined)).toHaveLength(1);
  });

  test('stays shut without a living monitor, while work goes on, when nobody sits there', async () => {
    writeTurn(world.paths.turn(world.session), makeTurn());
    put(worthy);
    expect(strict(await call('Stop'), 'Stop')).toBeUndefined();
    takeLease(world);
    expect(strict(await call('Stop.background-work'), 'Stop')).toBeUndefined();
    expect(strict(await call('Stop.after-block'), 'Stop')).toBeUndefined();
    expect(strict(await call('Stop', {}, { env: { ...world.env, CLAUDE_CODE_SESSION_ATTENDED: '0' } }), 'Stop')).toBeUndefined();
    expect(strict(await call('Stop'), 'Stop')).toBeDefined();
  });

  test('our bell wakes an idle session with both sides’ words', async () => {
    takeLease(world);
    writeTurn(world.paths.turn(world.session), makeTurn({ state: 'idle' }));
    writeBell(world.paths.bell(String(process.pid)), { nonce: 'k3x9', at: Date.now() });
    const advice = put(worthy);
    const runs = await Promise.all([call('UserPromptSubmit', { prompt: bellPrompt('k3x9'), prompt_id: 'p9' }), call('UserPromptSubmit', { prompt: bellPrompt('k3x9'), prompt_id: 'p9' })]);
    const printed = runs.map((ran) => strict(ran, 'UserPromptSubmit')).filter((answer) => answer !== undefined);
    expect(printed).toEqual([{ systemMessage: said(advice).user, hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: said(advice).agent } }]);
    expect(spoolOf(world).map(({ origin }) => origin)).toEqual(['bell']);
  });

  test('a bell with nothing left to say is blocked with a sentence, and sends no signal', async () => {
    takeLease(world);
    writeTurn(world.paths.turn(world.session), makeTurn({ state: 'idle' }));
    writeBell(world.paths.bell(String(process.pid)), { nonce: 'k3x9', at: Date.now() });
    const printed = strict(await call('UserPromptSubmit', { prompt: bellPrompt('k3x9') }), 'UserPromptSubmit');
    expect(printed).toMatchObject({ decision: 'block', hookSpecificOutput: { suppressOriginalPrompt: true } });
    expect(printed?.reason).toMatch(/^Second Brain: /);
    expect(spoolOf(world)).toEqual([]);
  });

  test('the end of our own monitor is told to the person and costs no turn; that of another is none of ours', async () => {
    const ended = (sample('UserPromptSubmit.monitor-ended')['prompt'] as string).replace('Probe monitor', MONITOR_DESCRIPTION);
    const printed = strict(await call('UserPromptSubmit', { prompt: ended }), 'UserPromptSubmit');
    expect(printed?.decision).toBe('block');
    expect(printed?.reason).toMatch(/^Second Brain is not watching: no monitor runs/);
    expect(spoolOf(world)).toEqual([]);
    expect(strict(await call('UserPromptSubmit', { prompt: `What does ${ended} mean?` }), 'UserPromptSubmit')).toBeUndefined();
  });

  test('no other notification is taken for the bell', async () => {
    takeLease(world);
    put(worthy);
    for (const name of ['UserPromptSubmit.monitor-event', 'UserPromptSubmit.monitor-ended', 'UserPromptSubmit.task-notification']) expect(strict(await call(name), 'UserPromptSubmit')?.decision).toBeUndefined();
  });
});

describe('signals', () => {
  test('each event but PostToolUse reports one line, redacted and capped', async () => {
    for (const name of ['SessionStart.startup', 'UserPromptSubmit', 'PostToolUse.Bash', 'PostToolUseFailure.Bash', 'SubagentStop', 'SubagentStop.compaction', 'StopFailure', 'SessionEnd.other']) await call(name);
    const secret = `sk-ant-${'api03-abcdefghijklmnop'.repeat(2)}`;
    await call('Stop', { last_assistant_message: `${secret} ${'long '.repeat(5000)}` });
    const spool = spoolOf(world);
    expect(spool.map(({ event }) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'PostToolUseFailure', 'SubagentStop', 'StopFailure', 'SessionEnd', 'Stop']);
    expect(spool.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined, undefined, 'unknown', 'other', undefined]);
    const stop = spool.at(-1);
    expect(String(stop?.['last_text'])).toMatch(/^\[redacted:anthropic [0-9a-f]{4}\] long/);
    expect(String(stop?.['last_text']).length).toBeLessThanOrEqual(16_000);
    expect(stop).toMatchObject({ v: 1, session: world.session, stop_hook_active: false, attended: true, background: [{ id: 'bp3ilthh1', type: 'monitor' }] });
    expect(JSON.stringify(spool)).not.toContain('Traceback'); // no tool output, failures included
  });

  test('an unread spool stops at 1 MB', async () => {
    const path = world.paths.spool(String(process.pid));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${'x'.repeat(1_000_000)}\n`);
    await call('Stop');
    expect(statSync(path).size).toBe(1_000_001);
  });

  test('plugin options travel with the prompt', async () => {
    await call('UserPromptSubmit', {}, { env: { ...world.env, CLAUDE_PLUGIN_OPTION_provider: 'local', CLAUDE_PLUGIN_OPTION_MODEL: 'm' } });
    expect(spoolOf(world)[0]).toMatchObject({ provider: 'local', model: 'm', origin: 'human' });
  });

  test('SessionEnd ends with its payload, though stdin stays open', async () => {
    expect(strict(await call('SessionEnd.clear', {}, { open: true }), 'SessionEnd')).toBeUndefined();
    expect(spoolOf(world)).toMatchObject([{ event: 'SessionEnd', reason: 'clear' }]);
  });

  test('that no monitor has come is said once per host', async () => {
    const path = world.paths.prompts(String(process.pid));
    await call('UserPromptSubmit', { prompt_id: 'p1' });
    writeFileSync(path, `${Date.now() - 31_000} p1\n`);
    const runs = await Promise.all([call('UserPromptSubmit', { prompt_id: 'p2' }), call('Stop')]);
    expect(runs.filter(({ stdout }) => stdout.includes('not watching'))).toHaveLength(1);
    expect((await call('Stop')).stdout).toBe('');
    takeLease(world);
    rmSync(join(world.data, 'said'), { recursive: true });
    expect((await call('Stop')).stdout).toBe('');
  });
});

describe('enrolment', () => {
  const files = (): readonly string[] => readdirSync(world.data, { recursive: true, encoding: 'utf8' });

  test.each([
    ['the default', { enable: { default: false } }],
    ['its own entry', () => ({ enable: { workspaces: { [world.project]: false } } })],
    ['a file that cannot be read', '{"enable":'],
  ])('a workspace switched off by %s leaves no trace', async (_, config) => {
    const value = typeof config === 'function' ? config() : config;
    writeFileSync(world.paths.config, typeof value === 'string' ? value : JSON.stringify(value));
    const before = files();
    for (const name of ['SessionStart.startup', 'UserPromptSubmit', 'PostToolUseFailure.Bash', 'Stop', 'SessionEnd.other']) expect((await call(name)).stdout).toBe('');
    expect(files()).toEqual(before);
  });

  test('the environment switches a workspace off, and none on that its user has switched off', async () => {
    const under = async (user: boolean, word: string): Promise<number> => {
      rmSync(world.paths.spool(String(process.pid)), { force: true });
      writeFileSync(world.paths.config, JSON.stringify({ enable: { default: user } }));
      await call('Stop', {}, { env: { ...world.env, SECOND_BRAIN_ENABLE_DEFAULT: word } });
      return spoolOf(world).length;
    };
    expect([await under(true, 'false'), await under(false, 'true'), await under(true, 'true')]).toEqual([0, 0, 1]);
  });

  test('a configuration that an editor has saved with a byte order mark counts', async () => {
    writeFileSync(world.paths.config, `\uFEFF${JSON.stringify({ enable: { workspaces: { [world.project]: true } } })}\r\n`);
    put();
    expect(strict(await call('PostToolUse.Bash'), 'PostToolUse')?.systemMessage).toContain('sb-abcd1234');
    writeFileSync(world.paths.config, `\uFEFF${JSON.stringify({ mute: { all: true } })}`);
    put();
    expect((await call('PostToolUse.Bash')).stdout).toBe('');
  });

  test('an entry for the repository’s real path wins over the default', async () => {
    mkdirSync(join(world.project, '.git'));
    mkdirSync(join(world.project, 'deep'));
    symlinkSync(join(world.project, 'deep'), join(world.root, 'link'));
    writeFileSync(world.paths.config, JSON.stringify({ enable: { default: false, workspaces: { [world.project]: true } } }));
    await call('Stop', {}, { env: { ...world.env, CLAUDE_PROJECT_DIR: join(world.root, 'link') } });
    expect(spoolOf(world)).toHaveLength(1);
  });

  test.each([[{ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }], [{ SECOND_BRAIN_FORK: '1' }]])('under %o a hook does nothing', async (extra: Record<string, string>) => {
    put();
    const before = files();
    for (const name of ['UserPromptSubmit', 'PostToolUse.Bash', 'Stop']) expect((await call(name, {}, { env: { ...world.env, ...extra } })).stdout).toBe('');
    expect(files()).toEqual(before);
  });
});

describe('commands', () => {
  beforeEach(() => {
    writeFileSync(join(dist, 'command.cjs'), 'const a=process.argv.slice(2);if(a[6]==="why")process.exit(3);if(a[6]==="stats"){console.error("second-brain: no disk");process.exit(70);}if(a[6]==="report")setInterval(()=>{},1000);else console.log(JSON.stringify(a));');
  });

  test('a command is answered without a turn and without a signal, even where nothing is watched', async () => {
    writeFileSync(world.paths.config, JSON.stringify({ enable: { default: false } }));
    const printed = strict(await call('UserPromptSubmit', { prompt: '/second-brain:second-brain-config set model.name "a b" --global' }), 'UserPromptSubmit');
    expect(printed).toMatchObject({ decision: 'block', hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } });
    expect(JSON.parse(printed?.reason?.replace(/^Second Brain\n/, '') ?? '')).toEqual(['--data', world.data, '--session', world.session, '--cwd', world.project, 'config', 'set', 'model.name', 'a b', '--global']);
    expect(spoolOf(world)).toEqual([]);
  });

  test('a command that fails or hangs is answered too, with what it said of it', async () => {
    expect(strict(await call('UserPromptSubmit', { prompt: '/second-brain-why' }), 'UserPromptSubmit')?.reason).toBe('Second Brain\nwhy gave no answer.');
    expect(strict(await call('UserPromptSubmit', { prompt: '/second-brain-report' }), 'UserPromptSubmit')?.reason).toBe('Second Brain\nreport gave no answer.');
    expect(strict(await call('UserPromptSubmit', { prompt: '/second-brain-stats' }), 'UserPromptSubmit')?.reason).toBe('Second Brain\nsecond-brain: no disk');
  });

  test.each(['/second-brain:second-brain-other', '/other:second-brain-stats', 'second-brain-stats', '/second-brain-statsx', 'see /second-brain-stats'])('%s is a prompt like any other', async (prompt) => {
    expect(strict(await call('UserPromptSubmit', { prompt }), 'UserPromptSubmit')).toBeUndefined();
    expect(spoolOf(world)).toHaveLength(1);
  });
});

describe('surroundings', () => {
  test('A9: without node one message at SessionStart, then silence', async () => {
    const bare = join(world.root, 'bin');
    mkdirSync(bare);
    for (const tool of ['cat', 'mkdir', 'sh']) symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(bare, tool));
    // The guard also looks in fixed places, where this machine may have a node: a copy without them stands for one that has not.
    const bareDist = join(world.root, 'dist');
    mkdirSync(bareDist);
    writeFileSync(join(bareDist, 'guard.sh'), readFileSync(guard, 'utf8').replaceAll(/ \/(?:usr|opt|snap|run)\/\S*node\b/g, ''));
    const options: Options = { env: { ...world.env, PATH: bare }, guard: join(bareDist, 'guard.sh') };
    put();
    const first = await Promise.all([call('SessionStart.startup', {}, options), call('SessionStart.startup', {}, options)]);
    const spoken = first.filter((ran) => strict(ran, 'SessionStart') !== undefined);
    expect(spoken).toHaveLength(1);
    expect(Object.keys(JSON.parse(spoken[0]?.stdout ?? '{}') as object)).toEqual(['systemMessage']);
    for (const name of ['SessionStart.clear', 'UserPromptSubmit', 'PostToolUse.Bash', 'Stop', 'SessionEnd.other']) expect(strict(await call(name, {}, options), name.split('.')[0] ?? '')).toBeUndefined();
  });

  test('A9: a monitor without node neither exits, which would wake the model, nor speaks', async () => {
    const bare = join(world.root, 'bin');
    mkdirSync(bare);
    symlinkSync(execFileSync('/bin/sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(), join(bare, 'sleep'));
    const bareGuard = join(world.root, 'guard.sh');
    writeFileSync(bareGuard, readFileSync(guard, 'utf8').replaceAll(/ \/(?:usr|opt|snap|run)\/\S*node\b/g, ''));
    const child = spawn('/bin/sh', [bareGuard, world.data, 'monitor', world.root], { env: { ...world.env, PATH: bare }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    const ended = new Promise((resolve) => child.on('exit', resolve));
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500, 'alive'))])).toBe('alive');
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
    expect(output).toBe('');
  });

  test.each([['v20.18.3', false], ['v20.19.0', true], ['v20.20.2', true], ['v21.7.3', false], ['v22.2.0', false], ['v22.3.0', true], ['v22.14.0', true], ['v24.0.0', true], ['', false]])('A9: a node that says %j starts a monitor: %s; else the guard stays, silent', async (version, starts) => {
    const bin = join(world.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'node'), `#!/bin/sh\n[ "$1" = --version ] && echo '${version}' || echo "started $2"\n`, { mode: 0o755 });
    const child = spawn('/bin/sh', [guard, world.data, 'monitor', world.root], { env: { ...world.env, PATH: `${bin}:${world.env['PATH'] ?? ''}`, CLAUDE_PID: String(process.pid) }, cwd: world.project, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    const ended = new Promise((resolve) => child.on('close', resolve));
    const first = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, starts ? 20_000 : 500, 'alive'))]);
    if (first === 'alive') process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
    expect(first).toBe(starts ? 0 : 'alive');
    expect(output).toBe(starts ? `started ${join(dist, 'monitor.cjs')}\n` : '');
  });

  test('what the project itself calls node is not started while there is another', async () => {
    const bin = join(world.project, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'node'), `#!/bin/sh\necho ran >'${join(world.root, 'ran')}'\n`, { mode: 0o755 });
    symlinkSync(bin, join(world.root, 'link'));
    const nvm = join(world.project, 'nvm/versions/node/v99.0.0/bin');
    mkdirSync(nvm, { recursive: true });
    cpSync(join(bin, 'node'), join(nvm, 'node'));
    for (const path of [bin, relative(process.cwd(), bin), `/${bin}`, `${world.project}/../project/bin`, `${world.root}/./project/bin/`, join(world.root, 'link'), `/usr/bin/../..${bin}`]) {
      put();
      const ran = await call('PostToolUse.Bash', {}, { env: { ...world.env, PATH: `${path}:${world.env['PATH'] ?? ''}:/usr/bin:/bin`, NVM_DIR: join(world.project, 'nvm') } });
      expect(existsSync(join(world.root, 'ran'))).toBe(false);
      expect(ran.code).toBe(0);
    }
    // As the host starts it: in the project.
    put();
    const env = { ...world.env, PATH: `/proc/self/cwd/bin:${world.env['PATH'] ?? ''}:/usr/bin:/bin` };
    execFileSync('/bin/sh', [guard, world.data, 'PostToolUse'], { cwd: world.project, env, input: '{}' });
    expect(existsSync(join(world.root, 'ran'))).toBe(false);
  });

  test('no program of the project’s runs in place of the system’s', async () => {
    const bin = join(world.project, 'bin');
    mkdirSync(bin);
    for (const name of ['cat', 'timeout', 'mkdir', 'sleep']) writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>'${join(world.root, 'ran')}'\n`, { mode: 0o755 });
    const old = join(world.root, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\nexit 42\n', { mode: 0o755 });
    const env = { ...world.env, PATH: `${bin}:${old}:/usr/bin:/bin` };
    await runHook(guard, [world.data, 'UserPromptSubmit'], { ...env, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, '{}');
    expect((await runHook(guard, [world.data, 'SessionStart'], env, '{}')).stdout).toContain('Second Brain is asleep');
    expect(existsSync(join(world.root, 'ran'))).toBe(false);
  });

  test('nothing that a project sets for node is loaded or written', async () => {
    const modules = join(world.project, 'modules');
    mkdirSync(join(modules, 'theirs'), { recursive: true });
    writeFileSync(join(modules, 'theirs', 'index.js'), `require('fs').writeFileSync(${JSON.stringify(join(world.root, 'ran'))}, '')`);
    const other = join(world.root, 'dist');
    cpSync(dist, other, { recursive: true });
    writeFileSync(join(other, 'hook.cjs'), `try { require('theirs') } catch { require('fs').writeFileSync(${JSON.stringify(join(world.root, 'tried'))}, '') }`);
    const env = { ...world.env, NODE_PATH: modules, NODE_OPTIONS: '--require theirs', NODE_V8_COVERAGE: join(world.root, 'coverage') };
    await runHook(join(other, 'guard.sh'), [world.data, 'Stop'], env, '{}');
    expect(['ran', 'coverage', 'tried'].map((name) => existsSync(join(world.root, name)))).toEqual([false, false, true]);
  });

  test('A9: node is found where a version manager put it', async () => {
    const bin = join(world.env['HOME'] ?? '', '.nvm/versions/node/v22.1.0/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(join(bin, 'node'), 0o755);
    const bare = join(world.root, 'bin');
    mkdirSync(bare);
    for (const tool of ['cat', 'mkdir']) symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(bare, tool));
    put();
    expect(strict(await call('PostToolUse.Bash', {}, { env: { ...world.env, PATH: bare } }), 'PostToolUse')).toBeDefined();
  });

  test('A10: a plugin and a project under `a b/ü\'x "$(q)` work', async () => {
    world.remove();
    world = makeWorld('a b/ü\'x "$(q) `w`');
    const odd = join(world.root, 'plugin');
    mkdirSync(odd);
    const oddGuard = await buildHook(odd);
    put();
    expect(strict(await call('PostToolUse.Bash', {}, { guard: oddGuard }), 'PostToolUse')).toBeDefined();
    await call('Stop', {}, { guard: oddGuard });
    expect(spoolOf(world)).toHaveLength(1);
  });

  test.each(['', 'hook.cjs', 'guard.sh'])('A11: with dist/%s gone under a running session hooks read their input and say nothing', async (name) => {
    const gone = join(world.root, 'gone');
    const goneGuard = await buildHook(gone);
    rmSync(join(gone, name), { recursive: true });
    for (const event of ['SessionStart.startup', 'UserPromptSubmit', 'Stop']) expect(await call(event, {}, { guard: goneGuard })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(['', '${CLAUDE_PLUGIN_DATA}'])('A12: with the data argument %j the variable names the same folder', async (data) => {
    put();
    expect(strict(await call('PostToolUse.Bash', {}, { data }), 'PostToolUse')).toBeDefined();
  });

  test('A12: with neither, the newest data folder of the host is taken', async () => {
    world.remove();
    world = makeWorld('home2/.claude/plugins/data');
    const old = join(world.root, 'second-brain-inline');
    const current = join(world.root, 'second-brain-market');
    mkdirSync(old);
    mkdirSync(current);
    utimesSync(old, 1, 1);
    await call('Stop', {}, { data: '', env: { ...without('CLAUDE_PLUGIN_DATA'), HOME: join(world.root, '../../..') } });
    expect(readdirSync(current)).toEqual(['hosts']);
    expect(readdirSync(old)).toEqual([]);
  });

  test.each(['CLAUDE_PROJECT_DIR', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_SESSION_ATTENDED', 'HOME'])('A12: without %s the mail still arrives', async (name) => {
    put();
    expect(strict(await call('PostToolUse.Bash', {}, { env: without(name) }), 'PostToolUse')).toBeDefined();
  });

  test('A12: without CLAUDE_PID the session stands for the host', async () => {
    put({ host_pid: 0 });
    const env = without('CLAUDE_PID');
    expect(strict(await call('PostToolUse.Bash', {}, { env }), 'PostToolUse')).toBeDefined();
    await call('Stop', {}, { env });
    expect(existsSync(world.paths.spool(`s-${world.session}`))).toBe(true);
  });

  test('A5: a shell profile that prints does not reach our answer', async () => {
    put();
    const profile = join(world.root, 'home', '.profile');
    writeFileSync(profile, 'echo noise\n');
    expect(strict(await call('PostToolUse.Bash', {}, { env: { ...world.env, ENV: profile, BASH_ENV: profile } }), 'PostToolUse')).toBeDefined();
  });

  test('a folder that cannot be written keeps the hook silent and successful', async () => {
    writeFileSync(join(world.data, 'hosts'), 'not a folder');
    expect(strict(await call('Stop'), 'Stop')).toBeUndefined();
  });

  test('files are 0600 and folders 0700', async () => {
    await call('UserPromptSubmit');
    expect(statSync(world.paths.spool(String(process.pid))).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(world.paths.spool(String(process.pid)))).mode & 0o777).toBe(0o700);
  });
});
