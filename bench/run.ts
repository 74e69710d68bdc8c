// Runs the benchmarks and says what they came to.
//   npm run bench -- [hook|projection|shapes|append|prefix|threads|pass|monitor|stop|children|soak|pages …] [--json] [--write] [--quick]
// --quick: smaller inputs, the least of some rounds, and exit 1 when a ratio is more than twice what it usually is. --write: PERFORMANCE.md from what was measured.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAppend } from './append.ts';
import { measureChildren } from './children.ts';
import { measureHook } from './hook.ts';
import { performanceDocument } from './document.ts';
import { measureMonitor } from './monitor.ts';
import { measurePages } from './pages.ts';
import { measurePass } from './pass.ts';
import { measurePrefix } from './prefix.ts';
import { measureProjection } from './projection.ts';
import { isSlower, meets, ratioOf, terminal, type Options, type Result } from './report.ts';
import { measureShapes } from './shapes.ts';
import { measureSoak } from './soak.ts';
import { measureStop } from './stop.ts';
import { measureThreads } from './threads.ts';

const SUBJECTS: Readonly<Record<string, (options: Options) => Promise<Result | undefined>>> = {
  hook: measureHook,
  projection: measureProjection,
  shapes: measureShapes,
  append: measureAppend,
  prefix: measurePrefix,
  threads: measureThreads,
  pass: measurePass,
  monitor: measureMonitor,
  stop: measureStop,
  children: measureChildren,
  soak: measureSoak,
  pages: measurePages,
};

/** Results of the last full runs, a subject each: `--write` renders them all, so that one can be measured again alone. */
const RESULTS = 'bench/results.json';

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' }, write: { type: 'boolean' }, quick: { type: 'boolean' } }, allowPositionals: true });
  const { json = false, write = false, quick = false } = values;
  const names = positionals.length === 0 ? Object.keys(SUBJECTS) : positionals;
  const strange = names.find((name) => !Object.hasOwn(SUBJECTS, name));
  if (strange !== undefined) {
    process.stderr.write(`There is no benchmark ${strange}; there are ${Object.keys(SUBJECTS).join(', ')}.\n`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'sb-bench-'));
  try {
    const options: Options = { quick, folder, plugin: copyOfPlugin(folder), say: (line) => void process.stderr.write(`… ${line}\n`) };
    const results: Result[] = [];
    for (const name of names) {
      const result = await SUBJECTS[name]?.(options);
      if (result === undefined) continue;
      results.push(result);
      process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${terminal(result)}\n`);
    }
    if (write) record(results);
    const lines = results.flatMap((result) => result.lines.map((line) => ({ ...line, what: `${result.name}: ${line.what}` })));
    if (!quick) {
      for (const { what } of lines.filter((line) => !meets(line))) process.stderr.write(`missed: ${what}\n`);
      return 0;
    }
    const slower = lines.filter(isSlower);
    for (const line of slower) process.stderr.write(`SLOWER: ${line.what}: ${(ratioOf(line) ?? NaN).toFixed(2)}, usually ${line.usual ?? NaN}\n`);
    return slower.length > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The plugin as built now, in a place where no other build replaces it while it is measured. */
const copyOfPlugin = (folder: string): string => {
  execFileSync(process.execPath, ['esbuild.config.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const plugin = join(folder, 'plugin');
  mkdirSync(plugin);
  cpSync('plugin', plugin, { recursive: true });
  return plugin;
};

const record = (fresh: readonly Result[]): void => {
  const kept = readResults().filter(({ name }) => !fresh.some((result) => result.name === name));
  const order = Object.keys(SUBJECTS);
  const results = [...kept, ...fresh].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync('PERFORMANCE.md', performanceDocument(results));
};

const readResults = (): readonly Result[] => {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly Result[];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

process.exitCode = await main();
