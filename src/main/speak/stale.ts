// Whether later activity has answered an advisory: literal patterns with `*`. Tiny and free of imports, since hooks use it too.
import type { Observation } from '../records.ts';

// What was done or asked for answers a finding; narration and failures only talk about it, and a `done` belongs to an
// earlier call that the detector already knew.
const ANSWERS: ReadonlySet<string> = new Set(['tool', 'prompt', 'agent']);

/** Whether one of `patterns` occurs in what was done after the advice was made (SPEC 9). */
export const isStale = (patterns: readonly string[], later: readonly Pick<Observation, 'kind' | 'text' | 'command'>[]): boolean =>
  patterns.length > 0 &&
  later.some((seen) => ANSWERS.has(seen.kind) && (occurs(patterns, seen.text) || (seen.command !== undefined && occurs(patterns, seen.command))));

/** Whether one of `patterns` occurs in `text`, e.g. a hook's own tool input. */
export const occurs = (patterns: readonly string[], text: string): boolean => {
  const lines = text.replaceAll('\\\n', ' ').toLowerCase().split('\n').map(fold);
  return patterns.some((pattern) => {
    const parts = partsOf(pattern);
    return parts.length > 0 && lines.some((line) => inOrder(parts, line));
  });
};

const MAX_PATTERN = 200;
const MIN_LITERAL = 3; // shorter ones occur everywhere: they would retire advice at once

const partsOf = (pattern: string): readonly string[] => {
  const parts = fold(pattern.slice(0, MAX_PATTERN).toLowerCase()).split('*').filter((part) => part !== '');
  return parts.join('').replaceAll(' ', '').length < MIN_LITERAL ? [] : parts;
};

const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Every part after the one before it; the earliest place is always the best one, so nothing is tried twice. */
const inOrder = (parts: readonly string[], line: string): boolean => {
  let from = 0;
  for (const part of parts) {
    const at = line.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
};
