// report, stats, why and the status line over a session's files of any size, as a person waits for them.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { interleave, timeProcess, weighProcess } from './measure.ts';
import type { Line, Options, Result, Table } from './report.ts';
import { pathsUnder, type Paths } from '../src/main/floor/paths.ts';
import { sessionOf } from '../test/support/report-session.ts';
import type { Status } from '../src/main/surfaces.ts';

const SESSION = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';

export const measurePages = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  const program = join(plugin, 'dist', 'command.cjs');
  const empty = join(folder, 'empty-pages.cjs');
  const reader = join(folder, 'read-lines.cjs');
  writeFileSync(empty, '');
  // Nothing but what must be done: both files read, every line parsed.
  writeFileSync(reader, "for (const path of process.argv.slice(2)) for (const line of require('node:fs').readFileSync(path, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);");
  const lines: Line[] = [];
  const rows: string[][] = [];
  const sizes = quick ? [10, 1000] : [10, 1000, 100_000];
  for (const events of sizes) {
    say(`report and stats of ${events} events`);
    const paths = pathsUnder(join(folder, `pages-${events}`));
    writeSession(paths, events);
    const out = join(folder, `report-${events}.html`);
    const command = (...words: string[]): readonly string[] => [program, ...words, '--data', paths.data, '--session', SESSION];
    const run = (args: readonly string[]) => (): Promise<number> => timeProcess({ file: process.execPath, args });
    const time = await interleave(quick ? 3 : 7, {
      node: run([empty]),
      read: run([reader, paths.passes(SESSION), paths.history(SESSION)]),
      report: run(command('report', '--out', out)),
      stats: run(command('stats')),
      why: run(command('why')),
      statusline: run(command('statusline')),
    });
    const weight = await weighProcess(command('report', '--out', out), folder);
    const sizeOf = (path: string): number => statSync(path).size / 1e6;
    rows.push([
      events.toLocaleString('en'), `${(sizeOf(paths.passes(SESSION)) + sizeOf(paths.history(SESSION))).toFixed(2)} MB`,
      ...[time.read, time.report, time.stats, time.why, time.statusline].map((ms) => `${Math.round(ms)} ms`), `${sizeOf(out).toFixed(2)} MB`, `${Math.round(weight.peak_mb)} MB`,
    ]);
    if (events !== sizes.at(-1)) continue;
    const node = { what: 'node empty.cjs', value: time.node };
    lines.push(
      { what: `report of ${events.toLocaleString('en')} events`, unit: 'ms', ours: time.report, limit: { what: 'its files read and parsed', value: time.read } },
      { what: `stats of ${events.toLocaleString('en')} events`, unit: 'ms', ours: time.stats, limit: node },
      { what: `why of ${events.toLocaleString('en')} events`, unit: 'ms', ours: time.why, limit: { what: 'its files read and parsed', value: time.read } },
      { what: `status line of ${events.toLocaleString('en')} events`, unit: 'ms', ours: time.statusline, limit: node },
      { what: 'peak memory of the report', unit: 'MB', ours: weight.peak_mb },
    );
  }
  const table: Table = { title: 'By size, whole processes', columns: ['events', 'files', 'read and parsed', 'report', 'stats', 'why', 'status line', 'page', 'peak of report'], rows };
  return {
    name: 'pages',
    title: 'What a person asks for',
    method: 'The commands of the built bundle as processes, start of node included, over the files of a session with that many marks (prompts, edits, errors) in at most 240 passes; medians of interleaved rounds.',
    lines,
    tables: [table],
  };
};

const writeSession = (paths: Paths, events: number): void => {
  const { history, passes, volumes } = sessionOf(events, { name: SESSION });
  const write = (path: string, rows: readonly unknown[]): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  write(paths.history(SESSION), history);
  write(paths.passes(SESSION), passes);
  write(paths.status(SESSION), [statusOf(volumes ?? { tools: {}, kinds: {}, unknown: {} })]);
};

const NONE = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

const statusOf = (volumes: Status['volumes']): Status => ({
  v: 1, at: Date.now(), version: '0', host_pid: 1, session: SESSION, task: 't-1', workspace: '/w', state: 'idle', phase: 'watching', provider: 'anthropic', model: 'scripted', volumes,
  primary: NONE, observer: NONE, spent: { task: 0, hour: 0, task_cap: 2_000_000, hour_cap: 600_000 }, passes: { count: 240, by_reason: { volume: 240 }, holds: {} }, detectors: {},
  advice: { generated: 0, delivered: 0, gated: {}, last_hour: 0, rate_cap: 4 }, window: { chars: 300_000, budget_chars: 400_000, compactions: 3, generation: 3 }, ledgers: { count: 1 }, notices: [],
});
