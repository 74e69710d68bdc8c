// The whole way from a transcript's bytes to observations, over recorded sessions.
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { createChain, type Chain, type FoldMode } from '../../../src/main/ingest/chain.ts';
import { projectLine } from '../../../src/main/ingest/projection.ts';
import { emptyQueue, enqueue, take } from '../../../src/main/ingest/queue.ts';
import { readForward } from '../../../src/main/ingest/transcript-file.ts';
import { countUsage, noUsageYet } from '../../../src/main/ingest/usage.ts';
import { countVolumes, noVolumes } from '../../../src/main/ingest/volumes.ts';
import type { Observation, Position, Projected, ReadEvent } from '../../../src/main/records.ts';
import type { ProjectionLimits } from '../../../src/workers/contract.ts';

const LIMITS: ProjectionLimits = { ...defaultKnobs().projection, sealed: [] };
const sample = (name: string): string => join('test/fixtures/samples', `${name}.jsonl`);

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sb-reading-'));
  path = join(folder, 's.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Account = { readonly observations: readonly Observation[]; readonly events: readonly ReadEvent[]; readonly fresh: readonly Projected[]; readonly position: Position | undefined };

const readOn = (chain: Chain, file: string, position: Position | undefined, fresh: boolean, mode?: FoldMode): Account => {
  let at = position;
  const observations: Observation[] = [];
  const events: ReadEvent[] = [];
  const kept: Projected[] = [];
  for (;;) {
    const read = readForward(file, at, { project: (line) => projectLine(line, LIMITS), max_bytes: 2_000_000, history_chars: 240_000, fresh });
    if (read.how === 'missing' || read.how === 'not-a-transcript') throw new Error(read.because);
    const folded = chain.fold(read.items, mode ?? (read.history ? 'history' : 'live'));
    observations.push(...folded.observations);
    events.push(...folded.events);
    kept.push(...folded.fresh);
    at = read.position;
    if (read.left === 0) return { observations, events, fresh: kept, position: at };
  }
};
const account = (name: string): Account => readOn(createChain(), sample(name), undefined, true);
const texts = ({ observations }: Account): readonly string[] => observations.map(({ text }) => text);
/** What a record says of one call or prompt, once. */
const identities = ({ observations }: Account): readonly string[] => observations.map(({ uuid, kind, call, text }) => `${uuid} ${kind} ${call ?? ''} ${text}`);

describe('recorded sessions', () => {
  test('a resume and a compaction bring nothing twice', () => {
    const whole = account('resumed-compacted');
    expect(new Set(identities(whole)).size).toBe(whole.observations.length);
    expect(texts(whole).filter((text) => text.includes('After the resume.'))).toHaveLength(1);
    expect(texts(whole).filter((text) => text.includes('After the compaction.'))).toHaveLength(1);
    expect(whole.events.some(({ kind }) => kind === 'rewind')).toBe(false);
    expect(whole.observations.some(({ note }) => note === 'rewind')).toBe(false);
  });

  test('a prompt typed while a turn ran is observed once, by its attachment', () => {
    expect(texts(account('resumed-compacted')).filter((text) => text.includes('and also mention the weather'))).toEqual(['[prompt] and also mention the weather']);
  });

  test('a branch in the same process repeats nothing of the session it left', () => {
    const chain = createChain();
    readOn(chain, sample('resumed-compacted'), undefined, true);
    expect(texts(readOn(chain, sample('branched'), undefined, true)).filter((text) => !text.startsWith('[note]'))).toEqual(['[prompt] /branch second-try', '[prompt] @@plain On the branch.', '[text] A plain answer.']);
  });

  test('a fork met for the first time is history, with its copied records', () => {
    const fork = readOn(createChain(), sample('branched'), undefined, false);
    expect(texts(fork).some((text) => text.includes('After the compaction.'))).toBe(true);
    expect(texts(fork).some((text) => text.includes('On the branch.'))).toBe(true);
    expect(fork.events.some(({ kind }) => kind === 'rewind')).toBe(false);
  });

  test('every result bears its tool’s name', () => {
    for (const name of ['rich', 'headless', 'resumed-compacted']) {
      const { observations } = account(name);
      const results = observations.filter(({ kind }) => kind === 'done' || kind === 'error');
      expect(results.length).toBeGreaterThan(0);
      for (const { tool, text, kind } of results) {
        expect(tool, text).toBeDefined();
        expect(text.startsWith(kind === 'done' ? `[done] ${tool}` : `[error] ${tool}: `), text).toBe(true);
      }
    }
  });

  test('a subagent’s conclusion is told once, and its launch is joined with its report', () => {
    const { observations } = account('rich');
    const agents = observations.filter(({ kind }) => kind === 'agent');
    expect(agents.map(({ text }) => text).filter((text) => text.includes('One module, src/wc.py'))).toHaveLength(2);
    const launches = observations.flatMap(({ launches: id }) => id ?? []);
    const settled = observations.flatMap(({ settles }) => settles ?? []);
    expect(launches.length).toBeGreaterThan(2);
    for (const id of launches) expect(settled).toContain(id);
  });

  test('after its signal a subagent’s conclusion is not told by its notification', () => {
    const chain = createChain();
    expect(chain.observeAgent({ id: 'ac37aa1975e875a81', type: 'general-purpose', text: 'One module, src/wc.py, with one function `count`.', at: 1 }, 1500)).toBeDefined();
    expect(readOn(chain, sample('rich'), undefined, true).observations.filter(({ kind }) => kind === 'agent')).toHaveLength(1);
  });

  test('a final text from its signal is not repeated by its record', () => {
    const chain = createChain();
    const all = readFileSync(sample('rich'), 'utf8').split('\n');
    const last = all.findIndex((line) => line.includes('The counter works and its test passes.'));
    writeFileSync(path, `${all.slice(0, last).join('\n')}\n`);
    const before = readOn(chain, path, undefined, true);
    const stop = JSON.parse(all[last] ?? '') as { message: { content: { text: string }[] } };
    expect(chain.observeFinal(stop.message.content[0]?.text ?? '', 1)).toBeDefined();
    appendFileSync(path, all.slice(last).join('\n'));
    expect(texts(readOn(chain, path, before.position, true)).filter((text) => text.includes('The counter works'))).toEqual([]);
  });

  test('read in one go or line by line, a session is the same', () => {
    for (const name of ['rich', 'rejections-errors', 'branched']) {
      const whole = account(name);
      const chain = createChain();
      let position: Position | undefined;
      const got: Observation[] = [];
      const events: ReadEvent[] = [];
      writeFileSync(path, '');
      for (const line of readFileSync(sample(name), 'utf8').split('\n')) {
        if (line === '') continue;
        appendFileSync(path, `${line}\n`);
        const part = readOn(chain, path, position, true);
        ({ position } = part);
        got.push(...part.observations);
        events.push(...part.events);
      }
      expect(got).toEqual(whole.observations);
      expect(events).toEqual(whole.events);
    }
  });

  test('a rewound prompt is told by its parent alone', () => {
    const lines = readFileSync(sample('rich'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    const prompts = lines.filter((line) => line['type'] === 'user' && typeof line['uuid'] === 'string' && (line['origin'] as { kind?: string } | undefined)?.kind === 'human');
    const second = prompts[1];
    writeFileSync(path, readFileSync(sample('rich')));
    const chain = createChain();
    const before = readOn(chain, path, undefined, true);
    appendFileSync(path, `${JSON.stringify({ ...second, uuid: '11111111-2222-4333-8444-555555555555', message: { role: 'user', content: 'Another way.' } })}\n`);
    const after = readOn(chain, path, before.position, true);
    expect(texts(after)[0]).toMatch(/^\[note\] the conversation was rewound here/);
    expect(texts(after)[1]).toBe('[prompt] Another way.');
    const dead = new Set([second?.['uuid']]);
    for (const { uuid, parentUuid } of lines) if (dead.has(parentUuid)) dead.add(uuid);
    expect(dead.size).toBeGreaterThan(5);
    expect(texts(after)[0]).toContain(`: the ${dead.size} records before this prompt`);
  });

  test('no type in them is unknown, and their volumes and tokens add up', () => {
    for (const name of ['rich', 'headless', 'rejections-errors', 'resumed-compacted', 'branched']) {
      const { fresh, observations } = account(name);
      const { unknown, tools } = countVolumes(noVolumes, fresh, observations);
      expect(unknown).toEqual({});
      for (const { count, raw_chars, kept_chars } of Object.values(tools)) expect(Math.min(count, raw_chars, kept_chars)).toBeGreaterThanOrEqual(0);
      const ids = new Set(fresh.flatMap(({ usage }) => (usage === undefined ? [] : [usage.message])));
      const { total, uncertain } = countUsage(noUsageYet, fresh);
      expect(uncertain).toBe(0);
      if (ids.size > 0) expect(total.output).toBeGreaterThan(0);
    }
  });

  test('an episode of one reads as a story', () => {
    const { episode } = take(enqueue(emptyQueue, account('rich').observations, { episode_cap_chars: 60_000 }));
    expect(episode.filter(({ kind }) => kind === 'done')).toEqual([]);
    expect(episode.some(({ text }) => text.includes(' → done'))).toBe(true);
    expect(episode.some(({ text }) => /^\[tool\] Edit \S+ @L\d+-L\d+ .*→ done$/m.test(text))).toBe(true);
  });

  test('damage in the file harms nothing else: NULs, CRLF, a BOM, lone surrogates, foreign lines', () => {
    const lines = readFileSync(sample('rich'), 'utf8').trimEnd().split('\n');
    const odd = ['\0'.repeat(500), '\ufeff{"type":"user"', '{"type":"user","message":null}', '[]', '7', '"x"', 'null', '{"type":{"a":1}}', '{"type":"assistant","message":{"content":"\\ud800"}}', '{"uuid":3,"parentUuid":[]}'];
    writeFileSync(path, `\ufeff${lines.flatMap((line, i) => [`${line}\r`, odd[i % odd.length] ?? '']).join('\n')}\n`);
    const damaged = texts(readOn(createChain(), path, undefined, true)).filter((text) => !text.includes('\ufffd'));
    expect(damaged).toEqual(texts(account('rich')));
  });

  test('C8: a transcript replaced by a pruned copy brings nothing twice and loses nothing', () => {
    const lines = readFileSync(sample('rich'), 'utf8').trimEnd().split('\n');
    const half = Math.floor(lines.length / 2);
    const chain = createChain();
    writeFileSync(path, `${lines.slice(0, half).join('\n')}\n`);
    const first = readOn(chain, path, undefined, true);
    const pruned = `${path}.new`;
    writeFileSync(pruned, `${lines.slice(20).join('\n')}\n`);
    rmSync(path);
    copyFileSync(pruned, path);
    const second = readOn(chain, path, first.position, true);
    expect([...texts(first), ...texts(second)]).toEqual(texts(account('rich')));
  });
});
