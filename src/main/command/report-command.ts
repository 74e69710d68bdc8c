// `report`: the session from its files as one HTML file, whose path is printed.
import { resolve } from 'node:path';
import { plain } from '../show/plain.ts';
import { readHistory } from '../speak/history-file.ts';
import { readPasses } from '../speak/passes-file.ts';
import { readStatus } from '../speak/status-file.ts';
import { NO_PLACE, openPlace } from './place.ts';
import { writeReport } from './report-writer.ts';
import type { Words } from './words.ts';

export const reportCommand = (words: Words): Promise<number> => Promise.resolve(report(words));

const report = (words: Words): number => {
  if (words.positionals.length > 0) return say('Use: report [--session ID] [--out FILE]. Recorded sessions: replay FILE --report OUT', 2);
  const place = openPlace(words);
  if (place === undefined) return NO_PLACE;
  const { paths, now } = place;
  const session = place.session ?? '';
  const history = readHistory(paths.history(session));
  const passes = readPasses(paths.passes(session));
  const read = readStatus(paths.status(session), now);
  const status = read.ok ? read.value.status : undefined;
  if (status === undefined && history.lines.length === 0 && passes.lines.length === 0) return say(session === '' ? 'No session has been watched here yet, so there is nothing to report.' : `Nothing is on record of session ${plain(session).slice(0, 60)}.`, 1);
  const out = words.flags['out'];
  const path = typeof out === 'string' && out !== '' ? resolve(out) : paths.report(session);
  const written = writeReport(path, 'live', now, [
    { name: session, history: history.lines, passes: passes.lines, bad: history.bad + passes.bad, ...(status === undefined ? {} : { workspace: status.workspace, volumes: status.volumes }) },
  ]);
  if (!written.ok) return say(written.why, 3);
  return say(`The report of this session is ${plain(path)}\nIt is one file: open it in a browser. It goes when the session is swept or forgotten.`, 0);
};

const say = (text: string, code: number): number => {
  process.stdout.write(`${text}\n`);
  return code;
};
