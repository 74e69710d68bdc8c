// `stats`: what was seen, thought, said and spent in this session.
import { join } from 'node:path';
import { versionAt } from '../entry/runtime.ts';
import { statsText } from '../show/stats.ts';
import { readStatus } from '../speak/status-file.ts';
import { monitorOf } from './monitor-state.ts';
import { NO_PLACE, openPlace, programAt } from './place.ts';
import type { Words } from './words.ts';

export const statsCommand = (words: Words): Promise<number> => {
  const place = openPlace(words);
  if (place === undefined) return Promise.resolve(NO_PLACE);
  const { paths, now, width } = place;
  const session = place.session ?? '';
  const read = readStatus(paths.status(session), now);
  const status = read.ok ? read.value.status : undefined;
  const monitor = monitorOf(paths, session);
  if (words.flags['json'] === true) {
    process.stdout.write(`${JSON.stringify({ session, monitor, status: status ?? null })}\n`);
    return Promise.resolve(0);
  }
  const trouble = !read.ok && read.because === 'corrupt' ? `${paths.status(session)} cannot be read (${read.why}): damaged, or of a newer version.` : undefined;
  const installed = versionAt(join(__dirname, '..'));
  process.stdout.write(`${statsText({ status, now, installed, monitor, session, width, program: programAt(place), ...(trouble === undefined ? {} : { trouble }) })}\n`);
  return Promise.resolve(0);
};
