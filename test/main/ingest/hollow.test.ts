import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { decodeLine, hollow, isHollowable } from '../../../src/main/ingest/hollow.ts';
import { projectLine, projectText } from '../../../src/main/ingest/projection.ts';
import type { ProjectionLimits } from '../../../src/workers/contract.ts';

const limits: ProjectionLimits = { ...defaultKnobs().projection, sealed: [] };

describe('decoding', () => {
  it('gives what the decoder of the platform gives, for any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 700 }), fc.string({ unit: 'grapheme', maxLength: 700 }).map((text) => new TextEncoder().encode(text))), (bytes) => {
        expect(decodeLine(Buffer.from(bytes))).toBe(Buffer.from(bytes).toString('utf8'));
      }),
      { numRuns: 300 },
    );
  });
});

describe('hollowing', () => {
  it('leaves out long texts and keeps everything else, escapes and multibyte text included', () => {
    const value = { a: 'short "quoted" \\', b: 'x'.repeat(300), 'ключ': ['é'.repeat(400), 1, null, { c: '\\'.repeat(300) }] };
    const parsed: unknown = JSON.parse(hollow(Buffer.from(JSON.stringify(value))) ?? '');
    expect(parsed).toEqual({ a: 'short "quoted" \\', b: '\u0000~300', 'ключ': ['\u0000~800', 1, null, { c: '\u0000~600' }] });
  });

  it('gives up on a text that does not end', () => {
    expect(hollow(Buffer.from(`{"a":"${'x'.repeat(2000)}\\"`))).toBeUndefined();
  });

  const words = fc.constantFrom('plain words ', '"quoted" ', '\\', '\n', '中文', '😀', '"type":"text"', '"is_error":true', '\ud800', 'x'.repeat(300));
  const texts = fc.array(words, { maxLength: 30 }).map((parts) => parts.join(''));
  const results = fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.constant('t'), content: fc.oneof(texts, fc.array(fc.record({ type: fc.constant('text'), text: texts }), { maxLength: 2 }), fc.constant(null)), is_error: fc.constantFrom(true, false, undefined, 'x') });
  const others = fc.oneof(fc.record({ type: fc.constant('text'), text: texts }), fc.record({ type: fc.constant('image'), source: fc.record({ data: texts }) }), texts, fc.constant(null));
  const details = fc.oneof(
    texts,
    fc.record({ stdout: texts, stderr: texts, backgroundTaskId: fc.constantFrom(undefined, 'b1') }),
    fc.record({ originalFile: texts, structuredPatch: fc.array(fc.record({ newStart: fc.nat(99), newLines: fc.nat(9), lines: fc.array(texts, { maxLength: 2 }) }), { maxLength: 2 }) }),
    fc.record({ status: fc.constantFrom('completed', 'async_launched'), agentId: fc.constant('a1'), content: fc.array(fc.record({ type: fc.constant('text'), text: texts }), { maxLength: 2 }) }),
    fc.record({ questions: fc.constant([]), answers: fc.record({ 'Which?': texts }) }),
    fc.jsonValue(),
  );
  const records = fc.record({
    type: fc.constantFrom('user', 'user', 'assistant', 'system'),
    message: fc.record({ role: fc.constant('user'), content: fc.array(fc.oneof({ weight: 4, arbitrary: results }, { weight: 1, arbitrary: others }), { minLength: 1, maxLength: 3 }) }),
    toolUseResult: details,
    toolDenialKind: fc.constantFrom(undefined, undefined, 'user-rejected'),
    isSidechain: fc.constantFrom(undefined, false, true),
    isMeta: fc.constantFrom(undefined, true),
    uuid: fc.constant('u'),
    timestamp: fc.constant('2026-05-04T10:00:00.000Z'),
  });

  it('changes nothing about what a line yields: the plain parser agrees', () => {
    let hollowed = 0;
    fc.assert(
      fc.property(records, (record) => {
        const text = JSON.stringify(record);
        const line = Buffer.from(text);
        if (isHollowable(line)) hollowed += 1;
        expect(projectLine(line, limits)).toEqual(projectText(decodeLine(line), limits));
      }),
      { numRuns: 1500 },
    );
    expect(hollowed).toBeGreaterThan(300);
  });
});
