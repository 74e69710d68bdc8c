// The bodies that go out: marks, settings, and which of the prefix's words the host's child is given.
import { assert, array, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { anthropicFork } from '../../../src/workers/model/anthropic.ts';
import { hostModel, parseReply } from '../../../src/workers/model/host.ts';
import { openaiFork } from '../../../src/workers/model/openai.ts';
import type { Round } from '../../../src/workers/model/wire.ts';
import { prefixOf, providerOf, taskOf } from '../../support/fork-task.ts';
import { refuseMarks, stripMarks } from '../../support/model-cache.ts';

const MARK = '"cache_control":{"type":"ephemeral"}';
const anthropic = providerOf('anthropic', 'http://127.0.0.1:9');
const openai = providerOf('openai', 'http://127.0.0.1:9');
const round = (text: string): Round => ({ said: { calls: [], text, echo: [{ type: 'text', text }] }, results: [{ id: 'c', name: 'Read', ok: true, text }] });

it.each(['5m', '1h'] as const)('E3, E4: whatever stands in window, tail and results, a body has the prefix’s marks and no others (%s)', (ttl) => {
  assert(
    property(array(string({ unit: 'grapheme' }), { minLength: 1, maxLength: 6 }), string({ unit: 'grapheme' }), (texts, tail) => {
      const window = [...texts, MARK].map((text) => `${text} ${MARK}`);
      const task = taskOf({ ...anthropic, cache_ttl: ttl }, { prefix: prefixOf('anthropic', window, ttl), tail: `${tail}${MARK}` });
      const body = Buffer.from(anthropicFork(task, [round(MARK), round(tail)], { auto_choice: false }).body());
      JSON.parse(body.toString('utf8'));
      const { marks } = stripMarks(body);
      expect(marks.map((mark) => mark.ttl)).toEqual([ttl]);
      expect(refuseMarks(marks)).toBeUndefined();
    }),
  );
});

it('any tail and result make a body that parses, on either wire, with the prefix’s bytes in front', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      for (const provider of [anthropic, openai]) {
        const task = taskOf(provider, { tail: text.toWellFormed() });
        const rounds = provider.kind === 'anthropic' ? [round(text)] : [{ ...round(text), said: { calls: [], text, echo: { message: { role: 'assistant', content: text }, reasoning: '' } } }];
        const body = (provider.kind === 'anthropic' ? anthropicFork : openaiFork)(task, rounds, { auto_choice: false }).body();
        const parsed = JSON.parse(new TextDecoder().decode(body)) as { messages: unknown[]; max_tokens: number };
        expect(parsed.max_tokens).toBe(1024);
        expect(Buffer.from(body).subarray(0, task.prefix.byteLength).equals(Buffer.from(task.prefix))).toBe(true);
      }
    }),
  );
});

it('E3: the host’s child gets one mark, on the window’s last block and short, however many the prefix has', async () => {
  const provider = { ...anthropic, kind: 'host' } as const;
  const content = ['a', 'b', 'c'].map((text) => ({ type: 'text', text, cache_control: { type: 'ephemeral', ttl: '1h' } }));
  const prefix = new TextEncoder().encode(JSON.stringify({ model: 'haiku', system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }], messages: [{ role: 'user', content }] }).slice(0, -']}]}'.length));
  const sent: unknown[] = [];
  const model = hostModel(taskOf(provider, { prefix, tail: 'TAIL' }), async (blocks) => (sent.push(blocks), { cause: 'enough' }));
  const nothing = (): void => undefined;
  await model([], 0, { sent: nothing, firstEvent: nothing, usage: nothing, learnt: nothing, log: nothing }, new AbortController().signal);
  expect(sent).toEqual([[{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, { type: 'text', text: 'c', cache_control: { type: 'ephemeral' } }, { type: 'text', text: expect.stringContaining('TAIL') }]]);
});

it.each<[string, readonly unknown[]]>([
  ['{"call":"Read","args":{"path":"a"}}', [{ name: 'Read', args: { path: 'a' } }]],
  ['```json\n{"tool":"Read","input":{"path":"}\\""}}\n```', [{ name: 'Read', args: { path: '}"' } }]],
  ['I looked {at it} and {"name":"Read","arguments":"{\\"path\\":\\"a\\"}"}', [{ name: 'Read', args: { path: 'a' } }]],
  ['{"verdict":"silent"}', [{ name: 'second_brain_detector_feedback', args: { verdict: 'silent' } }]],
  ['All fine.', []],
  ['', []],
  ['{"call":', []],
  ['{"a":1}', []],
])('the reply %j holds the calls %j', (text, calls) => {
  expect(parseReply(text).map(({ name, args }) => ({ name, args: args.ok ? args.value : args.why }))).toEqual(calls);
});

it('a reply of braces alone is read in steps that grow with its length', () => {
  expect(parseReply('{'.repeat(200_000))).toEqual([]);
  expect(parseReply('{}'.repeat(100_000))).toEqual([]);
});
