// What must hold whatever a model says: through records, threads, gate, mailbox and ledger at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Knobs } from '../../src/main/floor/knobs.ts';
import { allLedgers } from '../../src/main/memory/ledger-file.ts';
import { advise, answerTo, cite, silent, type Rule } from '../support/competent-model.ts';
import { openDetectorRun, type DetectorRun, type Played } from '../support/detector-run.ts';
import { claim, edit, end, prompt, run, say, type Part } from '../support/story.ts';

let on: DetectorRun;
beforeAll(async () => {
  on = await openDetectorRun();
});
afterAll(() => on.close());

/** One turn of work, long enough after the last for a pass of its own. */
const turn = (n: number, words = `Go on with part ${n} of the parser.`, wait = 400): readonly Part[] => [prompt(words, wait), edit(`src/part-${n}.ts`, 'a', `b${n}`), claim(`Part ${n} is written.`), end()];
const often = (base: Knobs): Knobs => ({ ...base, loop: { ...base.loop, salience_triggers: [] }, gate: { ...base.gate, rate_per_hour: 1000, cooldown_s: 0 } });
const delivered = ({ events, advice }: Played): readonly string[] => events.flatMap((event) => (event.type === 'delivered' && advice.some(({ id }) => id === event.id) ? [/\n\n(.*)\n/.exec(event.text)?.[1] ?? event.text] : []));
const fates = ({ events }: Played): readonly string[] => events.flatMap((event) => (event.type === 'advice' ? [event.because ?? event.to] : []));
const outcomes = ({ events }: Played): readonly string[] => events.flatMap((event) => (event.type === 'outcome' ? [`${event.verdict} ${event.evidence.join(' ')}`.trim()] : []));
const last = (lines: readonly { readonly n: number; readonly text: string }[]) => lines.at(-1);

describe('evidence', () => {
  const cited = (evidence: readonly string[]): Promise<Played> =>
    on.play({ parts: [...turn(1), ...turn(2)], knobs: often, rules: { default: () => advise({ headline: 'The parser was rewritten by somebody else', evidence, dedup_key: 'k' }) }, detectors: { default: {} } });

  test.each([
    ['a file', ['src/never-seen.ts', 'lib/ghost.py:12']],
    ['a commit', ['e8ac6d7', 'commit e8ac6d71']],
    ['a command', ['`npm run migrate --force`', 'run: terraform apply']],
    ['an observation', ['#999', '#0']],
    ['words', ['"the tests are all green now"']],
    ['nothing at all', []],
  ])('%s that nobody saw never leaves the gate', async (_what, evidence) => {
    const played = await cited(evidence);
    expect(played.history.filter(({ event }) => event === 'generated').length).toBeGreaterThan(0);
    expect(new Set(fates(played))).toEqual(new Set(['no-evidence']));
    // Not even in the report the user gets.
    expect(played.events.filter(({ type }) => type === 'delivered')).toEqual([]);
    expect(played.advice).toEqual([]);
  });

  test('what is true among it stays, and only that is said', async () => {
    const played = await cited(['e8ac6d7', 'src/never-seen.ts', 'src/part-1.ts']);
    expect(played.advice[0]?.evidence.map(({ cite: one }) => one)).toEqual(['src/part-1.ts']);
  });

  test('what an earlier pass made up does not prove itself in a later one', async () => {
    let asked = 0;
    const rule: Rule = ({ reported }) => {
      asked += 1;
      if (asked === 1) return advise({ headline: 'Commit e8ac6d7 rewrote lib/ghost.ts', evidence: ['e8ac6d7'], dedup_key: 'first' });
      expect(reported.join('\n')).toContain('e8ac6d7');
      return advise({ headline: 'An earlier commit touched the parser', evidence: ['e8ac6d7', 'lib/ghost.ts'], dedup_key: `again-${asked}` });
    };
    const played = await on.play({ parts: [...turn(1), ...turn(2), ...turn(3)], knobs: often, rules: { default: rule }, detectors: { default: {} } });
    expect(asked).toBeGreaterThan(1);
    expect([played.advice, delivered(played)]).toEqual([[], []]);
  });
});

test('twenty passes that raise one finding in ever new words deliver it once', async () => {
  const words = [
    'No tests have been run since src/parser.ts was edited', 'Tests were not run after the edits to src/parser.ts', 'src/parser.ts was changed but the test suite has not been run',
    'Changes to src/parser.ts were never followed by a test run', 'No test run seen after src/parser.ts was modified', 'The test suite was never executed after changing src/parser.ts',
    'Edits in src/parser.ts remain untested: no test command was run', 'src/parser.ts:40 was edited and no tests ran afterwards', 'After modifying src/parser.ts the tests have not been executed',
    'Tests still not run since the changes in src/parser.ts', 'The edited src/parser.ts has not been exercised by any test run', 'No run of the tests followed the update of src/parser.ts',
    'The work on src/parser.ts was declared done, but tests were never run after the edits', 'Unverified edits: src/parser.ts changed, tests not run', 'src/parser.ts was rewritten, and no vitest run was seen since',
    'Since the change to src/parser.ts nothing has run the tests', 'Editing src/parser.ts was not followed by running tests', 'It appears tests were not run after src/parser.ts was touched',
    'The agent edited src/parser.ts and finished without running the tests', 'Test execution is missing after the changes to src/parser.ts',
  ];
  let asked = 0;
  const rule: Rule = ({ find }) => {
    asked += 1;
    return advise({ headline: words[(asked - 1) % words.length], body: `Said in other words, ${asked}.`, evidence: cite([last(find('tool', '[tool] edit'))]), dedup_key: `key-${asked}` });
  };
  const played = await on.play({ parts: Array.from({ length: 21 }, (_, n) => turn(n, `Go on with part ${n} of the parser.`)).flat(), knobs: often, rules: { default: rule }, detectors: { default: {} } });
  expect(asked).toBeGreaterThanOrEqual(20);
  expect(delivered(played)).toEqual([words[0]]);
  expect(new Set(fates(played).slice(1))).toEqual(new Set(['duplicate']));
});

describe('outcomes', () => {
  const raise: Rule = ({ find, lines }) => (lines.length < 6 ? advise({ headline: 'The parser drops the last token', evidence: cite([last(find('tool', '[tool] edit'))]), dedup_key: 'last-token' }) : silent());
  /** Says the finding first; from the next pass on answers with `later`. */
  const then = (later: Rule): Rule => (look) => (look.open.length === 0 && look.reported.every((line) => !line.includes('→ advise')) ? raise(look) : later(look));
  const parts = [...turn(1), ...turn(2), ...turn(3), ...turn(4)];
  const play = (rules: Readonly<Record<string, Rule>>, detectors: Readonly<Record<string, object>> = { default: {} }): Promise<Played> => on.play({ parts, knobs: often, rules, detectors: detectors as never });
  const close = (verdict: string, evidence: readonly string[], id: string | undefined, reason?: string) => ({ feedback: { verdict: 'silent', outcomes: id === undefined ? [] : [{ advice_id: id, verdict, evidence, reason }] } });

  test('a fork closes its own advice by an observation that came later', async () => {
    const played = await play({ default: then(({ open, find }) => close('adopted', cite([last(find('tool', '[tool] edit'))]), open[0]?.id)) });
    expect(outcomes(played)).toEqual([expect.stringMatching(/^adopted #\d+$/)]);
    const after = played.advice[0]?.after ?? 0;
    expect(Number(/\d+/.exec(outcomes(played)[0] ?? '')?.[0])).toBeGreaterThan(after);
  });

  test('not by what it knew before, by what does not exist, or by words', async () => {
    const played = await play({ default: then(({ open, lines }) => close('adopted', [`#${lines[0]?.n ?? 1}`, '#4711', 'the agent said so'], open[0]?.id)) });
    expect(delivered(played)).toHaveLength(1);
    expect(outcomes(played)).toEqual([]);
  });

  test("no other detector's fork closes it", async () => {
    let id: string | undefined;
    const spy: Rule = ({ find }) => close('rejected', cite([last(find('tool', '[tool] edit'))]), id);
    const played = await play({ default: then(({ open }) => { id = open[0]?.id ?? id; return silent(); }), 'goal-drift': spy }, { default: {}, 'goal-drift': { cadence: 'every_pass' } });
    expect(id).toBeDefined();
    expect(outcomes(played)).toEqual([]);
  });

  test('what was rejected is not raised again, in no words of the same key; the reason is kept', async () => {
    let rejected = false;
    const played = await play({
      default: then(({ open, find }) => {
        const [first] = open;
        if (first !== undefined && !rejected) {
          rejected = true;
          return close('rejected', cite([last(find('tool', '[tool] edit'))]), first.id, 'the user wants it so');
        }
        return rejected ? advise({ headline: 'Something quite different about headings', evidence: cite([last(find('tool', '[tool] edit'))]), dedup_key: 'last-token' }) : silent();
      }),
    });
    expect(outcomes(played)).toEqual([expect.stringMatching(/^rejected #/)]);
    expect(fates(played)).toEqual(['agent', expect.stringMatching('suppressed'), ...fates(played).slice(2)]);
    expect(delivered(played)).toHaveLength(1);
    const [ledger] = allLedgers(played.paths).map((found) => found.ledger);
    expect(ledger?.advice[0]).toMatchObject({ verdict: 'rejected', reason: 'the user wants it so' });
    expect(ledger?.suppressed[0]).toMatchObject({ key: 'last-token', because: expect.stringContaining('the user wants it so') });
  });

  test('a detector that nobody heeds falls silent for the task, and is asked no more', async () => {
    let n = 0;
    const nag: Rule = ({ find, open }) => {
      n += 1;
      const step = cite([last(find('tool', '[tool] edit'))]);
      const subjects = ['tokens', 'headings', 'margins', 'currencies', 'timeouts', 'logging', 'sorting', 'caching', 'colours', 'cookies', 'sockets', 'fonts', 'vouchers', 'holidays', 'weights'];
      return { feedback: { verdict: 'advise', confidence: 0.95, headline: `${subjects[n % subjects.length]} ${n} deserve ${'qwertyuiopasd'.slice(n % 13)} attention`, evidence: step, dedup_key: `nag-${n}`, outcomes: open.map(({ id }) => ({ advice_id: id, verdict: 'contradicted', evidence: step })) } };
    };
    const played = await on.play({ parts: Array.from({ length: 16 }, (_, at) => turn(at, `Go on with part ${at} of the parser.`)).flat(), knobs: often, rules: { 'goal-drift': nag }, detectors: { 'goal-drift': { cadence: 'every_pass' } } });
    expect(outcomes(played).filter((outcome) => outcome.startsWith('contradicted'))).toHaveLength(10);
    const [ledger] = allLedgers(played.paths).map((found) => found.ledger);
    expect(ledger?.calibration['goal-drift']).toMatchObject({ muted: true, closed: 10 });
    const asked = played.requests.length;
    expect(asked).toBeLessThan(played.events.filter(({ type }) => type === 'pass').length);
  });
});

test('a detector whose model hangs is slowed down, switched off, tried once more; the others go on', async () => {
  const impatient = (base: Knobs): Knobs => ({ ...often(base), loop: { ...often(base).loop, fork_deadline_s: 0.3, fork_grace_s: 0.2, demote_retry_s: 2000 } });
  const script = answerTo({});
  const played = await on.play({
    parts: Array.from({ length: 14 }, (_, n) => turn(n, `Go on with part ${n} of the parser.`)).flat(),
    knobs: impatient,
    script: (request) => (request.tail.includes('Your look: goal-drift') ? { fault: { kind: 'hang', after: 'headers' } } : script(request)),
    detectors: { default: { deadline_s: 20 }, 'goal-drift': { cadence: 'every_pass' } },
  });
  const passes = played.events.filter(({ type }) => type === 'pass').length;
  const ends = (name: string): readonly string[] => played.events.flatMap((event) => (event.type === 'fork' && event.detector === name ? [`${event.pass} ${event.end}`] : []));
  expect(ends('default')).toHaveLength(passes);
  expect(ends('default').every((line) => line.endsWith('feedback'))).toBe(true);
  // Passes 1 and 2, then one in three, then off at the fourth, and one retry after its time.
  expect(ends('goal-drift').map((line) => line.split(' ')[1])).toEqual(['deadline', 'deadline', 'deadline', 'deadline', 'deadline']);
  expect(ends('goal-drift').slice(0, 4).map((line) => Number(line.split(' ')[0]))).toEqual([1, 2, 3, 6]);
  expect(played.notes.filter((note) => note.startsWith('goal-drift: '))).toEqual([
    expect.stringContaining('in one pass of 3 after 2 timeouts'), expect.stringContaining('off for this task after 4 timeouts'), expect.stringContaining('stays off for this task'),
  ]);
}, 120_000);

test('a goal that changes by a prompt makes a task of its own, whose forks see nothing of the old one', async () => {
  const other = 'Write a landing page in German with pricing table and newsletter signup';
  const played = await on.play({ parts: [...turn(1), ...turn(2), prompt(other, 400), edit('web/landing.html', 'a', 'b'), claim('Preise stehen bereit.'), end(), say('…'), run('ls')], knobs: often, detectors: { default: {} } });
  const goals = allLedgers(played.paths).map(({ ledger }) => ledger.goal).sort();
  expect(goals).toEqual(['Go on with part 1 of the parser.', other]);
  const about = played.requests.map(({ raw }) => [raw.includes('part 1 of the parser'), raw.includes('landing page')]);
  expect(about.filter(([old, fresh]) => old === true && fresh === true)).toEqual([]);
  expect(about.some(([, fresh]) => fresh)).toBe(true);
});

test('a goal that a fork sees changing makes one too: the prompt and its work move along and can be cited', async () => {
  const turned: Rule = ({ find }) => (find('prompt', 'newsletter').length > 0 && find('prompt', 'part 1').length > 0 ? { feedback: { verdict: 'silent', new_goal: 'Send the newsletter of the parser project' } } : silent());
  const later: Rule = ({ find }) => {
    const [step] = find('tool', 'letter.html');
    return step === undefined || find('prompt', 'part 1').length > 0 ? silent() : advise({ headline: 'The letter names no sender', evidence: cite([find('prompt', 'newsletter')[0], step]), dedup_key: 'sender' });
  };
  const played = await on.play({
    parts: [...turn(1), prompt('Leave the parser; next is its newsletter.', 400), edit('web/letter.html', 'a', 'b'), claim('The letter is laid out.'), end(), ...turn(2, 'Put the date into the newsletter of the parser, too.')],
    knobs: often, rules: { 'goal-drift': turned, default: later }, detectors: { default: {}, 'goal-drift': { cadence: 'every_pass' } },
  });
  expect(allLedgers(played.paths).map(({ ledger }) => ledger.goal).sort()).toEqual(['Go on with part 1 of the parser.', 'Send the newsletter of the parser project']);
  expect(played.advice.map(({ evidence }) => evidence.map(({ cite: one, text }) => `${one} ${text.slice(0, 14)}`))).toEqual([['#1 [prompt] Leave', expect.stringMatching(/^#2 \[tool\] Edit/)]]);
});
