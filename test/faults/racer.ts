// Runs the built hook many times in one process, each call with a payload of its own: racer.mjs HOOK JOBS OUT, where JOBS is
// a file of lines `{event, env, data, input}`. The bundle is the real one, and so are the files; only the process's edge is
// stood in for: its arguments, its environment, stdin, stdout and exit. OUT gets what each call printed, a line per call.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import * as fs from 'node:fs';
import { compileFunction } from 'node:vm';

export type Job = { readonly event: string; readonly data: string; readonly env: Readonly<Record<string, string>>; readonly input: string };

const [, , bundle = '', jobs = '', out = ''] = process.argv;
const hook = compileFunction(readFileSync(bundle, 'utf8'), ['require', 'process', 'module', 'exports', 'setTimeout']) as (...edge: readonly unknown[]) => void;
const load = createRequire(bundle);

const ENDED = new Error('the hook has ended');

const call = ({ event, data, env, input }: Job): Promise<string> =>
  new Promise((resolve) => {
    let printed = '';
    const standIn = {
      ...fs,
      readFileSync: (path: number | string, ...rest: readonly unknown[]) => (path === 0 ? input : (fs.readFileSync as (...args: readonly unknown[]) => unknown)(path, ...rest)),
      writeSync: (fd: number, ...rest: readonly unknown[]) => (fd === 1 ? void (printed += String(rest[0])) : (fs.writeSync as (...args: readonly unknown[]) => unknown)(fd, ...rest)),
    };
    const edge = {
      ...process, argv: [process.execPath, bundle, data, event], env, pid: process.pid,
      getBuiltinModule: process.getBuiltinModule.bind(process), kill: process.kill.bind(process),
      exit: () => {
        resolve(printed);
        throw ENDED;
      },
    };
    const ask = (name: string): unknown => (/^(node:)?fs$/.test(name) ? standIn : (load(name) as unknown));
    // Its deadline is left out: it would end a call that is over long since.
    hook(ask, edge, { exports: {} }, {}, () => 0);
  });

process.on('unhandledRejection', (reason) => {
  if (reason !== ENDED) throw reason;
});
for (const line of readFileSync(jobs, 'utf8').split('\n')) {
  if (line === '') continue;
  const job = JSON.parse(line) as Job;
  const at = Date.now();
  const stdout = await call(job);
  fs.appendFileSync(out, `${JSON.stringify({ at, ended_at: Date.now(), stdout })}\n`);
}
process.exit(0);
