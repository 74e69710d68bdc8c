// The host provider on the real CLI and a scripted model: shared bytes, cache reads, the tool loop, money, and nobody left behind.
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HostSent } from '../../../src/main/pass/host-model.ts';
import type { ForkResult } from '../../../src/main/records.ts';
import { describeHost } from '../../support/describe-host.ts';
import { startWorld, type World } from '../../support/host-world.ts';
import type { Charge } from '../../support/model-cache.ts';

type Fork = { readonly result: ForkResult; readonly sent: readonly HostSent[]; readonly first_events: number };
type Report = {
  readonly a: Fork;
  readonly b: Fork;
  readonly next: Fork;
  readonly hang: Fork;
  readonly die: Fork;
  readonly limit: Fork;
  readonly paused: Fork;
  readonly made: number;
  readonly requests: readonly { readonly max_tokens: number; readonly thinking?: unknown; readonly tools?: readonly unknown[]; readonly charge: Charge; readonly raw: string }[];
  readonly orphan: { readonly alive_before: boolean; readonly swept: boolean; readonly alive_after: boolean };
};

describeHost('the host provider on the real CLI', () => {
  let world: World;
  let report: Report;
  let left: readonly unknown[];

  beforeAll(async () => {
    world = await startWorld();
    const program = join(world.dir, 'host-model-run.cjs');
    await build({ entryPoints: ['test/support/host-model-run.ts'], outfile: program, bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' });
    const { code, stdout, stderr } = await world.run([process.execPath, program, 'passes', world.binary, join(world.dir, 'ours')], { timeoutMs: 120_000 });
    expect(code, stderr).toBe(0);
    report = JSON.parse(stdout) as Report;
    left = world.processes();
  }, 180_000);
  afterAll(() => world?.stop());

  test('a tool loop of three rounds works as text', () => {
    expect(report.a.result).toMatchObject({ end: 'feedback', requests: 4, tool_text: 'text of file-0\ntext of file-1\ntext of file-2\n', feedback: { verdict: 'advise', headline: 'Tests were not run' } });
    expect(report.a.first_events).toBe(1);
    expect(report.b.result).toMatchObject({ end: 'feedback', requests: 1 });
    expect(report.made).toBe(6);
  });

  test('thinking is off, output is capped, and there are no tools', () => {
    for (const { max_tokens, thinking, tools } of report.requests) {
      expect(max_tokens).toBe(512);
      expect(JSON.stringify(thinking ?? { type: 'disabled' })).toContain('disabled');
      expect(tools ?? []).toEqual([]);
    }
  });

  test('all forks of a pass share the bytes up to our mark, and the next pass begins with them', () => {
    const upTo = (raw: string, text: string): string => raw.slice(0, raw.indexOf(text));
    const raws = report.requests.map(({ raw }) => raw);
    const [first = ''] = raws;
    const shared = upTo(first, 'FORK a');
    expect(shared).toContain('naïve 中文');
    for (const raw of raws.slice(0, 4)) expect(raw.startsWith(shared)).toBe(true);
    expect(upTo(raws[4] ?? '', 'FORK b')).toBe(shared);
    const unmarked = upTo(first, ',"cache_control":{"type":"ephemeral"}},{"type":"text","text":"FORK a').length;
    expect(unmarked).toBeGreaterThan(20_000);
    expect(raws[5]?.slice(0, unmarked)).toBe(first.slice(0, unmarked));
  });

  test('the window is written once, read by the second fork, and read back by the next pass', () => {
    const [first, , , , second, third] = report.requests.map(({ charge }) => charge);
    expect(first?.read).toBe(0);
    expect(first?.write_5m).toBeGreaterThan(7000);
    expect(second?.read).toBeGreaterThan(7000);
    expect(third?.read).toBeGreaterThan(7000);
    expect(third?.write_5m).toBeGreaterThan(4000);
  });

  test('usage from the stream is what the result lines say, and they carry money', () => {
    for (const { result, sent } of [report.a, report.b, report.next]) {
      const total = (name: 'input' | 'output' | 'cache_read' | 'cache_write_5m'): number => sent.reduce((sum, { usage }) => sum + (usage?.[name] ?? 0), 0);
      for (const name of ['input', 'output', 'cache_read', 'cache_write_5m'] as const) expect(result.usage[name], name).toBe(total(name));
      expect(result.usage_estimated).toBeUndefined();
      expect(sent.every(({ usd }) => (usd ?? 0) > 0)).toBe(true);
    }
  });

  test('a hung or dying process costs one fork', () => {
    expect(report.hang.result).toMatchObject({ end: 'deadline', feedback: { verdict: 'silent' } });
    expect(report.die.result).toMatchObject({ end: 'provider-error', cause: 'host: process ended (SIGKILL)' });
  });

  test('a rate limit ends its fork at once and keeps the next from starting', () => {
    expect(report.limit.result).toMatchObject({ end: 'provider-error', cause: 'host: http 429' });
    expect(report.limit.result.took_ms).toBeLessThan(report.hang.result.took_ms);
    expect(report.paused.result).toMatchObject({ end: 'provider-error', cause: 'host: paused at a rate limit' });
  });

  test('the child of a killed monitor is gone after one sweep', () => {
    expect(report.orphan).toEqual({ alive_before: true, swept: true, alive_after: false });
  });

  test('no process and no transcript is left', async () => {
    expect(left).toEqual([]);
    const { stdout } = await world.run(['sh', '-c', `find ${world.config}/projects -name '*.jsonl' 2>/dev/null | wc -l`]);
    expect(stdout.trim()).toBe('0');
  });
});
