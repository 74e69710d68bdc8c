import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTools } from '../../../src/main/entry/tools.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { openPools, type Pools } from '../../../src/main/pools.ts';
import type { Detector } from '../../../src/main/records.ts';

let base: string;
let workspace: string;
let pools: Pools;
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-tools-')));
  workspace = join(base, 'proj');
  mkdirSync(join(workspace, '.claude'), { recursive: true });
  await build({
    entryPoints: { compute: 'src/workers/compute.ts', mcp: 'src/main/entry/mcp.ts' }, external: ['@napi-rs/nice', 'msgpackr-extract'],
    outdir: join(base, 'dist'), bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', outExtension: { '.js': '.cjs' }, logLevel: 'silent',
  });
  pools = openPools({ dist: join(base, 'dist'), fork_threads: 1, width: 1, compute_threads: 2 });
});
afterAll(async () => {
  await pools.close();
  rmSync(base, { recursive: true, force: true });
});

const detector: Detector = { name: 'prior-art', enabled: true, system: 'x', tools: ['Read', 'Grep', 'Glob'], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {} };

const open = (env: Readonly<Record<string, string>> = {}, servers: Readonly<Record<string, unknown>> = {}) =>
  openTools({
    dist: join(base, 'dist'), workspace, cwd: workspace, env: { CLAUDE_CONFIG_DIR: join(base, 'config'), ...env }, log: () => undefined, children: () => () => undefined,
    fileTool: pools.fileTool, knobs: () => ({ ...defaultKnobs(), mcp: { servers } }), plan_mode: () => false, last_write_at: () => undefined,
  });

describe('a session’s tools', () => {
  test('file tools answer from the compute pool, and F7: a hard expression holds up nobody', async () => {
    writeFileSync(join(workspace, 'a.txt'), `${'a'.repeat(50_000)}\n`);
    writeFileSync(join(workspace, 'b.txt'), 'the needle\n');
    const tools = open();
    const order: string[] = [];
    const ask = async (tool: string, args: Record<string, unknown>): Promise<string> => {
      const { text } = await tools.tool(detector, { tool, args });
      order.push(tool);
      return text;
    };
    const ticks: number[] = [];
    const clock = setInterval(() => ticks.push(1), 5);
    const hard = Promise.all(Array.from({ length: 3 }, () => ask('Grep', { pattern: '(.*a){25}(a+)+$' })));
    expect(await ask('Read', { path: 'b.txt' })).toContain('the needle');
    expect((await hard)[0]).toMatch(/^a\.txt:1: a+/);
    clearInterval(clock);
    expect(ticks.length).toBeGreaterThan(3);
    expect(await ask('Glob', { pattern: '*.txt' })).toBe('a.txt\nb.txt');
    expect(order.length).toBe(5);
    await tools.close();
  });

  test('MCP servers run in the user’s home, and where a project has set one in itself beside our program', async () => {
    const asked = { probe: { command: process.execPath, args: ['-e', `require('fs').writeFileSync(${JSON.stringify(join(base, 'where'))}, process.cwd())`] } };
    mkdirSync(join(base, 'home'));
    for (const [home, where] of [[join(base, 'home'), join(base, 'home')], [workspace, join(base, 'dist')], [join(base, 'dist', '..', 'proj'), join(base, 'dist')], ['.', join(base, 'dist')]] as const) {
      const tools = open({ HOME: home }, asked);
      await tools.connect([{ ...detector, tools: ['mcp:probe'] }]);
      expect(readFileSync(join(base, 'where'), 'utf8'), home).toBe(where);
      await tools.close();
    }
  });

  test('deny rules are read anew when asked, and a new one is told', async () => {
    writeFileSync(join(workspace, 'b.txt'), 'the needle\n');
    const tools = open();
    expect(tools.refresh()).toEqual({ tightened: false });
    writeFileSync(join(workspace, '.claude', 'settings.json'), JSON.stringify({ permissions: { deny: ['Read(b.txt)'] } }));
    expect((await tools.tool(detector, { tool: 'Read', args: { path: 'b.txt' } })).ok).toBe(true);
    expect(tools.refresh()).toEqual({ tightened: true });
    expect(await tools.tool(detector, { tool: 'Read', args: { path: 'b.txt' } })).toEqual({ ok: false, text: "Closed by the user's rules: b.txt" });
    expect(tools.denials().sealed).toContain('b.txt');
    writeFileSync(join(workspace, '.claude', 'settings.json'), '{');
    tools.refresh();
    expect(tools.problems()).toEqual([expect.stringContaining('not valid JSON')]);
    await tools.close();
  });

  test('a PATH or a home that leads in a circle, which a project’s settings can set, keeps nothing from opening', async () => {
    const circle = join(base, 'circle');
    symlinkSync(circle, circle);
    await open({ PATH: `${circle}/bin:/usr/bin:/${'x'.repeat(300)}`, HOME: circle }).close();
  });
});
