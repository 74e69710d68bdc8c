import { expect, test } from 'vitest';
import { projectLine } from '../../../src/main/ingest/projection.ts';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';

const blocked = (reason: string) =>
  projectLine(
    Buffer.from(JSON.stringify({ type: 'system', subtype: 'informational', uuid: 'u', timestamp: '2026-11-30T16:00:00.000Z', content: 'x', promptSubmitEnding: { ending: { kind: 'blocked_by_hook', reason } } })),
    { ...defaultKnobs().projection, sealed: [] },
  ).events;

test('a prompt that another hook blocked restores the state before it; one of our own blocks says nothing', () => {
  expect(blocked('Not on Fridays.')).toEqual([{ kind: 'blocked', at: expect.any(Number) }]);
  expect(blocked('Second Brain has nothing to say any more.')).toEqual([]);
});
