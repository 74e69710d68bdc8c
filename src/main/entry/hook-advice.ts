// What a hook says: mail that waits for this moment, the finish gate, the bell's answer, the digest of a resumed session.
import { existsSync, move, readText } from '../floor/disk-file.ts';
import { SOURCE } from '../floor/marks.ts';
import { takeBell } from '../speak/bell-file.ts';
import { answer, select, wordsOf, type HookAnswer, type SpeakingEvent, type Words } from '../speak/claim.ts';
import type { Channel } from '../records.ts';
import type { Mail } from '../speak/envelope.ts';
import { mayHold, mayWake, type GateFacts, type GateVerdict } from '../speak/finish-gate.ts';
import { countFiring, firingsOf, uncountFiring } from '../speak/gate-count-file.ts';
import { claimMail, listMail } from '../speak/mailbox-file.ts';
import { readTurn } from '../speak/turn-file.ts';
import { block, type Block, type Call, type Scope } from './hook-call.ts';
import { isHeld, notePrompt } from './hook-prompts.ts';
import { report } from './hook-signal.ts';

/** Claims what this event may say. `prompts_seen`: ids noted before this call. */
export const drain = (call: Call, event: SpeakingEvent, { muted }: Scope, prompts_seen: readonly string[] = []): Words => {
  const { payload, paths } = call;
  const turn = readTurn(paths.turn(payload.session));
  const { take } = select(listMail(boxOf(call)), { ...payload, ...payload.named, event }, { ...call, turn, prompts_seen, muted });
  return wordsOf(event, take.filter((mail) => claimIt(call, mail, event)));
};

/** Continues a turn that ended with cited work undone, if every condition of the gate holds. */
export const holdAtStop = (call: Call, scope: Scope): Words => {
  const facts = gateFacts(call, scope);
  return fire(call, facts, mayHold(listMail(boxOf(call)), { ...facts, stop_hook_active: call.payload.stop_hook_active, ...call.payload.named }), 'Stop');
};

/** Answers our own bell: with the advice, or, when there is nothing left to say, so that no turn starts. */
export const answerBell = (call: Call, scope: Scope, nonce: string): HookAnswer | Block | undefined => {
  const whose = takeBell(call.paths.bell(call.host), nonce);
  if (whose === 'answered') return undefined; // a second copy of this hook was first; a block would undo its answer
  const facts = gateFacts(call, scope);
  const words = whose === 'mine' && scope.enrolled ? fire(call, facts, mayWake(listMail(boxOf(call)), facts), 'bell') : SILENCE;
  if (words.agent.length === 0) return block(GONE);
  notePrompt(call);
  report(call, 'bell');
  return answer('UserPromptSubmit', [words]);
};

const SILENCE: Words = { agent: [], user: [] };

// Shown to the user in place of a turn. It starts with our name: such a block is no event of the session's.
const GONE = `${SOURCE}: nothing that cannot wait.`;

const boxOf = ({ payload, paths }: Call): string => paths.mailbox(payload.session);

const claimIt = (call: Call, mail: Mail, channel: Channel): boolean =>
  claimMail(boxOf(call), mail, { channel, ref: call.payload.tool_use_id || call.payload.named.prompt_id || 'none', at: call.now });

const gateFacts = (call: Call, { muted }: Scope): GateFacts => {
  const { payload, paths, env, now } = call;
  const turn = isHeld(paths.lease(payload.session)) ? readTurn(paths.turn(payload.session)) : undefined;
  return { ...call, ...payload, turn, muted, attended: env['CLAUDE_CODE_SESSION_ATTENDED'] === '1', fired: turn ? firingsOf(paths, turn.task, now) : [] };
};

/** Counts, claims, says: in this order, so that no crash and no race makes the gate speak more often than counted. */
const fire = (call: Call, { fired }: GateFacts, verdict: GateVerdict, channel: 'Stop' | 'bell'): Words => {
  const { paths, now } = call;
  if (verdict.speak && countFiring(paths, verdict.task, fired, now)) {
    if (claimIt(call, verdict.mail, channel)) return wordsOf(channel, [verdict.mail]);
    uncountFiring(paths, verdict.task, fired);
  }
  return SILENCE;
};

const DIGEST_CAP = 1200;

/** `cites`: absolute paths that were there when it was written. */
type Digest = { readonly text: string; readonly cites?: readonly string[] };

/** What the monitor has left for the next resume of this session, said once (SPEC 10). */
export const resumeDigest = ({ payload, paths }: Call, { muted }: Scope): Words => {
  const path = paths.digest(payload.session);
  if (payload.named.source !== 'resume' || muted || !move(path, `${path}.said`)) return SILENCE;
  const { text, cites = [] } = JSON.parse(readText(`${path}.said`) ?? '') as Digest;
  // The monitor looks only after this hook has told it of the session.
  const gone = cites.filter((cited) => !existsSync(cited));
  const words = [`${gone[0] ? `No longer there: ${gone}\n` : ''}${text}`.slice(0, DIGEST_CAP)];
  return { agent: words, user: words };
};
