// Whether a monitor watches a session now, by its lease.
import { existsSync } from 'node:fs';
import { lockHolder } from '../floor/lock-file.ts';
import type { Paths } from '../floor/paths.ts';

export type MonitorState = 'alive' | 'gone' | 'never-seen';

export const monitorOf = (paths: Paths, session: string): MonitorState => {
  if (lockHolder(paths.lease(session)) !== undefined) return 'alive';
  return existsSync(paths.status(session)) || existsSync(paths.lease(session)) ? 'gone' : 'never-seen';
};
