// A hook: reports what only its payload knows, says what waits for this moment, answers commands and the bell.
// The host waits for it: file work only, no package, silence on every fault, an end within seconds (SPEC 1, 3).
// Called by guard.sh as: hook.cjs DATA EVENT; guard.cjs has read stdin and appends its text.
import { writeSync } from '../floor/disk-file.ts';
import { hookPathsUnder, hostName } from '../floor/paths.ts';
import { bellNonce, isMonitorsEnd } from '../speak/finish-gate.ts';
import { answer, type HookAnswer, type SpeakingEvent, type Words } from '../speak/claim.ts';
import { answerBell, drain, holdAtStop, resumeDigest } from './hook-advice.ts';
import { block, type Block, type Call, type Scope } from './hook-call.ts';
import { answerCommand, commandIn } from './hook-command.ts';
import { parseJson, parsePayload, readDocument } from './hook-payload.ts';
import { forgetPrompts, NO_MONITOR, noMonitorNotice, notePrompt } from './hook-prompts.ts';
import { scopeOf } from './hook-scope.ts';
import { report } from './hook-signal.ts';

// Below every timeout in hooks.json. A command keeps to its own deadline.
const DEADLINE_MS = 4500;
const SESSION_END_MS = 900;

// The guard says once per host what this exit means.
const TOO_OLD = 42;

/** What this call prints, if anything; everything it writes is written on the way. */
const main = async (): Promise<HookAnswer | Block | undefined> => {
  const [, , data = '', event = '', text] = process.argv;
  const timer = setTimeout(giveUp, event === 'SessionEnd' ? SESSION_END_MS : DEADLINE_MS);
  const { env } = process;
  const payload = parsePayload(text ? parseJson(text) : await readDocument(), event, env);
  if (!payload) return undefined;
  const host_pid = Number(env['CLAUDE_PID']) || 0;
  const call: Call = { payload, paths: hookPathsUnder(data), host: hostName(host_pid || undefined, payload.session), host_pid, env, now: Date.now() };
  const command = commandIn(payload.prompt);
  if (command) {
    clearTimeout(timer);
    return answerCommand(command, call);
  }
  // Nobody watches any more: a sentence for the person, not a turn of the agent's.
  if (isMonitorsEnd(payload.prompt)) return block(NO_MONITOR);
  const scope = scopeOf(call);
  const nonce = bellNonce(payload.prompt);
  if (nonce) return answerBell(call, scope, nonce);
  if (!scope.enrolled) return undefined;
  report(call);
  return answer(payload.event as SpeakingEvent, wordsAt(call, scope));
};

/** What each event has to say; the others have no one who would see it (CONTRACT b). */
const wordsAt = (call: Call, scope: Scope): readonly Words[] => {
  const { event } = call.payload;
  switch (event) {
    case 'PostToolUse':
      return [drain(call, event, scope)];
    case 'PostToolUseFailure':
      return [drain(call, event, scope), noMonitorNotice(call)];
    case 'UserPromptSubmit':
      return [drain(call, event, scope, notePrompt(call)), noMonitorNotice(call)];
    case 'SessionStart':
      forgetPrompts(call);
      return [resumeDigest(call, scope), drain(call, event, scope)];
    case 'Stop':
      return [holdAtStop(call, scope), noMonitorNotice(call)];
    default:
      return [];
  }
};

const end = (): void => process.exit(0);

// An exit would wait for the read that a host which leaves stdin open never ends.
const giveUp = (): unknown => process.kill(process.pid, 'SIGKILL');

// Since 20.16 and 22.3: what the hook itself needs. Comparing versions would load a collator.
if (!process.getBuiltinModule) process.exit(TOO_OLD);

// The host must never see a fault of ours: whatever went wrong, we said nothing and succeeded.
main()
  .then((output) => {
    if (output) writeSync(1, `${JSON.stringify(output)}\n`);
  })
  .then(end, end);
