import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { build } from 'esbuild';
import { loadMcp } from '../../../src/main/entry/tools.ts';
import { defaultKnobs, type Knobs } from '../../../src/main/floor/knobs.ts';
import { openToolPort, type ToolPort, type ToolPortOptions } from '../../../src/main/pass/tool-port.ts';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';
import type { Detector } from '../../../src/main/records.ts';

let base: string;
let root: string;
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-port-')));
  root = join(base, 'proj');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'inside\n');
  writeFileSync(join(root, 'b.txt'), 'inside\n');
  writeFileSync(
    join(base, 'server.cjs'),
    `const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const m = JSON.parse(line);
      if (m.method === 'initialize') say({ id: m.id, result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
      else if (m.method === 'tools/list') say({ id: m.id, result: { tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }, { name: 'change', inputSchema: { type: 'object' } }] } });
      else if (m.method === 'tools/call') say({ id: m.id, result: { content: [{ type: 'text', text: m.params.name + ' done' }] } });
    });`,
  );
  await build({ entryPoints: { mcp: 'src/main/entry/mcp.ts' }, outdir: base, bundle: true, platform: 'node', target: 'node20.19', format: 'cjs', outExtension: { '.js': '.cjs' }, logLevel: 'silent' });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const detector = (name: string, ...tools: Detector['tools']): Detector => ({ name, enabled: true, system: 'x', tools, schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {} });
const withRun = (enabled: boolean): Partial<Knobs> => ({ run_tool: { enabled } });
const withServer = (): Partial<Knobs> => ({ mcp: { servers: { s: { command: process.execPath, args: [join(base, 'server.cjs')] } } } });

const ports: ToolPort[] = [];
afterEach(async () => {
  await Promise.all(ports.splice(0).map((port) => port.close()));
});

const open = (knobs: Partial<Knobs> = {}, over: Partial<ToolPortOptions> = {}): ToolPort => {
  const port = openToolPort({
    fileTool: (task) => Promise.resolve(answerFileTool(task)),
    root, denied: () => [], knobs: () => ({ ...defaultKnobs(), ...knobs }),
    mcp: () => loadMcp(base, { env: { PATH: process.env['PATH'] ?? '' }, cwd: base, children: () => () => undefined, log: () => undefined }),
    plan_mode: () => false, last_write_at: () => undefined, now: () => 1_000_000, children: () => () => undefined, env: { PATH: process.env['PATH'] ?? '' }, ...over,
  });
  ports.push(port);
  return port;
};

const ask = async (port: ToolPort, who: Detector, tool: string, args: Record<string, unknown> = {}): Promise<string> => {
  const { ok, text } = await port.tool(who, { tool, args });
  return `${ok ? 'yes' : 'no'}: ${text}`;
};

describe('grants', () => {
  test('each call is checked against the calling detector, whatever a sibling has', async () => {
    const port = open();
    expect(await ask(port, detector('reads', 'Read'), 'Read', { path: 'a.txt' })).toContain('yes: a.txt');
    expect(await ask(port, detector('greps', 'Grep'), 'Read', { path: 'a.txt' })).toBe('no: Read is not granted to greps.');
    expect(await ask(port, detector('none'), 'Glob', { pattern: '*' })).toBe('no: Glob is not granted to none.');
    for (const tool of ['Bash', 'read', '', 'constructor', '__proto__', 'mcp__s__look', 'Run']) expect(await ask(port, detector('all', 'Read', 'Grep', 'Glob'), tool), tool).toMatch(/^no: .* is not granted to all\.$/);
  });

  test('the deny rules of this moment bind', async () => {
    let denied: readonly string[] = [];
    const port = open({}, { denied: () => denied });
    const who = detector('reads', 'Read', 'Grep');
    expect(await ask(port, who, 'Read', { path: 'b.txt' })).toContain('yes');
    denied = ['b.txt'];
    expect(await ask(port, who, 'Read', { path: 'b.txt' })).toBe("no: Closed by the user's rules: b.txt");
    expect(await ask(port, who, 'Grep', { pattern: 'inside' })).toBe('yes: a.txt:1: inside');
  });
});

describe('Run', () => {
  const who = detector('checks', { exec: ['echo a;b'] });

  test('not in the list is refused even when a sibling has it', async () => {
    const port = open(withRun(true));
    expect(await ask(port, who, 'Run', { command: 'echo a;b' })).toMatch(/^yes: Exit 0 after [\d.]+ s\.\na;b/);
    expect(await ask(port, detector('other', { exec: ['echo c'] }), 'Run', { command: 'echo a;b' })).toBe('no: Run accepts only the exact commands of your instructions.');
    expect(await ask(port, detector('reads', 'Read'), 'Run', { command: 'echo a;b' })).toBe('no: Run is not granted to reads.');
    expect(await ask(port, who, 'Run', {})).toMatch(/^no: Run accepts only/);
  });

  test('off in this workspace, in plan mode, under a fresh write, and beside another command', async () => {
    expect(await ask(open(withRun(false)), who, 'Run', { command: 'echo a;b' })).toBe('no: Run is off in this workspace.');
    expect(await ask(open(withRun(true), { plan_mode: () => true }), who, 'Run', { command: 'echo a;b' })).toBe('no: Nothing is run in plan mode.');
    const slow = detector('slow', { exec: ['sleep 0.5'] });
    const port = open(withRun(true));
    const [first, second] = await Promise.all([ask(port, slow, 'Run', { command: 'sleep 0.5' }), ask(port, who, 'Run', { command: 'echo a;b' })]);
    expect(first).toMatch(/^yes/);
    expect(second).toBe('no: Another command is running.');
    expect(await ask(port, who, 'Run', { command: 'echo a;b' })).toMatch(/^yes/);
    expect(await ask(open(withRun(true), { last_write_at: () => 1_000_000 - 500 }), who, 'Run', { command: 'echo a;b' })).toBe('no: The tree is being written to; nothing was run.');
  });
});

describe('MCP', () => {
  test('nothing is loaded until a server is granted to an enabled detector', async () => {
    let loads = 0;
    const port = open(withServer(), { mcp: () => { loads += 1; return Promise.reject(new Error('not here')); } });
    await port.connect([detector('reads', 'Read'), { ...detector('off', 'mcp:s'), enabled: false }]);
    expect(loads).toBe(0);
    await port.connect([detector('asks', 'mcp:s'), detector('lost', 'mcp:t/x')]);
    expect(loads).toBe(1);
    expect(port.problems()).toEqual(['detectors.lost.tools: mcp:t/x names no server of mcp.servers', 'MCP cannot be used: not here']);
    expect(port.mcp_tools()).toEqual([]);
  });

  test('a server’s grant admits what is read-only, anything else is granted by its name and named in a warning', async () => {
    const port = open(withServer());
    const looks = detector('looks', 'mcp:s');
    const changes = detector('changes', 'mcp:s/change');
    await port.connect([looks]);
    expect(port.problems()).toEqual([]);
    expect(port.mcp_tools().map(({ name }) => name)).toEqual(['mcp__s__look']);
    await port.connect([looks, changes]);
    expect(port.problems()).toEqual(["detectors.changes.tools: mcp:s/change is not read-only by its server's word; it is granted because it is named"]);
    expect(port.mcp_tools().map(({ name }) => name)).toEqual(['mcp__s__change', 'mcp__s__look']);
    expect(await ask(port, looks, 'mcp__s__look')).toBe('yes: look done');
    expect(await ask(port, looks, 'mcp__s__change')).toBe('no: mcp__s__change is not granted to looks.');
    expect(await ask(port, changes, 'mcp__s__change')).toBe('yes: change done');
    expect(await ask(port, changes, 'mcp__s__look')).toBe('no: mcp__s__look is not granted to changes.');
    await port.connect([detector('reads', 'Read')]);
    expect(await ask(port, looks, 'mcp__s__look')).toBe('no: mcp__s__look is not granted to looks.');
  });

  test('connecting twice at once loads once, and closing while it loads leaves nothing behind', async () => {
    let loads = 0;
    const mcp = () => {
      loads += 1;
      return loadMcp(base, { env: { PATH: process.env['PATH'] ?? '' }, cwd: base, children: () => () => undefined, log: () => undefined });
    };
    const asks = detector('asks', 'mcp:s');
    const port = open(withServer(), { mcp });
    await Promise.all([port.connect([asks]), port.connect([asks])]);
    expect(loads).toBe(1);
    expect(port.mcp_tools().length).toBe(1);
    const other = open(withServer(), { mcp });
    const connecting = other.connect([asks]);
    await other.close();
    await connecting;
    expect(other.mcp_tools()).toEqual([]);
  });
});
