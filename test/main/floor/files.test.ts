import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeConfig, isEnrolled, loadConfig, workspaceOf } from '../../../src/main/floor/config-file.ts';
import { readJson, replace, setAside, writeJson } from '../../../src/main/floor/json-file.ts';
import { appendLine, readLines } from '../../../src/main/floor/jsonl-file.ts';
import { keepLease, LEASE_MS, lockHolder, releaseLock, takeLock } from '../../../src/main/floor/lock-file.ts';
import { writeLog } from '../../../src/main/floor/log-file.ts';
import { pathsUnder, safeName } from '../../../src/main/floor/paths.ts';
import { isAlive, startTime, thisProcess } from '../../../src/main/floor/process-file.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb floor é-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const anything = (raw: unknown): unknown => raw;

describe('documents', () => {
  test('a document is written whole, for its owner alone, and leaves no temp file', () => {
    const path = join(dir, 'a', 'b.json');
    writeJson(path, { x: 1 });
    expect(readJson(path, anything)).toEqual({ ok: true, value: { x: 1 } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dir, 'a'))).toEqual(['b.json']);
  });

  test.each(['EPERM', 'EACCES', 'EBUSY'])('a file that a reader holds open on Windows (%s) is replaced once it is let go', (code) => {
    let left = 3;
    const renamed: string[] = [];
    const rename = (from: string, to: string): void => {
      left -= 1;
      if (left > 0) throw Object.assign(new Error(code), { code });
      renamed.push(`${from} ${to}`);
    };
    replace('a', 'b', rename);
    expect(renamed).toEqual(['a b']);
    left = Infinity;
    expect(() => replace('a', 'b', rename)).toThrow(code);
  });

  test('missing, broken and refused documents are told apart', () => {
    const path = join(dir, 'x.json');
    expect(readJson(path, anything)).toMatchObject({ because: 'missing' });
    writeFileSync(path, '{"half');
    expect(readJson(path, anything)).toMatchObject({ because: 'corrupt' });
    writeFileSync(path, '{"v":99}');
    const refuse = (): never => {
      throw new Error('newer version');
    };
    expect(readJson(path, refuse)).toMatchObject({ because: 'corrupt', why: 'newer version' });
    expect(existsSync(setAside(path))).toBe(true);
    expect(existsSync(path)).toBe(false);
    setAside(path);
  });
});

describe('lines', () => {
  test('a damaged line is counted and hides no other', () => {
    const path = join(dir, 'deep', 'l.jsonl');
    appendLine(path, { n: 1 });
    writeFileSync(path, `${readFileSync(path, 'utf8')}garbage\n{"n":2}\n{"n":3`);
    expect(readLines(path, anything)).toEqual({ lines: [{ n: 1 }, { n: 2 }], bad: 2 });
    expect(readLines(join(dir, 'none'), anything)).toEqual({ lines: [], bad: 0 });
  });

  test('a line behind one that a full disk tore stands on its own', () => {
    const path = join(dir, 'torn.jsonl');
    writeFileSync(path, '{"n":1}\n{"n":');
    appendLine(path, { n: 3 });
    expect(readLines(path, anything)).toEqual({ lines: [{ n: 1 }, { n: 3 }], bad: 1 });
  });
});

describe('processes and locks', () => {
  test('a process is its pid and its start time', () => {
    expect(isAlive(thisProcess())).toBe(true);
    expect(isAlive({ pid: process.pid, start: 'another' })).toBe(process.platform === 'win32');
    expect(isAlive({ pid: 2 ** 22 + 1, start: '' })).toBe(false);
    expect(startTime(2 ** 22 + 1)).toBe('');
  });

  test('B6: a lock is held by the living and inherited from the dead', async () => {
    const path = join(dir, 'lock');
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    writeFileSync(path, JSON.stringify({ pid, start: startTime(pid) }));
    expect(takeLock(path)).toBe(false);
    expect(lockHolder(path)?.pid).toBe(pid);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(takeLock(path)).toBe(true);
    expect(lockHolder(path)?.pid).toBe(process.pid);
    releaseLock(path);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('B6: a lease is taken from one who lives but beats no more, and from nobody who does', async () => {
    const path = join(dir, 'lease');
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    const beats = (at: number): void => writeFileSync(path, JSON.stringify({ pid, start: startTime(pid), beat: at }));
    beats(1_000_000);
    expect(takeLock(path, 1_000_000 + LEASE_MS)).toBe(false);
    expect(takeLock(path, 900_000)).toBe(false);
    expect(takeLock(path, 1_000_001 + LEASE_MS, true)).toBe(false);
    expect(takeLock(path, 1_000_001 + LEASE_MS)).toBe(true);
    expect(lockHolder(path)?.pid).toBe(process.pid);
    // The other has it again: our beat changes nothing of its file, and says so.
    beats(2_000_000);
    expect(keepLease(path, 2_000_001)).toBe(false);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid, beat: 2_000_000 });
    releaseLock(path);
    expect(existsSync(path)).toBe(true);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
  });

  test('a beat keeps a lease; one that is gone is not made anew', () => {
    const path = join(dir, 'lease');
    expect(takeLock(path, 1_700_000_000_000)).toBe(true);
    expect(keepLease(path, 1_700_000_000_000 + LEASE_MS)).toBe(true);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...thisProcess(), beat: 1_700_000_000_000 + LEASE_MS });
    expect(takeLock(path, 1_700_000_000_000 + 5 * LEASE_MS)).toBe(true);
    releaseLock(path);
    expect(keepLease(path, 1_700_000_000_000)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('a half-written or empty lock file does not lock for ever', () => {
    const path = join(dir, 'lock');
    writeFileSync(path, '');
    expect(takeLock(path)).toBe(true);
    releaseLock(path);
  });
});

describe('configuration files', () => {
  const source = (): Parameters<typeof loadConfig>[0] => ({ paths: pathsUnder(dir), workspace: '/w', env: {}, options: {} });

  test('B8: many writers at once lose nothing', async () => {
    const path = pathsUnder(dir).config;
    await Promise.all(
      Array.from({ length: 24 }, (_, n) => changeConfig(path, (doc) => ({ ...doc, detectors: { ...(doc['detectors'] as object | undefined), [`d${n}`]: { enabled: false } } }))),
    );
    expect(Object.keys(loadConfig(source()).knobs.detectors)).toHaveLength(24);
    expect(readdirSync(dir)).toEqual(['config.json']);
  });

  test('a file that breaks keeps its last good values, is named, and stays where it is', () => {
    const { config } = pathsUnder(dir);
    writeFileSync(config, '{"gate":{"rate_per_hour":2}}');
    const good = loadConfig(source());
    writeFileSync(config, '{"gate":{"rate_per');
    const broken = loadConfig({ ...source(), last: good.layers });
    expect(broken.knobs.gate.rate_per_hour).toBe(2);
    expect(broken.problems[0]).toContain('the last good values stay');
    expect(existsSync(config)).toBe(true);
  });

  test('a broken document is not overwritten by a change', async () => {
    const { config } = pathsUnder(dir);
    writeFileSync(config, 'nonsense');
    expect(await changeConfig(config, (doc) => doc)).toMatchObject({ ok: false });
    expect(readFileSync(config, 'utf8')).toBe('nonsense');
  });

  test('plugin options set provider and model below the files', () => {
    const { knobs, sources } = loadConfig({ ...source(), options: { provider: 'local', model: 'm' } });
    expect([knobs.model.provider, knobs.model.name, sources.get('model.provider')]).toEqual(['local', 'm', 'option']);
  });

  test('the workspace is the repository’s real root, else the folder', () => {
    mkdirSync(join(dir, 'repo', '.git'), { recursive: true });
    mkdirSync(join(dir, 'repo', 'src', 'deep'), { recursive: true });
    symlinkSync(join(dir, 'repo'), join(dir, 'link'));
    expect(workspaceOf(join(dir, 'link', 'src', 'deep'))).toBe(join(dir, 'repo'));
    expect(workspaceOf(dir)).toBe(dir);
    expect(workspaceOf(join(dir, 'gone'))).toBe(join(dir, 'gone'));
  });

  test('enrolment is the workspace’s entry, else the default', () => {
    const knobs = defaultKnobs();
    expect(isEnrolled(knobs, '/w')).toBe(true);
    expect(isEnrolled({ enable: { default: true, workspaces: { '/w': false } } }, '/w')).toBe(false);
    expect(isEnrolled({ enable: { default: false, workspaces: { '/w': true } } }, '/w')).toBe(true);
  });

  test('a file no one may read is an error of the system’s, not a missing file', () => {
    const { config } = pathsUnder(dir);
    writeFileSync(config, '{}');
    chmodSync(config, 0);
    if (process.getuid?.() === 0) expect(loadConfig(source()).problems).toEqual([]);
    else expect(() => loadConfig(source())).toThrow();
  });
});

test('ids from outside never leave their folder', () => {
  for (const id of ['../../etc/passwd', 'a/b', '..', '', '.hidden', 'x'.repeat(300), 'nul\0l']) expect(safeName(id)).toMatch(/^h-[0-9a-f]{16}$/);
  expect(safeName('9fde1a54-d5c0-4c05-a2ec-2e91609dba4b')).toBe('9fde1a54-d5c0-4c05-a2ec-2e91609dba4b');
});

test('a line of the log is one line, and acts on no terminal that shows it', () => {
  const path = join(dir, 'log', 'x.log');
  writeLog(path, 'a server said: \u001b]52;c;eA==\u0007\n\u009b2J\u202eand more', 0);
  expect(readFileSync(path, 'utf8')).toBe('1970-01-01T00:00:00.000Z a server said: ]52;c;eA== 2J and more\n');
});
