// What other people's code can do to us: which packages, from where, under which licence, and what of them runs.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Package = { readonly version: string; readonly integrity?: string; readonly hasInstallScript?: boolean; readonly dev?: boolean; readonly optional?: boolean; readonly license?: string };
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { readonly packages: Readonly<Record<string, Package>> };
const packages = Object.entries(lock.packages).flatMap(([path, of]) => (path === '' ? [] : [{ name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), ...of }]));
const wanted = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: Readonly<Record<string, string>>; readonly devDependencies: Readonly<Record<string, string>> };

test('every package is locked with the hash of its content, and the ones we name at one version', () => {
  expect(packages.filter(({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')).map(({ name }) => name)).toEqual([]);
  for (const [name, version] of Object.entries({ ...wanted.dependencies, ...wanted.devDependencies })) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});

test('few packages are ours by choice, and a new one is a decision', () => {
  expect(Object.keys(wanted.dependencies)).toEqual(['@anthropic-ai/sdk', '@modelcontextprotocol/sdk', 'msgpackr', 'piscina', 're2js', 'undici', 'zod']);
});

test('nothing runs at installation but the bundler’s own check and an optional native part that no bundle holds', () => {
  expect(packages.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name, dev, optional }) => [name, dev === true, optional === true])).toEqual([['esbuild', true, false], ['msgpackr-extract', false, true]]);
});

test('what ships is under licences that let it', () => {
  const free = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense']);
  expect(packages.filter(({ dev, license }) => dev !== true && !free.has(license ?? '')).map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});

test('the built plugin loads nothing from beside it but what it can do without', () => {
  // ajv names its own parts in code that it could write out, which nobody asks it to.
  const optional = new Set(['@napi-rs/nice', 'msgpackr-extract', 'ajv/dist/runtime/validation_error', 'ajv/dist/runtime/uri', 'ajv/dist/runtime/ucs2length', 'ajv/dist/runtime/equal', 'ajv-formats/dist/formats']);
  const known = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'node:sqlite', ...optional]);
  for (const name of readdirSync('plugin/dist').filter((each) => /\.c?js$/.test(each))) {
    const loaded = [...readFileSync(join('plugin/dist', name), 'utf8').matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1] ?? '');
    expect(loaded.filter((each) => !known.has(each) && !each.startsWith('./') && !each.startsWith('../')), name).toEqual([]);
  }
});
