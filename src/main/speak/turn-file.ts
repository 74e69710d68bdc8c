// sessions/<id>/turn.json: what the monitor knows of the turn and a hook must know at once (SPEC 4, 10).
import { readText } from '../floor/disk-file.ts';
import { writeJson } from '../floor/json-file.ts';
import type { TurnFile } from '../records.ts';

/** The turn's facts; undefined when there are none or they are of another version, which keeps the finish gate shut. */
export const readTurn = (path: string): TurnFile | undefined => {
  const text = readText(path);
  try {
    return text ? parseTurn(JSON.parse(text) as TurnFile) : undefined;
  } catch {
    return undefined; // damaged or of another version: the monitor soon writes it anew
  }
};

export const writeTurn = (path: string, turn: TurnFile): void => writeJson(path, turn);

const parseTurn = (turn: TurnFile): TurnFile => {
  const { floor, min_interval_s, per_task_cap, settle_s } = turn.finish_gate;
  const numbers: readonly unknown[] = [floor, min_interval_s, per_task_cap, settle_s, turn.host_pid, turn.queue_timeout_s, turn.agent_monitors.length, turn.unreported.length];
  if (turn.v !== 1 || typeof turn.task !== 'string' || typeof turn.wake_used !== 'boolean' || !numbers.every(Number.isFinite)) throw new TypeError('not a turn');
  return turn;
};
