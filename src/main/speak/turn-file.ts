// sessions/<id>/turn.json: what the monitor knows of the turn and a hook must know at once (SPEC 4, 10).
import { readText } from '../floor/disk-file.ts';
import { writeJson } from '../floor/json-file.ts';
import type { TurnFile } from '../surfaces.ts';

/** The turn's facts; undefined when there are none, or damaged ones, or of another version: the finish gate stays shut. */
export const readTurn = (path: string): TurnFile | undefined => {
  const text = readText(path);
  try {
    const turn = JSON.parse(text ?? '') as TurnFile;
    return isWhole(turn) ? turn : undefined;
  } catch {
    return undefined; // the monitor soon writes it anew
  }
};

export const writeTurn = (path: string, turn: TurnFile): void => writeJson(path, turn);

/** Whether every field that a decision compares is there; a missing one would compare as false. */
const isWhole = ({ v, task, wake_used, host_pid, queue_timeout_s, agent_monitors, unreported, finish_gate }: TurnFile): boolean => {
  const { floor, min_interval_s, per_task_cap, settle_s } = finish_gate;
  const numbers: readonly unknown[] = [floor, min_interval_s, per_task_cap, settle_s, host_pid, queue_timeout_s, agent_monitors.length, unreported.length];
  return v === 1 && typeof task === 'string' && typeof wake_used === 'boolean' && numbers.every(Number.isFinite);
};
