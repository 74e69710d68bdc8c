// `run`: asks the monitor of this session for a look now, and waits, bounded, for each detector's verdict.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Paths } from '../floor/paths.ts';
import { askedText, noMonitorText, unansweredText } from '../show/asked.ts';
import { dropRequest, putRequest, takeReply, type RunReply } from '../speak/request-file.ts';
import { monitorOf } from './monitor-state.ts';
import { configAt, NO_PLACE, openPlace, programAt } from './place.ts';
import type { Words } from './words.ts';

export const runPassCommand = async (words: Words): Promise<number> => {
  const place = openPlace(words);
  if (place === undefined) return NO_PLACE;
  const { paths, now, width } = place;
  const session = place.session ?? '';
  if (monitorOf(paths, session) !== 'alive') {
    process.stdout.write(`${noMonitorText(programAt(place), width)}\n`);
    return 1;
  }
  const { wait_s } = configAt(place).knobs.run;
  const id = randomBytes(6).toString('hex');
  putRequest(paths, session, { v: 1, id, at: now });
  const reply = await replyTo(paths, session, id, now + wait_s * 1000);
  dropRequest(paths, session, id);
  const text = reply === undefined ? unansweredText(wait_s, monitorOf(paths, session) === 'alive') : askedText(reply, width);
  process.stdout.write(`${text}\n`);
  return reply === undefined ? 1 : 0;
};

const POLL_MS = 100;

/** The answer; undefined when the time is up or the monitor has ended. */
const replyTo = async (paths: Paths, session: string, id: string, until: number): Promise<RunReply | undefined> => {
  for (let polls = 1; ; polls += 1) {
    const reply = takeReply(paths, session, id);
    if (reply !== undefined) return reply;
    if (Date.now() >= until || (polls % 10 === 0 && monitorOf(paths, session) !== 'alive')) return undefined;
    await sleep(POLL_MS);
  }
};
