// Bundles that run without node_modules (SPEC 3): CommonJS, since it starts faster than ESM and Piscina finds its worker beside it.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  // Native parts that their packages can do without: Piscina's thread priority, msgpackr's string reader.
  external: ['@napi-rs/nice', 'msgpackr-extract'],
};

/** Builds the plugin's bundles into `dist` and stamps them; returns the paths of all sources that went in. */
export const buildPlugin = async (dist) => {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const plugin = { ...shared, outdir: dist, format: 'cjs', outExtension: { '.js': '.cjs' }, metafile: true };
  const built = [
    await build({ ...plugin, minify: true, entryPoints: { hook: 'src/main/entry/hook.ts', guard: 'src/main/entry/guard.ts' } }),
    // Mostly other people's code: small counts more than names in a stack.
    await build({
      ...plugin,
      minify: true,
      entryPoints: { mcp: 'src/main/entry/mcp.ts', pools: 'src/main/pools.ts', forks: 'src/workers/forks.ts', compute: 'src/workers/compute.ts' },
    }),
    // Names stay whole: they are what a stack in the log is read by.
    await build({
      ...plugin,
      minifySyntax: true,
      minifyWhitespace: true,
      entryPoints: { monitor: 'src/main/entry/monitor.ts', 'monitor-main': 'src/main/entry/monitor-main.ts', command: 'src/main/entry/command.ts', program: 'src/main/command/run.ts' },
    }),
    // Piscina starts its threads from `worker.js` beside itself.
    await build({ ...plugin, minify: true, outExtension: {}, entryPoints: { worker: 'node_modules/piscina/dist/worker.js' } }),
  ];
  for (const name of readdirSync(dist)) toAscii(`${dist}/${name}`);
  // The report's own script and looks, with the chart library inside and its licence in front, as that asks.
  await build({
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: true,
    legalComments: 'none',
    banner: { js: `/*\n${readFileSync('node_modules/uplot/LICENSE', 'utf8')}*/` },
    logLevel: 'warning',
    entryPoints: { report: 'src/page/report.ts', 'report-looks': 'src/page/report.css' },
    outdir: dist,
  });
  // Without this a `type: module` in some folder above would turn worker.js into ESM.
  writeFileSync(`${dist}/package.json`, '{"type":"commonjs"}\n');
  cpSync('src/main/entry/guard.sh', `${dist}/guard.sh`);
  const hash = createHash('sha256');
  for (const name of readdirSync(dist).sort()) hash.update(name).update(readFileSync(`${dist}/${name}`));
  writeFileSync(`${dist}/build.json`, `${JSON.stringify({ version, build: hash.digest('hex').slice(0, 12) })}\n`);
  return [...new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)))].sort();
};

/** V8 keeps a source with one wide character in it as wide ones all through, twice the bytes to read; only patterns still hold some. */
const toAscii = (path) => writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));

/** Programs that run from the checkout, with node_modules: each of `entries` into .cache/<name>. */
const buildPrograms = async (name, entries) => {
  rmSync(`.cache/${name}`, { recursive: true, force: true });
  await build({ ...shared, entryPoints: entries, outdir: `.cache/${name}`, format: 'esm', outExtension: { '.js': '.mjs' }, packages: 'external' });
};

const buildAsked = async (args) => {
  if (args.includes('--bench')) return buildPrograms('bench', readdirSync('bench').filter((name) => name.endsWith('.ts')).map((name) => `bench/${name}`));
  if (args.includes('--faults')) return buildPrograms('faults', ['test/faults/run.ts']);
  return buildPlugin('plugin/dist');
};

if (import.meta.filename === realpathSync(process.argv[1])) await buildAsked(process.argv);
