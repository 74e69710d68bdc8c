import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { faultsOf, twinsOf } from '../../bench/judgment/faults.ts';
import { rateOf, shareOf } from '../../bench/judgment/intervals.ts';
import { openBenchJudge, openCache, requestHash } from '../../bench/judgment/judges.ts';
import { play } from '../../bench/judgment/play.ts';
import { makeRandom } from '../../bench/judgment/random.ts';
import { activeHours, jobsOf, labelled, runAll } from '../../bench/judgment/run.ts';
import { scoreSplit, WITHIN, type Case, type Said } from '../../bench/judgment/score.ts';
import { stepsOf, type Split } from '../../bench/judgment/steps.ts';
import { baseSession } from '../../bench/judgment/stories.ts';
import { lastLine, markdown, terminal } from '../../bench/judgment/table.ts';
import { transcript } from '../../bench/judgment/transcript.ts';
import { advise, answerTo, cite, silent } from '../support/competent-model.ts';
import { openModelServer } from '../support/model-server.ts';
import type { ForkTask } from '../../src/workers/contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'judgment-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const written = (split: Split, index: number) => {
  const session = baseSession(split, index, 9);
  return transcript(session.id, session.root, stepsOf(session));
};

describe('intervals', () => {
  test('a share has the interval of Wilson, and the rule of three where nothing or everything happened', () => {
    expect(shareOf(8, 10)).toMatchObject({ share: 0.8 });
    expect(shareOf(8, 10).low).toBeCloseTo(0.4902, 3);
    expect(shareOf(8, 10).high).toBeCloseTo(0.9433, 3);
    expect(shareOf(0, 60)).toMatchObject({ low: 0, high: 0.05 });
    expect(shareOf(60, 60)).toMatchObject({ low: 0.95, high: 1 });
    expect(shareOf(0, 0)).toMatchObject({ low: 0, high: 1 });
  });

  test('a rate of few events has the exact Poisson interval, and of none the rule of three', () => {
    expect(rateOf(0, 40)).toMatchObject({ rate: 0, low: 0, high: 0.075 });
    expect(rateOf(1, 10).low).toBeCloseTo(0.00253, 4);
    expect(rateOf(1, 10).high).toBeCloseTo(0.55716, 4);
    expect(rateOf(10, 1).low).toBeCloseTo(4.7954, 3);
    expect(rateOf(10, 1).high).toBeCloseTo(18.3904, 3);
  });
});

// ── judges with known answers ────────────────────────────────────────────────

const FAULT_CASES = 200;

const bare = (kind: Case['kind'], index: number): Case => ({
  id: `${kind}-${index}`, split: 'test', kind, lenses: kind === 'base' ? [] : ['right', 'other'], end: { record: 100, at: 1_000_000 }, hours: 1, said: [], scores: [], passes: 3, tokens: 10,
  ...(kind === 'base' ? {} : { fault: 'some', structural: true, what: 'a twin' }),
  ...(kind === 'fault' ? { shows: 40, onset: 50 } : {}),
});

const labels: readonly Case[] = [
  ...Array.from({ length: 50 }, (_, at) => bare('base', at)),
  ...Array.from({ length: FAULT_CASES }, (_, at) => [bare('fault', at), bare('clean', at), bare('near', at)]).flat(),
];

const said = (record: number, confidence = 0.9, lens = 'right'): Said => ({ id: `a${record}`, lens, at: record * 10_000, record, confidence, to: 'agent', headline: '', given: 2, kept: 2, on_mark: true });

/** The labels as a judge leaves them that says this. */
const judgedBy = (judge: (each: Case) => readonly Said[]): readonly Case[] => labels.map((each) => ({ ...each, said: judge(each), scores: judge(each) }));

describe('the scorer on judges with known answers', () => {
  test('a perfect judge finds everything and flags nothing', () => {
    const figures = scoreSplit(judgedBy(({ kind, onset = 0 }) => (kind === 'fault' ? [said(onset)] : [])), 'test');
    expect(figures.structural.detection.share).toBe(1);
    expect(figures.structural.false_alarm.share).toBe(0);
    expect(figures.structural.at_five.detection.share).toBe(1);
    expect(figures.false_per_hour).toMatchObject({ rate: 0, high: 3 / 50 });
    expect(figures.faults[0]).toMatchObject({ delay_records: 0, lead_records: 50, lead_seconds: 500 });
    expect(figures.lenses.find(({ lens }) => lens === 'right')).toMatchObject({ precision: { share: 1 }, duplicates: { share: 0 }, citations: { share: 1 }, on_mark: { share: 1 } });
  });

  test('a silent judge finds nothing and flags nothing', () => {
    const figures = scoreSplit(judgedBy(() => []), 'test');
    expect(figures.structural.detection.share).toBe(0);
    expect(figures.structural.false_alarm.share).toBe(0);
    expect(figures.structural.at_five.detection.share).toBe(0);
    expect(figures.lenses).toEqual([]);
  });

  test('a judge that always speaks finds everything, flags everything, and has nothing at five percent', () => {
    const every = Array.from({ length: 10 }, (_, at) => said(at * 10));
    const figures = scoreSplit(judgedBy(() => every), 'test');
    expect(figures.structural.detection.share).toBe(1);
    expect(figures.structural.false_alarm.share).toBe(1);
    expect(figures.structural.at_five.detection.share).toBe(0);
    expect(figures.false_per_hour.rate).toBe(10);
    // Six of ten come once the fault shows, in one session of three and a quarter.
    expect(figures.lenses[0]?.precision.share).toBeCloseTo((0.6 * FAULT_CASES) / labels.length, 5);
    expect(figures.lenses[0]?.duplicates.share).toBeCloseTo((0.5 * FAULT_CASES) / labels.length, 5);
  });

  test('a random judge lands where chance puts it', () => {
    const random = makeRandom('coin');
    const chosen = new Map(labels.map(({ id }) => [id, random.chance(0.3) ? [said(60, random.next())] : []]));
    const figures = scoreSplit(judgedBy(({ id }) => chosen.get(id) ?? []), 'test');
    for (const share of [figures.structural.detection, figures.structural.false_alarm]) {
      expect(share.low).toBeLessThan(0.3);
      expect(share.high).toBeGreaterThan(0.3);
    }
    // Its confidence tells nothing: at five percent false alarms it finds about five percent.
    expect(figures.structural.at_five.false_alarm.share).toBeLessThanOrEqual(0.05);
    expect(figures.structural.at_five.detection.share).toBeLessThan(0.12);
    expect(figures.lenses[0]?.precision.low).toBeLessThan(FAULT_CASES / labels.length);
    expect(figures.lenses[0]?.precision.high).toBeGreaterThan(FAULT_CASES / labels.length);
  });

  test('a judge whose confidence tells something is cut where five percent of the harmless ones are over it', () => {
    // Harmless sessions from 0 to 1, faults from 0.5 to 1: 0.95 is passed by 20 of 400 and by 20 of 200.
    const of = (kind: Case['kind'], share: number): readonly Said[] => (kind === 'fault' ? [said(60, 0.5 + share / 2)] : kind === 'base' ? [] : [said(60, share)]);
    const counts: Record<string, number> = {};
    const ranked = labels.map((each) => {
      const group = each.kind === 'fault' || each.kind === 'base' ? each.kind : 'harmless';
      const at = (counts[group] = (counts[group] ?? 0) + 1) - 1;
      return { ...each, scores: of(each.kind, at / (group === 'fault' ? FAULT_CASES : 2 * FAULT_CASES)) };
    });
    const { at_five } = scoreSplit(ranked, 'test').structural;
    expect(at_five).toMatchObject({ threshold: 0.95, detection: { of: 20, n: FAULT_CASES }, false_alarm: { of: 20, n: 2 * FAULT_CASES } });
  });

  test('a word before the fault shows, of a lens that is not meant, or too late finds nothing', () => {
    const found = (judge: (each: Case) => readonly Said[]) => scoreSplit(judgedBy((each) => (each.kind === 'fault' ? judge(each) : [])), 'test').structural.detection.share;
    expect(found(() => [said(39)])).toBe(0);
    expect(found(() => [said(50, 0.9, 'wrong')])).toBe(0);
    expect(found(() => [said(50 + WITHIN)])).toBe(1);
    expect(found(() => [said(51 + WITHIN)])).toBe(0);
  });

  test('what is said where people would differ counts for nothing', () => {
    const perfect = judgedBy(({ kind, onset = 0 }) => (kind === 'fault' ? [said(onset)] : []));
    const open = Array.from({ length: 20 }, (_, at): Case => ({ ...bare('open', at), said: [said(60)], scores: [said(60)] }));
    const figures = scoreSplit([...perfect, ...open], 'test');
    expect(figures.structural.false_alarm).toMatchObject({ of: 0, n: 2 * FAULT_CASES });
    expect(figures.lenses.find(({ lens }) => lens === 'right')?.precision.share).toBe(1);
    expect(figures.faults[0]?.open).toMatchObject({ of: 20, n: 20 });
  });

  test('a word that nobody heard may be said again; one that was heard is a duplicate', () => {
    const twice = (first: Said) => scoreSplit(judgedBy(({ kind }) => (kind === 'fault' ? [first, said(60)] : [])), 'test').lenses.find(({ lens }) => lens === 'right');
    expect(twice(said(50))).toMatchObject({ duplicates: { of: FAULT_CASES, n: 2 * FAULT_CASES }, lapsed: { of: 0 } });
    expect(twice({ ...said(50), lapsed: true })).toMatchObject({ duplicates: { of: 0 }, lapsed: { of: FAULT_CASES, n: 2 * FAULT_CASES } });
  });

  test('outcomes are scored against their labels', () => {
    const after = (expected: string, closed?: string): Case => ({ ...bare('aftermath', 0), expected, ...(closed === undefined ? {} : { closed }) });
    const { adjudication } = scoreSplit([after('adopted', 'adopted'), after('no_evidence', 'adopted'), after('adopted', 'open'), after('adopted')], 'test');
    expect(adjudication.right).toMatchObject({ of: 1, n: 3 });
    expect(adjudication.table).toEqual({ adopted: { adopted: 1, open: 1 }, no_evidence: { adopted: 1 } });
  });
});

// ── sessions and twins ───────────────────────────────────────────────────────

describe('sessions', () => {
  test.each(['test', 'fresh', 'later', 'blind', 'unseen'] as const)('forty and more clean hours of varied sessions, 30 to 400 records long (%s)', (split) => {
    const all = Array.from({ length: 100 }, (_, at) => written(split, at));
    expect(all.reduce((sum, { times }) => sum + activeHours(times), 0)).toBeGreaterThan(40);
    for (const { lines } of all) {
      expect(lines.length).toBeGreaterThanOrEqual(30);
      expect(lines.length).toBeLessThanOrEqual(400);
    }
    const text = all.flatMap(({ lines }) => lines).join('\n');
    for (const part of ['"is_error":true', 'Request interrupted', 'compact_boundary', 'queued_command', 'run_in_background', '"agentId"', 'task-notification', ...(split === 'test' ? ['TodoWrite'] : split === 'fresh' ? ['NotebookEdit'] : [])]) expect(text).toContain(part);
  });

  test('the same seed gives the same bytes, another seed others', () => {
    expect(written('train', 3).lines).toEqual(written('train', 3).lines);
    const other = baseSession('train', 3, 10);
    expect(transcript(other.id, other.root, stepsOf(other)).lines).not.toEqual(written('train', 3).lines);
  });

  test('no template serves two splits', () => {
    const templates = (split: Split): ReadonlySet<string> => new Set(jobsOf(split, { seed: 9, bases: { train: 40, test: 40, fresh: 40, later: 40, blind: 40, unseen: 40 }, twins: 20 }).flatMap(({ session }) => session.templates));
    const splits = (['train', 'test', 'fresh', 'later', 'blind', 'unseen'] as const).map(templates);
    for (const [at, one] of splits.entries()) {
      expect(one.size).toBeGreaterThan(60);
      for (const other of splits.slice(at + 1)) expect([...one].filter((template) => other.has(template))).toEqual([]);
    }
  });
});

describe.each(['test', 'fresh', 'later', 'blind', 'unseen'] as const)('twins (%s)', (split) => {
  const bases = Array.from({ length: 12 }, (_, at) => baseSession(split, at, 9));
  const sets = faultsOf(split).flatMap((fault) => bases.map((base) => ({ fault, base, twins: twinsOf(fault, base) })));

  test('every fault has one faulty, one clean and at least one near twin, all equally long', () => {
    for (const { fault, twins } of sets.filter((each) => each.twins.length > 0)) {
      const count = (kind: string): number => twins.filter((twin) => twin.kind === kind).length;
      expect([fault.name, count('fault'), count('clean')]).toEqual([fault.name, 1, 1]);
      expect(count('near')).toBeGreaterThan(0);
      const lengths = twins.map(({ session }) => transcript(session.id, session.root, stepsOf(session)).lines.length);
      expect(new Set(lengths).size, `${fault.name}: ${lengths.join(' ')}`).toBe(1);
    }
    expect(new Set(sets.filter(({ twins }) => twins.length > 0).map(({ fault }) => fault.name)).size).toBe(faultsOf(split).length);
  });

  test('twins differ from their base in one chapter and in nothing else', () => {
    for (const { base, twins } of sets) {
      for (const { session } of twins) {
        const changed = session.chapters.filter((chapter, at) => chapter.steps !== base.chapters[at]?.steps);
        expect(changed.length).toBeLessThanOrEqual(1);
        expect(session.chapters.length).toBe(base.chapters.length);
      }
    }
  });

  test('keys of steps are unique and the label points into the session', () => {
    for (const { twins } of sets) {
      for (const { session, kind, onset = '', evidence = [] } of twins) {
        const keys = stepsOf(session).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        if (kind === 'fault') expect(keys).toEqual(expect.arrayContaining([onset, ...evidence]));
      }
    }
  });

  test('a label made from records has its fault where it shows', () => {
    const job = jobsOf('train', { seed: 9, bases: { train: 3, test: 1, fresh: 1, later: 1, blind: 1, unseen: 1 }, twins: 1 }).find(({ label }) => label.kind === 'fault' && label.fault === 'repeated-command');
    if (job === undefined) throw new Error('no such twin');
    const lines = transcript(job.session.id, job.session.root, stepsOf(job.session));
    const label = labelled(job, lines, { said: [], scores: [], outcomes: new Map(), passes: 0, tokens: 0 });
    expect(lines.lines[label.onset ?? 0]).toContain('"is_error":true');
    expect(label.shows).toBeLessThan(label.onset ?? 0);
  });
});

// ── judges ───────────────────────────────────────────────────────────────────

describe('judges', () => {
  test('the rules give the same figures twice, and find what can be counted', async () => {
    const play = async () => {
      const judge = await openBenchJudge({ provider: 'local', model: '', base_url: '', cache: undefined, offline: false, plugin: 'plugin', env: {} });
      const cases = await runAll({ seed: 9, bases: { train: 4, test: 1, fresh: 1, later: 1, blind: 1, unseen: 1 }, twins: 1, splits: ['train'], recorded: 'test/fixtures/sessions', progress: () => undefined }, judge.pipeline);
      await judge.close();
      // The recorded sessions come first: three clean ones, and two whose fault is found.
      expect(cases.slice(0, 5).map(({ kind, said }) => [kind, said.length])).toEqual([['base', 0], ['base', 0], ['base', 0], ['fault', 1], ['fault', 1]]);
      return [scoreSplit(cases, 'train')] as const;
    };
    const figures = await play();
    expect(await play()).toEqual(figures);
    expect(figures[0].structural.detection.share).toBeGreaterThan(0.5);
    expect(lastLine(figures, 'local')).toMatchObject({ judge: 'local', structural: { detection: figures[0].structural.detection.share, falseAlarm: expect.any(Number) as number }, falsePerCleanHour: expect.any(Number) as number });
    expect(terminal(figures, 'local')).toContain('repeated-command');
    expect(markdown(figures, 'local')).toContain('| repeated-command | structural |');
  });

  test('a model’s answers are played again without asking, with the same figures', async () => {
    const server = await openModelServer({ script: answerTo({ default: () => silent('looked') }) });
    const play = async (offline: boolean) => {
      const judge = await openBenchJudge({ provider: 'openai', model: 'm', base_url: server.url, cache: join(folder, 'model'), offline, plugin: 'plugin', env: { OPENAI_API_KEY: 'dummy' } });
      const cases = await runAll({ seed: 9, bases: { train: 1, test: 0, fresh: 0, later: 0, blind: 0, unseen: 0 }, twins: 0, splits: ['train'], progress: () => undefined }, judge.pipeline);
      await judge.close();
      return { figures: scoreSplit(cases, 'train'), counts: judge.counts() };
    };
    const first = await play(false);
    const asked = server.requests.length;
    const second = await play(true);
    await server.close();
    expect(first.counts).toEqual({ asked, from_cache: 0, absent: 0 });
    expect(second.counts).toEqual({ asked: 0, from_cache: asked, absent: 0 });
    expect(first.figures.cost.tokens).toBeGreaterThan(0);
    expect(second.figures).toEqual(first.figures);
  });

  test('a scripted judge is found out by its labels, with and without the server that answers for it', async () => {
    const jobs = jobsOf('train', { seed: 9, bases: { train: 2, test: 0, fresh: 0, later: 0, blind: 0, unseen: 0 }, twins: 1 }).filter(({ label }) => label.fault === 'repeated-command' && label.kind !== 'aftermath');
    const server = await openModelServer({
      script: answerTo({ 'repeat-failure': ({ find }) => advise({ headline: 'It fails the same way each time', body: 'Look at the cause.', confidence: 0.93, dedup_key: 'row', evidence: cite(find('error', ' ').slice(-3)) }) }),
    });
    const play_all = async (offline: boolean) => {
      const judge = await openBenchJudge({ provider: 'openai', model: 'm', base_url: server.url, cache: join(folder, 'scripted'), offline, plugin: 'plugin', env: { OPENAI_API_KEY: 'dummy' } });
      const cases: Case[] = [];
      for (const job of jobs) {
        const lines = transcript(job.session.id, job.session.root, stepsOf(job.session));
        cases.push(labelled(job, lines, await play({ id: job.session.id, root: job.session.root, written: lines, ...(job.twin?.evidence === undefined ? {} : { evidence: job.twin.evidence }) }, judge.pipeline)));
      }
      await judge.close();
      return { figures: scoreSplit(cases, 'train'), counts: judge.counts() };
    };
    const live = await play_all(false);
    await server.close();
    const again = await play_all(true);
    expect(live.figures.structural).toMatchObject({ detection: { of: 1, n: 1 }, false_alarm: { of: 0 }, at_five: { threshold: 0.93, detection: { of: 1, n: 1 }, false_alarm: { of: 0 } } });
    expect(live.figures.lenses[0]).toMatchObject({ lens: 'repeat-failure', precision: { of: 1, n: 1 }, on_mark: { of: 1, n: 1 } });
    expect(again.figures).toEqual(live.figures);
    expect(again.counts).toMatchObject({ asked: 0, absent: 0 });
  });

  test('an answer is kept under what was asked, and neither address nor key is part of that', () => {
    const task = { kind: 'fork', provider: { kind: 'openai', model: 'm', base_url: 'http://a', key: 'dummy' }, prefix: Buffer.from('{"a":1'), tail: 'x', grant: [], limits: { iterations: 1, max_output_tokens: 9 } } as unknown as ForkTask;
    const key = requestHash(task);
    expect(requestHash({ ...task, provider: { ...task.provider, base_url: 'http://b', key: 'other' } })).toBe(key);
    expect(requestHash({ ...task, tail: 'y' })).not.toBe(key);
    const cache = openCache(join(folder, 'answers'));
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, { verdict: 'silent' });
    expect(openCache(join(folder, 'answers')).get(key)).toEqual({ verdict: 'silent' });
  });
});

test('nothing in the product knows the benchmark', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join('src', name), 'utf8'));
  for (const text of sources) expect(text).not.toMatch(/bench\/|judgment\//);
});
