// Bundles that run without node_modules (SPEC 3): CommonJS, since it starts faster than ESM and Piscina finds its worker beside it.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  define: { __VERSION__: JSON.stringify(version) },
};

if (process.argv.includes('--bench')) {
  rmSync('.cache/bench', { recursive: true, force: true });
  const entries = readdirSync('bench').filter((name) => name.endsWith('.ts')).map((name) => `bench/${name}`);
  await build({ ...shared, entryPoints: entries, outdir: '.cache/bench', format: 'esm', outExtension: { '.js': '.mjs' }, packages: 'external' });
} else {
  const dist = 'plugin/dist';
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await build({
    ...shared,
    minify: true,
    entryPoints: { hook: 'src/main/entry/hook.ts' },
    outdir: dist,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
  });
  await build({
    ...shared,
    minifySyntax: true,
    minifyWhitespace: true,
    entryPoints: {
      monitor: 'src/main/entry/monitor.ts',
      command: 'src/main/entry/command.ts',
      mcp: 'src/main/entry/mcp.ts',
      program: 'src/main/command/run.ts',
      forks: 'src/workers/forks.ts',
      compute: 'src/workers/compute.ts',
    },
    outdir: dist,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
  });
  // Piscina starts its threads from `worker.js` beside itself.
  await build({ ...shared, entryPoints: { worker: 'node_modules/piscina/dist/worker.js' }, outdir: dist, format: 'cjs' });
  // Without this a `type: module` in some folder above would turn worker.js into ESM.
  writeFileSync(`${dist}/package.json`, '{"type":"commonjs"}\n');
  cpSync('src/main/entry/guard.sh', `${dist}/guard.sh`);
  const hash = createHash('sha256');
  for (const name of readdirSync(dist).sort()) hash.update(name).update(readFileSync(`${dist}/${name}`));
  writeFileSync(`${dist}/build.json`, `${JSON.stringify({ version, build: hash.digest('hex').slice(0, 12) })}\n`);
}
