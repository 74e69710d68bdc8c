// The status line's one segment: what it is doing, what it cost, what the last turn gave (SPEC 12).
import type { Status } from '../surfaces.ts';
import { line, usd } from './plain.ts';

const PHASES: Readonly<Record<Status['phase'], string>> = {
  watching: 'watching',
  thinking: 'thinking',
  muted: 'muted',
  'budget-spent': 'budget spent',
  paused: 'paused',
  dormant: '',
};

/** One segment, or nothing when it is not watching this session (no status, an old one, or another session's). */
export const statuslineText = (status: Status | undefined, now: number, max_age_ms: number, session: string): string => {
  if (status === undefined || status.session !== session || now - status.at > max_age_ms) return '';
  const phase = PHASES[status.phase];
  if (phase === '') return '';
  const parts = [`second brain ${phase}`];
  if (status.money !== undefined) parts.push(usd(status.money.usd));
  if (status.last_turn !== undefined) parts.push(`last turn: ${line(status.last_turn, 60)}`);
  return parts.join(' · ');
};
