// Holds the rules of how the sources are laid out over their text: who may import whom, and who touches what.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

type Source = { readonly path: string; readonly text: string; readonly code: string; readonly imports: readonly string[]; readonly packages: readonly string[] };

const STAGES = ['ingest', 'memory', 'pass', 'speak', 'show'];

const files = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));

/** Comments blanked, so that a word in one breaks no rule. */
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/[^\n]*/g, '$1');

const read = (path: string): Source => {
  const text = readFileSync(path, 'utf8');
  const code = withoutComments(text);
  const specifiers = [...code.matchAll(/(?:^|[\n;])\s*(?:import|export)[^'"`;]*?from\s*'([^']+)'|import\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? match[2] ?? '');
  return {
    path,
    text,
    code,
    imports: specifiers.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(path), name))),
    packages: specifiers.filter((name) => !name.startsWith('.')),
  };
};

const sources = files('src').map(read);
const byPath = new Map(sources.map((source) => [source.path, source]));
const stageOf = (path: string): string | undefined => STAGES.find((stage) => path.startsWith(`src/main/${stage}/`));
const isFloor = (path: string): boolean => path.startsWith('src/main/floor/');
const isWorker = (path: string): boolean => path.startsWith('src/workers/');
const isDiskFile = (path: string): boolean => path.endsWith('-file.ts');

/** Shapes that every stage may know. */
const SHARED = new Set(['src/main/records.ts', 'src/main/surfaces.ts', 'src/workers/contract.ts']);

const offenders = (rule: (source: Source) => readonly string[]): string[] => sources.flatMap((source) => rule(source).map((what) => `${source.path}: ${what}`));

describe('imports', () => {
  test('a stage imports only itself, the floor and the shared shapes', () => {
    expect(
      offenders(({ path, imports }) => {
        const stage = stageOf(path);
        if (stage === undefined) return [];
        return imports.filter((target) => stageOf(target) !== stage && !isFloor(target) && !SHARED.has(target));
      }),
    ).toEqual([]);
  });

  test('the floor imports only the floor and the records', () => {
    expect(offenders(({ path, imports }) => (isFloor(path) ? imports.filter((target) => !isFloor(target) && target !== 'src/main/records.ts') : []))).toEqual([]);
  });

  test('main knows of the workers only their contract', () => {
    expect(offenders(({ path, imports }) => (isWorker(path) ? [] : imports.filter((target) => isWorker(target) && target !== 'src/workers/contract.ts')))).toEqual([]);
  });

  test('a worker imports no file of main that touches the disk, the pools or an entry', () => {
    const allowed = (target: string): boolean => isWorker(target) || target === 'src/main/records.ts' || ((stageOf(target) !== undefined || isFloor(target)) && !isDiskFile(target));
    expect(offenders(({ path, imports }) => (isWorker(path) ? imports.filter((target) => !allowed(target)) : []))).toEqual([]);
  });

  test('no file imports itself by a circle', () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const walk = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (trail.includes(path) || done.has(path)) return;
      for (const target of byPath.get(path)?.imports ?? []) walk(target, [...trail, path]);
      done.add(path);
    };
    for (const { path } of sources) walk(path, []);
    expect(circles).toEqual([]);
  });

  test('the hook reaches no package', () => {
    const seen = new Set<string>();
    const walk = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const target of byPath.get(path)?.imports ?? []) walk(target);
    };
    walk('src/main/entry/hook.ts');
    const typeOnly = (source: Source, name: string): boolean => new RegExp(`import type [^;]*'${name}'`).test(source.code);
    const reached = [...seen].flatMap((path) => {
      const source = byPath.get(path);
      return source === undefined ? [] : source.packages.filter((name) => !name.startsWith('node:') && !typeOnly(source, name)).map((name) => `${path}: ${name}`);
    });
    // contract.ts is reached for its types alone.
    expect(reached.filter((line) => !line.startsWith('src/workers/contract.ts'))).toEqual([]);
  });
});

describe('effects', () => {
  const isStageOrFloor = (path: string): boolean => stageOf(path) !== undefined || isFloor(path);
  /** Stage files that start processes or sessions: their names say so in LAYOUT. */
  const EXCEPTIONS = new Set(['src/main/pass/run-command.ts', 'src/main/pass/mcp-client.ts', 'src/main/pass/host-model.ts', 'src/main/pass/git-history.ts']);

  test('in a stage only files named *-file.ts touch the disk', () => {
    expect(offenders(({ path, packages }) => (isStageOrFloor(path) && !isDiskFile(path) && !EXCEPTIONS.has(path) ? packages.filter((name) => /^node:(fs|fs\/promises|child_process|worker_threads)$/.test(name)) : []))).toEqual([]);
  });

  test('a pure file reads no clock, no environment and no chance', () => {
    const impure = /Date\.now\(|new Date\(\)|process\.env|Math\.random\(|randomBytes|randomUUID|performance\.now|setTimeout\(|setInterval\(/g;
    expect(offenders(({ path, code }) => (isStageOrFloor(path) && !isDiskFile(path) && !EXCEPTIONS.has(path) ? [...code.matchAll(impure)].map((match) => match[0]) : []))).toEqual([]);
  });

  test('only send.ts opens a connection, and the MCP client', () => {
    const network = /^(undici(\/.*)?|node:(http|https|http2|net|tls|dgram)|@anthropic-ai\/sdk.*)$/;
    // A file of declarations runs nothing.
    const may = new Set(['src/workers/model/send.ts', 'src/workers/model/undici-parts.d.ts', 'src/main/pass/mcp-client.ts']);
    expect(offenders((source) => (may.has(source.path) ? [] : source.packages.filter((name) => network.test(name) && !new RegExp(`import type [^;]*'${name}'`).test(source.code))))).toEqual([]);
    expect(offenders(({ path, code }) => (may.has(path) ? [] : [...code.matchAll(/\bfetch\(/g)].map((match) => match[0])))).toEqual([]);
  });

  test('a worker never writes a file', () => {
    expect(offenders(({ path, code }) => (isWorker(path) ? [...code.matchAll(/\b(writeFile|appendFile|createWriteStream|mkdir|rename|unlink|rm|truncate)(Sync)?\(/g)].map((match) => match[0]) : []))).toEqual([]);
  });
});

describe('files', () => {
  test('every file is at most 400 lines long', () => {
    expect(offenders(({ text }) => (text.split('\n').length > 401 ? [`${text.split('\n').length - 1} lines`] : []))).toEqual([]);
  });

  test('every file opens with a line that says what it is for', () => {
    expect(offenders(({ text }) => (text.startsWith('// ') ? [] : ['no opening comment']))).toEqual([]);
  });

  test('names are kebab-case and say what a file decides or owns', () => {
    expect(
      offenders(({ path }) => {
        const name = relative(dirname(path), path);
        return /^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(name) && !/^(utils|helpers|common|manager|service|index)\.ts$/.test(name) ? [] : [name];
      }),
    ).toEqual([]);
  });

  test('nothing is exported by default', () => {
    expect(offenders(({ path, code }) => (/^export default /m.test(code) && !/^src\/workers\/(forks|compute)\.ts$/.test(path) ? ['export default'] : []))).toEqual([]);
  });

  test('nothing lives at module level but constants', () => {
    expect(offenders(({ code }) => [...code.matchAll(/^(?:export )?(?:let|var) \w+/gm)].map((match) => match[0]))).toEqual([]);
  });
});
