// What a monitor does that takes over where another has stopped: nothing is observed twice, nothing is left out.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFollower } from '../../../src/main/entry/follow.ts';
import { runtimeInPlace } from '../../../src/main/entry/runtime.ts';
import { writeJson } from '../../../src/main/floor/json-file.ts';
import { appendLine } from '../../../src/main/floor/jsonl-file.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import type { Signal } from '../../../src/main/records.ts';
import { openRecords, type Records } from '../../faults/host-records.ts';

let dir = '';
let paths: Paths;
let records: Records;
const open = new Set<() => Promise<void>>();

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sb restart-'));
  paths = pathsUnder(join(dir, 'data'));
  records = openRecords('s1', dir, null);
  writeJson(paths.config, { model: { provider: 'local' }, loop: { min_interval_s: 5, salience_per_hour: 600 } });
});
afterEach(async () => {
  for (const close of open) await close();
  open.clear();
  rmSync(dir, { recursive: true, force: true });
});

/** A monitor of the host `pid`; the function it returns ends it. */
const follow = (pid: number): (() => Promise<void>) => {
  let gone = false;
  const host = { name: String(pid), pid, since: 0, session: undefined, alive: () => !gone };
  const follower = openFollower({ paths, host, runtime: runtimeInPlace(join(process.cwd(), 'plugin')), env: {}, cwd: dir, log: () => undefined, ring: () => undefined });
  const ended = follower.run(() => gone);
  const close = async (): Promise<void> => {
    if (gone) return;
    gone = true;
    await ended;
    follower.close(Date.now());
  };
  open.add(close);
  return close;
};

const transcript = (): string => join(dir, 's1.jsonl');
const write = (line: string): void => appendFileSync(transcript(), line);
const signal = (pid: number, event: Signal['event'], more: Partial<Signal> = {}): void =>
  appendLine(paths.spool(String(pid)), { v: 1, event, at: Date.now(), session: 's1', transcript: transcript(), cwd: dir, ...more });

const window = (): string =>
  readdirSync(paths.tasks).filter((name) => name.includes('.window.')).flatMap((name) => readFileSync(join(paths.tasks, name), 'utf8').split('\n').slice(1, -1)).map((line) => (JSON.parse(line) as { readonly block: { readonly text: string } }).block.text).join('\n');
const times = (words: string): number => window().split(words).length - 1;

const until = async (holds: () => boolean): Promise<void> => {
  for (let round = 0; round < 150 && !there(holds); round += 1) await sleep(100);
  expect(holds()).toBe(true);
};
const there = (holds: () => boolean): boolean => {
  try {
    return holds();
  } catch {
    return false; // no window yet
  }
};

describe('a monitor that goes on where another was killed', () => {
  test('C5, B6: a final answer that a signal had brought is not observed again when its record comes after the restart', async () => {
    const end = follow(41);
    signal(41, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
    write(records.prompt('Please rename the parser.', 'p1'));
    await until(() => readdirSync(paths.tasks).length > 0);
    signal(41, 'Stop', { last_text: 'The parser has its new name.' });
    await until(() => times('The parser has its new name.') === 1);
    await end();
    // The host writes in batches: the record of what was said last reaches the file behind the Stop.
    write(records.say('The parser has its new name.', 'end_turn'));
    follow(42);
    signal(42, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
    write(records.prompt('And now the lexer.', 'p2'));
    signal(42, 'Stop', { last_text: 'The lexer too.' });
    await until(() => times('The lexer too.') === 1);
    expect(times('The parser has its new name.')).toBe(1);
  });

  test('C8: where the record last read is gone meanwhile, nothing that a signal or a record had brought is observed again', async () => {
    const end = follow(45);
    signal(45, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
    write(records.prompt('Please rename the parser.', 'p1'));
    await until(() => readdirSync(paths.tasks).length > 0);
    signal(45, 'SubagentStop', { agent_id: 'a1', agent_type: 'Explore', last_text: 'It has two callers.' });
    signal(45, 'Stop', { last_text: 'The parser has its new name.' });
    await until(() => times('The parser has its new name.') === 1 && times('two callers') === 1);
    write(records.say('The parser has its new name.', 'end_turn'));
    signal(45, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
    write(records.prompt('And now the lexer.', 'p2'));
    write(records.call('toolu_9', 'make lexer'));
    signal(45, 'Stop', { last_text: 'The lexer too.' });
    await until(() => times('The lexer too.') === 1 && times('make lexer') === 1);
    await end();
    writeFileSync(transcript(), `${readFileSync(transcript(), 'utf8').trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    write(records.say('The lexer too.', 'end_turn'));
    follow(46);
    signal(46, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p3' });
    write(records.prompt('Thanks.', 'p3'));
    signal(46, 'Stop', { last_text: 'You are welcome.' });
    await until(() => times('You are welcome.') === 1);
    for (const words of ['rename the parser', 'The parser has its new name.', 'two callers', 'now the lexer', 'The lexer too.']) expect([words, times(words)]).toEqual([words, 1]);
  });

  test('a failure whose call was made before the restart still carries the call’s name', async () => {
    const end = follow(43);
    signal(43, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
    write(records.prompt('Please build it.', 'p1'));
    write(records.call('toolu_1', 'make all'));
    signal(43, 'Stop', { last_text: 'Waiting.' });
    await until(() => times('make all') === 1);
    await end();
    write(records.result('toolu_1', 'no rule', true));
    follow(44);
    signal(44, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
    signal(44, 'Stop', { last_text: 'It failed.' });
    await until(() => times('It failed.') === 1);
    expect(window()).toContain('[error] Bash: ');
  });
});
