// guard.sh for where there is no /bin/sh: stands between the host and our programs as `guard.cjs DATA EVENT` (a hook) or
// `guard.cjs DATA monitor ROOT`, and decides the same things. Node starts for every tool call here.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MONITOR = 'monitor';
// Nobody closes a pipe later than this.
const DRAIN_MS = 4000;

const guard = (event: string): void => {
  const [node = '', , given = '', , root = ''] = process.argv;
  const { env } = process;
  const isMonitor = event === MONITOR;
  // Nothing of a headless run or of our own children is observed, and nothing is said there.
  if (!isMonitor && (env['CLAUDE_CODE_ENTRYPOINT'] !== 'cli' || env['SECOND_BRAIN_FORK'])) return drain();
  const data = given !== '' && !given.startsWith('${') ? given : (!isMonitor && env['CLAUDE_PLUGIN_DATA']) || newestData(env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude'));
  const session = env['CLAUDE_CODE_SESSION_ID'];
  if (event === 'PostToolUse' && session && !hasMail(join(data, 'sessions', session, 'mailbox', 'new'))) return drain();
  if (isMonitor) {
    process.argv = [node, join(__dirname, 'monitor.cjs'), '--data', data, '--root', root, '--project', process.cwd()];
  } else {
    // Since 20.16 and 22.3: what our programs need.
    if (!process.getBuiltinModule) {
      if (event === 'SessionStart') sayAsleep(join(data, 'hosts', env['CLAUDE_PID'] ?? `s-${session ?? ''}`));
      return drain();
    }
    process.argv = [node, join(__dirname, 'hook.cjs'), data, event];
  }
  // The host's own channel is none of ours.
  for (const name of ['CLAUDE_CODE_MESSAGING_SOCKET', 'CLAUDE_CODE_MESSAGING_TOKEN']) delete env[name];
  require(process.argv[1] ?? '');
};

/** A host that writes into a closed pipe reports an error: all of stdin is taken, then the process ends. */
const drain = (): void => {
  process.stdin.on('end', end).on('error', end).resume();
  setTimeout(end, DRAIN_MS);
};

const end = (): void => process.exit(0);

/** The newest of the plugin's data folders, for a host that names none. */
const newestData = (config: string): string => {
  const folder = join(config, 'plugins', 'data');
  const found = namesAt(folder).filter((name) => name.startsWith('second-brain-')).map((name) => join(folder, name));
  return found.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? '';
};

const hasMail = (folder: string): boolean => namesAt(folder).length > 0;

const namesAt = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, not ours to read: no mail and no data either way
  }
};

/** mkdir decides: of any number of starts one makes the folder and speaks. */
const sayAsleep = (host: string): void => {
  mkdirSync(host, { recursive: true, mode: 0o700 });
  mkdirSync(join(host, 'no-node'));
  process.stdout.write('{"systemMessage":"Second Brain is asleep: it needs Node.js 20.19, 22.3 or newer and found none that is. Your session is not affected."}\n');
};

/** A monitor's end would wake the model: stay, silent, as long as the host lives. */
const stay = (): void => {
  const host = Number(process.env['CLAUDE_PID']) || process.ppid;
  setInterval(() => {
    try {
      process.kill(host, 0);
    } catch {
      end();
    }
  }, 5000);
};

// The host must never see a fault of ours.
const event = process.argv[3] ?? '';
try {
  guard(event);
} catch {
  if (event === MONITOR) stay();
  else end();
}
