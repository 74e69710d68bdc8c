// A monitor that stands still for long, as in a host stopped with Ctrl-Z, while another takes its session: it writes over nothing.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openModelServer, type ModelServer } from '../support/model-server.ts';
import { killHard, openMonitorWorld, prompt, text, type MonitorWorld } from '../support/monitor-run.ts';

let world: MonitorWorld;
let model: ModelServer | undefined;
beforeEach(() => {
  world = openMonitorWorld();
});
afterEach(async () => {
  await world.end();
  await model?.close();
});

const S = 'session-1';
/** As if the last beat were two minutes old: tests do not wait for that. */
const age = (): void => {
  const lease = JSON.parse(readFileSync(world.paths.lease(S), 'utf8')) as { readonly pid: number; readonly start: string; readonly beat: number };
  writeFileSync(world.paths.lease(S), JSON.stringify({ ...lease, beat: lease.beat - 120_000 }));
};
const holder = (): number => (JSON.parse(readFileSync(world.paths.lease(S), 'utf8')) as { readonly pid: number }).pid;

test('B6: it finds its session taken and stands by, and has it back when the other is gone', async () => {
  const [first, second] = [world.host('first'), world.host('second')];
  const suspended = world.monitor(first);
  world.signal(first, S, 'SessionStart', { source: 'startup' });
  world.signal(first, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
  world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'));
  await world.until(() => world.turn(S)?.host_pid === first, 'not watched');
  // Not in the middle of a step, whose writes nobody could take back.
  await sleep(500);
  suspended.kill('SIGSTOP');

  const other = world.monitor(second);
  world.signal(second, S, 'SessionStart', { source: 'resume' });
  world.signal(second, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  await world.until(() => world.log().includes('is watched by another monitor'), 'taken too early');
  // Longer than a beat: what is younger than that nobody can have taken.
  await sleep(11_000);
  age();
  await world.until(() => world.turn(S)?.host_pid === second, 'not taken over');
  world.append(S, prompt('p2', 'a1', 'Document the parser.'), text('a2', 'p2', 'Documented.'));
  world.signal(second, S, 'Stop', { last_text: 'Documented.', attended: true });
  await world.until(() => world.observed().some((each) => each.includes('Documented.')), 'no pass');

  world.signal(first, S, 'Stop', { last_text: 'A word of the host that slept.', attended: true });
  suspended.kill('SIGCONT');
  await world.until(() => world.log().includes('was taken by another monitor'), 'it did not notice');
  await sleep(2500);
  expect(holder()).toBe(other.pid);
  expect([world.turn(S)?.host_pid, world.status(S)?.host_pid]).toEqual([second, second]);
  expect(world.observed().join('\n')).not.toContain('A word of the host that slept.');
  for (const words of ['[prompt] Write the parser.', '[text] Written.', '[prompt] Document the parser.']) expect(world.observed().filter((each) => each === words), words).toHaveLength(1);
  expect(world.log()).not.toMatch(/failed:|uncaught|unhandled/);

  await killHard(other);
  await world.until(() => holder() === suspended.pid && world.turn(S)?.host_pid === first, 'not taken back');
});

test('it is asked to end while its session is another’s: nothing of the other’s is touched', async () => {
  const [first, second] = [world.host('first'), world.host('second')];
  const suspended = world.monitor(first);
  world.signal(first, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
  world.append(S, prompt('p1', null, 'Write the parser.'));
  await world.until(() => world.turn(S)?.host_pid === first, 'not watched');
  // Not in the middle of a step, whose writes nobody could take back.
  await sleep(500);
  suspended.kill('SIGSTOP');
  await sleep(11_000);
  age();
  const other = world.monitor(second);
  world.signal(second, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  await world.until(() => world.turn(S)?.host_pid === second && world.status(S)?.host_pid === second, 'not taken over');
  const ended = new Promise((resolve) => void suspended.once('exit', resolve));
  suspended.kill('SIGTERM');
  suspended.kill('SIGCONT');
  await ended;
  expect(holder()).toBe(other.pid);
  expect(world.turn(S)?.host_pid).toBe(second);
  expect(world.status(S)?.host_pid).toBe(second);
});

test('its pass that was under way is paid for and says nothing; task and window stay as the other has them', async () => {
  await world.end();
  model = await openModelServer({
    script: ({ n }) => ({ calls: [{ name: 'second_brain_detector_feedback', args: { verdict: 'silent', checked: 'all' } }], ...(n === 0 ? { timing: { ttft_ms: 9000 } } : {}) }),
  });
  world = openMonitorWorld({
    model: { provider: 'openai', base_url: `${model.url}/v1`, name: 'm', test_endpoint: true }, loop: { salience_per_hour: 0, max_parallel_forks: 1 },
    detectors: { 'standard-questions': { enabled: false }, 'repeat-failure': { enabled: false } },
  });
  const [first, second] = [world.host('first'), world.host('second')];
  const suspended = world.monitor(first);
  world.signal(first, S, 'SessionStart', { source: 'startup' });
  world.signal(first, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p1' });
  world.append(S, prompt('p1', null, 'Write the parser.'), text('a1', 'p1', 'Written.'));
  await world.until(() => world.turn(S)?.host_pid === first, 'not watched');
  world.signal(first, S, 'Stop', { last_text: 'Written.', attended: true });
  await world.until(() => (model?.requests.length ?? 0) > 0, 'nothing was asked');
  // Not in the middle of a step, whose writes nobody could take back.
  await sleep(500);
  suspended.kill('SIGSTOP');
  await sleep(11_000);
  age();
  world.monitor(second);
  world.signal(second, S, 'UserPromptSubmit', { origin: 'human', prompt_id: 'p2' });
  await world.until(() => world.turn(S)?.host_pid === second, 'not taken over');
  const kept = (): readonly string[] => readdirSync(world.paths.tasks).map((name) => `${name} ${readFileSync(join(world.paths.tasks, name), 'utf8')}`);
  const settled = (): number => readdirSync(world.paths.budgets).flatMap((name) => readFileSync(join(world.paths.budgets, name), 'utf8').split('\n').slice(0, -1)).length;
  const [before, lines] = [kept(), settled()];
  suspended.kill('SIGCONT');
  await world.until(() => settled() > lines, 'nothing was settled');
  await world.until(() => world.log().includes('was taken by another monitor'), 'it did not notice');
  expect(kept()).toEqual(before);
  expect(world.turn(S)?.host_pid).toBe(second);
});
