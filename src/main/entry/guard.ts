// guard.sh for where there is no /bin/sh: stands between the host and our programs as `guard.cjs DATA EVENT` (a hook) or
// `guard.cjs DATA monitor ROOT`, and decides the same things. Node starts for every tool call here.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MONITOR = 'monitor';
// Nobody closes a pipe later than this.
const DRAIN_MS = 4000;
// The host ends a SessionEnd hook after a second.
const SESSION_END_MS = 900;

const guard = async (event: string): Promise<void> => {
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
    const timer = setTimeout(end, event === 'SessionEnd' ? SESSION_END_MS : DRAIN_MS);
    const text = await document();
    clearTimeout(timer);
    if (text === '') return end();
    process.argv = [node, join(__dirname, 'hook.cjs'), data, event, text];
  }
  // The host's own channel is none of ours.
  for (const name of ['CLAUDE_CODE_MESSAGING_SOCKET', 'CLAUDE_CODE_MESSAGING_TOKEN']) delete env[name];
  require(process.argv[1] ?? '');
};

/**
 * The text on stdin up to its end, or to the end of its JSON document: a host has been seen to leave it open. The hook would
 * read by a thread, and no process can leave by itself while one of its threads waits for input.
 */
const document = async (): Promise<string> => {
  const parts: Buffer[] = [];
  let size = 0;
  let tried = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST) continue;
    parts.push(part);
    // Parsed before the end only behind a brace or a newline, and when twice as long as last time.
    if (size < 2 * tried || ![0x7d, 0x0a].includes(part.at(-1) ?? 0)) continue;
    tried = size;
    if (isJson(parts)) break;
  }
  return size > MOST ? '' : Buffer.concat(parts).toString();
};

// As the hook's own.
const MOST = 32_000_000;

const isJson = (parts: readonly Buffer[]): boolean => {
  try {
    JSON.parse(Buffer.concat(parts).toString());
    return true;
  } catch {
    return false; // not all of it yet
  }
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
guard(event).catch(event === MONITOR ? stay : end);
