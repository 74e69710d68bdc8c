// `forget`: deletes what is kept of this task, this workspace or everything, at once and without asking.
import { forget, type ForgetScope } from './forget.ts';
import { monitorOf } from './monitor-state.ts';
import { configAt, NO_PLACE, openPlace, type Place } from './place.ts';
import { findBySession } from '../memory/ledger-file.ts';
import { forgottenText } from '../show/forgotten.ts';
import { readStatus } from '../speak/status-file.ts';
import type { Words } from './words.ts';

export const forgetCommand = (words: Words): Promise<number> => {
  const place = openPlace(words);
  if (place === undefined) return Promise.resolve(NO_PLACE);
  const [kind = 'task', ...more] = words.positionals;
  if ((kind !== 'task' && kind !== 'workspace' && kind !== 'all') || more.length > 0) return Promise.resolve(say('Use: forget [task | workspace | all]. Nothing was deleted.', 2));
  const scope = scopeOf(place, kind);
  if (scope === undefined) return Promise.resolve(say('There is no task to forget in this session.', 0));
  const { paths, now, width, session } = place;
  const path = configAt(place).knobs.debug.path;
  const gone = forget({ paths, scope, debug: path === '' ? paths.debug : path, now });
  return Promise.resolve(say(forgottenText(scope, gone, { watched: session !== undefined && monitorOf(paths, session) === 'alive', width }), 0));
};

const say = (text: string, code: number): number => {
  process.stdout.write(`${text}\n`);
  return code;
};

const scopeOf = (place: Place, kind: ForgetScope['kind']): ForgetScope | undefined => {
  if (kind === 'all') return { kind };
  if (kind === 'workspace') return { kind, workspace: place.workspace };
  const task = taskAt(place);
  return task === undefined ? undefined : { kind, task };
};

/** The session's task as its status tells it, else its latest ledger. */
const taskAt = ({ paths, session, now }: Place): string | undefined => {
  if (session === undefined) return undefined;
  const read = readStatus(paths.status(session), now);
  return read.ok ? read.value.status.task : findBySession(paths, session)?.task;
};
