// The whole loop on a small session: real records, real threads, a scripted model over HTTP; and the rules instead of a model.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { replay } from '../../src/main/command/replay.ts';
import { openTools } from '../../src/main/entry/tools.ts';
import { defaultKnobs, type Knobs } from '../../src/main/floor/knobs.ts';
import { pathsUnder, type Paths } from '../../src/main/floor/paths.ts';
import { projectLine } from '../../src/main/ingest/projection.ts';
import { loadCatalogue } from '../../src/main/pass/catalogue-file.ts';
import { openPools } from '../../src/main/pools.ts';
import { readHistory } from '../../src/main/speak/history-file.ts';
import type { Advice, Projected } from '../../src/main/records.ts';
import type { ReplayEvent } from '../../src/main/show/replay.ts';
import type { HistoryLine } from '../../src/main/surfaces.ts';
import { answerTo, type Rule } from './competent-model.ts';
import { providerOf } from './fork-task.ts';
import { openModelServer, type Logged, type Script } from './model-server.ts';
import { story, type Part } from './story.ts';

export type Played = {
  readonly events: readonly ReplayEvent[];
  readonly history: readonly HistoryLine[];
  /** What was put into the mailbox, in order. */
  readonly advice: readonly Advice[];
  readonly requests: readonly Logged[];
  readonly notes: readonly string[];
  readonly paths: Paths;
};

export type PlayOptions = {
  readonly parts: readonly Part[];
  /** Answers of each detector; one that is not named is silent. */
  readonly rules?: Readonly<Record<string, Rule>>;
  /** A model of the test's own, instead of rules. */
  readonly script?: Script;
  readonly local?: boolean;
  /** Fields of detectors; those named are on, all others off. */
  readonly detectors: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly knobs?: (base: Knobs) => Knobs;
  /** Called before the session goes by: other sessions' lines, files of the loop. */
  readonly before?: (paths: Paths, start: number) => void;
};

export type DetectorRun = { readonly root: string; readonly file: (path: string, text: string) => void; readonly play: (options: PlayOptions) => Promise<Played>; readonly close: () => Promise<void> };

/** One workspace, one pool, one model server for all sessions of a test file. */
export const openDetectorRun = async (): Promise<DetectorRun> => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-detectors-')));
  const root = join(base, 'shop');
  const dist = join(base, 'dist');
  mkdirSync(root);
  await Promise.all(
    ['forks', 'compute'].map((name) =>
      build({ entryPoints: [`src/workers/${name}.ts`], outfile: join(dist, `${name}.cjs`), bundle: true, platform: 'node', format: 'cjs', target: 'node20.19', logLevel: 'silent', external: ['@napi-rs/nice', 'msgpackr-extract'] })),
  );
  const pools = openPools({ dist, fork_threads: 1, width: 8, compute_threads: 1 });
  let script: Script = () => ({});
  const server = await openModelServer({ script: (request) => script(request) });
  let played = 0;

  const play = async ({ parts, rules = {}, script: own, local = false, detectors, knobs: change = (knobs) => knobs, before }: PlayOptions): Promise<Played> => {
    played += 1;
    const data = join(base, `data-${played}`);
    const paths = pathsUnder(data);
    mkdirSync(paths.indexes, { recursive: true });
    const first = server.requests.length;
    script = own ?? answerTo(rules);
    const defaults = defaultKnobs();
    const off = Object.keys(rowsOf()).map((name) => [name, { enabled: false }] as const);
    const knobs = change({ ...defaults, detectors: { ...Object.fromEntries(off), ...Object.fromEntries(Object.entries(detectors).map(([name, fields]) => [name, { enabled: true, ...fields }])) } });
    const { detectors: catalogue, problems } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: knobs.detectors });
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const notes: string[] = [];
    const log = (line: string): void => void notes.push(line);
    const tools = openTools({ dist, workspace: root, cwd: root, env: { PATH: process.env['PATH'], HOME: base }, children: () => () => undefined, log, fileTool: pools.fileTool, knobs: () => knobs, plan_mode: () => false, last_write_at: () => undefined });
    const written = story(`story-${played}`, root, parts);
    before?.(paths, written.times[0] ?? 0);
    const items = written.lines.map((line) => projectLine(Buffer.from(line), { ...knobs.projection, sealed: [] }));
    const events: ReplayEvent[] = [];
    await replay({
      file: 'story', data, workspace: root, knobs, catalogue, version: 'test', log,
      slices: once(items),
      shared_prompt: readFileSync('plugin/prompts/shared.md', 'utf8'),
      judge: { provider: local ? { ...providerOf('anthropic', ''), kind: 'local', model: 'local' } : providerOf('anthropic', server.url), min_cacheable: Number.POSITIVE_INFINITY },
      fork: pools.fork, summarize: pools.summarize, tool: tools.tool, lead: tools.lead,
      emit: (event) => void events.push(event),
    });
    await tools.close();
    const history = readHistory(paths.history(written.session)).lines;
    const advice = history.flatMap(({ event, advice: envelope }) => (event === 'enqueued' && envelope !== undefined && envelope.kind !== 'turn-report' ? [envelope] : []));
    return { events, history, advice, requests: server.requests.slice(first), notes, paths };
  };

  return {
    root,
    file: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    play,
    close: async () => {
      await pools.close();
      await server.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
};

const rowsOf = (): Readonly<Record<string, unknown>> => {
  const file: { readonly detectors: Readonly<Record<string, unknown>> } = JSON.parse(readFileSync('plugin/detectors.json', 'utf8'));
  return file.detectors;
};

const once = async function* (items: readonly Projected[]): AsyncGenerator<{ items: readonly Projected[]; bad_lines: number; done_bytes: number }> {
  yield await Promise.resolve({ items, bad_lines: 0, done_bytes: 0 });
};
