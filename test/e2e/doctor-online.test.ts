// `doctor --online`: one small request says whether address, key and model are right. Asked for, never by itself.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let dir = '';
let server: Server;
let asked: string[] = [];
let status = 200;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sb-online-'));
  asked = [];
  status = 200;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 200 ? JSON.stringify({ id: 'c', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }], usage: { prompt_tokens: 9, completion_tokens: 2 } }) : '{"error":{"message":"no"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  mkdirSync(join(dir, 'data'), { mode: 0o700 });
  writeFileSync(join(dir, 'data', 'config.json'), JSON.stringify({ model: { provider: 'openai', name: 'tiny', base_url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1` } }), { mode: 0o600 });
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const doctor = (...words: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [join(process.cwd(), 'plugin', 'dist', 'command.cjs'), 'doctor', ...words, '--data', join(dir, 'data')], { cwd: dir, env: { PATH: process.env['PATH'] ?? '', HOME: dir, OPENAI_API_KEY: 'sk-test-dummy' } });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', () => resolve(text));
  });

test('a provider that answers is said to, with the time it took', async () => {
  expect(await doctor('--online')).toMatch(/ok +provider: openai answered in \d+ ms/);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('"model":"tiny"');
});

test('one that refuses the key is named with the command that shows where it comes from, and never with the key', async () => {
  status = 401;
  const text = await doctor('--online');
  expect(text).toMatch(/BAD +provider: openai did not answer: http 401/);
  expect(text.replaceAll(/\s+/g, ' ')).toContain('config show model.key_command');
  expect(text).not.toContain('sk-test-dummy');
});

test('without being asked it sends nothing', async () => {
  await doctor();
  expect(asked).toEqual([]);
});
