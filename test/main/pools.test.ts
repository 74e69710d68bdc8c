import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPools, type Pools } from '../../src/main/pools.ts';
import type { ForkTask, ProjectTask } from '../../src/workers/contract.ts';

// A worker that does what the fork's tail says: the real ones are tested beside their own files.
const FORKS = `
import { decode, encode } from './src/workers/contract.ts';
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const run = async ({ bytes, prefix, port }) => {
  const task = decode(bytes);
  const inbox = [];
  let wake = () => {};
  port.on('message', (raw) => { inbox.push(decode(raw)); wake(); });
  const next = async (kind) => {
    for (;;) {
      const at = inbox.findIndex((m) => m.kind === kind);
      if (at !== -1) return inbox.splice(at, 1)[0];
      await new Promise((done) => { wake = done; });
    }
  };
  const post = (message) => port.postMessage(encode(message));
  const usage = { input: 10, output: 1, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  const result = (end, cause) => {
    port.close();
    return encode(task.kind === 'summary' ? { text: 'sum', usage } : {
      detector: task.detector.name, end, feedback: { verdict: 'silent', checked: prefix === 'held' ? prefix : String(prefix.length) }, usage, requests: 1, started_at: 1, took_ms: 1,
      model: task.provider.model, pilot: task.pilot, tool_text: cause ?? '',
    });
  };
  if (task.kind === 'summary') return result();
  post({ kind: 'first-event' });
  post({ kind: 'usage', usage, estimated: false });
  if (task.tail === 'tool') {
    post({ kind: 'tool', seq: 7, tool: 'Read', args: { path: 'a' } });
    const { seq, reply } = await next('tool-reply');
    return result('feedback', seq + reply.text);
  }
  if (task.tail === 'host') {
    post({ kind: 'host-send', seq: 1, content: ['hello'] });
    const line = await next('host-event');
    const end = await next('host-end');
    return result('feedback', line.line + end.cause);
  }
  if (task.tail === 'env') return result('feedback', Object.keys(process.env).join());
  if (task.tail === 'learnt') { post({ kind: 'learnt', auto_choice: true }); post({ kind: 'from-a-later-version' }); await wait(20); return result('feedback'); }
  if (task.tail === 'wait') return result((await next('cancel')).because);
  if (task.tail === 'stuck') for (;;) {}
  if (task.tail === 'die') process.exit(3);
  if (task.tail === 'throw') throw new Error('bad luck');
  if (task.tail === 'slow') await wait(100);
  return result('feedback');
};`;
const COMPUTE = `
import { decode, encode } from './src/workers/contract.ts';
export default async (bytes) => {
  const task = decode(bytes);
  if (task.tool === 'Grep') for (;;) {}
  if (task.path === 'die') process.exit(1);
  if (task.path === 'busy') await new Promise((done) => setTimeout(done, 1800));
  return encode(task.kind === 'project' ? { items: [], bad_lines: task.to - task.from } : { ok: true, text: task.tool });
};`;

let dist = '';
const opened: Pools[] = [];
const bundle = (contents: string, outfile: string): Promise<unknown> =>
  build({ stdin: { contents, resolveDir: process.cwd(), loader: 'ts' }, bundle: true, platform: 'node', format: 'cjs', outfile, logLevel: 'silent', external: ['@napi-rs/nice'] });

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'pools-'));
  await Promise.all([bundle(FORKS, join(dist, 'forks.cjs')), bundle(COMPUTE, join(dist, 'compute.cjs'))]);
});
afterEach(async () => { for (const each of opened.splice(0)) await each.close(); });
afterAll(() => rmSync(dist, { recursive: true }));

const open = (over: Partial<Parameters<typeof openPools>[0]> = {}): Pools => {
  const pools = openPools({ dist, fork_threads: 1, width: 4, compute_threads: 2, ...over });
  opened.push(pools);
  return pools;
};
const task = (name: string, tail = '', limits: Partial<ForkTask['limits']> = {}): ForkTask => ({
  kind: 'fork', id: name, nonce: 'n', tail, prefix: new Uint8Array(1000), grant: [], pilot: false, warm: 0,
  provider: { kind: 'local', base_url: '', model: 'm', key: '', cache_ttl: '5m', auto_choice: false },
  detector: { name, enabled: true, system: '', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {} },
  limits: { deadline_ms: 5000, grace_ms: 1000, iterations: 1, max_output_tokens: 1, token_budget: 1, body_cap: 1, ...limits },
});
const range: ProjectTask = { kind: 'project', path: 'p', from: 3, to: 10, limits: {} as ProjectTask['limits'] };

describe('the forks pool', () => {
  it('starts with its first task, and hands over the whole task', async () => {
    const pools = open();
    expect(pools.threads()).toEqual({ forks: 0, compute: 0 });
    const seen: string[] = [];
    const result = await pools.fork(task('a'), { firstEvent: () => seen.push('first'), usage: ({ input }) => seen.push(`usage ${input}`) });
    expect(result).toMatchObject({ detector: 'a', end: 'feedback', feedback: { checked: '1000' } });
    expect(seen).toEqual(['first', 'usage 10']);
    expect(pools.threads()).toEqual({ forks: 1, compute: 0 });
  });

  it('shares one thread between forks at once', async () => {
    const pools = open();
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => pools.fork(task(name, 'slow'), {})));
    expect(all.map(({ end }) => end)).toEqual(['feedback', 'feedback', 'feedback', 'feedback']);
    expect(pools.threads().forks).toBe(1);
  });

  it('each thread is given a prefix once, and again after another one or in a new thread', async () => {
    const pools = open({ fork_threads: 2, width: 4 });
    const pass = async (prefix: Uint8Array): Promise<unknown[]> => {
      const results = await Promise.all(['a', 'b', 'c', 'd'].map((name) => pools.fork({ ...task(name, 'slow'), prefix }, {})));
      return results.map(({ feedback }) => feedback.checked);
    };
    const [first, second] = [new Uint8Array(1000), new Uint8Array(2000)];
    expect(await pass(first)).toEqual(['1000', '1000', 'held', 'held']);
    expect(await pass(first)).toEqual(['held', 'held', 'held', 'held']);
    expect(await pass(second)).toEqual(['2000', '2000', 'held', 'held']);
    expect(await pass(first)).toEqual(['1000', '1000', 'held', 'held']);
    await Promise.all([pools.fork(task('x', 'die'), {}), pools.fork(task('y', 'die'), {})]);
    expect(await pass(second)).toEqual(['2000', '2000', 'held', 'held']);
    expect(first.length + second.length).toBe(3000); // copies were moved, not these
  });

  it('answers what a fork asks, and a hook that fails costs one answer', async () => {
    const pools = open();
    expect((await pools.fork(task('a', 'tool'), { tool: ({ tool }) => Promise.resolve({ ok: true, text: tool }) })).tool_text).toBe('7Read');
    expect((await pools.fork(task('a', 'tool'), { tool: () => Promise.reject(new Error('gone')) })).tool_text).toBe('7Read failed: gone');
    expect((await pools.fork(task('a', 'tool'), {})).tool_text).toBe('7no tools here');
    const hostSend = async (content: readonly unknown[], line: (line: string) => void): Promise<{ cause?: string }> => {
      line(String(content[0]));
      return { cause: ' paused' };
    };
    expect((await pools.fork(task('a', 'host'), { hostSend })).tool_text).toBe('hello paused');
  });

  it('passes on what was learnt, and ignores what it does not know', async () => {
    const learnt: unknown[] = [];
    expect((await open().fork(task('a', 'learnt'), { learnt: (what) => learnt.push(what) })).end).toBe('feedback');
    expect(learnt).toEqual([{ auto_choice: true }]);
  });

  it('gives its threads no environment', async () => {
    expect((await open().fork(task('a', 'env'), {})).tool_text).toBe('');
  });

  it('cancels by message, with the reason', async () => {
    const pools = open();
    const controller = new AbortController();
    const running = pools.fork(task('a', 'wait'), { firstEvent: () => controller.abort('budget') }, controller.signal);
    expect((await running).end).toBe('budget');
    expect((await pools.fork(task('a', 'wait'), {}, AbortSignal.abort('cancelled'))).end).toBe('cancelled');
    expect((await pools.fork(task('a', 'wait', { deadline_ms: 10, grace_ms: 10 }), {})).end).toBe('deadline');
    expect(pools.threads().forks).toBe(1);
  });

  it('ends the thread of a fork that does not stop, and only that one', async () => {
    const pools = open({ fork_threads: 2, width: 2 });
    const stuck = pools.fork(task('stuck', 'stuck', { deadline_ms: 50, grace_ms: 50 }), {});
    const other = pools.fork(task('other', 'wait', { deadline_ms: 1500, grace_ms: 0 }), {});
    expect(await stuck).toMatchObject({ end: 'deadline', usage: { input: 10 }, feedback: { verdict: 'silent' } });
    expect((await other).end).toBe('deadline');
    expect((await pools.fork(task('next'), {})).end).toBe('feedback');
  });

  it('gives up a fork that no thread had room for, without touching those that run', async () => {
    const pools = open({ width: 2 });
    const running = [pools.fork(task('a', 'wait', { deadline_ms: 1800, grace_ms: 0 }), {}), pools.fork(task('b', 'wait', { deadline_ms: 1800, grace_ms: 0 }), {})];
    expect(await pools.fork(task('late', '', { deadline_ms: 50, grace_ms: 0 }), {})).toMatchObject({ end: 'deadline', usage_unknown: false, cause: 'it did not stop' });
    expect((await Promise.all(running)).map(({ end }) => end)).toEqual(['deadline', 'deadline']);
    expect((await pools.fork(task('next'), {})).end).toBe('feedback');
  });

  it('a dead thread costs its forks, not the pool', async () => {
    const pools = open();
    const [dead, beside] = await Promise.all([pools.fork(task('dead', 'die'), {}), pools.fork(task('beside', 'wait'), {})]);
    expect(dead).toMatchObject({ end: 'crashed', usage: { input: 10 }, usage_unknown: true, cause: 'worker exited with code: 3' });
    expect(beside.end).toBe('crashed');
    expect(await pools.fork(task('thrown', 'throw'), {})).toMatchObject({ end: 'crashed', cause: 'bad luck' });
    expect((await pools.fork(task('next'), {})).end).toBe('feedback');
  });

  it('summarises over the same threads', async () => {
    const summary = { kind: 'summary', id: 's', provider: task('a').provider, system: '', text: '', timeout_ms: 1000, max_output_tokens: 1 } as const;
    expect(await open().summarize(summary)).toMatchObject({ text: 'sum' });
  });

  it('a bundle that is missing or broken is a result with a cause, each time', async () => {
    const empty = join(dist, 'broken');
    mkdirSync(empty);
    const missing = open({ dist: empty });
    expect((await missing.fork(task('a'), {})).end).toBe('crashed');
    expect((await missing.fork(task('a'), {})).end).toBe('crashed');
    await expect(missing.project(range)).rejects.toThrow();
    await missing.close();
    writeFileSync(join(empty, 'forks.cjs'), 'throw new Error("not today")');
    const broken = open({ dist: empty });
    expect((await broken.fork(task('a'), {})).end).toBe('crashed');
  });
});

describe('the compute pool', () => {
  it('projects ranges and runs file tools', async () => {
    const pools = open();
    expect(await pools.project(range)).toEqual({ items: [], bad_lines: 7 });
    expect(await pools.fileTool({ kind: 'file-tool', tool: 'Read', args: {}, root: '/', denied: [], deadline_ms: 1000, redact: true })).toEqual({ ok: true, text: 'Read' });
    await Promise.all(Array.from({ length: 8 }, () => pools.project(range)));
    expect(pools.threads().compute).toBeLessThanOrEqual(2);
  });

  it('F7: ends the thread of a tool that does not come back', async () => {
    const pools = open();
    const reply = await pools.fileTool({ kind: 'file-tool', tool: 'Grep', args: {}, root: '/', denied: [], deadline_ms: 10, redact: true });
    expect(reply).toMatchObject({ ok: false, text: expect.stringContaining('Grep did not finish') });
    const behind = open({ compute_threads: 1 });
    const [busy, waited] = await Promise.all([behind.project({ ...range, path: 'busy' }), behind.fileTool({ kind: 'file-tool', tool: 'Read', args: {}, root: '/', denied: [], deadline_ms: 10, redact: true })]);
    expect(busy.bad_lines).toBe(7);
    expect(waited).toMatchObject({ ok: false, text: expect.stringContaining('Read did not finish') });
    await behind.close();
    await expect(pools.project({ ...range, path: 'die' })).rejects.toThrow('exited');
    expect((await pools.project(range)).bad_lines).toBe(7);
  });
});

describe('close', () => {
  it('ends forks that still run, leaves no thread or port, and refuses later work', async () => {
    const ports = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = ports();
    const pools = open();
    const running = pools.fork(task('a', 'wait'), {});
    const stuck = pools.fork(task('b', 'stuck'), {});
    await pools.project(range);
    await pools.close();
    expect((await running).end).toBe('cancelled');
    expect((await stuck).end).toBe('cancelled');
    expect(pools.threads()).toEqual({ forks: 0, compute: 0 });
    await new Promise((done) => { setTimeout(done, 50); });
    expect(ports()).toBe(before);
    expect(await pools.fork(task('c'), {})).toMatchObject({ end: 'crashed', usage_unknown: false, cause: 'the pools are closed' });
    await expect(pools.project(range)).rejects.toThrow('closed');
  });
});

describe('in bundles', () => {
  // As in plugin/dist: main, threads and Piscina's own worker are separate files, without node_modules near them.
  it('works, and a process that is done with its pools ends by itself', async () => {
    const out = join(dist, 'bundled');
    mkdirSync(out);
    const driver = `
      import { openPools } from './src/main/pools.ts';
      const pools = openPools({ dist: ${JSON.stringify(out)}, fork_threads: 1, width: 4, compute_threads: 1 });
      const task = ${JSON.stringify({ ...task('a'), prefix: undefined })};
      const go = async () => {
        const fork = await pools.fork({ ...task, prefix: new Uint8Array(1) }, {});
        const range = await pools.project({ kind: 'project', path: 'p', from: 0, to: 78 });
        console.log(JSON.stringify({ end: fork.end, range }));
      };
      void go();`;
    const entry = (path: string, outfile: string): Promise<unknown> => build({ entryPoints: [path], bundle: true, platform: 'node', format: 'cjs', outfile: join(out, outfile), logLevel: 'silent', external: ['@napi-rs/nice'] });
    await Promise.all([
      bundle(driver, join(out, 'driver.cjs')), bundle(FORKS, join(out, 'forks.cjs')), bundle(COMPUTE, join(out, 'compute.cjs')), entry('node_modules/piscina/dist/worker.js', 'worker.js'),
    ]);
    const said: unknown = JSON.parse(execFileSync(process.execPath, [join(out, 'driver.cjs')], { encoding: 'utf8', timeout: 80_000 }));
    expect(said).toMatchObject({ end: 'feedback', range: { bad_lines: 78 } });
  });
});
