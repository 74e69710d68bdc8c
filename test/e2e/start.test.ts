// The monitor's start from compiled code that it has kept: used while it is whole, made anew when it is not.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockHolder } from '../../src/main/floor/lock-file.ts';
import { readPasses } from '../../src/main/speak/passes-file.ts';
import { builtPlugin } from '../support/build-plugin.ts';
import { selfSigned } from '../support/certificate.ts';
import { feedbackCall } from '../support/fork-task.ts';
import { openModelServer } from '../support/model-server.ts';
import { killHard, openMonitorWorld, prompt, type MonitorWorld } from '../support/monitor-run.ts';

let world: MonitorWorld;
beforeEach(() => {
  world = openMonitorWorld();
});
afterEach(() => world.end());

const S = 'session-1';
const codeAt = (): string | undefined => {
  const [run = ''] = readdirSync(world.paths.runs);
  return readdirSync(join(world.paths.runs, run)).filter((name) => /^code\.[^.]+\.[^.]+\.[^.]+$/.test(name)).map((name) => join(world.paths.runs, run, name))[0];
};

/** A monitor that is watching, some seconds on. */
const watched = async (host: number, n: number): Promise<ReturnType<MonitorWorld['monitor']>> => {
  const monitor = world.monitor(host);
  world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: `p${n}` });
  world.append(S, prompt(`u${n}`, n === 0 ? null : `u${n - 1}`, `Words number ${n}.`));
  await world.until(() => lockHolder(world.paths.lease(S))?.pid === monitor.pid, 'not watched');
  return monitor;
};

test('a start keeps what V8 has compiled, the next one uses it, and damaged code is never run but made anew', async () => {
  const host = world.host();
  const first = await watched(host, 0);
  await world.until(() => codeAt() !== undefined, 'no code was kept');
  await killHard(first);
  const path = codeAt() ?? '';
  const kept = readFileSync(path);

  const second = await watched(host, 1);
  await sleep(4500);
  expect(readFileSync(path).equals(kept)).toBe(true);
  expect(second.exitCode).toBe(null);
  // What it loads later it must find as well.
  world.signal(host, S, 'Stop', { last_text: 'Done.' });
  const ends = (): readonly string[] => readPasses(world.paths.passes(S)).lines.flatMap(({ forks }) => forks.map(({ end }) => end));
  await world.until(() => ends().length > 0, 'no fork has run');
  expect(ends()).not.toContain('crashed');
  await killHard(second);

  const damaged = Buffer.from(kept);
  damaged.writeUInt8((damaged.readUInt8(30_000) + 1) % 256, 30_000);
  writeFileSync(path, damaged);
  const third = await watched(host, 2);
  await world.until(() => !readFileSync(path).equals(damaged), 'damaged code was not made anew');
  expect(third.exitCode).toBe(null);
  await killHard(third);
}, 60_000);

test('certificates of an environment that the user trusts reach the judge, though node is started without them', async () => {
  const identity = selfSigned();
  const model = await openModelServer({ tls: identity, script: () => ({ calls: [feedbackCall()] }) });
  await world.end();
  world = openMonitorWorld({ model: { provider: 'anthropic', base_url: model.url, trust_env: true }, loop: { salience_per_hour: 0 } });
  const authority = join(world.dir, 'authority.pem');
  writeFileSync(authority, identity.cert);
  const host = world.host();
  const monitor = spawn('/bin/sh', [resolve(builtPlugin(), 'dist', 'guard.sh'), world.paths.data, 'monitor', resolve(builtPlugin())], {
    cwd: join(world.dir, 'project'), stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: world.dir, CLAUDE_PID: String(host), CLAUDE_CODE_ENTRYPOINT: 'cli', ANTHROPIC_API_KEY: 'sk-test-dummy', NODE_EXTRA_CA_CERTS: authority },
  });
  try {
    world.signal(host, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p0' });
    world.append(S, prompt('u0', null, 'Words to look at.'));
    world.signal(host, S, 'Stop', { last_text: 'Done.' });
    await world.until(() => model.requests.length > 0, 'the model was not reached');
  } finally {
    await killHard(monitor);
    await model.close();
  }
});

test('V8 reads the bundles byte by byte: no wide character is in them', () => {
  for (const name of readdirSync(join(builtPlugin(), 'dist')).filter((each) => each.endsWith('.cjs'))) {
    expect(readFileSync(join(builtPlugin(), 'dist', name)).every((byte) => byte < 0x80), name).toBe(true);
  }
});
