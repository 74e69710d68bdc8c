import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePlainCorpus } from '../../bench/corpus-plain.ts';
import { defaultKnobs } from '../../src/main/floor/knobs.ts';
import { projectLine } from '../../src/main/ingest/projection.ts';

const BYTES = 12_000_000;
const dir = mkdtempSync(join(tmpdir(), 'corpus-plain-'));
const path = join(dir, 'a.jsonl');
const records = writePlainCorpus(path, { bytes: BYTES });
const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
afterAll(() => rmSync(dir, { recursive: true }));

test('a file of contents has records of some 7 kB, and a line of 1 MB every 10 MB', () => {
  expect(lines).toHaveLength(records);
  expect(lines.map((line) => line.length).filter((length) => length > 900_000)).toHaveLength(1);
  expect((BYTES - 1_000_000) / records).toBeGreaterThan(6000);
  expect((BYTES - 1_000_000) / records).toBeLessThan(8500);
});

test('its contents have the shares of long real sessions', () => {
  const chars: Record<string, number> = {};
  for (const line of lines) {
    const { message } = JSON.parse(line);
    const { type, text, input, content } = message.content[0];
    const kind = type === 'text' ? `${type} of ${message.role}` : type;
    chars[kind] = (chars[kind] ?? 0) + (text ?? content ?? JSON.stringify(input)).length;
  }
  const all = Object.values(chars).reduce((sum, each) => sum + each, 0);
  for (const [kind, wanted] of Object.entries({ tool_result: 47.8, tool_use: 34.7, 'text of assistant': 10.8, 'text of user': 6.7 })) {
    expect([kind, Math.abs((100 * (chars[kind] ?? 0)) / all - wanted) < 2]).toEqual([kind, true]);
  }
});

test('every record is one that projection knows', () => {
  const limits = { ...defaultKnobs().projection, sealed: [] };
  expect(lines.map((line) => projectLine(Buffer.from(line), limits)).filter(({ unknown }) => unknown === true)).toEqual([]);
});
