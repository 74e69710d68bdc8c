import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../../src/main/floor/paths.ts';
import { reserve, readSpent, settle, sweepBudgets, type Request } from '../../../src/main/pass/budget-file.ts';
import { bundleScript } from '../../support/script.ts';

let data: string;
let paths: Paths;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-budget-'));
  paths = pathsUnder(data);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const HOUR = 3_600_000;
const ROUNDS = 40;
const NOW = 1000 * HOUR + 1_800_000;
const limits = (more: Partial<Knobs['budget']> = {}): Knobs['budget'] => ({ ...defaultKnobs().budget, ...more });
const request = (id: string, tokens: number, more: Partial<Request> = {}): Request => ({ id, tokens, session: 's', host: 'h', task: 't', provider: 'anthropic', ...more });

describe('a reservation', () => {
  it('goes while it fits, and leaves no trace when it does not', () => {
    const hour = limits({ tokens_per_hour: 250 });
    expect(reserve(paths, request('a', 200), 0, NOW, hour)).toEqual({ go: true, reservation: { id: 'a', at: NOW, tokens: 200 } });
    expect(reserve(paths, request('b', 51), 0, NOW, hour)).toEqual({ go: false, because: 'budget', binds: 'hour', left: 50 });
    expect(reserve(paths, request('c', 50), 0, NOW, hour).go).toBe(true);
    expect(readSpent(paths, { session: 's', host: 'h' }, NOW)).toEqual({ own: 250, machine: 250, host: 0 });
  });

  it('gives back what was not used', () => {
    const hour = limits({ tokens_per_hour: 250 });
    const first = reserve(paths, request('a', 200), 0, NOW, hour);
    if (!first.go) throw new Error('refused');
    settle(paths, first.reservation, 20, NOW + 5000, 0.01);
    expect(reserve(paths, request('b', 230), 0, NOW + 6000, hour).go).toBe(true);
  });

  it('is bound by what the task has spent as well', () => {
    expect(reserve(paths, request('a', 101), 1_999_900, NOW, limits())).toEqual({ go: false, because: 'budget', binds: 'task', left: 100 });
  });

  it('counts across the turn of the hour, either way', () => {
    const hour = limits({ tokens_per_hour: 100 });
    const turn = 1001 * HOUR;
    expect(reserve(paths, request('a', 60), 0, turn - 1, hour).go).toBe(true);
    expect(reserve(paths, request('b', 60), 0, turn, hour).go).toBe(false);
    expect(reserve(paths, request('c', 40), 0, turn, hour).go).toBe(true);
    // A process that took its time just before the hour sees what others wrote just after it.
    expect(reserve(paths, request('d', 1), 0, turn - 1, hour).go).toBe(false);
    expect(reserve(paths, request('e', 60), 0, turn + HOUR - 1, hour).go).toBe(true);
  });

  it('settled after the turn of the hour is settled where it was made', () => {
    const first = reserve(paths, request('a', 600_000), 0, 1001 * HOUR - 1, limits());
    if (!first.go) throw new Error('refused');
    settle(paths, first.reservation, 5, 1001 * HOUR + 5);
    expect(readSpent(paths, { session: 's', host: 'h' }, 1001 * HOUR + 6).own).toBe(5);
  });

  it('stands, and counts, where a half-written line precedes it', () => {
    const hour = limits({ tokens_per_hour: 100 });
    expect(reserve(paths, request('a', 40), 0, NOW, hour).go).toBe(true);
    appendFileSync(paths.budget(1000), '{"v":1,"kind":"res');
    expect(reserve(paths, request('b', 40), 0, NOW, hour).go).toBe(true);
    expect(reserve(paths, request('c', 40), 0, NOW, hour).go).toBe(false);
    expect(reserve(paths, request('d', 20), 0, NOW, hour).go).toBe(true);
  });

  it('D2: crashes and restarts, 50 of them, do not lift the ceiling', () => {
    let granted = 0;
    for (let i = 0; i < 50; i += 1) {
      const spent = readSpent(pathsUnder(data), { session: 's', host: `h${i}` }, NOW + i * 1000);
      expect(spent.own).toBe(granted);
      if (reserve(pathsUnder(data), request(`p${i}`, 70, { host: `h${i}` }), 0, NOW + i * 1000, limits({ tokens_per_hour: 1000 })).go) granted += 70;
    }
    expect(granted).toBe(980);
  });
});

describe('the machine’s ceiling', () => {
  it('holds to the token for 20 processes that spend at once', async () => {
    // Each round is an hour of its own, begun by all at the same moment.
    const script = await bundleScript(data, `
      import { reserve, settle } from './pass/budget-file.ts';
      import { pathsUnder } from './floor/paths.ts';
      import { defaultKnobs } from './floor/knobs.ts';
      const [, , data, who] = process.argv;
      const limits = { ...defaultKnobs().budget, machine_tokens_per_hour: 100 };
      const sleeper = new Int32Array(new SharedArrayBuffer(4));
      process.stdin.once('data', (start) => {
        const granted = [];
        for (let round = 0; round < ${ROUNDS}; round += 1) {
          const at = ${NOW} + round * 3 * ${HOUR};
          Atomics.wait(sleeper, 0, 0, Math.max(0, Number(start) + round * 25 - Date.now()));
          const answer = reserve(pathsUnder(data), { id: who + '.' + round, tokens: 30, session: who, host: who, task: who, provider: 'anthropic' }, 0, at, limits);
          if (answer.go && round % 2 === 1) settle(pathsUnder(data), answer.reservation, 29, at);
          granted.push(answer.go ? 1 : 0);
        }
        process.stdout.write(JSON.stringify(granted), () => process.exit(0));
      });
      process.stdout.write('ready ');`);
    const spenders = Array.from({ length: 20 }, (_, who) => {
      const child = spawn(process.execPath, [script, data, String(who)], { stdio: ['pipe', 'pipe', 'inherit'] });
      let out = '';
      const ready = new Promise<void>((done) => child.stdout.once('data', () => done()));
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      const granted = new Promise<readonly number[]>((done) => child.on('close', () => done(JSON.parse(out.slice('ready '.length)) as readonly number[])));
      return { child, ready, granted };
    });
    await Promise.all(spenders.map(({ ready }) => ready));
    const start = Date.now() + 100;
    for (const { child } of spenders) child.stdin.end(String(start));
    const granted = await Promise.all(spenders.map((each) => each.granted));
    for (let round = 0; round < ROUNDS; round += 1) {
      const tokens = granted.reduce((sum, each) => sum + (each[round] ?? 0) * (round % 2 === 1 ? 29 : 30), 0);
      expect(tokens).toBeLessThanOrEqual(100);
      expect(tokens).toBeGreaterThanOrEqual(87); // and it is used: who comes first goes
      expect(readSpent(paths, { session: 'x', host: 'x' }, NOW + round * 3 * HOUR).machine).toBe(tokens);
    }
  }, 120_000);
});

describe('the sweep of budgets', () => {
  it('removes files no hour reaches, and says which', () => {
    for (const at of [900 * HOUR, 976 * HOUR, NOW]) reserve(paths, request(`${at}`, 1), 0, at, limits());
    expect(sweepBudgets(paths, NOW)).toEqual(['900.jsonl']);
    expect(readdirSync(paths.budgets).sort()).toEqual(['1000.jsonl', '976.jsonl']);
  });
});
