// `why`: the last advice with its proof and outcome, and what was withheld because of what.
import { firingsOf } from '../speak/gate-count-file.ts';
import { readHistory } from '../speak/history-file.ts';
import { readStatus } from '../speak/status-file.ts';
import { oneText, whyText } from '../show/why.ts';
import { NO_PLACE, openPlace } from './place.ts';
import type { Words } from './words.ts';

export const whyCommand = (words: Words): Promise<number> => {
  const place = openPlace(words);
  if (place === undefined) return Promise.resolve(NO_PLACE);
  const { paths, now, width } = place;
  const session = place.session ?? '';
  const { lines, bad } = readHistory(paths.history(session));
  const [id] = words.positionals;
  if (id !== undefined) {
    const text = oneText(lines, id, now, width);
    process.stdout.write(`${text ?? `There is no advisory ${id.slice(0, 40)} in this session.`}\n`);
    return Promise.resolve(text === undefined ? 1 : 0);
  }
  const read = readStatus(paths.status(session), now);
  const status = read.ok ? read.value.status : undefined;
  const floors = Object.entries(status?.detectors ?? {}).map(([detector, { floor, floor_source }]) => ({ detector, floor, source: floor_source }));
  const gate_firings = status === undefined ? [] : firingsOf(paths, status.task, now).map(({ at }) => at);
  process.stdout.write(`${whyText({ lines, now, width, gate_firings, floors, bad })}\n`);
  return Promise.resolve(0);
};
