import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { Run } from '../../../src/main/pass/plan.ts';
import { crashed, runPass } from '../../../src/main/pass/run-pass.ts';
import type { ForkResult } from '../../../src/main/records.ts';

const runOf = (name: string, pilot = false): Run => ({
  pilot, detector: { name, enabled: true, system: '', tools: [], schema: 'feedback_v1', cadence: 'every_pass', when: [], pilot: false, config: {} },
});
const done = (name: string): ForkResult => ({ ...crashed({ name }, false, ''), end: 'feedback' });

/** A fork function driven by hand: what started, and levers for each fork's first event and end. */
const stage = () => {
  const log: string[] = [];
  const levers = new Map<string, { first: () => void; end: () => void; fail: (error: Error) => void }>();
  const fork = (run: Run, hooks: { firstEvent: () => void }): Promise<ForkResult> => {
    const { name } = run.detector;
    log.push(name);
    return new Promise((resolve, reject) => levers.set(name, { first: hooks.firstEvent, end: () => resolve(done(name)), fail: reject }));
  };
  const pull = async (name: string, lever: 'first' | 'end'): Promise<void> => {
    levers.get(name)?.[lever]();
    await settle();
  };
  return { log, fork, pull, levers };
};
const settle = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });
const four = [runOf('p', true), runOf('z'), runOf('b'), runOf('c')];

describe('runPass', () => {
  it('holds the rest until the pilot’s first event, then starts them together', async () => {
    const { log, fork, pull } = stage();
    const pass = runPass({ runs: four, width: 8, serialise: true, fork });
    await settle();
    expect(log).toEqual(['p']);
    await pull('p', 'first');
    expect(log).toEqual(['p', 'z', 'b', 'c']);
    for (const name of log) await pull(name, 'end');
    expect((await pass).map(({ detector }) => detector)).toEqual(['b', 'c', 'p', 'z']);
  });

  it('starts the rest when the pilot ends or fails without a first event', async () => {
    for (const lever of ['end', 'fail'] as const) {
      const { log, fork, pull, levers } = stage();
      const pass = runPass({ runs: four, width: 8, serialise: true, fork });
      await settle();
      levers.get('p')?.[lever](new Error('reset by peer'));
      await settle();
      expect(log).toEqual(['p', 'z', 'b', 'c']);
      for (const name of ['z', 'b', 'c']) await pull(name, 'end');
      expect((await pass).find(({ detector }) => detector === 'p')).toMatchObject(lever === 'end' ? { end: 'feedback' } : { end: 'crashed', cause: 'reset by peer', pilot: true });
    }
  });

  it('E5: waits for no pilot when the prefix cannot be cached', async () => {
    const { log, fork, pull } = stage();
    const pass = runPass({ runs: four, width: 8, serialise: false, fork });
    await settle();
    expect(log).toEqual(['p', 'z', 'b', 'c']);
    for (const name of log) await pull(name, 'end');
    expect(await pass).toHaveLength(4);
  });

  it('rolls: a slot that frees is taken at once by the next in order', async () => {
    const { log, fork, pull } = stage();
    const pass = runPass({ runs: four, width: 2, serialise: true, fork });
    await pull('p', 'first');
    expect(log).toEqual(['p', 'z']);
    await pull('z', 'end');
    expect(log).toEqual(['p', 'z', 'b']);
    await pull('p', 'end');
    expect(log).toEqual(['p', 'z', 'b', 'c']);
    await pull('b', 'end');
    await pull('c', 'end');
    expect(await pass).toHaveLength(4);
  });

  it('runs one after another at width one, and nothing at all for an empty plan', async () => {
    const { log, fork, pull } = stage();
    const pass = runPass({ runs: four, width: 1, serialise: true, fork });
    await pull('p', 'first');
    expect(log).toEqual(['p']);
    for (const name of ['p', 'z', 'b', 'c']) await pull(name, 'end');
    expect(await pass).toHaveLength(4);
    expect(await runPass({ runs: [], width: 4, serialise: true, fork })).toEqual([]);
  });

  it('a fork that throws before it starts costs only itself', async () => {
    const fork = (run: Run): Promise<ForkResult> => {
      if (run.detector.name === 'z') throw new Error('no such bundle');
      return Promise.resolve(done(run.detector.name));
    };
    expect((await runPass({ runs: four, width: 2, serialise: true, fork })).map(({ detector, end }) => `${detector} ${end}`)).toEqual(['b feedback', 'c feedback', 'p feedback', 'z crashed']);
  });

  it('never runs more than the width and always returns every result, whatever the order of events', async () => {
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }), fc.boolean(), fc.scheduler(), async (width, count, serialise, scheduler) => {
      let running = 0;
      let most = 0;
      const fork = async (run: Run, { firstEvent }: { firstEvent: () => void }): Promise<ForkResult> => {
        running += 1;
        most = Math.max(most, running);
        await scheduler.schedule(Promise.resolve());
        firstEvent();
        await scheduler.schedule(Promise.resolve());
        running -= 1;
        return done(run.detector.name);
      };
      const runs = Array.from({ length: count }, (_, at) => runOf(`d${String(at).padStart(2, '0')}`, at === 0));
      const pass = runPass({ runs, width, serialise, fork });
      await scheduler.waitFor(pass);
      const results = await pass;
      return most <= width && results.length === count && results.every(({ detector }, at) => detector === `d${String(at).padStart(2, '0')}`);
    }), { numRuns: 60 });
  });
});
