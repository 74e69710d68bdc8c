// The monitor process: the host starts one, it watches whichever session the host is in, and never ends on an error,
// since the end of a monitor wakes the model (contract d).
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeLog } from '../floor/log-file.ts';
import { pathsUnder, type Paths } from '../floor/paths.ts';
import { openFollower } from './follow.ts';
import { hostOf, type Host } from './host.ts';
import { installRuntime, type Runtime } from './runtime.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, root: { type: 'string' }, project: { type: 'string' }, ca: { type: 'string' } }, strict: false });

const main = async (watching: () => void): Promise<void> => {
  const { data, root } = values;
  // Not ours to watch, or nowhere to write: stay, silently.
  if (typeof data !== 'string' || typeof root !== 'string' || process.env['SECOND_BRAIN_FORK'] !== undefined || (process.env['CLAUDE_CODE_ENTRYPOINT'] ?? 'cli') !== 'cli') return forever();
  const paths = pathsUnder(data);
  const log = (line: string): void => writeLog(paths.log, `[${process.pid}] ${line}`, Date.now());
  process.on('uncaughtException', (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on('unhandledRejection', (error) => log(`unhandled: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
  const host = hostOf(process.env);
  const runtime = await install(root, paths, host, log);
  const follower = openFollower({ paths, host, runtime, env: typeof values.ca === 'string' && values.ca !== '' ? { ...process.env, NODE_EXTRA_CA_CERTS: values.ca } : process.env, cwd: typeof values.project === 'string' && values.project !== '' ? values.project : process.cwd(), log, ring, watching });
  const leave = (): void => {
    try {
      follower.close(Date.now());
    } finally {
      process.exit(0);
    }
  };
  process.on('SIGTERM', leave);
  process.on('SIGINT', leave);
  process.on('SIGHUP', leave);
  // Nobody reads any more: the host is gone.
  process.stdout.on('error', leave);
  await follower.run(() => !host.alive());
  leave();
};

/** A disk that is full or read-only now may be well later: tried again until the host ends. */
const install = async (root: string, paths: Paths, host: Host, log: (line: string) => void): Promise<Runtime> => {
  for (let said = ''; ; ) {
    try {
      return installRuntime(root, paths, log);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (why !== said) log(`could not start yet: ${why}`);
      said = why;
    }
    await sleep(AGAIN_MS);
    if (!host.alive()) process.exit(0);
  }
};

const AGAIN_MS = 5000;

const ring = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A process that does nothing but wait for its host's end: to leave earlier would wake the model. */
const forever = async (): Promise<void> => {
  const host = hostOf(process.env);
  while (host.alive()) await sleep(HOST_CHECK_MS);
  process.exit(0);
};

const HOST_CHECK_MS = 5000;

const supervised = async (watching: () => void): Promise<void> => {
  try {
    await main(watching);
  } catch (error) {
    if (typeof values.data === 'string') writeLog(pathsUnder(values.data).log, `[${process.pid}] could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, Date.now());
    await forever();
  }
};

/** Resolves when the first session is watched. */
export const watching = new Promise<void>((resolve) => void supervised(resolve));
