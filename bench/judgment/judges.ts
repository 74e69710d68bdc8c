// Who is put to the test: the rules in this thread, or a model over the pool, its answers kept by the hash of what was asked.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openJudge } from '../../src/main/entry/judge.ts';
import { defaultKnobs, type Knobs } from '../../src/main/floor/knobs.ts';
import { loadCatalogue } from '../../src/main/pass/catalogue-file.ts';
import { openPools } from '../../src/main/pools.ts';
import type { ForkResult } from '../../src/main/records.ts';
import type { ForkTask, SummaryResult, SummaryTask } from '../../src/workers/contract.ts';
import { judgeLocally } from '../../src/workers/model/local.ts';
import type { Pipeline } from './play.ts';

export type JudgeOptions = {
  readonly provider: Knobs['model']['provider'];
  readonly model: string;
  readonly base_url: string;
  /** Folder of recorded answers. */
  readonly cache: string | undefined;
  /** Answer from the folder only: what is not there ends as `provider-error`. */
  readonly offline: boolean;
  /** The plugin's folder: prompts, catalogue, and for models the built threads. */
  readonly plugin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Counts = { readonly asked: number; readonly from_cache: number; /** Not in the folder, and not asked for. */ readonly absent: number };

export type OpenedJudge = { readonly pipeline: Pipeline; readonly name: string; readonly counts: () => Counts; readonly close: () => Promise<void> };

/** Everything a session is played with. The detectors are those a user has, with the two lenses for structure both on. */
export const openBenchJudge = async (options: JudgeOptions): Promise<OpenedJudge> => {
  const base = defaultKnobs();
  const knobs: Knobs = {
    ...base,
    model: { ...base.model, provider: options.provider, name: options.model, base_url: options.base_url },
    // A model gets every lens that needs no workspace; rules have nothing to say for those.
    detectors: { 'cross-task-collision': { enabled: true }, ...(options.provider === 'local' ? {} : { 'goal-drift': { enabled: true }, 'constraint-drift': { enabled: true, tools: [] }, 'prior-art': { enabled: true, tools: [] }, 'git-log': { enabled: true, tools: [] } }) },
  };
  const prompts = join(options.plugin, 'prompts');
  const { detectors, problems } = loadCatalogue({ bundle: join(options.plugin, 'detectors.json'), prompts, file: '', overrides: knobs.detectors });
  if (problems.length > 0) throw new Error(`the catalogue has problems: ${JSON.stringify(problems)}`);
  const chooser = openJudge({ knobs: () => knobs, env: options.env, root: () => process.cwd(), endpoints: undefined, log: () => undefined });
  const judge = await chooser.choose();
  const counts = { asked: 0, from_cache: 0, absent: 0 };
  const shared = { knobs, catalogue: detectors, shared_prompt: readFileSync(join(prompts, 'shared.md'), 'utf8'), judge };
  if (judge.provider.kind === 'local') {
    const fork: Pipeline['fork'] = (task) => Promise.resolve(byRules(task));
    return { pipeline: { ...shared, fork, summarize: () => Promise.resolve(NO_SUMMARY) }, name: 'local', counts: () => counts, close: () => Promise.resolve() };
  }
  const dist = join(options.plugin, 'dist');
  if (!existsSync(join(dist, 'forks.cjs'))) throw new Error(`${dist} is not built: npm run build`);
  const pools = openPools({ dist, fork_threads: 1, width: knobs.loop.max_parallel_forks, compute_threads: 1 });
  const recall = openCache(options.cache);
  const once = async <T>(task: ForkTask | SummaryTask, ask: () => Promise<T>, keep: (answer: T) => boolean, absent: () => T): Promise<T> => {
    const key = requestHash(task);
    const known = recall.get<T>(key);
    if (known !== undefined) {
      counts.from_cache += 1;
      return known;
    }
    if (options.offline) {
      counts.absent += 1;
      return absent();
    }
    counts.asked += 1;
    const answer = await ask();
    if (keep(answer)) recall.put(key, answer);
    return answer;
  };
  return {
    pipeline: {
      ...shared,
      fork: (task, hooks, signal) => once(task, () => pools.fork(task, { ...hooks, learnt: chooser.learnt }, signal), ({ end }) => end === 'feedback' || end === 'prose' || end === 'iterations', () => silent(task, 'not in the folder of answers')),
      summarize: (task, hooks) => once(task, () => pools.summarize(task, hooks), ({ cause }) => cause === undefined, () => NO_SUMMARY),
    },
    name: `${judge.provider.kind} ${judge.provider.model}`,
    counts: () => counts,
    close: pools.close,
  };
};

const NO_USAGE = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const NO_SUMMARY: SummaryResult = { text: '', usage: NO_USAGE, cause: 'no model' };

/** What a fork's thread does for `local`. */
const byRules = (task: ForkTask): ForkResult =>
  task.detector.structural !== undefined && task.match === undefined ? silent(task) : { ...silent(task), end: 'feedback', feedback: judgeLocally(task) };

const silent = ({ detector, provider, pilot }: ForkTask, cause?: string): ForkResult => ({
  detector: detector.name, end: cause === undefined ? 'no-match' : 'provider-error', feedback: { verdict: 'silent' }, usage: NO_USAGE, requests: 0,
  started_at: 0, took_ms: 0, model: provider.model, pilot, tool_text: '', ...(cause === undefined ? {} : { cause }),
});

/** Of everything the model is asked, and nothing else: neither address nor key, so that answers can be shared. */
export const requestHash = (task: ForkTask | SummaryTask): string => {
  const hash = createHash('sha256').update(`${task.kind}\n${task.provider.kind}\n${task.provider.model}\n`);
  if (task.kind === 'summary') hash.update(task.system).update('\n').update(task.text);
  else hash.update(task.prefix).update('\n').update(task.tail).update(`\n${task.grant.join(' ')}\n${task.limits.iterations}\n${task.limits.max_output_tokens}`);
  return hash.digest('hex');
};

/** Answers in `folder`, one file each; without a folder nothing is kept. */
export const openCache = (folder: string | undefined) => {
  const fileOf = (key: string): string => join(folder ?? '', key.slice(0, 2), `${key}.json`);
  return {
    get: <T>(key: string): T | undefined => (folder === undefined || !existsSync(fileOf(key)) ? undefined : (JSON.parse(readFileSync(fileOf(key), 'utf8')) as T)),
    put: (key: string, answer: unknown): void => {
      if (folder === undefined) return;
      const file = fileOf(key);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(`${file}.${process.pid}`, JSON.stringify(answer));
      renameSync(`${file}.${process.pid}`, file);
    },
  };
};
