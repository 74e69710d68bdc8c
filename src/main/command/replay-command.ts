// `replay FILE`: the recorded session through the whole pipeline, in a temporary folder, told as it happens.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { openJudge } from '../entry/judge.ts';
import { projectionLimits, slicesOf, unreadable } from '../entry/reading.ts';
import { runtimeInPlace, type Runtime } from '../entry/runtime.ts';
import { namesIn } from '../floor/disk-file.ts';
import { defaultKnobs, type Knobs } from '../floor/knobs.ts';
import { pathsUnder } from '../floor/paths.ts';
import { loadCatalogue, readSharedPrompt } from '../pass/catalogue-file.ts';
import { openPools, type Pools } from '../pools.ts';
import { plain } from '../show/plain.ts';
import { replayJson, replayText, type ReplayEvent } from '../show/replay.ts';
import type { ReportSource } from '../show/report-model.ts';
import { readHistory } from '../speak/history-file.ts';
import { readPasses } from '../speak/passes-file.ts';
import { widthOf } from './place.ts';
import { replay } from './replay.ts';
import { writeReport } from './report-writer.ts';
import type { Words } from './words.ts';

export const replayCommand = async ({ positionals, flags }: Words): Promise<number> => {
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    process.stderr.write('Give one transcript or one folder of them: second-brain replay FILE\n');
    return 2;
  }
  const base = defaultKnobs();
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const provider = text('provider') ?? 'local';
  if (!isProvider(provider)) {
    process.stderr.write(`--provider takes local, anthropic, openai or auto, not ${provider}${provider === 'host' ? ', which asks the program of a running session' : ''}\n`);
    return 2;
  }
  const knobs: Knobs = { ...base, model: { ...base.model, provider, name: text('model') ?? '', base_url: text('base-url') ?? '' } };
  const files = filesOf(path);
  if (files.length === 0) {
    process.stderr.write(`${path} holds no .jsonl files.\n`);
    return 3;
  }
  const runtime = runtimeInPlace(join(__dirname, '..'));
  const threads = Math.max(1, availableParallelism() - 1);
  const pools = openPools({ dist: runtime.dist, fork_threads: 1, width: knobs.loop.max_parallel_forks, compute_threads: threads });
  try {
    let worst = 0;
    const sources: ReportSource[] = [];
    for (const file of files) worst = Math.max(worst, await one({ file, knobs, runtime, pools, threads, json: flags['json'] === true, keep: (source) => sources.push(source) }));
    const out = text('report');
    return out === undefined || sources.length === 0 ? worst : Math.max(worst, reported(resolve(out), sources));
  } finally {
    await pools.close();
  }
};

/** On stderr, where it is in nobody's way. */
const reported = (path: string, sources: readonly ReportSource[]): number => {
  const written = writeReport(path, 'replay', Date.now(), sources);
  process.stderr.write(`${written.ok ? `Report: ${path}` : written.why}\n`);
  return written.ok ? 0 : 3;
};

const isProvider = (word: string): word is Knobs['model']['provider'] => ['local', 'anthropic', 'openai', 'auto'].includes(word);

const filesOf = (path: string): readonly string[] => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [path];
  return readdirSync(path)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(path, name));
};

type One = { readonly file: string; readonly knobs: Knobs; readonly runtime: Runtime; readonly pools: Pools; readonly threads: number; readonly json: boolean; readonly keep: (source: ReportSource) => void };

const one = async ({ file, knobs, runtime, pools, threads, json, keep }: One): Promise<number> => {
  const limits = projectionLimits(knobs, []);
  const problem = unreadable(file, limits);
  if (problem !== undefined) {
    process.stderr.write(`${plain(problem)}\n`);
    return 3;
  }
  const started = performance.now();
  const bytes = statSync(file).size;
  const width = Math.min(120, widthOf(process.env));
  let peak = process.memoryUsage.rss();
  const emit = (event: ReplayEvent): void => {
    const told = json ? replayJson(event) : replayText(event, width);
    if (told !== undefined) process.stdout.write(`${told}\n`);
  };
  const progress = (done: number): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
    if (!json && process.stderr.isTTY && bytes > 20_000_000) process.stderr.write(`\r${Math.round((100 * done) / bytes)}% of ${Math.round(bytes / 1e6)} MB\u001b[K${done >= bytes ? '\r\u001b[K' : ''}`);
  };
  const catalogue = loadCatalogue({ bundle: runtime.catalogue, prompts: runtime.prompts, file: knobs.catalogue.file, overrides: knobs.detectors });
  const log = (line: string): void => {
    if (process.env['SECOND_BRAIN_DEBUG_ENABLED'] === 'true') process.stderr.write(`${line}\n`);
  };
  const judge = openJudge({ knobs: () => knobs, env: process.env, root: () => process.cwd(), endpoints: undefined, log });
  const data = mkdtempSync(join(tmpdir(), 'second-brain-replay-'));
  try {
    const chosen = await judge.choose();
    emit({ type: 'start', file, bytes, provider: chosen.provider.kind });
    for (const said of judge.problems()) process.stderr.write(`${said}\n`);
    const summary = await replay({
      file,
      slices: slicesOf(file, { limits, pool: { project: pools.project, ahead: threads + 1, from_bytes: knobs.ingest.parallel_bytes } }),
      data, knobs,
      catalogue: catalogue.detectors,
      shared_prompt: readSharedPrompt(runtime.prompts),
      judge: chosen,
      fork: (task, hooks, signal) => pools.fork(task, { ...hooks, learnt: judge.learnt }, signal),
      summarize: pools.summarize,
      tool: () => Promise.resolve({ ok: false, text: 'A replayed session has no workspace to look into.' }),
      version: runtime.version,
      emit, progress, log,
    });
    keep(sourceOf(file, data, summary));
    emit({ ...summary, wallMs: Math.round(performance.now() - started), peakRssMb: Math.round(Math.max(peak, process.memoryUsage.rss()) / 1e6) });
    return 0;
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
};

/** What the replay left in its folder, before the folder goes. */
const sourceOf = (file: string, data: string, { tools, kinds, unknown, primary, badLines }: Awaited<ReturnType<typeof replay>>): ReportSource => {
  const paths = pathsUnder(data);
  const [session = ''] = namesIn(paths.sessions);
  return {
    name: basename(file, '.jsonl'),
    history: readHistory(paths.history(session)).lines,
    passes: readPasses(paths.passes(session)).lines,
    workspace: '',
    volumes: { tools, kinds, unknown },
    primary: primary.input + primary.output,
    bad: badLines,
  };
};
