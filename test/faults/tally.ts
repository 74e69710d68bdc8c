// What a world has seen, counted: a scenario in which nothing happens proves nothing.
import { join } from 'node:path';
import { idsIn, journalOf, linesOf, names } from './check.ts';

export type Tally = Readonly<Record<'hooks' | 'hooks_killed' | 'printed' | 'requests' | 'faults' | 'generated' | 'enqueued' | 'claimed' | 'confirmed' | 'lost' | 'returned' | 'expired' | 'withdrawn' | 'gated' | 'woken', number>>;

export const tally = (root: string): Tally => {
  const calls = journalOf(root).filter((line) => line.kind === 'hook');
  const requests = linesOf(join(root, 'model.jsonl')).good;
  const sessions = join(root, 'data', 'sessions');
  const history = names(sessions).flatMap((session) => linesOf(join(sessions, session, 'history.jsonl')).good);
  const events = (event: string): number => history.filter((line) => line['event'] === event).length;
  return {
    hooks: calls.length,
    hooks_killed: calls.filter(({ killed }) => killed).length,
    printed: calls.flatMap(({ stdout }) => idsIn(stdout)).length,
    requests: requests.length,
    faults: requests.filter(({ fault }) => fault !== undefined).length,
    generated: events('generated'), enqueued: events('enqueued'), claimed: events('claimed'), confirmed: events('confirmed'),
    lost: events('lost'), returned: events('returned'), expired: events('expired'), withdrawn: events('withdrawn'), gated: events('gated'),
    // A turn that went on, or one that began, because of us.
    woken: history.filter(({ event, channel }) => event === 'claimed' && (channel === 'Stop' || channel === 'bell')).length,
  };
};

/** Adds `more` to `counts`, name by name. */
export const addTo = (counts: Record<string, number>, more: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
};
