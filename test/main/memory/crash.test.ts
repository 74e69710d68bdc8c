// Memory and budget against kill -9 and a disk that fills up: what was acknowledged is there after a restart, and nothing has to be set aside.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathsUnder } from '../../../src/main/floor/paths.ts';
import { readLedger } from '../../../src/main/memory/ledger-file.ts';
import { readWindow } from '../../../src/main/memory/window-file.ts';
import { readSpent } from '../../../src/main/pass/budget-file.ts';
import { bundleScript } from '../../support/script.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sb-crash-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const NOW = 3_600_000_000;

/** Restores the task, says what it found, then goes through passes for ever, acknowledging each step once it is on disk. */
const PROGRAM = `
  import { defaultKnobs } from './floor/knobs.ts';
  import { pathsUnder } from './floor/paths.ts';
  import { compacted, needsCompaction, planCompaction } from './memory/compaction.ts';
  import { newLedger, renderLedger, spend, addFact } from './memory/ledger.ts';
  import { readLedger, writeLedger } from './memory/ledger-file.ts';
  import { digest } from './memory/summary.ts';
  import { append, emptyWindow, number, observationBlock } from './memory/window.ts';
  import { appendBlock, readWindow, startWindow } from './memory/window-file.ts';
  import { reserve, settle } from './pass/budget-file.ts';
  const [, , data, life] = process.argv;
  const paths = pathsUnder(data);
  const knobs = defaultKnobs();
  const limits = { ...knobs.window, budget_chars: 20000 };
  const found = readLedger(paths, 't-1');
  let ledger = found.ok ? found.value : newLedger({ task: 't-1', session: 's', workspace: '/r', nonce: '0123456789abcdef', goal: 'g', now: ${NOW} });
  if (!found.ok) writeLedger(paths, ledger);
  const restored = readWindow(paths, 't-1');
  let window = restored.window;
  if (window === undefined) {
    window = emptyWindow({ task: 't-1', nonce: ledger.nonce, generation: 0, ledger_text: renderLedger(ledger) });
    startWindow(paths, window);
  }
  const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n');
  say({ found: found.ok || found.because, aside: restored.aside, next_n: window.next_n });
  const pass = () => {
    const n = ledger.pass + 1;
    ledger = { ...ledger, pass: n };
    const numbered = number(window, Array.from({ length: 3 }, (_, i) => ({ kind: 'text', at: n, uuid: 'u', raw_chars: 1, text: '[text] ' + n + ' ' + 'é'.repeat(300 * (i + 1)) })));
    const block = observationBlock('observations', numbered, { pass: n, at: n });
    window = append(window, block, numbered);
    appendBlock(paths, window, block, numbered);
    say({ n: window.next_n - 1 });
    if (needsCompaction(window, limits)) {
      const { evicted, evicted_observations, kept } = planCompaction(window, limits);
      ledger = addFact(ledger, digest(evicted, evicted_observations), n, knobs.ledger);
      window = compacted(window, renderLedger(ledger), kept);
      writeLedger(paths, ledger);
      startWindow(paths, window);
    }
    const reserved = reserve(paths, { id: life + '.' + n, session: 's', host: life, task: 't-1', provider: 'anthropic', tokens: 100 }, ledger.spent_tokens, ${NOW}, { ...knobs.budget, tokens_per_hour: 1e9, tokens_per_task: 1e9 });
    if (reserved.go) {
      // In full before anything is sent: a crash then leaves the worst case on the task's account.
      ledger = spend(ledger, 100);
      writeLedger(paths, ledger);
      say({ sent: 60 });
      ledger = spend(ledger, 60 - 100);
      writeLedger(paths, ledger);
      settle(paths, reserved.reservation, 60, ${NOW});
    }
    setImmediate(pass);
  };
  pass();
`;

type Said = { readonly found?: true | string; readonly aside?: readonly string[]; readonly next_n?: number; readonly n?: number; readonly sent?: number };

describe('memory and budget', () => {
  it('B6, D2: survive kill -9 at any moment: no number lost or given twice, no spending forgotten, nothing set aside', async () => {
    const script = await bundleScript(data, PROGRAM);
    let acknowledged = 0;
    let sent = 0;
    for (let life = 0; life < 16; life += 1) {
      const said = await liveFor(script, life, 3 + ((life * 37) % 41));
      const [first, ...rest] = said;
      expect(first?.aside).toEqual([]);
      if (life > 0) expect(first?.found).toBe(true);
      expect(first?.next_n ?? 0).toBeGreaterThan(acknowledged);
      for (const { n } of rest) if (n !== undefined) expect(n).toBeGreaterThan(acknowledged);
      acknowledged = rest.reduce((last, { n }) => Math.max(last, n ?? 0), acknowledged);
      sent += rest.reduce((sum, each) => sum + (each.sent ?? 0), 0);
    }
    const paths = pathsUnder(data);
    const { window } = readWindow(paths, 't-1');
    const ns = window?.observations.map(({ n }) => n) ?? [];
    expect(ns).toEqual(ns.map((_, i) => (ns[0] ?? 0) + i));
    expect(ns.at(-1)).toBe((window?.next_n ?? 0) - 1);
    const ledger = readLedger(paths, 't-1');
    expect(acknowledged).toBeGreaterThan(10);
    expect(ledger.ok ? ledger.value.spent_tokens : 0).toBeGreaterThanOrEqual(sent);
    expect(readSpent(paths, { session: 's', host: 'x' }, NOW).own).toBeGreaterThanOrEqual(sent);
    expect(readdirSync(paths.tasks).filter((name) => name.endsWith('.bad'))).toEqual([]);
  }, 120_000);
});

/** Appends a block to a log that may grow by half of it, as on a disk that fills up under the write. */
const FULL = `
  import { isDiskTrouble } from './floor/json-file.ts';
  import { pathsUnder } from './floor/paths.ts';
  import { append, emptyWindow, number, observationBlock } from './memory/window.ts';
  import { appendBlock, startWindow } from './memory/window-file.ts';
  const paths = pathsUnder(process.argv[2]);
  let window = emptyWindow({ task: 't-1', nonce: '0123456789abcdef', generation: 0, ledger_text: '' });
  startWindow(paths, window);
  const numbered = number(window, [{ kind: 'text', at: 1, uuid: 'u', raw_chars: 1, text: '[text] ' + 'x'.repeat(100_000) }]);
  const block = observationBlock('observations', numbered, { pass: 1, at: 1 });
  window = append(window, block, numbered);
  try {
    appendBlock(paths, window, block, numbered);
    console.log('went through');
  } catch (error) {
    console.log(isDiskTrouble(error) ? 'disk trouble' : String(error));
  }
`;

it('a block of which only the head has room is told as a disk’s trouble, so that the log is written anew', async () => {
  const script = await bundleScript(data, FULL);
  const said = execFileSync('sh', ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, script, data], { encoding: 'utf8' });
  expect(said).toBe('disk trouble\n');
});

/** Runs the program until `ms` after its first word, kills it, and returns what it said, a half-said last word aside. */
const liveFor = (script: string, life: number, ms: number): Promise<readonly Said[]> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [script, data, `h${life}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), ms));
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.on('close', () => done(out.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Said)));
  });
