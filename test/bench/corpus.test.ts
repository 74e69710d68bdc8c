import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corpusLines, writeCorpus, type CorpusFigures } from '../../bench/corpus.ts';

const BYTES = 12_000_000;
const dir = mkdtempSync(join(tmpdir(), 'corpus-'));
let figures: CorpusFigures;
let lines: readonly string[];

beforeAll(() => {
  figures = writeCorpus(join(dir, 'a.jsonl'), { bytes: BYTES });
  lines = readFileSync(join(dir, 'a.jsonl'), 'utf8').trimEnd().split('\n');
});
afterAll(() => rmSync(dir, { recursive: true }));

test('the file has the size asked for and the figures describe it', () => {
  expect(figures.bytes).toBe(readFileSync(join(dir, 'a.jsonl')).length);
  expect(figures.bytes).toBeGreaterThanOrEqual(BYTES);
  expect(figures.bytes).toBeLessThan(BYTES * 1.1);
  expect(figures.records).toBe(lines.length);
});

test('content has the shares of long real sessions', () => {
  const { result, args, text, prompt } = figures.chars;
  const all = result + args + text + prompt;
  const percent = [result, args, text, prompt].map((chars) => (100 * chars) / all);
  for (const [index, wanted] of [47.8, 34.7, 10.8, 6.7].entries()) expect(Math.abs((percent[index] ?? 0) - wanted)).toBeLessThan(2);
  expect(Math.abs(figures.failed / figures.results - 0.08)).toBeLessThan(0.03);
  expect(lines.filter((line) => line.length > 900_000)).toHaveLength(figures.long_lines);
  expect(figures.long_lines).toBeGreaterThan(0);
});

test('one seed always gives the same lines, another seed others', () => {
  const hashOf = (seed: number): string => createHash('sha256').update([...corpusLines({ bytes: 500_000, seed })].join('\n')).digest('hex');
  expect(hashOf(1)).toBe(hashOf(1));
  expect(hashOf(2)).not.toBe(hashOf(1));
});

test('every record hangs on the one before, times never run backwards, and each call has its result', () => {
  const seen = new Set<string>();
  const open = new Set<string>();
  let last = '';
  for (const line of lines) {
    const record = JSON.parse(line);
    if (record.timestamp !== undefined) {
      expect(record.timestamp >= last).toBe(true);
      last = record.timestamp;
    }
    if (record.uuid === undefined) continue;
    expect(record.parentUuid === null || seen.has(record.parentUuid)).toBe(true);
    seen.add(record.uuid);
    for (const block of Array.isArray(record.message?.content) ? record.message.content : []) {
      if (block.type === 'tool_use') open.add(block.id);
      if (block.type === 'tool_result') expect(open.delete(block.tool_use_id)).toBe(true);
    }
  }
  expect(open.size).toBe(0);
});

test('texts hold words of other alphabets and are well-formed', () => {
  const words = lines.flatMap((line): string[] => (line.includes('"promptSource"') ? JSON.parse(line).message.content.split(' ') : []));
  const share = words.filter((word) => /[^\x00-\x7F]/.test(word)).length / words.length;
  expect(share).toBeGreaterThan(0.02);
  expect(share).toBeLessThan(0.05);
  for (const line of lines) expect(/\\ud[89a-f]/i.test(line)).toBe(false);
});
