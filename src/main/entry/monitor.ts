// Starts the monitor from code that V8 has compiled before, kept beside its copy: compiling the bundle anew is a third of a
// start. Arguments as of monitor-main.ts.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { unlessClosed, writeWhole } from '../floor/json-file.ts';
import { pathsUnder } from '../floor/paths.ts';
import { versionAt } from './runtime.ts';
import type * as MonitorMain from './monitor-main.ts';

/** From the first session on: what a start takes has then been compiled. */
const SAVED_AFTER_MS = 3000;

const start = (): void => {
  const bundle = join(__dirname, 'monitor-main.cjs');
  const source = readFileSync(bundle);
  const path = codePath();
  const code = path === undefined ? undefined : readCode(path, source);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`, {
    filename: bundle,
    ...(code === undefined ? {} : { cachedData: code }),
  });
  const loaded: { exports: object } = { exports: {} };
  (script.runInThisContext() as (...args: readonly unknown[]) => void)(loaded.exports, require, loaded, bundle, __dirname);
  if (path === undefined || script.cachedDataRejected === false) return;
  void (loaded.exports as typeof MonitorMain).watching.then(() => setTimeout(() => saveCode(path, source, script), SAVED_AFTER_MS).unref());
};

/** run/<version>/code.<node>: bytecode is of one bundle and one build of V8. Undefined where no data directory is given. */
const codePath = (): string | undefined => {
  const data = process.argv[process.argv.indexOf('--data') + 1];
  if (!process.argv.includes('--data') || data === undefined) return undefined;
  return join(pathsUnder(data).run(versionAt(dirname(__dirname))), `code.${process.version}-${process.arch}`);
};

/** V8 looks at the length of the source only and not at the code: damaged, it would bring the process down. */
const readCode = (path: string, source: Buffer): Buffer | undefined => {
  const kept = unlessClosed(() => readFileSync(path));
  const code = kept?.subarray(DIGEST_BYTES);
  return code !== undefined && kept?.subarray(0, DIGEST_BYTES).equals(digestOf(source, code)) === true ? code : undefined;
};

const DIGEST_BYTES = 32;

const digestOf = (source: Buffer, code: Buffer): Buffer => hash('sha256', Buffer.concat([source, code]), 'buffer');

const saveCode = (path: string, source: Buffer, script: Script): void => {
  try {
    const code = script.createCachedData();
    writeWhole(path, Buffer.concat([digestOf(source, code), code]));
  } catch {
    // A disk that is full or not ours: the next start compiles, as this one did.
  }
};

start();
