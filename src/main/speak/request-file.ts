// sessions/<id>/requests and replies: how /second-brain-run asks the monitor for a look and hears what came of it (SPEC 12).
import { join } from 'node:path';
import { namesIn, remove } from '../floor/disk-file.ts';
import { readJson, writeJson } from '../floor/json-file.ts';
import { isObject } from '../floor/object.ts';
import { safeName, type Paths } from '../floor/paths.ts';
import type { HoldReason } from '../records.ts';

export type RunRequest = { readonly v: 1; readonly id: string; readonly at: number };

/** `text`: each detector's verdict, a line each. `hold`: why there was no pass. */
export type RunReply = { readonly v: 1; readonly id: string; readonly at: number; readonly text: string; readonly hold?: HoldReason };

/** Asks. Only a living monitor reads it: look for one first. */
export const putRequest = (paths: Paths, session: string, request: RunRequest): void => writeJson(fileOf(paths.requests(session), request.id), request);

/** Whether anybody asks. */
export const hasRequests = (paths: Paths, session: string): boolean => namesIn(paths.requests(session)).length > 0;

/** Takes every request out of the folder; one whose asker has long given up is dropped. */
export const takeRequests = (paths: Paths, session: string, now: number): readonly RunRequest[] => {
  const folder = paths.requests(session);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (!name.endsWith('.json')) return [];
    const loaded = readJson(path, parseRequest);
    return remove(path) && loaded.ok && now - loaded.value.at <= GIVEN_UP_MS ? [loaded.value] : [];
  });
};

/** The asker has its answer or waits no more. */
export const dropRequest = (paths: Paths, session: string, id: string): boolean => remove(fileOf(paths.requests(session), id));

/** Answers, and clears answers nobody came for. */
export const putReply = (paths: Paths, session: string, reply: RunReply): void => {
  const folder = paths.replies(session);
  for (const name of namesIn(folder)) {
    const loaded = readJson(join(folder, name), parseReply);
    if (!loaded.ok || reply.at - loaded.value.at > GIVEN_UP_MS) remove(join(folder, name));
  }
  writeJson(fileOf(folder, reply.id), reply);
};

/** The answer, taken out; undefined while there is none. */
export const takeReply = (paths: Paths, session: string, id: string): RunReply | undefined => {
  const path = fileOf(paths.replies(session), id);
  const loaded = readJson(path, parseReply);
  if (!loaded.ok) return undefined;
  remove(path);
  return loaded.value;
};

/** `run.wait_s` is at most 45. */
const GIVEN_UP_MS = 60_000;

const fileOf = (folder: string, id: string): string => join(folder, `${safeName(id)}.json`);

const parseRequest = (raw: unknown): RunRequest => {
  if (!isObject(raw) || raw['v'] !== 1 || typeof raw['id'] !== 'string' || typeof raw['at'] !== 'number') throw new TypeError('not a request of this version');
  return raw as RunRequest;
};

const parseReply = (raw: unknown): RunReply => {
  if (!isObject(raw) || raw['v'] !== 1 || typeof raw['id'] !== 'string' || typeof raw['at'] !== 'number' || typeof raw['text'] !== 'string') throw new TypeError('not a reply of this version');
  return raw as RunReply;
};
