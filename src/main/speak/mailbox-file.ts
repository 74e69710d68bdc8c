// The mailbox of a session, a maildir: one file per advisory, moved from tmp to new to claimed by rename, so that of
// any number of racing readers exactly one gets it and nobody waits for a lock (SPEC 4, 10).
import { makeFolder, move, namesIn, readText, remove } from '../floor/disk-file.ts';
import { writeWhole } from '../floor/json-file.ts';
import { safeName } from '../floor/paths.ts';
import type { Advice, Channel } from '../records.ts';
import { expiredBecause } from './claim.ts';
import { parseMail, type Claim, type ClaimMark, type Mail, type Said } from './envelope.ts';

/** Puts an advisory with both sides' texts into `new/` of the mailbox `box`, complete or not at all. */
export const putMail = (box: string, advice: Advice, said: Said): void => {
  const temp = `${box}/tmp/${advice.id}`;
  makeFolder(`${box}/claimed`); // not by the hook that claims, which somebody waits for
  writeWhole(temp, `${JSON.stringify({ advice, said })}\n`);
  move(temp, `${box}/new/${advice.id}`);
};

/** What waits, in name order. A file that is no advisory is set aside, so that it starts no hook again. */
export const listMail = (box: string): readonly Mail[] => read(box, 'new');

/** Takes one advisory; false when another reader was first. Only then may it be printed. */
export const claimMail = (box: string, { name }: Mail, { channel, ref, at }: ClaimMark): boolean =>
  move(`${box}/new/${name}`, `${box}/claimed/${name}.${channel}.${safeName(ref)}.${at}`);

/** What is claimed and not settled. Read the transcript before you list: a claim precedes its proof. */
export const listClaims = (box: string): readonly Claim[] =>
  read(box, 'claimed').flatMap((mail) => {
    const mark = markOf(mail.name);
    return mark === undefined ? [] : [{ ...mail, ...mark }];
  });

/** Puts a lost advisory back into `new/`, marked so that it is the last time. */
export const returnMail = (box: string, { name, advice }: Claim): boolean => move(`${box}/claimed/${name}`, `${box}/new/${safeName(advice.id)}${AGAIN}`);

/** Forgets a claim that was confirmed, lost for good or expired. */
export const dropClaim = (box: string, { name }: Claim): boolean => remove(`${box}/claimed/${name}`);

/** Takes an undelivered advisory back; false when a reader has claimed it already. */
export const withdrawMail = (box: string, id: string): boolean => [id, `${id}${AGAIN}`].map((name) => remove(`${box}/new/${name}`)).includes(true);

/** Removes what has outlived either clock and says which one caught it. */
export const expireMail = (box: string, now: number, limits: { readonly queue_timeout_s: number }): readonly { readonly advice: Advice; readonly because: 'expired-ttl' | 'expired-queue' }[] =>
  listMail(box).flatMap(({ name, advice }) => {
    const because = expiredBecause(advice, now, limits);
    return because !== undefined && remove(`${box}/new/${name}`) ? [{ advice, because }] : [];
  });

// More never waits: `gate.max_mailbox_entries` is at most 100.
const MOST = 200;
const AGAIN = '+';

const read = (box: string, folder: 'new' | 'claimed'): readonly Mail[] =>
  namesIn(`${box}/${folder}`).slice(0, MOST).flatMap((name) => {
    const path = `${box}/${folder}/${name}`;
    const text = readText(path);
    if (text === undefined) return []; // another reader took it meanwhile
    try {
      return [{ ...parseMail(text), name, again: name.split('.')[0]?.endsWith(AGAIN) === true }];
    } catch {
      move(path, `${box}/bad/${name}`); // kept for a person to look at
      return [];
    }
  });

const markOf = (name: string): ClaimMark | undefined => {
  const [, channel, ...rest] = name.split('.');
  const at = Number(rest.pop());
  return channel !== undefined && isChannel(channel) && Number.isSafeInteger(at) ? { channel, ref: rest.join('.'), at } : undefined;
};

const CHANNELS: readonly string[] = ['PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart', 'Stop', 'bell', 'report'] satisfies readonly Channel[];
const isChannel = (word: string): word is Channel => CHANNELS.includes(word);
