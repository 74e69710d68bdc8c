// The mailbox and its neighbours on a real disk: put, claim, return once, withdraw, expire; counts and bells that one caller wins.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { dropBell, readBell, takeBell, writeBell } from '../../../src/main/speak/bell-file.ts';
import { countFiring, firingsOf, uncountFiring } from '../../../src/main/speak/gate-count-file.ts';
import { claimMail, dropClaim, expireMail, listClaims, listMail, putMail, returnMail, withdrawMail } from '../../../src/main/speak/mailbox-file.ts';
import { readTurn, writeTurn } from '../../../src/main/speak/turn-file.ts';
import type { ClaimMark } from '../../../src/main/speak/envelope.ts';
import { advice, NOW, said, turn } from '../../support/mail.ts';

let data: string;
let box: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-mail-'));
  paths = pathsUnder(data);
  box = paths.mailbox('session-1');
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const MARK: ClaimMark = { channel: 'PostToolUse', ref: 'toolu_1', at: NOW };
const put = (id = 'sb-abcd1234', changes = {}): void => {
  const item = advice({ id, ...changes });
  putMail(box, item, said(item));
};
const only = <T>(items: readonly T[]): T => {
  expect(items).toHaveLength(1);
  return items[0] as T;
};

describe('the mailbox', () => {
  test('gives back what was put, whole, and keeps it from others', () => {
    put();
    expect(only(listMail(box))).toEqual({ name: 'sb-abcd1234', advice: advice(), said: said(advice()), again: false });
    expect(statSync(join(box, 'new', 'sb-abcd1234')).mode & 0o777).toBe(0o600);
    expect(statSync(join(box, 'new')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(box, 'tmp'))).toEqual([]);
  });

  test('is empty before anything is put', () => {
    expect(listMail(box)).toEqual([]);
    expect(listClaims(box)).toEqual([]);
    expect(withdrawMail(box, 'sb-abcd1234')).toBe(false);
  });

  test('an advisory is claimed once', () => {
    put();
    const mail = only(listMail(box));
    expect(claimMail(box, mail, MARK)).toBe(true);
    expect(claimMail(box, mail, MARK)).toBe(false);
    expect(listMail(box)).toEqual([]);
    expect(only(listClaims(box))).toMatchObject({ ...MARK, again: false, advice: { id: 'sb-abcd1234' } });
  });

  test('a claim’s name tells id, channel, call and time', () => {
    put();
    claimMail(box, only(listMail(box)), MARK);
    expect(readdirSync(join(box, 'claimed'))).toEqual([`sb-abcd1234.PostToolUse.toolu_1.${NOW}`]);
  });

  test('a call’s id with any character names no path', () => {
    put();
    claimMail(box, only(listMail(box)), { ...MARK, ref: '../../../etc/x.y' });
    expect(only(listClaims(box)).ref).toMatch(/^h-[0-9a-f]{16}$/);
  });

  test('a lost advisory comes back marked, so that a second loss is told', () => {
    put();
    claimMail(box, only(listMail(box)), MARK);
    expect(returnMail(box, only(listClaims(box)))).toBe(true);
    const back = only(listMail(box));
    expect(back).toMatchObject({ again: true, advice: { id: 'sb-abcd1234' } });
    claimMail(box, back, MARK);
    const claim = only(listClaims(box));
    expect(claim.again).toBe(true);
    expect(dropClaim(box, claim)).toBe(true);
    expect(listClaims(box)).toEqual([]);
  });

  test('what is withdrawn is gone, unless a reader was first', () => {
    put();
    put('sb-00000002');
    const [first] = listMail(box);
    if (first !== undefined) claimMail(box, first, MARK);
    expect(withdrawMail(box, first?.advice.id ?? '')).toBe(false);
    expect(withdrawMail(box, 'sb-abcd1234')).toBe(true);
    expect(listMail(box)).toEqual([]);
  });

  test('each clock removes what it has caught and says so', () => {
    put('sb-00000001', { generated_at: NOW - 2_000_000 });
    put('sb-00000002', { enqueued_at: NOW - 700_000 });
    put('sb-00000003');
    expect(expireMail(box, NOW, { queue_timeout_s: 600 }).map(({ advice: { id }, because }) => [id, because])).toEqual([
      ['sb-00000001', 'expired-ttl'],
      ['sb-00000002', 'expired-queue'],
    ]);
    expect(listMail(box).map(({ name }) => name)).toEqual(['sb-00000003']);
  });

  test.each(['', '{', 'null', '{}', '{"advice":null}', '{"advice":{"v":2},"said":{}}', JSON.stringify({ advice: advice(), said: { agent: 1 } }), '\u0000'.repeat(100_000)])('a file that is no mail is set aside (%#)', (text) => {
    mkdirSync(join(box, 'new'), { recursive: true });
    writeFileSync(join(box, 'new', 'x'), text);
    put();
    expect(listMail(box)).toHaveLength(1);
    expect(readdirSync(join(box, 'bad'))).toEqual(['x']);
  });
});

describe('the count of the finish gate', () => {
  test('one of any number of callers counts a firing', () => {
    const before = firingsOf(paths, 'task-1', NOW);
    expect([1, 2, 3].map(() => countFiring(paths, 'task-1', before, NOW))).toEqual([true, false, false]);
    expect(firingsOf(paths, 'task-1', NOW + 5)).toEqual([{ n: 1, at: NOW }]);
  });

  test('a firing being written counts as of now', () => {
    mkdirSync(paths.tasks, { recursive: true });
    writeFileSync(paths.gateCount('task-1', 1), '');
    expect(firingsOf(paths, 'task-1', NOW)).toEqual([{ n: 1, at: NOW }]);
  });

  test('what was counted for nothing is taken back', () => {
    countFiring(paths, 'task-1', [], NOW);
    uncountFiring(paths, 'task-1', []);
    expect(firingsOf(paths, 'task-1', NOW)).toEqual([]);
  });
});

describe('the bell file', () => {
  test('one caller takes the outstanding nonce, a second is told it was answered, a stranger’s is unknown', () => {
    const path = paths.bell('1');
    writeBell(path, { nonce: 'k3x9', at: NOW });
    expect(readBell(path)).toEqual({ nonce: 'k3x9', at: NOW });
    expect(takeBell(path, 'other')).toBe('unknown');
    expect([takeBell(path, 'k3x9'), takeBell(path, 'k3x9')]).toEqual(['mine', 'answered']);
    expect(readBell(path)).toBeUndefined();
    writeBell(path, { nonce: 'next', at: NOW });
    expect(takeBell(path, 'k3x9')).toBe('answered');
    dropBell(path);
    expect(takeBell(path, 'next')).toBe('unknown');
  });
});

describe('turn.json', () => {
  test('is read as written', () => {
    writeTurn(paths.turn('s'), turn());
    expect(readTurn(paths.turn('s'))).toEqual(turn());
  });

  test.each(['', '{', 'null', '[]', '{"v":1}', JSON.stringify({ ...turn(), v: 2 }), JSON.stringify({ ...turn(), finish_gate: {} }), JSON.stringify({ ...turn(), unreported: 7 })])('is nothing when missing, damaged or of another version (%#)', (text) => {
    expect(readTurn(paths.turn('s'))).toBeUndefined();
    mkdirSync(join(data, 'sessions', 's'), { recursive: true });
    writeFileSync(paths.turn('s'), text);
    expect(readTurn(paths.turn('s'))).toBeUndefined();
  });
});

describe('mail that another hand wrote', () => {
  const write = (folder: 'new' | 'claimed', name: string, changes: object): void => {
    put();
    const item = advice();
    mkdirSync(join(box, folder), { recursive: true });
    rmSync(join(box, 'new', 'sb-abcd1234'));
    writeFileSync(join(box, folder, name), JSON.stringify({ advice: { ...item, ...changes }, said: said(item) }));
  };

  test.each([{ stale_if: 'abc' }, { stale_if: { length: 1 } }, { stale_if: [1] }, { ttl: 'long' }, { evidence: null }, { id: {} }])('with %o is set aside, so that it stops no hook twice', (changes) => {
    write('new', 'sb-abcd1234', changes);
    expect(listMail(box)).toEqual([]);
    expect(readdirSync(join(box, 'bad'))).toEqual(['sb-abcd1234']);
  });

  test('leads out of its mailbox by no id', () => {
    write('claimed', `sb-abcd1234.PostToolUse.toolu_1.${NOW}`, { id: '../../../../out' });
    expect(returnMail(box, only(listClaims(box)))).toBe(true);
    expect(readdirSync(join(box, 'new'))).toEqual([expect.stringMatching(/^h-[0-9a-f]{16}\+$/)]);
  });
});
