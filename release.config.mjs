// `npm run release [-- FOLDER] [--windows] [--commit]`: .cache/release/second-brain, the folder a marketplace is made of, and its tarball.
// The same sources give the same bytes: names are sorted, and nothing tells the time, the machine or who built it.
// With --windows its hooks and monitor start node themselves, for where there is no /bin/sh (docs/decisions/0002-systems.md).
// With --commit it becomes the next commit of the branch `release` (or `release-windows`), tagged with its version; pushing is yours.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildPlugin } from './esbuild.config.mjs';

const NAME = 'second-brain';
const MOST_BYTES = 4_000_000;
// What a user gets beside the bundles; whatever else lies in plugin/ stays here.
const SHIPPED = ['.claude-plugin', 'commands', 'detectors.json', 'hooks', 'monitors', 'prompts'];

const release = async (out, windows) => {
  const folder = join(out, NAME);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const inputs = await buildPlugin(join(folder, 'dist'));
  for (const name of SHIPPED) cpSync(join('plugin', name), join(folder, name), { recursive: true });
  if (windows) withoutShell(folder);
  const readme = readmeOf(readFileSync('README.md', 'utf8'));
  const linked = [...readme.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, name]) => name).filter((name) => existsSync(name));
  writeFileSync(join(folder, 'README.md'), readme);
  for (const name of ['LICENSE', ...linked]) cpSync(name, join(folder, name));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licencesOf(inputs));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const stated = JSON.parse(readFileSync(join(folder, '.claude-plugin/plugin.json'), 'utf8')).version;
  if (stated !== version) throw new Error(`plugin.json says ${stated}, package.json ${version}`);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll('\\', '/'))
    .sort();
  const bytes = names.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
  if (bytes > MOST_BYTES) throw new Error(`${bytes} bytes; a release may have ${MOST_BYTES}`);
  const tarball = join(out, `${NAME}-${version}${windows ? '-windows' : ''}.tgz`);
  writeFileSync(tarball, gzipSync(tarOf(names.map((name) => [`${NAME}/${name}`, readFileSync(join(folder, name))])), { level: 9 }));
  return { version, folder, tarball, files: names.length, bytes, sha256: createHash('sha256').update(readFileSync(tarball)).digest('hex') };
};

/** What needs the sources is no use beside a release. */
const readmeOf = (text) => text.replaceAll(/<!-- sources -->\n[^]*?<!-- \/sources -->\n+/g, '');

/** Hooks and monitor as node programs. A guard that an update has taken away is no error: `-e` finds it missing and ends. */
const withoutShell = (folder) => {
  const guard = '${CLAUDE_PLUGIN_ROOT}/dist/guard.cjs';
  const edit = (name, change) => writeFileSync(join(folder, name), `${JSON.stringify(change(JSON.parse(readFileSync(join(folder, name), 'utf8'))), null, 2)}\n`);
  edit('hooks/hooks.json', ({ hooks, ...rest }) => {
    const asNode = ([event, [{ hooks: [{ timeout }] }]]) => [event, [{ hooks: [{ type: 'command', command: 'node', args: ['-e', 'try{require(process.argv[1])}catch{}', guard, '${CLAUDE_PLUGIN_DATA}', event], timeout }] }]];
    return { ...rest, hooks: Object.fromEntries(Object.entries(hooks).map(asNode)) };
  });
  edit('monitors/monitors.json', (monitors) => monitors.map((monitor) => ({ ...monitor, command: `node "${guard}" "\${CLAUDE_PLUGIN_DATA}" monitor "\${CLAUDE_PLUGIN_ROOT}"` })));
};

/** The licence of every package that a bundle holds code of; a package without one stops the release. */
const licencesOf = (inputs) => {
  const packages = [...new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []))];
  const entries = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
    if (typeof license !== 'string' && files.length === 0) throw new Error(`${folder} has no licence`);
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
    return { title: `${name} ${version} (${license ?? 'see below'})`, text: texts.join('\n\n') };
  });
  const titlesOf = new Map();
  for (const { title, text } of entries) titlesOf.set(text, [...(titlesOf.get(text) ?? []), title]);
  const parts = [...titlesOf].map(([text, titles]) => `${[...new Set(titles)].sort().join('\n')}\n\n${text === '' ? 'The package names its licence and ships no text of it.' : text}\n`);
  return `The bundles in dist/ hold code of these packages.\n\n${parts.sort().join(`\n${'-'.repeat(80)}\n\n`)}`;
};

/** A tar archive (ustar) of plain files: mode 0644, owner 0, time 0. */
const tarOf = (files) => Buffer.concat([...files.flatMap(([name, bytes]) => [headerOf(name, bytes.length), bytes, Buffer.alloc(-bytes.length & 511)]), Buffer.alloc(1024)]);

const headerOf = (name, size) => {
  if (Buffer.byteLength(name) > 100) throw new Error(`too long for the archive: ${name}`);
  const header = Buffer.alloc(512);
  const octal = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${octal(header.reduce((sum, byte) => sum + byte, 0), 6)} `, 148);
  return header;
};

/** Commits `folder` as the whole tree of `branch`; neither the working tree nor its index is touched. */
const commit = (folder, branch, tag) => {
  const git = (args, env = {}) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, GIT_DIR, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const at = (ref) => {
    try {
      return git(['rev-parse', '--verify', '-q', ref]);
    } catch {
      return undefined; // no such branch or tag yet
    }
  };
  const GIT_DIR = resolve(execFileSync('git', ['rev-parse', '--git-dir'], { encoding: 'utf8' }).trim());
  const index = { GIT_INDEX_FILE: resolve(folder, '..', 'index'), GIT_WORK_TREE: resolve(folder) };
  git(['add', '-A', '-f', '.'], index);
  const tree = git(['write-tree'], index);
  rmSync(index.GIT_INDEX_FILE);
  const last = at(`refs/heads/${branch}`);
  const released = at(`refs/tags/${tag}^{tree}`);
  if (released === tree) return last;
  if (released !== undefined) throw new Error(`${tag} is released already, with other content: raise the version in package.json and plugin.json`);
  const made = git(['commit-tree', tree, ...(last === undefined ? [] : ['-p', last]), '-m', `Second Brain ${tag.slice(1)}`]);
  git(['update-ref', `refs/heads/${branch}`, made]);
  git(['tag', tag, made]);
  return made;
};

const options = { windows: { type: 'boolean', default: false }, commit: { type: 'boolean', default: false } };
const { positionals: [other], values } = parseArgs({ allowPositionals: true, options });
// A folder somebody names may be theirs.
if (other !== undefined && existsSync(other)) throw new Error(`${other} is there already`);
const suffix = values.windows ? '-windows' : '';
const made = await release(other ?? `.cache/release${suffix}`, values.windows);
console.log(JSON.stringify({ ...made, ...(values.commit ? { commit: commit(made.folder, `release${suffix}`, `v${made.version}${suffix}`) } : {}) }));
