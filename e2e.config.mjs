// `npm run e2e:all`: the built program and the real host under every Node and every host we say it works with; ends with a table.
// Programs are fetched with npm into .cache when missing: a Node has 100 MB, a host 400 MB.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';

const NODES = ['20.19', '22', '24'];
const OLDER_HOSTS = ['2.1.220', '2.1.150'];

const nodeAt = (version) => {
  const prefix = `.cache/node/${version}`;
  const binary = resolve(prefix, `node_modules/node-linux-${process.arch}/bin/node`);
  if (!existsSync(binary)) spawnSync('npm', ['i', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `node-linux-${process.arch}@${version}`], { stdio: 'inherit' });
  return binary;
};

const passes = (node, args, env) => {
  const run = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, REQUIRE_HOST: '1', ...env },
  });
  return run.status === 0 ? 'passed' : 'FAILED';
};

const hostTests = (...names) => names.map((name) => `test/e2e/host/${name}.test.ts`);

const rows = [];
if (spawnSync(process.execPath, ['esbuild.config.mjs'], { stdio: 'inherit' }).status !== 0) process.exit(1);
for (const version of NODES) {
  const node = nodeAt(version);
  const exact = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  rows.push({ node: exact, host: 'none', what: 'built program as processes', result: passes(node, ['--project', 'unit', 'test/e2e/'], {}) });
  rows.push({ node: exact, host: 'the known one', what: 'hooks, advice, installed', result: passes(node, ['--project', 'e2e', ...hostTests('hooks', 'advice', 'installed')], {}) });
}
for (const host of OLDER_HOSTS) {
  rows.push({ node: process.version, host, what: 'hooks, mail and commands with no monitor', result: passes(process.execPath, ['--project', 'e2e', ...hostTests('no-monitor')], { SB_HOST_VERSION: host }) });
}
console.table(rows);
process.exitCode = rows.every(({ result }) => result === 'passed') ? 0 : 1;
