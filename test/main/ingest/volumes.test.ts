import { expect, test } from 'vitest';
import { countVolumes, noVolumes } from '../../../src/main/ingest/volumes.ts';
import { item, observation } from '../../support/records.ts';

test('volumes are kept per tool and per kind of record', () => {
  const call = observation({ kind: 'tool', tool: 'Bash', text: '[tool] Bash x', raw_chars: 100 });
  const error = observation({ kind: 'error', tool: 'Bash', text: '[error] Bash: no', raw_chars: 900 });
  const first = countVolumes(noVolumes, [item({ raw_chars: 120, observations: [call] })], [call]);
  const { tools, kinds } = countVolumes(first, [item({ type: 'user', raw_chars: 950, observations: [error] })], [error]);
  expect(tools).toEqual({ Bash: { count: 1, raw_chars: 1000, kept_chars: 29 } });
  expect(kinds).toEqual({ assistant: { count: 1, raw_chars: 120, kept_chars: 13 }, user: { count: 1, raw_chars: 950, kept_chars: 16 } });
});

test('C3: unknown types are counted by name', () => {
  const odd = item({ type: 'hologram', unknown: true });
  expect(countVolumes(countVolumes(noVolumes, [odd, item({})], []), [odd], []).unknown).toEqual({ hologram: 2 });
});

test('names from outside cannot grow a table without end', () => {
  const items = Array.from({ length: 5000 }, (_, i) => item({ type: `t${i}${'x'.repeat(500)}`, unknown: true }));
  const { kinds, unknown } = countVolumes(noVolumes, [...items, item({ type: '__proto__', unknown: true })], []);
  expect(Object.keys(kinds).length).toBeLessThanOrEqual(201);
  expect(Object.values(unknown).reduce((a, b) => a + b, 0)).toBe(5001);
  expect(JSON.stringify(kinds).length).toBeLessThan(50_000);
});
