// The envelope in its file: waiting, claimed, and read back by hand since hooks carry no package (SPEC 4, 9).
import type { Advice, Channel } from '../records.ts';

/** Both sides' texts, rendered when the mail is put, so that a hook only prints. The user's contains the agent's. */
export type Said = { readonly agent: string; readonly user: string };

/** An advisory that waits, and its file's name. `again`: it was lost once and may not come back a second time. */
export type Mail = { readonly name: string; readonly advice: Advice; readonly said: Said; readonly again: boolean };

/** Who took it: the channel, the tool call or prompt it rode on (`none` where the host names neither), and when. */
export type ClaimMark = { readonly channel: Channel; readonly ref: string; readonly at: number };

/** An advisory that was taken and is neither confirmed nor lost yet. */
export type Claim = Mail & ClaimMark;

/** A mail file's content; throws when it is not one. The folder is ours alone: what decides and what is shown is checked. */
export const parseMail = (text: string): Pick<Mail, 'advice' | 'said'> => {
  const { advice, said } = JSON.parse(text) as Mail;
  const texts: readonly unknown[] = [advice.id, advice.session_id, advice.task_id, said.agent, said.user, ...advice.stale_if.values()];
  const numbers: readonly unknown[] = [advice.generated_at, advice.ttl, advice.confidence, advice.host_pid, advice.evidence.length];
  if (advice.v !== 1 || texts.some((value) => typeof value !== 'string') || !numbers.every(Number.isFinite)) throw new TypeError();
  return { advice, said };
};
