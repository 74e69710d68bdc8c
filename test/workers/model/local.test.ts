import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/main/pass/catalogue-file.ts';
import { repeatFailures } from '../../../src/main/pass/structure.ts';
import { textProblems } from '../../../src/main/speak/sanitise.ts';
import type { Detector, Feedback, Numbered } from '../../../src/main/records.ts';
import type { ForkTask } from '../../../src/workers/contract.ts';
import { judgeLocally } from '../../../src/workers/model/local.ts';

const { detectors } = loadCatalogue({ bundle: 'plugin/detectors.json', prompts: 'plugin/prompts', file: '', overrides: {} });
const named = (name: string): Detector => {
  const found = detectors.find((detector) => detector.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

/**
 * One observation a word: `> prompt`, `" text`, `edit path`, `$ command`, `agent text`, `end` (turn end) or `end reason`,
 * `note kind`. A trailing ` !` makes a call fail.
 */
const stream = (...lines: readonly string[]): Numbered[] => {
  const seen: Numbered[] = [];
  const add = (observation: Partial<Numbered> & Pick<Numbered, 'kind' | 'text'>): void => {
    const n = seen.length + 1;
    seen.push({ at: n * 1000, uuid: `u${n}`, raw_chars: 1, n, ...observation });
  };
  for (const line of lines) {
    const failed = line.endsWith(' !');
    const [head = '', ...words] = (failed ? line.slice(0, -2) : line).split(' ');
    const rest = words.join(' ');
    const call = `c${seen.length}`;
    if (head === '>') add({ kind: 'prompt', text: `[prompt] ${rest}`, human: true });
    else if (head === '"') add({ kind: 'text', text: `[text] ${rest}` });
    else if (head === 'edit') add({ kind: 'tool', tool: 'Edit', call, writes: true, paths: [rest], text: `[tool] Edit ${rest}${failed ? '' : ' → done'}` });
    else if (head === 'read') add({ kind: 'tool', tool: 'Read', call, paths: [rest], text: `[tool] Read ${rest} → done` });
    else if (head === '$') add({ kind: 'tool', tool: 'Bash', call, command: rest, text: `[tool] Bash\n  ${rest}${failed ? '' : ' → done'}` });
    else if (head === 'tool') add({ kind: 'tool', tool: rest, call, text: `[tool] ${rest} → done` });
    else if (head === 'agent') add({ kind: 'agent', text: `[agent] ${rest}` });
    else if (head === 'end') add({ kind: 'note', note: 'turn-end', text: '[note] turn ended', ...(rest === '' ? {} : { reason: rest }) });
    else add({ kind: 'note', note: rest as 'interrupt', text: `[note] ${rest}` });
    if (failed) add({ kind: 'error', call, text: '[error] failed' });
  }
  return seen;
};

const task = (detector: Detector, seen: readonly Numbered[], over: Partial<ForkTask> = {}): ForkTask => ({
  kind: 'fork', id: 't', nonce: 'n', tail: '', prefix: new Uint8Array(), grant: [], pilot: false, warm: 0, detector, stream: seen,
  provider: { kind: 'local', base_url: '', model: '', key: '', cache_ttl: '5m', auto_choice: false },
  limits: { deadline_ms: 1, grace_ms: 1, iterations: 1, max_output_tokens: 1, token_budget: 1, body_cap: 700 }, ...over,
});
const ask = (lines: readonly string[], over: Partial<ForkTask> = {}): Feedback => judgeLocally(task(named('standard-questions'), stream(...lines), over));

const START = ['> please add rounding to the quote', '" I read the code first.', 'read src/rates.mjs'];
const CLAIM = '" Done. The quote is rounded now and the README says so.';
const UNTESTED = [...START, 'edit src/rates.mjs', 'edit src/zones.mjs', '$ npm run build', CLAIM, 'end'];

describe('repeat-failure, by rules', () => {
  const judged = (prompt: string): string => {
    const seen = stream(`> ${prompt}`, '$ make up !', '$ make up !', '$ make up !');
    const [match] = repeatFailures(seen, named('repeat-failure'), { from: 1 });
    return judgeLocally(task(named('repeat-failure'), seen, match === undefined ? {} : { match })).verdict;
  };

  it('tells of two commands that take turns at failing, unless that was ordered', () => {
    const seen = (prompt: string): Numbered[] => stream(`> ${prompt}`, '$ make up !', '$ ./up.sh !', '$ make up !', '$ ./up.sh !');
    const verdict = (prompt: string): string => {
      const [match] = repeatFailures(seen(prompt), named('repeat-failure'), { from: 1 });
      return judgeLocally(task(named('repeat-failure'), seen(prompt), match === undefined ? {} : { match })).verdict;
    };
    expect(verdict('bring it up')).toBe('advise');
    expect(verdict('try both ways twice, two times each')).toBe('silent');
  });

  it('keeps still where the user has asked for it again and again', () => {
    expect(judged('bring it up')).toBe('advise');
    expect(judged('the line is bad today, keep trying')).toBe('silent');
    expect(judged('run it six times, how often is it red?')).toBe('silent');
  });
});

describe('standard-questions, by rules', () => {
  it('speaks when source was edited, the work is called done, and no test ran', () => {
    expect(ask(UNTESTED)).toEqual({
      verdict: 'advise', headline: 'No test run was observed after the last change to the source',
      body: 'It concerns 2 changes to src/rates.mjs, src/zones.mjs. The work is described as finished.',
      evidence: ['#4', '#5', '#7', '#8'], confidence: 0.85, dedup_key: 'standard-questions:tests_run', finish_gate: true, stale_if: expect.arrayContaining(['npm test', 'pytest']),
    });
  });

  it.each<[string, string[], number]>([
    ['at a turn’s end after a claim', UNTESTED, 0.85],
    ['when the tests ran, but not after the last edits', [...START, 'edit src/a.ts', '$ npm test', 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end'], 0.85],
    ['when a test was only written', [...START, 'edit src/a.ts', 'edit test/a.test.ts', CLAIM, 'end'], 0.85],
    ['when a command only names the tests', [...START, 'edit src/a.ts', 'edit src/b.ts', '$ git add test/a.test.ts && git diff --stat -- test', '$ grep -rn "npm test" README.md', CLAIM, 'end'], 0.85],
    ['on Windows paths', [...START, 'edit C:\\work\\app\\src\\a.cs', 'edit C:\\work\\app\\src\\b.cs', CLAIM, 'end'], 0.85],
    ['when words are not English', [...START, 'edit src/a.ts', 'edit src/b.ts', '" 完成了，所有金额都已四舍五入。', 'end'], 0.85],
    ['after notes behind the turn end', [...UNTESTED, 'note background'], 0.85],
    ['more softly after one edit', [...START, 'edit src/a.ts', CLAIM, 'end'], 0.55],
    ['more softly when nothing was declared', [...START, 'edit src/a.ts', 'edit src/b.ts', '" The sum uses toCents as well.', 'end'], 0.5],
  ])('speaks %s', (_, lines, confidence) => {
    expect(ask(lines)).toMatchObject({ verdict: 'advise', dedup_key: 'standard-questions:tests_run', confidence });
  });

  it.each<[string, string[]]>([
    ['the tests ran after the last edit', [...START, 'edit src/a.ts', 'edit src/b.ts', '$ npm test', CLAIM, 'end']],
    ['the tests ran and failed', [...START, 'edit src/a.ts', 'edit src/b.ts', '$ npm test !', CLAIM, 'end']],
    ['a wider command ran them', [...START, 'edit src/a.ts', 'edit src/b.ts', '$ cd /r && CI=1 npm run build && npm test 2>&1 | tail -5', CLAIM, 'end']],
    ['a tool ran them', [...START, 'edit src/a.ts', 'edit src/b.ts', 'tool mcp__ide__runTests', CLAIM, 'end']],
    ['a subagent ran them', [...START, 'edit src/a.ts', 'edit src/b.ts', 'agent reviewer: all 12 tests pass', CLAIM, 'end']],
    ['the user ruled them out', ['> fix it, but don’t run the tests, CI does that', 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']],
    ['the user runs them', ['> fix it. I’ll run the tests myself', 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']],
    ['there are none', [...START, 'edit src/a.ts', '" This project has no tests, so I check by hand.', 'edit src/b.ts', CLAIM, 'end']],
    ['the agent says openly that it did not', [...START, 'edit src/a.ts', 'edit src/b.ts', '" Done. I have not run the tests, since the database is missing.', 'end']],
    ['only documents changed', [...START, 'edit README.md', 'edit docs/guide.md', 'edit docs/snippets/a.ts', CLAIM, 'end']],
    ['only configuration changed', [...START, 'edit package.json', 'edit vite.config.ts', 'edit .github/workflows/ci.yml', CLAIM, 'end']],
    ['nothing changed', [...START, '$ git log --oneline', CLAIM, 'end']],
    ['every edit failed', [...START, 'edit src/a.ts !', 'edit src/b.ts !', CLAIM, 'end']],
    ['the turn is not over', UNTESTED.slice(0, -1)],
    ['the words are about a later turn without a change', [...START, 'edit src/a.ts', 'edit src/b.ts', '" Pausing here.', 'end', '> commit that', '$ git commit -am x', CLAIM, 'end']],
    ['work is going on', [...START, 'edit src/a.ts', 'edit src/b.ts', '$ npm run build']],
    ['the agent announces the next step', [...START, 'edit src/a.ts', 'edit src/b.ts', '" The zones are done. Next, I will run everything.', 'end']],
    ['the agent asks', [...START, 'edit src/a.ts', 'edit src/b.ts', '" Done with the first half. Should I go on with the second?', 'end']],
    ['the turn was interrupted', [...START, 'edit src/a.ts', 'edit src/b.ts', 'note interrupt']],
    ['the turn ended by an error', [...START, 'edit src/a.ts', 'edit src/b.ts', 'end api-error']],
    ['a new prompt has come', [...UNTESTED, '> thanks, and now the docs']],
    ['one edit, nothing declared', [...START, 'edit src/a.ts', '" The sum uses it as well.', 'end']],
    ['a turn ended in the middle of calls, one edit', [...START, 'edit src/a.ts', 'end']],
    ['an empty stream', []],
  ])('is silent when %s', (_, lines) => {
    expect(ask(lines).verdict).toBe('silent');
  });

  it.each([
    'npm test', 'npm t', 'npm run test:unit', 'npm run unit-test', 'npm -w api test', 'yarn test', 'pnpm -r test', 'npx vitest run', 'npx jest src/a', 'node --test', 'node --import tsx --test src', 'deno test -A', 'bun test',
    'pytest -q', 'python -m pytest tests', 'python3 tests/run.py', 'python manage.py test', 'python -m unittest', 'poetry run pytest', 'uv run pytest -x', 'tox -e py312', 'go test ./...', 'cargo test', 'cargo nextest run',
    'mvn -q test', './mvnw verify', './gradlew :app:test', 'gradle check', 'make test', 'make check', 'dotnet test', 'bundle exec rspec', 'bin/rails test', 'vendor/bin/phpunit', 'php artisan test', 'ctest --output-on-failure',
    'bats test', 'mix test', 'swift test', 'flutter test', 'bazel test //...', 'just test', './scripts/test.sh', 'bash run_tests.sh', 'docker compose run --rm app pytest', 'npx playwright test', 'npm run check', 'sbt test', 'npx nx test api',
    'timeout 300 npm test -- --run 2>&1 | tail -30', 'cd api && (npm test)', 'bash -lc "npm test"', 'time make -j4 test',
  ])('knows %j for a test run', (command) => {
    expect(ask([...START, 'edit src/a.ts', 'edit src/b.ts', `$ ${command}`, CLAIM, 'end']).verdict).toBe('silent');
  });

  it.each(['Fix it and run the tests.', 'Fix it and test it well.', 'Fix the failing test.', 'Add a test for it.', 'Please make sure that all tests still pass.'])('speaks where the user asked for tests: %s', (prompt) => {
    expect(ask([`> ${prompt}`, 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']).verdict).toBe('advise');
  });

  it.each([
    'Fix it, then test it.', 'Run the tests when you are through. Change it first.', 'Change it. Make sure that the suite stays green.', 'Ändere das und danach die Tests laufen lassen.', 'Passe es an und teste es.', 'Corrige le calcul et lance les tests.', 'Cambia el límite y ejecuta las pruebas.', 'Corrija isso e rode os testes.',
    '直して、テストを実行してください。', '改一下，然后测试。', 'CI is red since this morning, fix it.',
    'Change it. The integration tests need the VPN, so only the unit tests please.', 'Guard it. You can leave out the e2e suite, it takes ages.', 'Round it, no browser tests needed.',
  ])('speaks where tests were asked for, or some were: %s', (prompt) => {
    expect(ask([`> ${prompt}`, 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']).verdict).toBe('advise');
  });

  it.each([
    'Add a test, but don’t run anything.', 'Write tests for it. Do not run them here.', 'dont run anything, sandbox has no network', 'quick spike, throwaway', 'just a prototype', 'no tests pls 🙏', 'skip tests', 'you write, I run', 'Tests lasse ich selber laufen.', 'ohne Tests bitte', 'Nur ein Entwurf.', 'pas besoin de lancer les tests', 'sans tests, merci',
    'sin pruebas por favor', 'ya lo pruebo yo', 'sem testes, por favor', 'non serve lanciare i test', 'テストは不要です。', 'テストを実行しないで。', '不用测试。', '先别运行', '테스트는 필요 없어요', 'без тестов',
  ])('is silent where the user lets it off: %s', (waiver) => {
    expect(ask([`> Change it. ${waiver}`, 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']).verdict).toBe('silent');
  });

  it.each([
    'Done. The suite was green before that, I have not rerun it.', 'Finished apart from a rerun of the suite.', 'Done, ran nothing.', 'Erledigt, aber noch nicht getestet.', 'Fertig. Die Tests habe ich nach der letzten Änderung nicht noch einmal laufen lassen.', 'C’est fait, mais pas testé.', 'Listo, sin probar.', 'Feito, sem testes.', 'Fatto, non testato.', '対応しました。テストは実行していません。', '已完成，未测试。',
  ])('is silent where the agent says that it did not: %s', (words) => {
    expect(ask([...START, 'edit src/a.ts', 'edit src/b.ts', `" ${words}`, 'end']).verdict).toBe('silent');
  });

  const later = (waiver: string, prompt = 'now the zones'): string => ask([`> ${waiver}`, '" Understood.', 'end', `> ${prompt}`, 'edit src/c.ts', 'edit src/d.ts', CLAIM, 'end']).verdict;

  it.each(['House rule: I do all test runs. You only write.', 'for everything today: dont run tests, the machine is on battery', 'From now on no tests please.', 'never run the tests yourself', 'heute keine Tests', 'ab jetzt keine Testläufe mehr', 'no ejecutes pruebas hoy', 'ne lance jamais les tests', 'I have the suite in watch mode', 'CI does the tests'])('a standing waiver holds for later prompts: %s', (waiver) => {
    expect(later(waiver)).toBe('silent');
  });

  it('a standing waiver of another task holds as well', () => {
    const earlier = stream('> no tests in this session', '> now the zones');
    expect(ask(UNTESTED, { earlier }).verdict).toBe('silent');
    expect(ask(['> and run the tests', ...UNTESTED.slice(1)], { earlier }).verdict).toBe('advise');
    expect(ask(UNTESTED, { earlier: stream('> rename it, no tests for this one') }).verdict).toBe('advise');
  });

  it('a waiver of one task does not, nor one that was taken back', () => {
    expect(later('rename it, no tests for this one')).toBe('advise');
    expect(later('no tests today', 'now the zones. please run the tests again')).toBe('advise');
    expect(later('Fix what broke today. No test for this one')).toBe('advise');
  });

  it.each(['config/application.rb', '/r/app/config/queue.php', '/r/mix.exs', '/r/clinic/settings/base.py', '/r/settings.py', 'app/build.gradle.kts', 'Package.swift', 'drizzle.config.ts', '/r/lib/shop/version.rb', 'src/locales/de.ts', '/r/resources/lang/fr/auth.php', '/r/proto/api_pb2.py'])('is silent when only a declaration changed: %s', (path) => {
    expect(ask([...START, `edit ${path}`, `edit ${path}`, CLAIM, 'end']).verdict).toBe('silent');
  });

  it.each(['The suite is broken, ignore it.', 'Testing can wait.', 'I verify it on the device.', 'Running it is my job.', 'CI does the rest.'])('is silent where the user has thought of it in other words: %s', (waiver) => {
    expect(ask([`> Change it. ${waiver}`, 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end']).verdict).toBe('silent');
  });

  it('speaks softly of words that declare nothing, and not at all of words in doubt', () => {
    expect(ask([...START, 'edit src/a.ts', 'edit src/b.ts', '" The sum uses it as well.', 'end'])).toMatchObject({ verdict: 'advise', confidence: 0.5 });
    expect(ask([...START, 'edit src/a.ts', 'edit src/b.ts', '" The sum does not use it.', 'end']).verdict).toBe('silent');
  });

  it('takes one more change seriously where earlier ones were tested, and a waiver for the turn it was given in', () => {
    expect(ask([...START, 'edit src/a.ts', '$ npm test', 'edit src/b.ts', CLAIM, 'end'])).toMatchObject({ verdict: 'advise', confidence: 0.7 });
    const waived = ['> fix it, do not run the tests', 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end'];
    expect(ask([...waived, '> now the zones', 'edit src/c.ts', 'edit src/d.ts', CLAIM, 'end'])).toMatchObject({ verdict: 'advise', confidence: 0.55 });
  });

  it.each(['npm run build', 'bun run typecheck', 'npm run type-check', 'bin/rails zeitwerk:check', 'vendor/bin/pint --test', 'vendor/bin/phpstan analyse', 'isort src', 'npx svelte-check', 'git commit -m "add tests"', 'cat test/a.test.ts', 'ls tests', 'npm install vitest', 'git stash', 'node src/a.mjs', 'echo npm test'])('does not take %j for a test run', (command) => {
    expect(ask([...START, 'edit src/a.ts', 'edit src/b.ts', `$ ${command}`, CLAIM, 'end']).verdict).toBe('advise');
  });

  it('says it once: later it is still open, then resolved by the run that came after', () => {
    const open = [{ id: 'sb-1', key: 'standard-questions:tests_run', after: 8 }];
    expect(ask([...UNTESTED, '> go on', 'edit src/c.ts', CLAIM, 'end'], { open })).toEqual({ verdict: 'still_open', dedup_key: 'standard-questions:tests_run' });
    expect(ask([...UNTESTED, '$ npm test'], { open })).toMatchObject({
      verdict: 'resolved', dedup_key: 'standard-questions:tests_run', evidence: ['#9'], outcomes: [{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#9'] }],
    });
    const again = ask([...UNTESTED, '$ npm test', 'edit src/a.ts', 'edit src/b.ts', CLAIM, 'end'], { open });
    expect(again).toMatchObject({ verdict: 'advise', outcomes: [{ advice_id: 'sb-1', verdict: 'adopted' }] });
  });

  it('asks nothing that the workspace removed, and what it added', () => {
    const questions = [{ id: 'migrated', text: 'was the migration written?', applies_when: ['edit:*schema*'], answered_by: ['edit:migrations/*'], waived_by: [], local_confidence: 0.7 }];
    const detector = { ...named('standard-questions'), config: { ...named('standard-questions').config, questions } };
    expect(ask(UNTESTED, { detector }).verdict).toBe('silent');
    expect(ask([...START, 'edit db/schema.sql', 'edit db/schema.rb', CLAIM, 'end'], { detector })).toMatchObject({ verdict: 'advise', dedup_key: 'standard-questions:migrated', confidence: 0.7, headline: 'Unanswered: was the migration written?' });
    expect(ask([...START, 'edit db/schema.sql', 'edit migrations/1.sql', CLAIM, 'end'], { detector }).verdict).toBe('silent');
  });
});

describe('structural detectors, by rules', () => {
  const failing = stream('$ npm test !', '$ npm test 2>&1 !', '$ CI=1 npm test !');
  const [match] = repeatFailures(failing, named('repeat-failure'), { from: 1 });
  if (match === undefined) throw new Error('no match');

  it('puts the match into words, with the citations and key that code found', () => {
    expect(judgeLocally(task(named('repeat-failure'), failing, { match }))).toEqual({
      verdict: 'advise', headline: match.headline, body: match.body, evidence: ['#2', '#4', '#6'], confidence: 0.85, dedup_key: match.key, stale_if: match.stale_if,
    });
  });

  it('does not repeat what is open, and closes it when the command went through', () => {
    const open = [{ id: 'sb-1', key: match.key, after: 6 }];
    expect(judgeLocally(task(named('repeat-failure'), failing, { match, open })).verdict).toBe('still_open');
    expect(judgeLocally(task(named('repeat-failure'), [...failing, { ...failing[0], kind: 'tool', n: 7, at: 7, uuid: 'u7', raw_chars: 1, command: 'npm test', text: '[tool] Bash npm test → done' }], { open }))).toEqual({
      verdict: 'silent', outcomes: [{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#7'] }],
    });
  });

  it('is silent without a match', () => {
    expect(judgeLocally(task(named('repeat-failure'), failing))).toEqual({ verdict: 'silent' });
  });
});

describe('every sentence of the judge', () => {
  it('A13: is an observation, not an order', () => {
    const failing = stream('$ npm test !', '$ npm test !', '$ npm test !');
    const [match] = repeatFailures(failing, named('repeat-failure'), { from: 1 });
    const said = [ask(UNTESTED), ask([...START, 'edit src/a.ts', CLAIM, 'end']), judgeLocally(task(named('repeat-failure'), failing, match === undefined ? {} : { match }))];
    for (const { headline = '', body = '' } of said) {
      expect(headline).not.toBe('');
      expect([...textProblems(headline), ...textProblems(body)]).toEqual([]);
    }
  });
});

describe('every other detector', () => {
  it('is silent', () => {
    for (const detector of detectors.filter(({ name }) => name !== 'standard-questions')) expect(judgeLocally(task(detector, stream(...UNTESTED))), detector.name).toEqual({ verdict: 'silent' });
  });
});
