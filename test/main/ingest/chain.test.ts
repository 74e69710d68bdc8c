import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createChain, type Folded } from '../../../src/main/ingest/chain.ts';
import type { Observation, Projected } from '../../../src/main/records.ts';
import { item, observation } from '../../support/records.ts';

type Queue = NonNullable<Projected['queue']>;

/** Each carries something of ours, so that a rewind names it. */
const told = (uuid: string): Pick<Projected, 'uuid' | 'proofs'> => ({ uuid, proofs: [{ ids: [`sb-${uuid}`], channel: 'context', at: 1 }] });
const say = (uuid: string, parent: string | undefined, words = `words of ${uuid}`): Projected =>
  item({ ...told(uuid), ...(parent === undefined ? {} : { parent }), observations: [observation({ uuid, text: `[text] ${words}` })], events: [{ kind: 'response', at: 1 }] });
const prompt = (uuid: string, parent: string | undefined, who: 'human' | 'notification' = 'human'): Projected =>
  item({
    type: 'user', ...told(uuid), ...(parent === undefined ? {} : { parent }), prompt: who,
    observations: who === 'human' ? [observation({ kind: 'prompt', uuid, human: true, text: `[prompt] ${uuid}` })] : [],
    events: [{ kind: 'prompt', origin: who, at: 1 }],
  });
const call = (uuid: string, parent: string, id: string, tool = 'Bash', text = `[tool] ${tool} npm test`, more: Partial<Observation> = {}): Projected =>
  item({ ...told(uuid), parent, observations: [observation({ kind: 'tool', uuid, tool, call: id, text, ...more })], events: [{ kind: 'response', at: 1 }] });
const result = (uuid: string, parent: string, id: string, more: Partial<Observation> = {}): Projected =>
  item({ type: 'user', ...told(uuid), parent, observations: [observation({ kind: 'done', uuid, call: id, text: '[done]', ...more })], events: [{ kind: 'tool-result', at: 1, call: id }] });
const queued = (op: Queue['op'], text = '', reason?: string): Projected => item({ type: 'queue-operation', at: 5, queue: { op, text, ...(reason === undefined ? {} : { reason }) } });
const turnEnd = item({ type: 'system/turn_duration', events: [{ kind: 'turn-end', at: 2, reason: 'end_turn' }] });

const texts = ({ observations }: Folded): readonly string[] => observations.map(({ text }) => text);
const live = (...items: readonly Projected[]): Folded => createChain().fold(items, 'live');
const rewinds = ({ events }: Folded): readonly (readonly string[])[] => events.flatMap((event) => (event.kind === 'rewind' ? [event.dead] : []));

describe('copies', () => {
  test('a record seen before is no activity, in the same read or a later one', () => {
    const chain = createChain();
    expect(texts(chain.fold([prompt('p1', undefined), say('a1', 'p1'), say('a1', 'p1')], 'live'))).toEqual(['[prompt] p1', '[text] words of a1']);
    expect(chain.fold([say('a1', 'p1'), prompt('p1', undefined)], 'live')).toMatchObject({ observations: [], events: [], proofs: [], fresh: [], copies: 2 });
  });

  test('a fork’s copied records are no activity, and still tell what a prompt follows', () => {
    const copied = [prompt('p1', undefined), say('a1', 'p1')].map((one) => ({ ...one, forked_from: 's0' }));
    const folded = live(...copied, prompt('p2', 'a1'), say('a2', 'p2'));
    expect(texts(folded)).toEqual(['[prompt] p2', '[text] words of a2']);
    expect(rewinds(folded)).toEqual([]);
  });

  test('as history a fork’s copied records are new to us, once', () => {
    const chain = createChain();
    const copied = [{ ...say('a1', undefined), forked_from: 's0' }];
    expect(texts(chain.fold(copied, 'history'))).toHaveLength(1);
    expect(texts(chain.fold(copied, 'history'))).toEqual([]);
  });

  test('C8: a replay of what was never read, since the file was begun late, is no activity; what is written now is', () => {
    const at = (one: Projected, minute: number): Projected => ({ ...one, at: minute * 60_000 });
    const chain = createChain();
    chain.fold([at(say('a7', 'before'), 70), at(prompt('p8', 'a7'), 80)], 'history');
    chain.beganLate();
    const folded = chain.fold([at(prompt('p1', undefined), 10), at(say('a1', 'p1'), 11), at(say('a8', 'p8'), 90), at(prompt('p9', 'a1'), 91)], 'live');
    expect(texts(folded)).toEqual(['[text] words of a8', '[prompt] p9']);
    expect(folded.copies).toBe(2);
  });

  test('records without a uuid are folded as they come', () => {
    expect(texts(live(item({ observations: [observation({ text: '[text] x' })] })))).toEqual(['[text] x']);
  });
});

describe('what comes back is named after its call', () => {
  test('done with path and anchor, done of a command, an error, a refusal', () => {
    const folded = live(
      prompt('p', undefined),
      call('c1', 'p', 't1', 'Edit', '[tool] Edit src/a.ts\n+ x', { paths: ['src/a.ts'], writes: true }),
      result('r1', 'c1', 't1', { anchor: '@L3-L9' }),
      call('c2', 'r1', 't2'),
      result('r2', 'c2', 't2'),
      call('c3', 'r2', 't3'),
      result('r3', 'c3', 't3', { kind: 'error', text: '[error] exit 1' }),
      call('c4', 'r3', 't4', 'Write', '[tool] Write n.md', { paths: ['n.md'] }),
      result('r4', 'c4', 't4', { kind: 'note', note: 'refusal', text: '[note] refused by the user' }),
    );
    expect(texts(folded).filter((text) => !text.startsWith('[tool]')).slice(1)).toEqual(['[done] Edit src/a.ts @L3-L9', '[done] Bash npm test', '[error] Bash: exit 1', '[note] refused by the user: Write n.md']);
    expect(folded.observations.filter(({ kind }) => kind === 'done').map(({ tool, paths }) => [tool, paths])).toEqual([['Edit', ['src/a.ts']], ['Bash', undefined]]);
  });

  test('a result of a call never seen keeps its own words', () => {
    expect(texts(live(result('r', 'x', 't', { kind: 'error', text: '[error] no' })))).toEqual(['[error] no']);
  });

  test('results find calls of an earlier read', () => {
    const chain = createChain();
    chain.fold([call('c', 'p', 't')], 'live');
    expect(texts(chain.fold([result('r', 'c', 't')], 'live'))).toEqual(['[done] Bash npm test']);
  });
});

describe('a subagent’s conclusion is told once', () => {
  const told = (uuid: string, more: Partial<Observation>): Projected => item({ type: 'user', uuid, observations: [observation({ kind: 'agent', uuid, text: '[agent] found it', ...more })] });

  test('by signal first, then by notification', () => {
    const chain = createChain();
    expect(chain.observeAgent({ id: 'ag1', type: 'my:explorer', text: 'found it', at: 3 }, 1500)?.text).toBe('[agent] my:explorer: found it');
    expect(texts(chain.fold([told('n1', { settles: 'ag1' })], 'live'))).toEqual([]);
    expect(chain.observeAgent({ id: 'ag1', type: 'my:explorer', text: 'found it', at: 3 }, 1500)).toBeUndefined();
  });

  test('by notification first, then by signal', () => {
    const chain = createChain();
    expect(texts(chain.fold([told('n1', { settles: 'ag1' }), told('n2', { settles: 'ag1' })], 'live'))).toHaveLength(1);
    expect(chain.observeAgent({ id: 'ag1', type: 't', text: 'found it', at: 3 }, 1500)).toBeUndefined();
  });

  test('by a launch’s call, when only that is named', () => {
    const chain = createChain();
    chain.fold([call('c', 'p', 't1', 'Agent'), result('r', 'c', 't1', { launches: 'ag1' })], 'live');
    expect(texts(chain.fold([told('n1', { call: 't1' })], 'live'))).toHaveLength(1);
    expect(chain.observeAgent({ id: 'ag1', type: 't', text: 'x', at: 3 }, 1500)).toBeUndefined();
  });

  test('the host’s own agents have no type and are not told', () => {
    expect(createChain().observeAgent({ id: 'a', type: '', text: 'summary', at: 1 }, 1500)).toBeUndefined();
  });

  test('it is capped', () => {
    expect(createChain().observeAgent({ id: 'a', type: 't', text: 'x'.repeat(5000), at: 1 }, 100)?.text.length).toBeLessThan(130);
  });
});

describe('C5: the final answer, by signal and by record', () => {
  test('signal first: observed at once, its record not again', () => {
    const chain = createChain();
    expect(chain.observeFinal('All  done.\n', 9)).toMatchObject({ kind: 'text', text: '[text] All  done.\n', at: 9 });
    expect(texts(chain.fold([say('a', 'p', 'All done.'), say('b', 'a', 'All done.')], 'live'))).toEqual(['[text] All done.']);
  });

  test('record first: the signal brings nothing', () => {
    const chain = createChain();
    chain.fold([say('a', 'p', 'All done.')], 'live');
    expect(chain.observeFinal('All done.', 9)).toBeUndefined();
    expect(chain.observeFinal('All done.', 10)).toBeDefined();
  });

  test('a final answer of several blocks is matched block by block', () => {
    const chain = createChain();
    chain.observeFinal('First part.\n\nSecond part.', 9);
    expect(texts(chain.fold([say('a', 'p', 'First part.'), say('b', 'a', 'Second part.'), say('c', 'b', 'Else.')], 'live'))).toEqual(['[text] Else.']);
  });

  test('long texts that were cut in two ways are the same by their heads', () => {
    const chain = createChain();
    chain.observeFinal(`${'word '.repeat(4000)}tail one`, 9);
    expect(texts(chain.fold([say('a', 'p', `${'word '.repeat(3000)}…[+1 chars]`)], 'live'))).toEqual([]);
  });

  test('a signal whose record never comes does not swallow a later answer', () => {
    const chain = createChain();
    chain.observeFinal('Noted.', 9);
    chain.fold([turnEnd, turnEnd], 'live');
    expect(texts(chain.fold([say('a', 'p', 'Noted.')], 'live'))).toEqual(['[text] Noted.']);
  });

  test('an empty final text is nothing', () => {
    expect(createChain().observeFinal(' \n', 1)).toBeUndefined();
  });
});

describe('a rewind', () => {
  test('is a prompt that follows an older record: a note, and what is dead', () => {
    const folded = live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), call('c2', 'p2', 't'), result('r2', 'c2', 't'), say('a2', 'r2'), prompt('p3', 'a1'));
    expect(rewinds(folded)).toEqual([['p2', 'c2', 'r2', 'a2']]);
    const note = folded.observations.findIndex((one) => one.note === 'rewind');
    expect(folded.observations[note + 1]?.text).toBe('[prompt] p3');
    expect(folded.events.at(-1)?.kind).toBe('prompt');
  });

  test('is seen across reads, and once', () => {
    const chain = createChain();
    chain.fold([prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), say('a2', 'p2')], 'live');
    expect(rewinds(chain.fold([prompt('p3', 'a1')], 'live'))).toEqual([['p2', 'a2']]);
    expect(rewinds(chain.fold([say('a3', 'p3'), prompt('p4', 'a3')], 'live'))).toEqual([]);
  });

  test('to the very first prompt has no parent', () => {
    expect(rewinds(live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', undefined)))).toEqual([['p1', 'a1']]);
  });

  test('to before a compaction crosses it', () => {
    const boundary = item({ type: 'system/compact_boundary', ...told('b') });
    const folded = live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), say('a2', 'p2'), boundary, item({ ...told('s'), parent: 'b' }), prompt('p3', 'a1'));
    expect(rewinds(folded)).toEqual([['p2', 'a2', 'b', 's']]);
  });

  test('takes the branches off the dead branch with it', () => {
    const folded = live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), call('c1', 'p2', 't1'), call('c2', 'c1', 't2'), result('r1', 'c1', 't1'), result('r2', 'c2', 't2'), prompt('p3', 'a1'));
    expect(rewinds(folded)).toEqual([['p2', 'c1', 'c2', 'r1', 'r2']]);
  });

  test('parallel calls are none, whichever result comes last or is followed', () => {
    const calls = [prompt('p1', undefined), call('c1', 'p1', 't1'), call('c2', 'c1', 't2')];
    for (const results of [[result('r1', 'c1', 't1'), result('r2', 'c2', 't2')], [result('r2', 'c2', 't2'), result('r1', 'c1', 't1')]]) {
      for (const parent of ['r1', 'r2']) {
        expect(rewinds(live(...calls, ...results, prompt('p2', parent)))).toEqual([]);
        expect(rewinds(live(...calls, ...results, say('a', parent), prompt('p2', 'a')))).toEqual([]);
      }
    }
  });

  test('a prompt after a compaction or of unknown parentage is none', () => {
    const boundary = item({ type: 'system/compact_boundary', uuid: 'b' });
    expect(rewinds(live(prompt('p1', undefined), say('a1', 'p1'), boundary, prompt('p2', undefined)))).toEqual([]);
    expect(rewinds(live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'never-seen')))).toEqual([]);
    const chain = createChain();
    chain.fold([say('a7', 'before-first-sight'), prompt('p8', 'a7')], 'history');
    expect(rewinds(chain.fold([prompt('p9', undefined)], 'live'))).toEqual([]);
  });

  test('a notification taken up after it shows it too', () => {
    expect(rewinds(live(prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), say('a2', 'p2'), prompt('n', 'a1', 'notification')))).toEqual([['p2', 'a2']]);
  });

  test('records that name each other as parents end', () => {
    expect(rewinds(live(prompt('x', 'y'), prompt('y', 'x'), prompt('z', 'x'), prompt('w', 'w'), prompt('v', 'x'))).length).toBeGreaterThanOrEqual(0);
  });
});

describe('queued prompts', () => {
  const absorbed = [queued('enqueue', 'mention the weather'), queued('remove', 'mention the weather', 'absorbed_mid_turn')];

  test('on a host without queued_command count once their removal says absorbed', () => {
    const folded = live(...absorbed, say('a', undefined, 'answer'));
    expect(texts(folded)).toEqual(['[prompt] mention the weather', '[text] answer']);
    expect(folded.events).toContainEqual({ kind: 'prompt', origin: 'human', at: 5 });
  });

  test('on a host with queued_command are its attachment alone', () => {
    const attachment = item({ type: 'attachment/queued_command', uuid: 'q', observations: [observation({ kind: 'prompt', uuid: 'q', human: true, text: '[prompt] mention the weather' })] });
    expect(texts(live(...absorbed, attachment, say('a', 'q', 'answer'), ...absorbed, say('b', 'a', 'more')))).toEqual(['[prompt] mention the weather', '[text] answer', '[text] more']);
  });

  test('that open a turn of their own are that turn’s record alone', () => {
    expect(texts(live(queued('enqueue', 'next'), queued('dequeue'), prompt('p', undefined), say('a', 'p', 'answer')))).toEqual(['[prompt] p', '[text] answer']);
  });

  test('taken back are withdrawn and never prompts', () => {
    const folded = live(queued('enqueue', 'one'), queued('enqueue', 'two'), queued('popAll'), say('a', undefined, 'answer'));
    expect(texts(folded)).toEqual(['[text] answer']);
    expect(folded.events.filter(({ kind }) => kind === 'withdrawn')).toEqual([{ kind: 'withdrawn', at: 5, text: 'one' }, { kind: 'withdrawn', at: 5, text: 'two' }]);
  });

  test('of the host’s are neither prompts nor withdrawn', () => {
    const note = '<task-notification>\n<task-id>x</task-id></task-notification>';
    const folded = live(queued('enqueue', note), queued('remove', note, 'absorbed_mid_turn'), queued('enqueue', note), queued('remove', note, 'dropped_by_hook'), say('a', undefined, 'answer'));
    expect(texts(folded)).toEqual(['[text] answer']);
    expect(folded.events.map(({ kind }) => kind)).toEqual(['response']);
  });
});

describe('the state of a chain', () => {
  test('another chain that folds the same records again, and is told what signals brought, goes on from there', () => {
    const before = [prompt('p1', undefined), say('a1', 'p1'), prompt('p2', 'a1'), call('c2', 'p2', 't2'), queued('enqueue', 'later')];
    const first = createChain();
    const seen = [...first.fold(before, 'live').observations];
    for (const said of [first.observeAgent({ id: 'ag', type: 't', text: 'x', at: 1 }, 100), first.observeFinal('Soon.', 1)]) if (said !== undefined) seen.push(said);
    expect(seen.at(-1)?.text).toBe('[text] Soon.');
    const second = createChain();
    second.fold(before, 'history');
    second.remember(seen);
    const folded = second.fold([call('c2', 'p2', 't2'), result('r2', 'c2', 't2'), say('a2', 'r2', 'Soon.'), queued('popAll'), prompt('p3', 'a1')], 'live');
    expect(texts(folded).slice(0, 1)).toEqual(['[done] Bash npm test']);
    expect(texts(folded)).not.toContain('[text] Soon.');
    expect(folded.events.map(({ kind }) => kind)).toContain('withdrawn');
    expect(rewinds(folded)).toEqual([['p2', 'c2', 'r2', 'a2']]);
    expect(second.observeAgent({ id: 'ag', type: 't', text: 'x', at: 1 }, 100)).toBeUndefined();
  });

  test('a final text whose record was read before is awaited no more: the same words said later are news', () => {
    const before = [prompt('p1', undefined), say('a1', 'p1', 'Done.')];
    const chain = createChain();
    chain.fold(before, 'history');
    chain.remember([{ kind: 'text', at: 1, uuid: 'final-1', text: '[text] Done.', raw_chars: 5 }]);
    expect(texts(chain.fold([prompt('p2', 'a1'), say('a2', 'p2', 'Done.')], 'live'))).toContain('[text] Done.');
  });

  test('stays bounded: a call of long ago is forgotten, a recent one is not', () => {
    const chain = createChain();
    chain.fold(Array.from({ length: 30_000 }, (_, i) => call(`c${i}`, `c${i - 1}`, `t${i}`)), 'live');
    const [old, recent] = ['t1', 't29999'].map((id) => texts(chain.fold([result(`r-${id}`, 'c29999', id)], 'live')));
    expect([old?.[0]?.includes('npm test'), recent?.[0]?.includes('npm test')]).toEqual([false, true]);
  });

  test('how items are grouped into reads changes nothing', () => {
    const script = [prompt('p1', undefined), call('c1', 'p1', 't1'), result('r1', 'c1', 't1'), say('a1', 'r1'), queued('enqueue', 'w'), queued('remove', 'w', 'absorbed_mid_turn'), say('a2', 'a1'), prompt('p2', 'a2'), say('a3', 'p2'), prompt('p3', 'a2'), say('a3', 'p2'), turnEnd];
    const whole = live(...script);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }), (sizes) => {
        const chain = createChain();
        const parts: Folded[] = [];
        for (let at = 0, turn = 0; at < script.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          parts.push(chain.fold(script.slice(at, at + size), 'live'));
          at += size;
        }
        expect(parts.flatMap(({ observations }) => observations)).toEqual(whole.observations);
        expect(parts.flatMap(({ events }) => events)).toEqual(whole.events);
      }),
    );
  });
});
