import { describe, expect, it } from 'vitest';
import { BELL_PREFIX, MONITOR_DESCRIPTION, adviceIdsIn, isOwnNotification } from '../../../src/main/floor/marks.ts';

describe('our marks', () => {
  it('are the distinct advice ids of a text, and nothing that only looks like one', () => {
    expect(adviceIdsIn('sb-0123abcd, then sb-zzzz9999 and sb-0123abcd')).toEqual(['sb-0123abcd', 'sb-zzzz9999']);
    expect(adviceIdsIn('usb-0123abcd sb-0123abcde sb-0123ABCD sb-short')).toEqual([]);
  });

  it('F9: tell a notification that our own monitor caused from any other', () => {
    const event = (description: string, line: string) => `<task-notification>\n<summary>Monitor event: "${description}"</summary>\n<event>${line}</event>\n</task-notification>`;
    expect(isOwnNotification(event(MONITOR_DESCRIPTION, 'x'))).toBe(true);
    expect(isOwnNotification(event('other', `${BELL_PREFIX}7.`))).toBe(true);
    expect(isOwnNotification(event('other', 'x'))).toBe(false);
    expect(isOwnNotification(`I quote "${MONITOR_DESCRIPTION}"`)).toBe(false);
  });
});
