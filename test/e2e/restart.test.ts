// Monitors killed hard and started again, over a transcript that went on meanwhile: what happened is seen for what it is, once.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeJson } from '../../src/main/floor/json-file.ts';
import { isAlive } from '../../src/main/floor/process-file.ts';
import { addTombstone } from '../../src/main/memory/forgotten-file.ts';
import { agentText } from '../../src/main/speak/advice.ts';
import { appendHistory } from '../../src/main/speak/history-file.ts';
import { claimMail, listMail } from '../../src/main/speak/mailbox-file.ts';
import { call, killHard, openMonitorWorld, prompt, result, text, told, turnDone, type MonitorWorld } from '../support/monitor-run.ts';

let world: MonitorWorld;
beforeEach(() => {
  world = openMonitorWorld();
});
afterEach(() => world.end());

const S = 'session-1';

/** An MCP server that outlives its client: it heeds neither the end of its stdin nor SIGTERM. Tells its pid in a file. */
const DEAF = `
  require('node:fs').writeFileSync(process.argv[2], String(process.pid));
  process.on('SIGTERM', () => {});
  process.stdout.on('error', () => {});
  setInterval(() => {}, 1000);
  let buffer = '';
  process.stdin.on('data', (chunk) => {
    buffer += chunk;
    const lines = buffer.split('\\n');
    buffer = lines.pop();
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line);
      const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } : { tools: [] };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    }
  });
`;
const countOf = (words: string): number => world.observed().filter((each) => each.includes(words)).length;
const REWOUND = 'the conversation was rewound here';

/** A turn that ends, watched to its pass by a monitor that is then killed. */
const watchedTurn = async (): Promise<void> => {
  const host = world.host('first');
  const monitor = world.monitor(host);
  world.signal(host, S, 'SessionStart', { source: 'startup' });
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
  world.append(S, prompt('p1', null, 'Write the parser.'), call('c1', 'p1', 't1', 'npm test'), result('r1', 'c1', 't1'), text('a1', 'r1', 'The parser is written.'), turnDone('d1', 'a1'));
  world.append(S, prompt('p2', 'd1', 'Add a parser option.'), text('a2', 'p2', 'The option is added.'), turnDone('d2', 'a2'));
  await world.until(() => world.status(S) !== undefined, 'not watched');
  world.signal(host, S, 'Stop', { last_text: 'The option is added.', attended: true });
  await world.until(() => countOf('the turn ended') > 0, 'no pass');
  await killHard(monitor);
};

/** The session resumed in another host, which gets its first prompt. */
const resumed = (name = 'second'): number => {
  const host = world.host(name);
  world.monitor(host);
  world.signal(host, S, 'SessionStart', { source: 'resume' });
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p3' });
  return host;
};

const stopped = async (host: number, words: string): Promise<void> => {
  world.signal(host, S, 'Stop', { last_text: words, attended: true });
  await world.until(() => countOf(words) > 0, `not in the window: ${words}`);
};

describe('the transcript went on while no monitor ran', () => {
  test('a rewind made meanwhile is seen by the next prompt’s parent', async () => {
    await watchedTurn();
    world.append(S, prompt('p3', 'd1', 'Rather a parser flag.'), text('a3', 'p3', 'A flag it is.'));
    await stopped(resumed(), 'A flag it is.');
    expect(countOf(REWOUND)).toBe(1);
    expect(world.observed().join()).toContain('the 3 records before this prompt');
    for (const words of ['[prompt] Write the parser.', '[text] The option is added.', '[prompt] Rather a parser flag.', '[text] A flag it is.']) expect(countOf(words), words).toBe(1);
  });

  test('a rewind right after the restart is seen as well', async () => {
    await watchedTurn();
    const host = resumed();
    world.append(S, prompt('p3', 'd2', 'Document the parser.'));
    await sleep(1500);
    world.append(S, text('a3', 'p3', 'Documented.'), prompt('p4', 'a1', 'No parser at all.'), text('a4', 'p4', 'It is gone.'));
    await stopped(host, 'It is gone.');
    expect(countOf(REWOUND)).toBe(1);
    expect(world.observed().join()).toContain('the 6 records before this prompt');
  });

  test('what just goes on is no rewind, and nothing of before is observed again', async () => {
    await watchedTurn();
    world.append(S, prompt('p3', 'd2', 'Document the parser.'), text('a3', 'p3', 'Documented.'));
    await stopped(resumed(), 'Documented.');
    expect(countOf(REWOUND)).toBe(0);
    for (const words of ['[prompt] Write the parser.', '[tool] Bash npm test', '[text] The option is added.', '[prompt] Document the parser.']) expect(countOf(words), words).toBe(1);
  });

  test('advice told on the branch that is gone is taken back, though another monitor saw it told', async () => {
    const host = world.host('first');
    const monitor = world.monitor(host);
    world.signal(host, S, 'SessionStart', { source: 'startup' });
    world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
    world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'), turnDone('d1', 'a1'), prompt('p2', 'd1', 'Add a parser option.'), call('c2', 'p2', 't2', 'npm test'));
    await world.until(() => world.turn(S) !== undefined, 'not watched');
    const item = world.put(host, S, { task_id: world.turn(S)?.task ?? '' });
    appendHistory(world.paths.history(S), { v: 1, at: Date.now(), id: item.id, event: 'enqueued', advice: item });
    for (const mail of listMail(world.paths.mailbox(S))) claimMail(world.paths.mailbox(S), mail, { channel: 'PostToolUse', ref: 't2', at: Date.now() });
    world.append(S, result('r2', 'c2', 't2'), told('h2', 'r2', agentText(item)), text('a2', 'h2', 'The option is added.'), turnDone('d2', 'a2'));
    await world.until(() => world.history(S).some(({ event }) => event === 'confirmed'), 'not confirmed');
    world.signal(host, S, 'Stop', { last_text: 'The option is added.', attended: true });
    await world.until(() => countOf('The option is added.') > 0, 'no pass');
    await killHard(monitor);
    world.append(S, prompt('p3', 'd1', 'Rather a parser flag.'), text('a3', 'p3', 'A flag it is.'));
    await stopped(resumed(), 'A flag it is.');
    expect(world.history(S).filter(({ id }) => id === item.id).map(({ event, because }) => `${event} ${because ?? ''}`).at(-1)).toBe('withdrawn rewound');
  });

  test('a session killed before its first pass is taken up as activity, not as history', async () => {
    const host = world.host('first');
    const monitor = world.monitor(host);
    world.signal(host, S, 'SessionStart', { source: 'startup' });
    world.signal(host, S, 'UserPromptSubmit', { origin: 'notification', prompt_id: 'p1' });
    await world.until(() => world.status(S) !== undefined, 'not watched');
    await killHard(monitor);
    world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'));
    await stopped(resumed(), 'Written.');
    await world.until(() => (world.status(S)?.passes.count ?? 0) > 0, 'history alone starts no pass');
  });

  test('C8: a transcript cut to its first half meanwhile brings nothing into the window a second time', async () => {
    await watchedTurn();
    const lines = readFileSync(world.transcript(S), 'utf8').split('\n').slice(0, 4);
    writeFileSync(world.transcript(S), `${lines.join('\n')}\n`);
    world.append(S, prompt('p3', 'a1', 'Document the parser.'), text('a3', 'p3', 'Documented.'));
    await stopped(resumed(), 'Documented.');
    for (const words of ['[prompt] Write the parser.', '[tool] Bash npm test', '[text] The parser is written.', '[text] The option is added.', '[prompt] Document the parser.', '[text] Documented.']) expect(countOf(words), words).toBe(1);
  });

  test('an answer whose record came after the kill is observed once', async () => {
    const host = world.host('first');
    const monitor = world.monitor(host);
    world.signal(host, S, 'SessionStart', { source: 'startup' });
    world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
    world.append(S, prompt('p1', null, 'Write the parser.'));
    await world.until(() => world.status(S) !== undefined, 'not watched');
    await stopped(host, 'The parser is written.');
    await killHard(monitor);
    world.append(S, text('a1', 'p1', 'The parser is written.'), turnDone('d1', 'a1'), prompt('p2', 'd1', 'Document the parser.'), text('a2', 'p2', 'Documented.'));
    await stopped(resumed(), 'Documented.');
    expect(countOf('[text] The parser is written.')).toBe(1);
  });

  test('a Stop heard again by the monitor that takes over starts no second pass', async () => {
    await watchedTurn();
    world.monitor(world.host('first'));
    await world.until(() => world.status(S)?.hold === 'no-activity', 'the Stop was not heard again');
    expect(world.status(S)?.passes.count).toBe(0);
    expect(world.observed().filter((each) => each.includes('the turn ended'))).toHaveLength(1);
  });
});

test('D5: an MCP server that outlives a killed monitor is ended by the next one, and nothing else is', async () => {
  await world.end();
  const spared = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  world = openMonitorWorld();
  const [server, pid] = [join(world.dir, 'deaf.cjs'), join(world.dir, 'deaf.pid')];
  writeFileSync(server, DEAF);
  writeJson(world.paths.config, { model: { provider: 'local' }, loop: { salience_per_hour: 0 }, mcp: { servers: { deaf: { command: process.execPath, args: [server, pid] } } }, detectors: { 'prior-art': { enabled: true, tools: ['mcp:deaf'] } } });
  const host = world.host('first');
  const monitor = world.monitor(host);
  world.signal(host, S, 'SessionStart', { source: 'startup' });
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
  world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'));
  await stopped(host, 'Written.');
  await world.until(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '' && existsSync(world.paths.children(String(host))), 'no server was started');
  const id = Number(readFileSync(pid, 'utf8'));
  await killHard(monitor);
  await sleep(300);
  expect(isAlive({ pid: id, start: '' }), 'it outlives its client').toBe(true);
  // A pid that was given away anew since it was written down.
  const record = JSON.parse(readFileSync(world.paths.children(String(host)), 'utf8')) as { readonly children: readonly object[] };
  writeJson(world.paths.children(String(host)), { ...record, children: [...record.children, { pid: spared.pid, start: '1' }] });
  world.monitor(world.host('second'));
  await world.until(() => !isAlive({ pid: id, start: '' }), 'it lives on');
  expect(isAlive({ pid: spared.pid ?? 0, start: '' })).toBe(true);
  expect(existsSync(world.paths.children(String(host)))).toBe(false);
  spared.kill('SIGKILL');
});

test('without a key, a choice or a word seen so far, the own login is offered in the session that is judged, and in the next when this one ended before it was read', async () => {
  await world.end();
  world = openMonitorWorld({ loop: { salience_per_hour: 0 } });
  const host = world.host();
  world.monitor(host);
  const offers = (session: string): number => listMail(world.paths.mailbox(session)).filter(({ said }) => said.user.includes('It can ask your own Claude Code')).length;
  for (const session of ['one', 'two']) {
    world.signal(host, session, 'SessionStart', { source: 'startup' });
    world.signal(host, session, 'UserPromptSubmit', { origin: 'human', prompt_id: session });
    world.append(session, prompt(`p-${session}`, null, 'Write the parser.'), text(`a-${session}`, `p-${session}`, 'Written.'));
    await world.until(() => world.status(session) !== undefined, 'not watched');
    world.signal(host, session, 'Stop', { last_text: 'Written.', attended: true });
    await world.until(() => offers(session) === 1, 'not offered');
    world.signal(host, session, 'SessionEnd', { reason: 'clear' });
    await world.until(() => offers(session) === 0, 'still there');
  }
});

test('what was said before the workspace came to be watched stays unread, across a restart too', async () => {
  writeJson(world.paths.config, { model: { provider: 'local' }, loop: { salience_per_hour: 0, status_interval_s: 1 }, enable: { default: false } });
  const host = world.host('first');
  const monitor = world.monitor(host);
  world.append(S, prompt('p1', null, 'Nobody else may read this.'), text('a1', 'p1', 'Of course.'));
  await sleep(1500);
  writeJson(world.paths.config, { model: { provider: 'local' }, loop: { salience_per_hour: 0, status_interval_s: 1 }, enable: { default: true } });
  await sleep(1500);
  world.append(S, prompt('p2', 'a1', 'Write the parser.'));
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  await world.until(() => world.status(S) !== undefined, 'not watched');
  await killHard(monitor);
  world.append(S, text('a2', 'p2', 'Written.'));
  await stopped(resumed(), 'Written.');
  expect(world.observed()).toContain('[prompt] Write the parser.');
  expect(world.observed().join('\n')).not.toContain('Nobody else may read this.');
});

test('a fork by a new process, which copies records without a word of where from, goes on from that task; the copies are history', async () => {
  await watchedTurn();
  const trunk = world.turn(S)?.task ?? '';
  const ledger = JSON.parse(readFileSync(world.paths.ledger(trunk), 'utf8')) as object;
  writeJson(world.paths.ledger(trunk), { ...ledger, goal: 'Write the parser.', facts: [{ at: Date.now(), text: 'A fact of the trunk.' }] });
  const host = world.host('second');
  world.monitor(host);
  world.signal(host, 'fork', 'SessionStart', { source: 'fork' });
  await sleep(20);
  world.signal(host, 'fork', 'UserPromptSubmit', { origin: 'human', prompt_id: 'p3' });
  await world.until(() => world.status('fork') !== undefined, 'not watched');
  const own = (): string => world.turn('fork')?.task ?? '';
  const blocks = (): readonly { readonly kind: string; readonly text: string }[] =>
    readFileSync(world.paths.windowLog(own(), 0), 'utf8').split('\n').slice(1, -1).map((line) => (JSON.parse(line) as { readonly block: { readonly kind: string; readonly text: string } }).block);
  // What a signal tells may come first, and be looked at alone.
  world.signal(host, 'fork', 'Stop', { last_text: 'Forked.', attended: true });
  await world.until(() => blocks().length > 0, 'no pass');
  // The file comes with the first prompt, copies and all, bit by bit.
  world.append('fork', { type: 'mode', mode: 'normal' });
  await sleep(1500);
  const copies = readFileSync(world.transcript(S), 'utf8').replaceAll(`"sessionId":"${S}"`, '"sessionId":"fork"');
  const fresh = [prompt('p3', 'd2', 'Rather on a fork.'), text('a3', 'p3', 'Forked.')].map((record) => JSON.stringify({ sessionId: 'fork', timestamp: new Date().toISOString(), ...record }));
  appendFileSync(world.transcript('fork'), `${copies}${fresh.join('\n')}\n`);
  await sleep(1500);
  world.signal(host, 'fork', 'Stop', { last_text: 'And more.', attended: true });
  await world.until(() => blocks().some(({ text: words }) => words.includes('And more.')), 'no pass');
  const holding = (words: string): readonly string[] => blocks().filter(({ text: said }) => said.includes(words)).map(({ kind }) => kind);
  expect([own() === trunk, JSON.parse(readFileSync(world.paths.ledger(own()), 'utf8'))]).toMatchObject([false, { session: 'fork', goal: 'Write the parser.', facts: [{ text: 'A fact of the trunk.' }] }]);
  expect([holding('[prompt] Write the parser.'), holding('[prompt] Rather on a fork.'), holding('[text] Forked.')]).toEqual([['history'], ['observations'], ['observations']]);
  expect(countOf('rewound')).toBe(0);
});

test('a session resumed that nobody had watched: what stood there is history, what is said now is activity', async () => {
  world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'), turnDone('d1', 'a1'));
  await sleep(20);
  const host = world.host();
  world.signal(host, S, 'SessionStart', { source: 'resume' });
  await sleep(20);
  world.append(S, prompt('p2', 'd1', 'Document the parser.'));
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  world.monitor(host);
  await world.until(() => world.status(S) !== undefined, 'not watched');
  world.append(S, text('a2', 'p2', 'Documented.'));
  await stopped(host, 'Documented.');
  const blocks = readFileSync(world.paths.windowLog(world.turn(S)?.task ?? '', 0), 'utf8').split('\n').slice(1, -1).map((line) => (JSON.parse(line) as { readonly block: { readonly kind: string; readonly text: string } }).block);
  const holding = (words: string): readonly string[] => blocks.filter(({ text: said }) => said.includes(words)).map(({ kind }) => kind);
  expect([holding('[prompt] Write the parser.'), holding('[prompt] Document the parser.'), holding('[text] Documented.')]).toEqual([['history'], ['observations'], ['observations']]);
});

test('what was forgotten with its workspace stays unread in a fork that copies it', async () => {
  world.append('fork', prompt('p1', null, 'What nobody may know any more.'), text('a1', 'p1', 'Never mind.'));
  await sleep(20);
  addTombstone(world.paths, { v: 1, at: Date.now(), scope: 'workspace', of: join(world.dir, 'project'), positions: [] });
  await sleep(20);
  const host = world.host();
  world.monitor(host);
  world.signal(host, 'fork', 'SessionStart', { source: 'fork' });
  world.signal(host, 'fork', 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  world.append('fork', prompt('p2', 'a1', 'Write the parser.'), text('a2', 'p2', 'Written.'));
  await world.until(() => world.status('fork') !== undefined, 'not watched');
  world.signal(host, 'fork', 'Stop', { last_text: 'Written.', attended: true });
  await world.until(() => countOf('Written.') > 0, 'no pass');
  expect(countOf('[prompt] Write the parser.')).toBe(1);
  expect(countOf('What nobody may know any more.')).toBe(0);
});
