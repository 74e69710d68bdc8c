// Reading answers: however the bytes are cut, the same events; and no answer is read without end.
import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { expect, it } from 'vitest';
import { readAnswer, type Incoming } from '../../../src/workers/model/sse.ts';
import { cpuMs } from '../../support/cpu.ts';

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
const all = async (events: AsyncIterable<Incoming>): Promise<Incoming[]> => {
  const list: Incoming[] = [];
  for await (const event of events) list.push(event);
  return list;
};
const read = (text: string, sizes: readonly number[] = [1 << 20]): Promise<Incoming[]> => all(readAnswer(cut(new TextEncoder().encode(text), sizes)));

const STREAM = 'event: a\ndata: {"text":"naïve 中文 🙂"}\n\n: a comment\nid: 7\ndata: {"n":\ndata: 1}\n\ndata:{"tight":true}\n\ndata: broken {\n\ndata: [1]\n\ndata: [DONE]\n\n';
const EVENTS = [{ kind: 'event', data: { text: 'naïve 中文 🙂' } }, { kind: 'event', data: { n: 1 } }, { kind: 'event', data: { tight: true } }, { kind: 'done' }];

it('a stream cut anywhere, with either line end, gives the same events', async () => {
  await assert(
    asyncProperty(array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), constantFrom('\n', '\r\n'), async (sizes, end) => {
      expect(await read(STREAM.replaceAll('\n', end), sizes)).toEqual(EVENTS);
    }),
  );
});

it('a last event without a blank line behind it counts', async () => {
  expect(await read('data: {"a":1}')).toEqual([{ kind: 'event', data: { a: 1 } }]);
});

it.each([1, 3, 1000])('a JSON document in pieces of %i is one answer', async (size) => {
  expect(await read(' \n{"a":"é"}', [size])).toEqual([{ kind: 'whole', data: { a: 'é' } }]);
});

it.each(['', '   ', '<html>', '{"a":', '[1,2]', 'data: x\n\n'])('%j holds nothing', async (text) => {
  expect(await read(text)).toEqual([]);
});

it('a long line in small pieces takes time in proportion to its length', async () => {
  const took = async (size: number): Promise<number> => {
    let best = Infinity;
    for (let round = 0; round < 3; round += 1) {
      const start = cpuMs();
      await read('中'.repeat(size), [7]);
      best = Math.min(best, cpuMs() - start);
    }
    return best;
  };
  await took(5000);
  // Four times the input: quadratic would be sixteen times the time.
  expect(await took(120_000)).toBeLessThan(10 * (await took(30_000)) + 30);
});

it('an answer of more than 8 MB is given up', async () => {
  const chunk = new TextEncoder().encode(`data: {"a":"${'x'.repeat(1_000_000)}"}\n\n`);
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield chunk;
  }
  await expect(all(readAnswer(endless()))).rejects.toThrow('too large');
});
