// The judgment bench as it is started: built, with a model behind a loopback server, with the answers it kept, and with wrong words.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerTo, silent } from '../support/competent-model.ts';
import { openModelServer } from '../support/model-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'judgment-program-'));
// In the checkout: the program finds its packages from there.
const program = join('.cache', `judgment-${process.pid}.mjs`);
beforeAll(() => build({ entryPoints: ['bench/judgment.ts'], outfile: program, bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' }));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(program, { force: true });
});

const bench = async (...args: readonly string[]): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }> => {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'] ?? '', HOME: folder, OPENAI_API_KEY: 'dummy' } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => void (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => void (err += text.toString()));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, out, err };
};

test('a model is asked once, its answers are kept, and offline nobody is asked', async () => {
  const server = await openModelServer({ script: answerTo({ default: () => silent('looked') }) });
  const options = ['--provider', 'openai', '--base-url', server.url, '--cache', join(folder, 'answers'), '--bases', '1', '--twins', '0', '--split', 'fresh', '--json'];
  const live = await bench(...options, '--model', 'm', '--report', join(folder, 'page.html'), '--markdown', join(folder, 'tables.md'), '--cases', join(folder, 'cases.jsonl'));
  const asked = server.requests.length;
  await server.close();
  const offline = await bench(...options, '--model', 'm', '--offline');
  const other = await bench(...options, '--model', 'another', '--offline');
  expect([live.status, offline.status, other.status]).toEqual([0, 0, 0]);
  expect(live.err).toBe(`${asked} requests made, 0 answers from the folder.\n`);
  expect(offline.err).toBe(`0 requests made, ${asked} answers from the folder.\n`);
  expect(other.err).toMatch(/^0 requests made, 0 answers from the folder, \d+ not there: these count as silence\.\n$/);
  expect(offline.out).toBe(live.out);
  const line = JSON.parse(live.out.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(line).toMatchObject({ judge: 'openai m', split: 'fresh', bases: 1, structural: { faults: 0, detection: null, falseAlarm: null }, falsePerCleanHour: 0 });
  expect(line['tokens']).toBeGreaterThan(0);
  expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain('How good is the advice of openai m?');
  expect(['tables.md', 'cases.jsonl'].map((name) => existsSync(join(folder, name)))).toEqual([true, true]);
});

test('a split or provider it does not have is a sentence and nothing played', async () => {
  expect(await bench('--split', 'freshest')).toEqual({ status: 2, out: '', err: '--split takes train, test, fresh, later, blind, unseen or all, not freshest\n' });
  expect(await bench('--provider', 'oracle')).toMatchObject({ status: 2, out: '' });
});
