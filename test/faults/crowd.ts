// Twenty sessions in one repository for an hour of their own clock, under a ceiling for the whole machine that binds.
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { check, type Finding } from './check.ts';
import type { CrowdTask, CrowdTold } from './crowd-run.ts';
import type { Scenario } from './scenarios.ts';
import { tally } from './tally.ts';

/** Sessions; each works for an hour. */
export const crowd: Scenario = {
  small: 3,
  full: 20,
  run: async (random, size, say) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'sb-faults-')));
    // Beside the packages it loads.
    const program = resolve('.cache', `crowd-${process.pid}.mjs`);
    await build({ entryPoints: ['test/faults/crowd-run.ts'], outfile: program, bundle: true, platform: 'node', target: 'node20.19', format: 'esm', packages: 'external', logLevel: 'warning' });
    try {
      const task: CrowdTask = { root, plugin: resolve('plugin'), seed: String(random.next()), sessions: size, minutes: size < 10 ? 10 : 60 };
      const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(task)], { maxBuffer: 10_000_000 });
      const told = JSON.parse(stdout) as CrowdTold;
      say(`${size} sessions, ${task.minutes} minutes`);
      // A ceiling that never bound was no test of it.
      const idle: readonly Finding[] = told.refused === 0 && size >= 10 ? [{ rule: 'over-budget', what: 'the ceiling never bound' }] : [];
      const findings = [...check(root), ...idle];
      const counts = { sessions: size, ...told, ...tally(root) };
      if (findings.length > 0) return { findings, counts, root };
      rmSync(root, { recursive: true, force: true });
      return { findings, counts };
    } finally {
      rmSync(program, { force: true });
    }
  },
};
