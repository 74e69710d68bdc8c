// One session into which every kind of secret is put by every way in, watched by the built plugin with a model that repeats
// what it reads. Afterwards no file, request, answer, report or capture may hold a piece of any of them.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advise, answerTo, ask, cite, silent, type Rule } from '../support/competent-model.ts';
import { makeWorld, runHook, type World } from '../support/hook-run.ts';
import { openModelServer, type ModelServer } from '../support/model-server.ts';
import { body, TOKENS } from '../support/secrets.ts';

const DIST = resolve('plugin/dist');
/** Ours, which goes nowhere but into the header of a request. */
const OWN_KEY = `sk-ant-${'own'}-${body(40, undefined, 11)}`;
const NAMED: readonly (readonly [text: string, secret: string])[] = [
  ['DB_PASSWORD=Vq8zKw3rTn5x', 'Vq8zKw3rTn5x'],
  ['{"client_secret": "Wd4pLs9mQy2b"}', 'Wd4pLs9mQy2b'],
  ['curl -H "Authorization: Bearer Jt6vXc1nRf7h"', 'Jt6vXc1nRf7h'],
  ['postgres://app:Gk2sZb8wMd5e@db/shop', 'Gk2sZb8wMd5e'],
  ['curl -u admin:Pn7jHy4tCv9a http://x', 'Pn7jHy4tCv9a'],
  ['Cookie: sid=Xe3uLq6gBs1k; theme=dark', 'Xe3uLq6gBs1k'],
  ['deploy --api-key=Rb5yFm2oDw8z', 'Rb5yFm2oDw8z'],
];
const ALL = [...TOKENS.map(([, token]) => token), ...NAMED.map(([text]) => text)];
const EVERYTHING = ALL.join('\n');
/** Names of files hold no line ends and no slashes. */
const IN_NAMES = TOKENS.map(([, token]) => token).filter((token) => /^[\w.-]+$/.test(token));

/** Any ten characters of a secret's own part in a row: what a cut may leave of it counts as well. */
const PIECES: ReadonlySet<string> = new Set(
  [...TOKENS.map(([, token]) => token.replace(/-----[A-Z ]+-----/g, '').replace(/^(?:sk-ant-api03-|sk-proj-|github_pat_|xoxb-|sk_live_|dop_v1_|pypi-|\w{2,5}[-_])/, '')), ...NAMED.map(([, secret]) => secret), OWN_KEY.slice(11)].flatMap((secret) =>
    [...secret.replaceAll('\n', ' ')].slice(9).map((_, at) => secret.slice(at, at + 10)).filter((piece) => piece.length === 10 && /^\S+$/.test(piece))),
);
const pieceIn = (text: string): string | undefined => {
  for (let at = 0; at + 10 <= text.length; at += 1) {
    const piece = text.slice(at, at + 10);
    if (PIECES.has(piece)) return `${piece} in …${text.slice(Math.max(0, at - 80), at + 40)}…`;
  }
  return undefined;
};

let world: World;
let model: ModelServer;
let monitor: ChildProcess;
let said = '';

const config = (): object => ({
  model: { provider: 'anthropic', base_url: model.url },
  debug: { enabled: true },
  gate: { cooldown_s: 0, rate_per_hour: 100 },
  loop: { min_interval_s: 5, status_interval_s: 1 },
  detectors: {
    'git-log': { enabled: true, cadence: 'every_pass' },
    'prior-art': { enabled: true, cadence: 'every_pass', tools: ['Read', 'Grep', 'Glob'] },
    'constraint-drift': { enabled: true, cadence: 'every_pass' },
  },
});

/** Repeats, in every field that has words, whatever it could have read. */
const parrot: Rule = ({ lines, reported }) =>
  reported.length > 0 ? silent(EVERYTHING) : advise({ headline: `The key ${ALL[0]} is in the file`, body: EVERYTHING, evidence: [...cite([lines.at(-1), lines[0]]), ALL[1], `src/${IN_NAMES[2]}.ts`], dedup_key: `key-${IN_NAMES[3]}`, stale_if: [ALL[4]], checked: EVERYTHING });

const searcher: Rule = ({ results }) =>
  [ask('Read', { path: 'notes.txt' }), ask('Grep', { pattern: '.' }), ask('Glob', { pattern: '**' })][results.length] ?? silent(results.join('\n'));

beforeAll(async () => {
  world = makeWorld('secrets');
  const rules = answerTo({ default: parrot, 'prior-art': searcher, 'git-log': () => silent(EVERYTHING) });
  model = await openModelServer({
    script: (request) => (request.tail.includes('Your look: constraint-drift') ? { fault: { kind: 'status', status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: EVERYTHING } } } } : rules(request)),
  });
  writeFileSync(world.paths.config, JSON.stringify(config()), { mode: 0o600 });
  mkdirSync(join(world.project, 'src'));
  writeFileSync(join(world.project, 'notes.txt'), `${EVERYTHING}\n`);
  writeFileSync(join(world.project, 'src', 'plain.ts'), 'a\n');
  for (const name of IN_NAMES) writeFileSync(join(world.project, 'src', `${name}.ts`), `// ${EVERYTHING}\n`);
  const git = (...args: readonly string[]): void => void execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', ...args], { cwd: world.project, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: world.root, GIT_CONFIG_NOSYSTEM: '1' } });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', `Rotate ${ALL[3]}\n\n${EVERYTHING}`);
  const { CLAUDE_PLUGIN_DATA: _, ...env } = world.env;
  monitor = spawn('/bin/sh', [join(DIST, 'guard.sh'), world.data, 'monitor', resolve('plugin')], { cwd: world.project, env: { ...env, ANTHROPIC_API_KEY: OWN_KEY, ANTHROPIC_AUTH_TOKEN: 'other', ANTHROPIC_CUSTOM_HEADERS: 'x-project: yes' }, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [monitor.stdout, monitor.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
}, 60_000);
afterAll(async () => {
  monitor.kill('SIGKILL');
  await model.close();
  world.remove();
});

const transcript = (): string => join(world.root, 'home', '.claude', 'projects', 'p', `${world.session}.jsonl`);
let last: string | null = null;
const record = (fields: object): void => {
  const uuid = randomUUID();
  mkdirSync(dirname(transcript()), { recursive: true });
  appendFileSync(transcript(), `${JSON.stringify({ parentUuid: last, isSidechain: false, ...fields, uuid, timestamp: new Date().toISOString(), userType: 'external', entrypoint: 'cli', cwd: world.project, sessionId: world.session, version: '2.1.332', gitBranch: 'main' })}\n`);
  last = uuid;
};
const assistant = (content: object): void =>
  record({ type: 'assistant', message: { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [content], stop_reason: null, usage: { input_tokens: 3, output_tokens: 40 } } });

const hook = async (event: string, fields: object): Promise<string> => {
  const payload = JSON.stringify({ session_id: world.session, transcript_path: transcript(), cwd: world.project, permission_mode: 'default', hook_event_name: event, ...fields });
  const { stdout, stderr } = await runHook(join(DIST, 'guard.sh'), [world.data, event], world.env, payload);
  said += stdout + stderr;
  return stdout;
};

/** One call with its hooks and its result. */
const act = async (tool_name: string, tool_input: Readonly<Record<string, unknown>>, output: string, failed = false): Promise<void> => {
  const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  assistant({ type: 'tool_use', id, name: tool_name, input: tool_input });
  const common = { tool_name, tool_input, tool_use_id: id, duration_ms: 5 };
  if (failed) await hook('PostToolUseFailure', { ...common, error: `Exit code 1\n${output}`, is_interrupt: false });
  record({ type: 'user', message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: output, is_error: failed }] }, toolUseResult: failed ? `Error: ${output}` : { stdout: output } });
};

/** A text whose cut at `cap` runs through the secret. */
const across = (secret: string, cap: number, inside: number): string => `${'pad word '.repeat(2000).slice(0, Math.max(0, cap - inside - 1))} ${secret} ${'more '.repeat(4000)}`;

/** Everything under a folder, as text with its name. */
const textsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [entry.name, ...textsIn(path)];
    return entry.isFile() ? [`${path}\n${readFileSync(path, 'utf8')}`] : [];
  });

const until = async (what: string, there: () => boolean): Promise<void> => {
  for (const end = Date.now() + 40_000; !there(); await sleep(100)) if (Date.now() > end) throw new Error(`${what}; the log says\n${existsSync(world.paths.log) ? readFileSync(world.paths.log, 'utf8') : ''}`);
};
/** Passes at a turn's end that are over. */
const ended = (): number => (existsSync(world.paths.passes(world.session)) ? readFileSync(world.paths.passes(world.session), 'utf8').split('\n').filter((line) => line.includes('turn-end')).length : 0);
const sent = (words: string): boolean => model.requests.some(({ raw }) => raw.includes(words));

const command = (...words: readonly string[]): string => {
  const { stdout, stderr } = spawnSync(process.execPath, [join(DIST, 'command.cjs'), ...words, '--data', world.data, '--session', world.session, '--cwd', world.project], { encoding: 'utf8', cwd: world.project, env: { PATH: process.env['PATH'] ?? '', HOME: join(world.root, 'home'), ANTHROPIC_API_KEY: OWN_KEY }, maxBuffer: 1e8 });
  said += stdout + stderr;
  return stdout;
};

test('F8: every kind of secret by every way in, across every cut: no file, request, answer, report or capture holds a piece of one', { timeout: 180_000 }, async () => {
  await hook('SessionStart', { source: 'startup' });
  const prompt_id = randomUUID();
  await hook('UserPromptSubmit', { prompt_id, prompt: EVERYTHING });
  record({ promptId: prompt_id, type: 'user', message: { role: 'user', content: EVERYTHING }, origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' });
  await until('the session is not watched', () => existsSync(world.paths.status(world.session)));

  for (const [n, secret] of ALL.entries()) {
    assistant({ type: 'text', text: `I use ${secret} here` });
    assistant({ type: 'thinking', thinking: secret });
    const name = `${world.project}/src/${IN_NAMES[n % IN_NAMES.length]}.ts`;
    await act('Write', { file_path: name, content: across(secret, 200, 3 + (n % 9)) }, `wrote ${secret}`);
    await act('Edit', { file_path: name, old_string: across(secret, 100, 5), new_string: across(secret, 200, 7) }, secret);
    await act('Bash', { command: across(secret, 400, 4 + (n % 11)), description: `Send ${secret}` }, secret);
    if (n % 6 === 0) await act('Bash', { command: `run ${secret}`, description: 'Try' }, across(secret, 400, 12), true);
    await act('WebFetch', { url: `https://x.example/?q=${secret}`, prompt: secret }, secret);
    await act('Task', { subagent_type: 'general-purpose', description: secret, prompt: across(secret, 400, 6) }, secret);
    await act('mcp__vault__put', { name: secret, nested: { deep: [secret] } }, secret);
    await act('TodoWrite', { todos: [{ content: secret, status: 'pending', activeForm: secret }] }, secret);
    assistant({ type: 'text', text: across(secret, 8000, 9) });
  }
  await hook('SubagentStop', { agent_id: 'a1', agent_type: 'general-purpose', last_assistant_message: across(EVERYTHING, 1500, 20), stop_hook_active: false });
  let spoken = '';
  // Git and the file tools are given little time, and a loaded machine may need a second turn.
  for (let tries = 0; tries < 5 && !(spoken.includes('[redacted:') && sent('Commits that touched') && sent('"tool_result"')); tries += 1) {
    const before = ended();
    await act('Edit', { file_path: `${world.project}/src/plain.ts`, old_string: 'a', new_string: `b ${tries}` }, 'ok');
    assistant({ type: 'text', text: EVERYTHING });
    record({ type: 'system', subtype: 'turn_duration', durationMs: 1000, isMeta: false });
    await hook('Stop', { prompt_id: randomUUID(), stop_hook_active: false, last_assistant_message: EVERYTHING, background_tasks: [], session_crons: [] });
    await until('no pass came of the turn’s end', () => ended() > before);
    // What waits is said.
    const id = randomUUID();
    spoken += await hook('UserPromptSubmit', { prompt_id: id, prompt: `Go on with ${EVERYTHING}` });
    record({ promptId: id, type: 'user', message: { role: 'user', content: `Go on with ${EVERYTHING}` }, origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' });
  }

  // It is asked for, replayed, and drawn.
  command('stats');
  command('stats', '--json');
  command('why');
  command('config');
  command('doctor');
  command('statusline');
  expect(command('report')).toContain('The report of this session is');
  expect(command('project', transcript())).toContain('[redacted:');
  expect(command('replay', transcript(), '--json', '--report', join(world.data, 'replayed.html'))).toContain('"type"');
  await hook('SessionEnd', { reason: 'other' });
  const gone = new Promise((done) => monitor.on('exit', done));
  monitor.kill('SIGTERM');
  await gone;

  // It went everywhere: what is looked through holds the marks of what was hidden.
  const requests = model.requests.map(({ raw }) => raw.toString('utf8'));
  const files = textsIn(world.data).filter((text) => !text.startsWith(join(world.data, 'run')));
  for (const kind of new Set(TOKENS.map(([name]) => name))) expect(requests.some((text) => text.includes(`[redacted:${kind} `)), kind).toBe(true);
  for (const place of ['tasks/', 'debug/', 'history.jsonl', 'passes.jsonl', 'index/', 'reports/', 'replayed.html']) expect(files.some((text) => text.split('\n', 1)[0]?.includes(place) && text.includes('[redacted:')), place).toBe(true);
  expect(requests.some((text) => /"tool_result"[^]*\[redacted:/.test(text)), 'tool results').toBe(true);
  expect(requests.some((text) => /Commits that touched[^]*Rotate \[redacted:github /.test(text)), 'commits').toBe(true);
  expect(spoken).toContain('[redacted:');
  expect(files.some((text) => text.includes('second-brain.log') && text.includes('http 400')), 'log').toBe(true);

  for (const text of [...requests, ...files, said]) expect(pieceIn(text)).toBeUndefined();
  // A project can set the monitor's environment, and adds nothing to what is sent.
  expect(model.requests.every(({ headers }) => JSON.stringify(headers).includes(OWN_KEY) && !('x-project' in headers))).toBe(true);
});
