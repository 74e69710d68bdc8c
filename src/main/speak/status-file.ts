// sessions/<id>/status.json: what stats, why and the status line read when no monitor answers; it says how old it is.
import { readJson, writeJson, type Loaded } from '../floor/json-file.ts';
import { isObject } from '../floor/object.ts';
import type { Status } from '../surfaces.ts';

export const writeStatus = (path: string, status: Status): void => writeJson(path, status);

/** The status and its age in milliseconds at `now`; a clock that went back makes no negative age. */
export const readStatus = (path: string, now: number): Loaded<{ readonly status: Status; readonly age_ms: number }> =>
  readJson(path, (raw) => {
    const status = parseStatus(raw);
    return { status, age_ms: Math.max(0, now - status.at) };
  });

/** Throws on anything that is no status of this version. */
const parseStatus = (raw: unknown): Status => {
  if (!isObject(raw) || raw['v'] !== 1) throw new TypeError('not a status of this version');
  const whole =
    typeof raw['at'] === 'number' &&
    ['version', 'session', 'task', 'workspace', 'state', 'phase', 'provider', 'model'].every((name) => typeof raw[name] === 'string') &&
    ['volumes', 'primary', 'observer', 'spent', 'passes', 'detectors', 'advice', 'window', 'ledgers'].every((name) => isObject(raw[name])) &&
    Array.isArray(raw['notices']);
  if (!whole) throw new TypeError('a status with parts missing');
  return raw as Status;
};
