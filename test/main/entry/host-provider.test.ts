import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostBinary, openHostProvider } from '../../../src/main/entry/host-provider.ts';
import { NO_USAGE } from '../../../src/main/floor/usage.ts';
import { pathsUnder } from '../../../src/main/floor/paths.ts';
import type { ForkHooks } from '../../../src/main/pools.ts';
import type { ForkResult } from '../../../src/main/records.ts';
import type { SummaryTask } from '../../../src/workers/contract.ts';
import { writeFakeCli } from '../../support/fake-cli.ts';
import { providerOf, taskOf } from '../../support/fork-task.ts';

let dir = '';
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'sb-binary-')));
  mkdirSync(join(dir, 'proj'));
  for (const name of ['claude', 'proj/claude']) writeFileSync(join(dir, name), '');
  symlinkSync(join(dir, 'proj'), join(dir, 'link'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the program of the session', () => {
  const told = (path: string | undefined): string | undefined => hostBinary({ pid: 0 }, { CLAUDE_CODE_EXECPATH: path }, join(dir, 'proj'));

  test('told by a variable counts only where it lies outside of the project, in whatever words', () => {
    expect(told(join(dir, 'claude'))).toBe(join(dir, 'claude'));
    for (const path of [join(dir, 'proj', 'claude'), `${dir}/link/claude`, `${dir}/proj/../proj/claude`, 'claude', './proj/claude', join(dir, 'gone'), '', undefined]) expect(told(path), path).toBeUndefined();
  });

  test.runIf(process.platform === 'linux')('is told by its own process where the system can', () => {
    expect(hostBinary({ pid: process.pid }, { CLAUDE_CODE_EXECPATH: join(dir, 'claude') }, dir)).toBe(realpathSync(process.execPath));
  });
});

describe('its children', () => {
  const host = { name: '77', pid: 0, since: 0, session: undefined, alive: () => true };
  const asked: readonly unknown[] = [{ type: 'text', text: 'hello' }];
  /** Threads that send one message and tell what its end was. */
  const provider = (tools: readonly { readonly name: string; readonly description: string; readonly input_schema: object }[] = []) => {
    const lines: string[] = [];
    const cause = async (hooks: ForkHooks): Promise<string> => (await hooks.hostSend?.(asked, (line) => lines.push(line)))?.cause ?? 'none';
    const opened = openHostProvider({
      paths: pathsUnder(join(dir, 'data')), host, env: { PATH: process.env['PATH'] ?? '', HOME: dir, CLAUDE_CODE_EXECPATH: writeFakeCli(dir, 'answer') }, children: () => () => undefined,
      pools: () => ({
        fork: async (task, hooks) => ({ detector: task.detector.name, end: 'feedback', feedback: { verdict: 'silent', checked: await cause(hooks) }, usage: NO_USAGE, requests: 1, started_at: 1, took_ms: 1, model: 'haiku', pilot: false, tool_text: '' }) satisfies ForkResult,
        summarize: async (_, hooks) => ({ text: await cause(hooks ?? {}), usage: NO_USAGE }),
      }),
      shared_prompt: () => 'You watch.', workspace: () => join(dir, 'proj'), tools: () => tools.map((tool) => ({ ...tool, input_schema: { ...tool.input_schema } })), max_output: () => 512, now: () => 1000,
    });
    return { opened, lines };
  };
  const systemOf = (name: string): string => readFileSync(join(dir, 'data', 'hosts', '77', name), 'utf8');
  const signal = new AbortController().signal;

  test('are told of every tool that the task names, a server’s too', async () => {
    const { opened } = provider([{ name: 'mcp__notes__search', description: 'Looks through notes.', input_schema: { type: 'object' } }]);
    const result = await opened.fork(taskOf(providerOf('anthropic', '')), {}, signal);
    opened.close();
    expect(result).toMatchObject({ feedback: { checked: 'none' }, usd: 0.25 });
    expect(systemOf('system.txt')).toMatch(/^You watch\.[^]*mcp__notes__search: Looks through notes\.\nArguments \(JSON Schema\): \{"type":"object"\}/);
  });

  test('condense under a system prompt of their own, which asks for no calls', async () => {
    const { opened, lines } = provider();
    const task: SummaryTask = { kind: 'summary', id: 'c1', provider: providerOf('anthropic', ''), system: 'You condense.', text: '#1 …', timeout_ms: 2000, max_output_tokens: 500 };
    expect((await opened.summarize(task, {}, signal)).text).toBe('none');
    opened.close();
    expect(systemOf('summary.txt')).toBe('You condense.');
    expect(lines.at(-1)).toContain('"type":"result"');
    expect(existsSync(join(dir, 'data', 'hosts', '77', 'summary.txt.seen'))).toBe(true);
  });
});
