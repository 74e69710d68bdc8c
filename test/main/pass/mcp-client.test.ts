import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../src/main/floor/process-file.ts';
import type { OnRecord } from '../../../src/main/pass/children-file.ts';
import { openMcp, type Mcp, type McpLimits } from '../../../src/main/pass/mcp-client.ts';
import { mostHeld } from '../../support/held-memory.ts';
import { cpuMs } from '../../support/cpu.ts';
import type { ToolReply } from '../../../src/main/records.ts';

let folder: string;
let server: string;
const httpServers: ChildProcess[] = [];
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sb-mcp-')));
  server = join(folder, 'server.mjs');
  await build({
    entryPoints: ['test/support/mcp-server.ts'], outfile: server, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', logLevel: 'silent',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
});
afterAll(() => {
  for (const child of httpServers) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const opened: Mcp[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()));
});

const logged: string[] = [];
/** Servers that run, by what the client told. */
const onRecord = new Set<number | undefined>();
const children: OnRecord = (pid) => {
  onRecord.add(pid);
  return () => void onRecord.delete(pid);
};
const open = (limits: Partial<McpLimits> = {}): Mcp => {
  const mcp = openMcp({ env: { PATH: process.env['PATH'] ?? '', HOME: folder }, cwd: folder, children, log: (line) => logged.push(line), limits });
  opened.push(mcp);
  return mcp;
};

/** A server of a few lines: `code` may use `say(message)` and `on(message => …)`. */
const scripted = (name: string, code: string): unknown => {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(path, `
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    let buffer = '';
    const on = (take) => process.stdin.on('data', (chunk) => { buffer += chunk; const lines = buffer.split('\\n'); buffer = lines.pop(); for (const line of lines) take(JSON.parse(line)); });
    const ready = (tools, call) => on((m) => {
      if (m.method === 'initialize') say({ id: m.id, result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
      else if (m.method === 'tools/list') say({ id: m.id, result: { tools } });
      else if (m.method === 'tools/call') call(m);
    });
    const tool = (name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } });
    ${code}`);
  return { command: process.execPath, args: [path] };
};

const call = (mcp: Mcp, tool: string, args: Record<string, unknown> = {}, timeout_ms = 10_000): Promise<ToolReply> => mcp.call({ server: 's', tool }, args, timeout_ms, true);

const untilGone = async (pid: number): Promise<boolean> => {
  for (let n = 0; n < 100 && isAlive({ pid, start: '' }); n += 1) await sleep(50);
  return !isAlive({ pid, start: '' });
};

describe('a real server over stdio', () => {
  const real = () => ({ s: { command: process.execPath, args: [server], env: { OWN: 'yes' } } });

  test('tools are listed with their annotations under names every provider takes, and answer', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    expect(mcp.problems()).toEqual([]);
    const names = mcp.tools().map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(mcp.tools().find(({ tool }) => tool === 'echo')).toMatchObject({ server: 's', name: 'mcp__s__echo', read_only: true, definition: { name: 'mcp__s__echo', description: 'Says it again.', input_schema: { type: 'object' } } });
    expect(mcp.tools().find(({ tool }) => tool === 'write')?.read_only).toBe(false);
    expect(await call(mcp, 'echo', { text: 'hello' })).toEqual({ ok: true, text: 'echo hello' });
    expect(await call(mcp, 'fails')).toEqual({ ok: false, text: 'no luck' });
    expect((await call(mcp, 'echo', { text: 7 })).ok).toBe(false);
    expect((await call(mcp, 'nowhere')).ok).toBe(false);
    expect(await call(mcp, 'both')).toEqual({ ok: true, text: '{"n":41}' });
    expect((await call(mcp, 'secret')).text).toMatch(/^key \[redacted:anthropic/);
  });

  test('calls of many forks share the session', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => call(mcp, 'echo', { text: String(n) })));
    expect(replies.map(({ text }) => text)).toEqual(Array.from({ length: 30 }, (_, n) => `echo ${n}`));
  });

  test('its environment is built from scratch, its folder is not the repository', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    const seen = JSON.parse((await call(mcp, 'env')).text) as Record<string, string>;
    expect(seen['OWN']).toBe('yes');
    expect(seen['cwd']).toBe(folder);
    expect(Object.keys(seen).filter((name) => !['PATH', 'HOME', 'OWN', 'cwd', 'pid'].includes(name))).toEqual([]);
  });

  test('a slow call ends at its deadline, and the session goes on', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    const reply = await call(mcp, 'slow', {}, 300);
    expect(reply.ok).toBe(false);
    expect(reply.text).toMatch(/^s gave no result: .*timed out/i);
    expect((await call(mcp, 'echo', { text: 'x' })).text).toBe('echo x');
  });

  test('F3: a large result is cut, one beyond the cap is a sentence, and the session goes on', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    const large = await call(mcp, 'size', { mb: 1 });
    expect(large.ok).toBe(true);
    expect(large.text.length).toBeLessThanOrEqual(12_000);
    expect(large.text).toMatch(/more characters left out$/);
    let huge = '';
    const held = await mostHeld(async () => {
      huge = (await call(mcp, 'size', { mb: 31 }, 80_000)).text;
    });
    expect(huge).toMatch(/^s gave no result: .*its answer has 31\d{6} bytes/);
    expect(held).toBeLessThan(16_000_000); // half the result: freed buffers are swept with a delay
    expect((await call(mcp, 'echo', { text: 'x' })).text).toBe('echo x');
  });

  test('it ends with its process group when it is no longer wanted, and at close', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    const first = Number((JSON.parse((await call(mcp, 'env')).text) as { pid: number }).pid);
    expect(onRecord.has(first)).toBe(true);
    await mcp.connect(real(), []);
    expect(mcp.tools()).toEqual([]);
    expect(await untilGone(first)).toBe(true);
    await mcp.connect(real(), ['s']);
    const second = Number((JSON.parse((await call(mcp, 'env')).text) as { pid: number }).pid);
    await mcp.close();
    expect(await untilGone(second)).toBe(true);
    expect([...onRecord]).toEqual([]);
    expect(await call(mcp, 'echo')).toEqual({ ok: false, text: 'The server s is not there.' });
    expect(mcp.problems()).toEqual([]);
  });

  test('one that dies in a call is a problem; it is tried again only after a while, or when its entry changes', async () => {
    const mcp = open();
    await mcp.connect(real(), ['s']);
    expect((await call(mcp, 'exit')).ok).toBe(false);
    expect(mcp.problems()).toHaveLength(1);
    expect(mcp.problems()[0]).toMatch(/^MCP server s: it ended.*; detectors go on without it$/);
    expect(mcp.tools()).toEqual([]);
    await mcp.connect(real(), ['s']);
    expect(mcp.tools()).toEqual([]);
    await mcp.connect({ s: { command: process.execPath, args: [server] } }, ['s']);
    expect(mcp.problems()).toEqual([]);
    expect(mcp.tools().length).toBeGreaterThan(5);
  });

  test('E1: whichever of two servers is first, the tools are in one order', async () => {
    const servers = { s: { command: process.execPath, args: [server] }, t: scripted('quick', `ready([tool('b'), tool('a')], () => {})`) };
    const a = open();
    await a.connect(servers, ['s', 't']);
    const b = open();
    await b.connect(servers, ['t', 's']);
    expect(a.tools().map(({ name }) => name)).toEqual(b.tools().map(({ name }) => name));
    expect(a.tools().length).toBe(12);
  });
});

describe('a real server over streamable HTTP', () => {
  const start = async (mode: string): Promise<string> => {
    const port = join(folder, `port-${mode}`);
    httpServers.push(spawn(process.execPath, [server, port, mode], { stdio: 'ignore' }));
    for (let n = 0; n < 200 && !existsSync(port); n += 1) await sleep(50);
    return `http://127.0.0.1:${readFileSync(port, 'utf8')}/mcp`;
  };

  test.each(['json', 'events'])('lists, answers, and caps what is too large (%s)', async (mode) => {
    const mcp = open();
    await mcp.connect({ s: { url: await start(mode) } }, ['s']);
    expect(mcp.problems()).toEqual([]);
    expect(await call(mcp, 'echo', { text: 'hello' })).toEqual({ ok: true, text: 'echo hello' });
    expect((await call(mcp, 'size', { mb: 1 })).text.length).toBeLessThanOrEqual(12_000);
    expect((await call(mcp, 'size', { mb: 5 }, 3000)).ok).toBe(false);
    expect((await call(mcp, 'echo', { text: 'again' })).text).toBe('echo again');
  });

  test('one that streams without end is cut off, and its call ends', async () => {
    let sent = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method, params } = (body === '' ? {} : JSON.parse(body)) as { readonly id?: number; readonly method?: string; readonly params?: { readonly protocolVersion?: string } };
        const answer = (result: object): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        if (method === 'initialize') return answer({ protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
        if (method === 'tools/list') return answer({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
        if (method !== 'tools/call') return void response.writeHead(method === undefined ? 405 : 202).end();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const event = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'.repeat(100);
        const more = (): void => {
          while (!response.destroyed && response.write(event)) sent += event.length;
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const mcp = open({ unasked_bytes: 500_000 });
    await mcp.connect({ s: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } }, ['s']);
    expect(mcp.problems()).toEqual([]);
    expect((await call(mcp, 'a', {}, 3000)).ok).toBe(false);
    const after = sent;
    await sleep(300);
    expect(sent).toBe(after);
    server.closeAllConnections();
    server.close();
  });

  test('an address where nobody listens is one line', async () => {
    const mcp = open();
    await mcp.connect({ s: { url: 'http://127.0.0.1:1/mcp' } }, ['s']);
    expect(mcp.problems()).toHaveLength(1);
    expect(mcp.problems()[0]).toMatch(/^MCP server s: [^\n]+; detectors go on without it$/);
  });
});

describe('hostile servers', () => {
  test('F1: one that writes 256 kB to stderr before its first answer is heard', async () => {
    const mcp = open();
    await mcp.connect({ s: scripted('stderr', `require('node:fs').writeSync(2, 'e'.repeat(262144)); ready([tool('a')], (m) => say({ id: m.id, result: { content: [{ type: 'text', text: 'fine' }] } }))`) }, ['s']);
    expect(mcp.problems()).toEqual([]);
    expect(await call(mcp, 'a')).toEqual({ ok: true, text: 'fine' });
  });

  test('F2: one that sleeps, one that asks a question, one that exits, one that is not there: each one clear line, and none stays', async () => {
    const mcp = open({ start_ms: 1500 });
    const pidFile = join(folder, 'pids');
    const note = `require('node:fs').appendFileSync(${JSON.stringify(pidFile)}, process.pid + '\\n');`;
    const child = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${note} setInterval(() => {}, 1000)`)}], { stdio: 'inherit' });`;
    await mcp.connect(
      {
        sleeps: scripted('sleeps', `${note} ${child} process.stdin.resume(); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`),
        asks: scripted('asks', `${note} process.stdout.write('Need to install the following packages:\\nOk to proceed? (y) \\n'); process.stdin.resume();`),
        exits: scripted('exits', `console.error('cannot find\\nmodule x'); process.exit(1);`),
        missing: { command: '/no/such/program' },
        nonsense: { command: 5 },
        far: { url: 'http://example.com/mcp' },
        odd: scripted('odd', `on((m) => say({ id: m.id, result: { protocolVersion: 7 } }));`),
        list: scripted('list', `ready('not a list', () => {});`),
      },
      ['sleeps', 'asks', 'exits', 'missing', 'nonsense', 'far', 'odd', 'list'],
    );
    const problems = mcp.problems().map((line) => line.replace(/^MCP server (\w+): (.*); detectors go on without it$/s, '$1: $2')).sort();
    expect(problems).toHaveLength(8);
    for (const line of problems) expect(line).not.toMatch(/[\n\r]/);
    expect(problems[0]).toBe('asks: no answer in 1.5 s (it said: Need to install the following packages: Ok to proceed? (y))');
    expect(problems[1]).toMatch(/^exits: it ended|^exits: .*\(it said: cannot find module x\)/);
    expect(problems.find((line) => line.startsWith('far'))).toBe('far: plain http only to this machine');
    expect(problems.find((line) => line.startsWith('missing'))).toBe('missing: cannot start /no/such/program (ENOENT)');
    expect(problems.find((line) => line.startsWith('nonsense'))).toBe('nonsense: command must be a program');
    expect(problems.find((line) => line.startsWith('sleeps'))).toBe('sleeps: no answer in 1.5 s');
    expect(mcp.tools()).toEqual([]);
    const pids = readFileSync(pidFile, 'utf8').trim().split('\n').map(Number);
    expect(pids.length).toBe(3);
    for (const pid of pids) expect(await untilGone(pid)).toBe(true);
  });

  test('F3: 31 MB in one line, with its id first or last or nowhere', async () => {
    const mcp = open();
    const big = (first: string, last: string): string => `process.stdout.write('{${first}"result":{"content":[{"type":"text","text":"'); const part='x'.repeat(1e6); for (let n=0;n<31;n++) process.stdout.write(part); process.stdout.write('"}]}${last}}\\n');`;
    await mcp.connect(
      { s: scripted('huge', `ready([tool('first'), tool('last'), tool('none'), tool('ok')], (m) => {
        if (m.params.name === 'first') { ${big(`"jsonrpc":"2.0","id":'+m.id+',`, '')} }
        if (m.params.name === 'last') { ${big('', `,"jsonrpc":"2.0","id":'+m.id+'`)} }
        if (m.params.name === 'none') { ${big('', '')} }
        if (m.params.name === 'ok') say({ id: m.id, result: { content: [] } });
      })`) },
      ['s'],
    );
    for (const tool of ['first', 'last']) expect((await call(mcp, tool, {}, 80_000)).text).toMatch(/its answer has 31\d{6} bytes, over 2000000$/);
    expect((await call(mcp, 'none', {}, 2000)).text).toMatch(/timed out/i);
    expect(await call(mcp, 'ok')).toEqual({ ok: true, text: '(no content)' });
  });

  test('one that never stops talking is ended', async () => {
    const mcp = open({ unasked_bytes: 3_000_000 });
    await mcp.connect({ s: scripted('talks', `ready([tool('a')], () => { const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1000) } }) + '\\n'; const more = () => { while (process.stdout.write(line)); process.stdout.once('drain', more); }; more(); })`) }, ['s']);
    expect((await call(mcp, 'a', {}, 80_000)).ok).toBe(false);
    expect(mcp.problems()[0]).toContain('it talks without end');
  });

  test.each(['', '{', '{}', 'word'])('one that never stops sending %j is ended before it costs much', async (junk) => {
    const mcp = open();
    await mcp.connect({ s: scripted(`junk${junk.length}`, `ready([tool('a')], () => { const lines = (${JSON.stringify(junk)} + '\\n').repeat(20000); const more = () => { while (process.stdout.write(lines)); process.stdout.once('drain', more); }; more(); })`) }, ['s']);
    const start = cpuMs();
    expect((await call(mcp, 'a', {}, 80_000)).ok).toBe(false);
    expect(mcp.problems()[0]).toContain('it talks without end');
    expect(cpuMs() - start).toBeLessThan(20_000); // by bytes alone it would be minutes
  });

  test('thousands of tools, endless pages, wild names and broken results harm nobody', async () => {
    const mcp = open();
    await mcp.connect(
      {
        s: scripted('wild', `on((m) => {
          if (m.method === 'initialize') say({ id: m.id, result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
          else if (m.method === 'tools/list') say({ id: m.id, result: { tools: Array.from({ length: 5 }, (_, n) => ({ ...tool('t' + n + '\\u0000/\\ud800'), description: 'd'.repeat(5000), outputSchema: { type: 'object', properties: { x: { type: 'string', pattern: '(a+)+$' } } } })), nextCursor: 'again' } });
          else if (m.method === 'tools/call') say({ id: m.id, result: m.params.arguments.broken ? { content: 'text' } : { content: [{ type: 'text', text: 'lone \\ud800' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }], structuredContent: { x: 'a'.repeat(50000) + '!' } } });
        })`),
      },
      ['s'],
    );
    expect(mcp.tools().length).toBe(5);
    for (const { name, definition } of mcp.tools()) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(definition.description.length).toBeLessThanOrEqual(1000);
    }
    const tool = mcp.tools()[0]?.tool ?? '';
    expect(await call(mcp, tool)).toEqual({ ok: true, text: 'lone \uFFFD\n[image image/png, not shown]' });
    expect((await call(mcp, tool, { broken: true })).ok).toBe(false);
  });
});
