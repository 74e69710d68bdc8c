// Runs inside a closed world: forks over the real CLI against a scripted model, reported as one JSON line. A program of its own,
// bundled by the test that starts it: `node host-model-run.cjs passes|monitor BINARY FOLDER [URL]`.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsUnder } from '../../src/main/floor/paths.ts';
import { isAlive, startTime } from '../../src/main/floor/process-file.ts';
import { FEEDBACK_TOOL } from '../../src/main/pass/feedback.ts';
import { openChildren, sweepChildren } from '../../src/main/pass/children-file.ts';
import { createHostModel, type HostSent } from '../../src/main/pass/host-model.ts';
import { hostSystem } from '../../src/main/pass/host-system.ts';
import type { ForkResult } from '../../src/main/records.ts';
import { openForks } from '../../src/workers/forks.ts';
import { handOver, prefixOf, providerOf, taskOf } from './fork-task.ts';
import { openModelServer, type ModelRequest, type Scripted } from './model-server.ts';

const [, self = '', phase = '', binary = '', folder = '', url = ''] = process.argv;

const systemFile = join(folder, 'system.md');

const open = (base: string) => {
  const paths = pathsUnder(join(folder, 'data'));
  mkdirSync(paths.data, { recursive: true });
  writeFileSync(systemFile, hostSystem('You watch. Silence is expected.', [FEEDBACK_TOOL]));
  return createHostModel({
    execPath: binary, dataDir: paths.data, children: openChildren(paths.children(String(process.pid))), model: 'haiku', maxOutputTokens: 512,
    env: { ...process.env, ANTHROPIC_BASE_URL: base }, now: () => Date.now(),
  });
};

const say = (value: object): Scripted => ({ text: JSON.stringify(value) });
const feedback = say({ call: FEEDBACK_TOOL.name, args: { verdict: 'advise', headline: 'Tests were not run', evidence: ['#4'], confidence: 0.8 } });

/** Three rounds of reading for fork a, an answer at once for b, nothing ever for the hanging and the dying one. */
const script = ({ tail, rounds, body }: ModelRequest): Scripted => {
  const text = JSON.stringify(body['messages']);
  if (/FORK (hang|die)/.test(text)) return { fault: { kind: 'hang', after: 'headers' } };
  if (text.includes('FORK limit')) return { fault: { kind: 'status', status: 429, body: { type: 'error', error: { type: 'rate_limit_error', message: 'enough' } } } };
  if (text.includes('FORK a') && rounds < 3) return say({ call: 'Read', args: { path: `file-${rounds}` } });
  return tail === '' ? {} : feedback;
};

const window = (passes: number): string[] => [`ledger ${'l'.repeat(8000)}`, ...Array.from({ length: passes }, (_, n) => `pass ${n} ${`#${n} [tool] Bash npm test — naïve 中文 `.repeat(600)}`)];
const zygote = (pid: number): boolean => isAlive({ pid, start: startTime(pid) });
const childOf = (): number => (JSON.parse(readFileSync(pathsUnder(join(folder, 'data')).children(String(process.pid)), 'utf8')) as { children: { pid: number }[] }).children[0]?.pid ?? 0;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const fork = async (model: ReturnType<typeof open>, forks: ReturnType<typeof openForks>, id: string, prefix: Uint8Array, during?: () => void) => {
  const provider = { ...providerOf('anthropic', ''), kind: 'host', model: 'haiku' } as const;
  const limits = { ...taskOf(provider).limits, deadline_ms: /hang|die/.test(id) ? 4000 : 30_000 };
  const sent: HostSent[] = [];
  const { result, messages } = await handOver<ForkResult>(forks.run, taskOf(provider, { id, prefix, tail: `FORK ${id}`, limits }), {
    tool: ({ args }) => ({ ok: true, text: `text of ${String(args['path'])}` }),
    heard: (message, send) => {
      if (message.kind !== 'host-send') return;
      during?.();
      void model.send({ id, systemFile }, message.content, (line) => send({ kind: 'host-event', seq: message.seq, line })).then((end) => {
        sent.push(end);
        send({ kind: 'host-end', seq: message.seq, ...(end.cause === undefined ? {} : { cause: end.cause }) });
      });
    },
  });
  model.end(id);
  return { result, sent, first_events: messages.filter(({ kind }) => kind === 'first-event').length };
};

const passes = async (): Promise<void> => {
  const server = await openModelServer({ script, cache: { min_tokens: 512 } });
  const model = open(server.url);
  const forks = openForks();
  const first = prefixOf('host', window(1));
  const second = prefixOf('host', window(2));
  const a = await fork(model, forks, 'a', first);
  const b = await fork(model, forks, 'b', first);
  const next = await fork(model, forks, 'b2', second);
  const made = server.requests.length;
  const requests = server.requests.map(({ body, charge, raw }) => ({ max_tokens: body['max_tokens'], thinking: body['thinking'], tools: body['tools'], charge, raw: raw.toString('utf8') }));
  const hang = await fork(model, forks, 'hang', first);
  const die = await fork(model, forks, 'die', first, () => setTimeout(() => process.kill(childOf(), 'SIGKILL'), 2500));

  const limit = await fork(model, forks, 'limit', first);
  const paused = await fork(model, forks, 'paused', first);

  // A monitor of its own is killed with a request in flight; its child lives on until somebody sweeps.
  const monitor = spawn(process.execPath, [self, 'monitor', binary, folder, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const orphan = await new Promise<number>((resolve) => monitor.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().trim()))));
  monitor.kill('SIGKILL');
  await new Promise((resolve) => monitor.once('exit', resolve));
  const orphaned = zygote(orphan);
  const swept = sweepChildren(pathsUnder(join(folder, 'data')).hosts);
  for (let tries = 0; zygote(orphan) && tries < 100; tries += 1) await pause(50);
  await model.close();
  await forks.close();
  await server.close();
  process.stdout.write(`${JSON.stringify({ a, b, next, hang, die, limit, paused, requests, made, orphan: { alive_before: orphaned, swept: swept.includes(orphan), alive_after: zygote(orphan) } })}\n`);
};

const monitor = async (): Promise<void> => {
  const model = open(url);
  void model.send({ id: 'orphan', systemFile }, [{ type: 'text', text: 'FORK hang' }], () => undefined);
  await pause(2500); // the request is in flight by then
  process.stdout.write(`${childOf()}\n`);
  await pause(60_000);
};

void (phase === 'passes' ? passes() : monitor());
