import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultKnobs } from '../../../src/main/floor/knobs.ts';
import { createChain } from '../../../src/main/ingest/chain.ts';
import { projectLine } from '../../../src/main/ingest/projection.ts';
import { emptyQueue, enqueue, take } from '../../../src/main/ingest/queue.ts';
import { loadCatalogue } from '../../../src/main/pass/catalogue-file.ts';
import { repeatFailures } from '../../../src/main/pass/structure.ts';
import type { Detector, Numbered, Observation } from '../../../src/main/records.ts';
import type { ForkTask } from '../../../src/workers/contract.ts';
import { judgeLocally } from '../../../src/workers/model/local.ts';

const { projection, loop } = defaultKnobs();
const { detectors } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} });
const named = (name: string): Detector => detectors.find((detector) => detector.name === name) ?? detectors[0] ?? ({} as Detector);

/** A recorded session as it is observed, and as one folded episode. */
const session = (path: string): { readonly single: readonly Numbered[]; readonly folded: readonly Numbered[] } => {
  const items = readFileSync(path, 'utf8').split('\n').filter((line) => line !== '').map((line) => projectLine(Buffer.from(line), { ...projection, sealed: [] }));
  const { observations } = createChain().fold(items, 'live');
  const numbered = (all: readonly Observation[]): readonly Numbered[] => all.map((observation, at) => ({ ...observation, n: at + 1 }));
  return { single: numbered(observations), folded: numbered(take(enqueue(emptyQueue, observations, loop)).episode) };
};
const ask = (stream: readonly Numbered[]) => judgeLocally({ detector: named('standard-questions'), stream } as unknown as ForkTask);

const recorded = ['sessions', 'samples'].flatMap((folder) => readdirSync(join('test/fixtures', folder)).filter((name) => name.endsWith('.jsonl')).map((name) => join('test/fixtures', folder, name)));

describe('recorded sessions', () => {
  it('the one whose tests never ran is spoken of at its end, citing edits, claim and turn end', () => {
    const { folded } = session('test/fixtures/sessions/no-tests.jsonl');
    const feedback = ask(folded);
    expect(feedback).toMatchObject({ verdict: 'advise', dedup_key: 'standard-questions:tests_run', confidence: 0.85 });
    const cited = (feedback.evidence ?? []).map((cite) => folded[Number(cite.slice(1)) - 1]?.text ?? '');
    expect(cited.filter((text) => text.startsWith('[tool] Edit'))).toHaveLength(5);
    expect(cited.at(-2)).toMatch(/^\[text\] Done\./);
    expect(cited.at(-1)).toMatch(/^\[note\]/);
  });

  it('at no other moment of any recorded session would the judge have spoken', () => {
    for (const path of recorded) {
      const { single } = session(path);
      const moments = single.flatMap((_, at) => (ask(single.slice(0, at + 1)).verdict === 'silent' ? [] : [single.length - at - 1]));
      expect(moments, path).toEqual(path.includes('no-tests') ? [0] : []);
    }
  });

  it('the command that fails four times in other clothes is found whether or not results were folded into calls', () => {
    for (const stream of Object.values(session('test/fixtures/sessions/repeat-failure.jsonl'))) {
      const matches = repeatFailures(stream, named('repeat-failure'), { from: 1 });
      expect(matches).toMatchObject([{ headline: '`npm run migrate -- --env staging` has failed 4 times with no success between' }]);
      expect(matches[0]?.evidence.map((cite) => stream[Number(cite.slice(1)) - 1]?.kind)).toEqual(['error', 'error', 'error', 'error']);
    }
    for (const name of ['clean', 'no-tests', 'unicode-windows', 'long-mixed']) expect(repeatFailures(session(`test/fixtures/sessions/${name}.jsonl`).single, named('repeat-failure'), { from: 1 }), name).toEqual([]);
  });
});
