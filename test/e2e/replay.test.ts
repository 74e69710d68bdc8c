// The built program on recorded sessions and on what is none: what a person sees who has only a file.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const COMMAND = join(process.cwd(), 'plugin', 'dist', 'command.cjs');
const SESSIONS = 'test/fixtures/sessions';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "sb replay é' -"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const sb = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', HOME: dir }, maxBuffer: 1e9 });
  return { status, stdout, stderr };
};

type Line = { readonly type: string; readonly [key: string]: unknown };
const events = (...args: readonly string[]): readonly Line[] => {
  const { stdout, status, stderr } = sb('replay', '--json', ...args);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout.trimEnd().split('\n').map((line): Line => JSON.parse(line));
};

describe('recorded sessions', () => {
  test.each([
    ['no-tests', 'standard-questions'],
    ['repeat-failure', 'repeat-failure'],
  ])('%s yields exactly one advisory, from %s, citing what was seen', (session, detector) => {
    const all = events(`${SESSIONS}/${session}.jsonl`);
    const delivered = all.filter(({ type }) => type === 'delivered');
    expect(delivered).toHaveLength(1);
    const advice = all.find(({ type, id }) => type === 'advice' && id === delivered[0]?.['id']);
    expect(advice?.['detector']).toBe(detector);
    expect(advice?.['evidence']).toEqual(expect.arrayContaining([expect.stringMatching(/^#\d+$/)]));
    expect(all.at(-1)).toMatchObject({ type: 'summary', advice: { delivered: 1 } });
  });

  test('the repeat-failure advisory cites the failures themselves', () => {
    const all = events(`${SESSIONS}/repeat-failure.jsonl`);
    const evidence = all.find(({ type }) => type === 'advice')?.['evidence'];
    const { stdout } = sb('project', `${SESSIONS}/repeat-failure.jsonl`);
    expect(stdout.match(/^\[error\]/gm)?.length).toBeGreaterThanOrEqual(4);
    expect(Array.isArray(evidence) && evidence.length >= 3).toBe(true);
  });

  test.each(['clean', 'unicode-windows', 'long-mixed'])('%s yields none', (session) => {
    const all = events(`${SESSIONS}/${session}.jsonl`);
    expect(all.filter(({ type }) => type === 'advice' || type === 'delivered')).toEqual([]);
    expect(all.filter(({ type }) => type === 'pass').length).toBeGreaterThan(0);
  });

  test('dates that no session has carry nothing away, and nothing printed acts on a terminal', () => {
    const record = (uuid: string, parent: string | null, timestamp: unknown, more: object): string => JSON.stringify({ uuid, parentUuid: parent, sessionId: 's', timestamp, ...more });
    const hostile = 'x\u001b]52;c;eA==\u0007\u009b2J\u202ey';
    const file = join(dir, 'odd.jsonl');
    writeFileSync(file, [
      record('a', null, '2026-11-30T10:00:00Z', { type: 'user', origin: { kind: 'human' }, message: { role: 'user', content: hostile } }),
      record('b', 'a', '+275760-09-13T00:00:00.000Z', { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 't', name: `Tool${hostile}`, input: { file_path: hostile } }] } }),
      record('c', 'b', 1e300, { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: hostile }] } }),
      record('d', 'c', '2026-11-30T10:01:00Z', { type: 'assistant', message: { id: 'n', role: 'assistant', content: [{ type: 'text', text: 'All done.' }] } }),
      record('e', 'd', '-271821-04-20T00:00:00.000Z', { type: 'system', subtype: 'turn_duration', durationMs: 1 }),
    ].join('\n'));
    expect(new Set(events(file).flatMap(({ type, at }) => (type === 'pass' ? [new Date(Number(at)).getUTCFullYear()] : [])))).toEqual(new Set([2026]));
    for (const told of [sb('replay', file), sb('project', file), sb('project', join(dir, `${hostile}.jsonl`)), sb('replay', join(dir, `${hostile}.jsonl`))]) {
      expect(told.stdout + told.stderr).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
      expect(told.stdout + told.stderr).toContain('x␛]52');
    }
  });

  test('of a folder what cannot be read is named, and the rest is watched', () => {
    const folder = join(dir, 'mixed');
    mkdirSync(join(folder, 'c.jsonl'), { recursive: true });
    symlinkSync('b.jsonl', join(folder, 'b.jsonl'));
    symlinkSync(join(process.cwd(), SESSIONS, 'no-tests.jsonl'), join(folder, 'd.jsonl'));
    const { status, stdout, stderr } = sb('replay', folder);
    expect([status, stderr.trimEnd().split('\n')]).toEqual([3, [`${join(folder, 'b.jsonl')} cannot be read (ELOOP).`, `${join(folder, 'c.jsonl')} is not a file. Give a session's .jsonl file.`]]);
    expect(stdout).toContain('It would have spoken once.');
  });

  test('two replays of one file give the same bytes, timings aside', () => {
    const bytes = (): string => JSON.stringify(events(`${SESSIONS}/long-mixed.jsonl`).map(({ wallMs: _wall, peakRssMb: _peak, ...rest }) => rest));
    expect(bytes()).toBe(bytes());
  });

  test('the summary counts records, tools, unknown types and what was kept', () => {
    const summary = events(`${SESSIONS}/clean.jsonl`).at(-1);
    expect(summary).toMatchObject({ type: 'summary', unknown: {}, badLines: 0, passes: expect.any(Number), wallMs: expect.any(Number), peakRssMb: expect.any(Number) });
    expect(summary?.['records']).toBe(readFileSync(`${SESSIONS}/clean.jsonl`, 'utf8').trimEnd().split('\n').length);
    expect(summary?.['tools']).toMatchObject({ Bash: { count: expect.any(Number) }, Edit: { count: expect.any(Number) } });
    expect(Number(summary?.['keptChars'])).toBeLessThan(Number(summary?.['rawChars']));
  });

  test('a folder is replayed file by file', () => {
    const folder = join(dir, 'folder');
    mkdirSync(folder);
    for (const name of ['clean', 'no-tests']) writeFileSync(join(folder, `${name}.jsonl`), readFileSync(`${SESSIONS}/${name}.jsonl`));
    expect(events(folder).filter(({ type }) => type === 'summary')).toHaveLength(2);
  });

  test('nothing of it is left behind', () => {
    const left = (): Set<string> => new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('second-brain-replay-')));
    const before = left();
    events(`${SESSIONS}/clean.jsonl`);
    expect([...left()].filter((name) => !before.has(name))).toEqual([]);
  });
});

describe('input that is none', () => {
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(dir, name);
    writeFileSync(path, content);
    return path;
  };
  const first = (): string => readFileSync(`${SESSIONS}/clean.jsonl`, 'utf8');

  test.each([
    ['missing', () => join(dir, 'no such file.jsonl'), 'does not exist'],
    ['empty', () => file('empty.jsonl', ''), 'is empty'],
    ['binary', () => file('binary.jsonl', Uint8Array.from({ length: 70_000 }, (_, n) => (n * 7919) % 256)), 'not a Claude Code transcript'],
    ['foreign', () => file('foreign.jsonl', '{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n'.repeat(50)), 'not a Claude Code transcript'],
    ['prose', () => file('prose.txt', 'Dear diary,\n'.repeat(500)), 'not a Claude Code transcript'],
    ['a folder without transcripts', () => (mkdirSync(join(dir, 'nothing'), { recursive: true }), join(dir, 'nothing')), 'holds no .jsonl files'],
    ['a link that leads nowhere', () => (symlinkSync(join(dir, 'gone'), join(dir, 'dangling.jsonl')), join(dir, 'dangling.jsonl')), 'does not exist'],
  ])('%s: a sentence and exit code 3', (_name, make, words) => {
    const { status, stdout, stderr } = sb('replay', make());
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
    expect([status, stdout]).toEqual([3, '']);
  });

  test.each([
    ['a truncated last line', () => first().slice(0, -300), 1],
    ['damaged lines in between', () => first().replace('\n', '\n{"type":"user","mess\n\u0000\u0000\u0000\n[1,2]\nnull\n"text"\n'), 5],
    ['CRLF and a BOM', () => `\ufeff${first().replaceAll('\n', '\r\n')}`, 0],
  ])('%s: counted, and the rest is watched', (_name, make, bad) => {
    const whole = events(`${SESSIONS}/clean.jsonl`).at(-1);
    const summary = events(file('damaged.jsonl', make())).at(-1);
    expect(Number(summary?.['badLines']) + Object.values(summary?.['unknown'] as object).reduce((sum: number, n: number) => sum + n, 0)).toBe(bad);
    expect(Number(summary?.['observations'])).toBeGreaterThanOrEqual(Number(whole?.['observations']) - 1);
  });

  test('a 24 MB line and lone surrogates are no trouble', () => {
    const big = `${JSON.stringify({ type: 'user', uuid: 'u-big', timestamp: '2026-11-30T16:00:00.000Z', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x'.repeat(24_000_000) }] } })}\n`;
    const odd = '{"type":"user","uuid":"u-odd","timestamp":"2026-11-30T16:00:00.000Z","origin":{"kind":"human"},"message":{"role":"user","content":"lone \\ud800 half"}}\n';
    const summary = events(file('big.jsonl', first() + big + odd)).at(-1);
    expect(summary).toMatchObject({ badLines: 0, unknown: {} });
  });

  test('wrong words: what would be right, and exit code 2', () => {
    for (const args of [['replay'], ['replay', 'a', 'b'], ['replay', '--nonsense'], ['nonsense'], ['replay', 'x', '--provider', 'nobody'], ['replay', 'x', '--provider', 'host'], ['project']]) {
      const { status, stderr } = sb(...args);
      expect(status, args.join(' ')).toBe(2);
      expect(stderr.length).toBeGreaterThan(20);
    }
    for (const word of ['--help', 'help']) expect(sb(word)).toMatchObject({ status: 0, stderr: '' });
  });
});
