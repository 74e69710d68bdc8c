// A hook: reports what only its payload knows, says what waits for this moment, answers commands and the bell.
// The host waits for it: file work only, no package, silence on every fault, an end within seconds (SPEC 1, 3).
import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveDataDir } from '../floor/data-dir-file.ts';
import { isCode } from '../floor/json-file.ts';
import { hookPathsUnder, hostName } from '../floor/paths.ts';
import { bellNonce } from '../speak/finish-gate.ts';
import { answer, type HookAnswer, type SpeakingEvent, type Words } from '../speak/claim.ts';
import { answerBell, drain, holdAtStop, resumeDigest } from './hook-advice.ts';
import type { Block, Call, Scope } from './hook-call.ts';
import { answerCommand, commandIn } from './hook-command.ts';
import { parsePayload, readStdin } from './hook-payload.ts';
import { forgetPrompts, noMonitorNotice, notePrompt, sayOnce } from './hook-prompts.ts';
import { scopeOf } from './hook-scope.ts';
import { report } from './hook-signal.ts';

// Below every timeout in hooks.json. UserPromptSubmit may be a command, which keeps to its own deadline.
const DEADLINES_MS: Readonly<Record<string, number>> = { SessionEnd: 900, UserPromptSubmit: 55_000 };
const DEADLINE_MS = 4500;

const main = async (): Promise<void> => {
  const [, script = '', argument, event = ''] = process.argv;
  setTimeout(() => process.exit(0), DEADLINES_MS[event] ?? DEADLINE_MS);
  const { env } = process;
  const payload = parsePayload(await readStdin(event), event, env);
  if (payload === undefined || env['CLAUDE_CODE_ENTRYPOINT'] !== 'cli' || (env['SECOND_BRAIN_FORK'] ?? '') !== '') return;
  const data = resolveDataDir({ argument, variable: env['CLAUDE_PLUGIN_DATA'], configDir: env['CLAUDE_CONFIG_DIR'], home: env['HOME'] });
  if (data === undefined) return;
  const pid = Number(env['CLAUDE_PID'] ?? 0);
  const host_pid = Number.isSafeInteger(pid) && pid > 0 ? pid : 0;
  const host = hostName(host_pid === 0 ? undefined : host_pid, payload.session);
  print(await outputOf({ payload, paths: hookPathsUnder(data), host, host_pid, env, now: Date.now(), dist: dirname(script) }));
};

/** What this call prints, if anything; everything it writes is written on the way. */
const outputOf = async (call: Call): Promise<HookAnswer | Block | undefined> => {
  const { payload } = call;
  const isPrompt = payload.event === 'UserPromptSubmit';
  const command = isPrompt ? commandIn(payload.prompt) : undefined;
  if (command !== undefined) return answerCommand(command, call);
  const scope = scopeOf(call);
  const nonce = isPrompt ? bellNonce(payload.prompt) : undefined;
  if (nonce !== undefined) return answerBell(call, scope, nonce);
  if (!scope.enrolled) return undefined;
  if (isTooOld()) return tooOldNotice(call);
  report(call);
  const words = wordsAt(call, scope);
  return words.length === 0 ? undefined : answer(payload.event as SpeakingEvent, words);
};

/** What each event has to say; the others have no one who would see it (CONTRACT b). */
const wordsAt = (call: Call, scope: Scope): readonly Words[] => {
  const { event } = call.payload;
  switch (event) {
    case 'PostToolUse':
      return [drain(call, event, scope, [])];
    case 'PostToolUseFailure':
      return [drain(call, event, scope, []), noMonitorNotice(call)];
    case 'UserPromptSubmit':
      return [drain(call, event, scope, notePrompt(call)), noMonitorNotice(call)];
    case 'SessionStart':
      forgetPrompts(call);
      return [resumeDigest(call, scope), drain(call, event, scope, [])];
    case 'Stop':
      return [holdAtStop(call, scope), noMonitorNotice(call)];
    default:
      return [];
  }
};

const isTooOld = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
};

const tooOldNotice = ({ payload, paths, host }: Call): HookAnswer | undefined =>
  payload.event === 'SessionStart' && sayOnce(paths, host, 'old-node')
    ? { systemMessage: `Second Brain is asleep: it needs Node.js 20.19 or newer and found ${process.versions.node}. Your session is not affected.` }
    : undefined;

/** One document on stdout, whole: a pipe may be non-blocking and take only a part at a time. */
const print = (output: HookAnswer | Block | undefined): void => {
  if (output === undefined) return;
  const bytes = Buffer.from(`${JSON.stringify(output)}\n`, 'utf8');
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (!isCode(error, 'EAGAIN')) throw error;
    }
  }
};

// The host must never see a fault of ours: whatever went wrong, we said nothing and succeeded.
main().then(
  () => process.exit(0),
  () => process.exit(0),
);
