// Attempts that go in circles: one command again and again in other clothes, and two tools taking turns at the same wall.
import { type Fault, type Rendition, type Site } from './twin.ts';
import type { Maker } from './maker.ts';
import type { CallStep, Step, Tuned } from './steps.ts';

type BySplit<T> = Readonly<Record<Tuned, readonly T[]>>;

// ── one command, dressed differently ─────────────────────────────────────────

const COMMANDS: BySplit<{ readonly run: string; readonly error: string }> = {
  train: [
    { run: 'npm run migrate -- --env staging', error: 'MigrationError: relation "trips" already exists' },
    { run: 'docker compose up -d db', error: 'Error response from daemon: driver failed programming external connectivity: port is already allocated' },
    { run: 'python scripts/import_rows.py data/rows.csv', error: 'UnicodeDecodeError: utf-8 codec cannot decode byte 0xe4 in position 2114' },
    { run: 'terraform plan -out plan.bin', error: 'Error: Error acquiring the state lock' },
    { run: 'git push origin main', error: ' ! [rejected]        main -> main (non-fast-forward)' },
  ],
  test: [
    { run: 'kubectl apply -f deploy/', error: 'error: unable to recognize "deploy/web.yaml": no matches for kind "Ingress" in version "extensions/v1beta1"' },
    { run: 'psql -h localhost -f schema.sql', error: 'psql: error: connection to server at "localhost", port 5432 failed: FATAL: role "dev" does not exist' },
    { run: 'make package', error: "make: *** No rule to make target 'assets/logo.svg', needed by 'package'.  Stop." },
    { run: './scripts/seed.sh --all', error: './scripts/seed.sh: line 12: jq: command not found' },
    { run: 'npm ci', error: 'npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync' },
    { run: 'aws s3 sync dist s3://atlas-site', error: 'fatal error: An error occurred (AccessDenied) when calling the ListObjectsV2 operation' },
  ],
};

const CLOTHES: BySplit<(run: string, root: string) => string> = {
  train: [(run) => `${run} 2>&1`, (run, root) => `cd ${root} && ${run}`, (run) => `CI=1 ${run}`, (run) => `timeout 120 ${run}`, (run) => `${run} --verbose`],
  test: [
    (run) => `set -o pipefail; ${run} 2>&1 | tail -30`, (run, root) => `cd "${root}"; ${run}`, (run) => `env DEBUG=1 ${run}`, (run) => `time ${run}`,
    (run) => `bash -lc "${run}"`, (run) => `(${run}) 2>&1`, (run) => `${run}   # once more`, (run) => `sleep 2 && ${run}`,
  ],
};

const SHRUGS: BySplit<string> = {
  train: ['Odd. Once more.', 'Maybe it was only a hiccup.', 'Trying that again with more output.', 'Again, from the root this time.'],
  test: ['Strange, let me retry.', 'Perhaps the environment was not loaded.', 'Running it another way.', 'That should not happen; another attempt.'],
};

const repeatedCommand: Fault = {
  name: 'repeated-command',
  structural: true,
  lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, chapter, use, pick, split, of } = site;
    const { random, pack } = maker;
    const { run, error } = pick(COMMANDS);
    use(run);
    const times = random.int(4, 6);
    const clothes = [(plain: string) => plain, ...random.some(of(CLOTHES), times - 1)];
    const attempts = clothes.map((dress) => maker.bash(dress(run, pack.root), error, { failed: true, took: random.int(2, 20) }));
    // Between two attempts: words, a look, or in the other split also a change that changes nothing.
    const between = (): readonly Step[] => [
      maker.say(use(pick(SHRUGS))),
      ...(random.chance(0.4) ? [maker.looking()] : split === 'test' && random.chance(0.3) ? [maker.settings(random.pick(pack.settings))] : []),
    ];
    const spaced = attempts.flatMap((attempt, at) => (at === 0 ? [attempt] : [...between(), attempt]));
    const calm = attempts.flatMap(() => [maker.say(maker.phrase('looking')), maker.looking()]);
    const near = random.some(of(NEAR_REPEATS), 2).map((make): Rendition => {
      const { what, steps } = make(maker, site);
      use(what);
      return { kind: 'near', what, steps: beforeTests(chapter.steps, steps) };
    });
    return [
      { kind: 'fault', what: `${times} × ${run}`, steps: beforeTests(chapter.steps, spaced), onset: attempts[2]?.key ?? '', evidence: attempts.map(({ key }) => key) },
      { kind: 'clean', what: 'the same time spent looking', steps: beforeTests(chapter.steps, calm) },
      ...near,
    ];
  },
};

/** Where a chapter has changed things and not tested them yet, so that what follows is clean as before. */
const beforeTests = (steps: readonly Step[], block: readonly Step[]): readonly Step[] => {
  const edit = steps.findIndex((step) => step.kind === 'call' && step.role === 'edit');
  return [...steps.slice(0, edit + 1), ...block, ...steps.slice(edit + 1)];
};

type Near = (maker: Maker, site: Site) => { readonly what: string; readonly steps: readonly Step[] };

const progress: Near = (maker) => ({
  what: 'one suite fails three times, each time for another reason, repaired in between',
  steps: [0, 1, 2].flatMap((at) => [maker.redTest(maker.pack.suite, at), maker.say(maker.phrase('broke')), maker.edit(maker.random.pick(maker.pack.sources))]).concat([maker.test()]),
});

const inOrder: Near = (maker) => ({
  what: 'two failures, a success, two failures, a success',
  steps: [0, 1].flatMap((round) => [0, 1].flatMap((at) => [maker.redTest(maker.pack.suite, round + at), maker.edit(maker.random.pick(maker.pack.sources))]).concat([maker.test()])),
});

const eachItsOwn: Near = (maker) => ({
  what: 'four test files fail once each',
  steps: maker.pack.tests.flatMap((file) => [maker.redTest(maker.pack.one.replace('{f}', file)), maker.edit(maker.random.pick(maker.pack.sources)), maker.test(maker.pack.one.replace('{f}', file))]),
});

const waiting: Near = (maker, { use }) => {
  const probe = use('sleep 5; curl -sf http://localhost:8080/health');
  return {
    what: 'a probe fails until the server is up',
    steps: [maker.say('The server needs a moment.'), ...[1, 2, 3].map(() => maker.bash(probe, 'curl: (7) Failed to connect to localhost port 8080', { failed: true, took: 6 })), maker.bash(probe, '{"status":"up"}', { took: 6 })],
  };
};

const waitingLonger: Near = (maker, { use }) => {
  const probe = use('sleep 20 && gh run view 4471 --exit-status');
  return {
    what: 'a pipeline is polled until it is green',
    steps: [maker.say('The pipeline is under way.'), ...[1, 2, 3, 4].map(() => maker.bash(probe, 'build in progress', { failed: true, took: 22 })), maker.bash(probe, 'build completed', { took: 22 })],
  };
};

const searches: Near = (maker, { use }) => ({
  what: 'searches that find nothing, each for something else',
  steps: maker.random.some(maker.pack.names, 4).map((name) => maker.bash(`${use('grep -rn')} ${name} vendor`, '', { failed: true, took: 1, role: 'look' })),
});

const bisect: Near = (maker, { use }) => ({
  what: 'a bisection runs one test on several old states',
  steps: ['git bisect start HEAD HEAD~12', 'git bisect bad', 'git bisect bad'].flatMap((command) => [
    maker.bash(use(command), 'Bisecting: 5 revisions left to test after this'),
    maker.redTest(maker.pack.one.replace('{f}', maker.pack.tests[0] ?? ''), 0),
  ]).concat([maker.bash('git bisect good', '4f2a1c is the first bad commit'), maker.bash('git bisect reset', 'Switched to branch main')]),
});

const countdown: Near = (maker) => ({
  what: 'the build has fewer errors after each change',
  steps: [11, 6, 2].flatMap((left) => [maker.bash(maker.pack.build, `${maker.pack.broken}\nFound ${left} errors.`, { role: 'build', failed: true, took: maker.random.int(5, 40) }), maker.edit(maker.random.pick(maker.pack.sources))]).concat([maker.build()]),
});

const twoSuites: Near = (maker) => ({
  what: 'lint and tests fail in turns, and each is repaired at once',
  steps: [0, 1].flatMap((at) => [
    maker.bash(maker.pack.lint, maker.fill('{n} is never used'), { failed: true }), maker.edit(maker.random.pick(maker.pack.sources)), maker.lint(),
    maker.redTest(maker.pack.suite, at), maker.edit(maker.random.pick(maker.pack.sources)), maker.test(),
  ]),
});

// No shape of a near miss is in both splits.
const NEAR_REPEATS: BySplit<Near> = { train: [progress, inOrder, eachItsOwn, waiting, bisect], test: [countdown, twoSuites, waitingLonger, searches] };

// ── two tools, one wall ──────────────────────────────────────────────────────

type Loop = { readonly what: string; readonly calls: (maker: Maker, round: number) => readonly CallStep[] };

const LOOPS: BySplit<Loop> = {
  train: [
    {
      what: 'an edit whose text is not in the file, read again and again',
      calls: (maker) => {
        const file = maker.pack.sources[1] ?? '';
        return [
          maker.call('Edit', { file_path: maker.path(file), old_string: '  const total = sum(rows);', new_string: '  const total = sum(rows) + tax;' }, 'String to replace not found in file.\nString:   const total = sum(rows);', { failed: true, file }),
          maker.read(file),
        ];
      },
    },
    {
      what: 'a page that refuses both the fetch tool and curl',
      calls: (maker, round) => [
        maker.call('WebFetch', { url: 'https://registry.example.org/v2/index.json', prompt: round === 0 ? 'List the versions' : `List all versions, attempt ${round + 1}` }, 'Request failed with status code 403', { failed: true, took: 3 }),
        maker.bash(`curl -sSf ${['', '-L ', '--compressed ', '-4 '][round % 4] ?? ''}https://registry.example.org/v2/index.json`, 'curl: (22) The requested URL returned error: 403', { failed: true }),
      ],
    },
  ],
  test: [
    {
      what: 'a file that can be written neither by the tool nor by the shell',
      calls: (maker, round) => {
        const file = '/etc/atlas/site.conf';
        return [
          maker.call('Write', { file_path: file, content: `workers = ${round + 4}\n` }, "EACCES: permission denied, open '/etc/atlas/site.conf'", { failed: true, file }),
          maker.bash(round % 2 === 0 ? `echo "workers = ${round + 4}" > ${file}` : `printf 'workers = ${round + 4}' | tee ${file}`, `bash: ${file}: Permission denied`, { failed: true }),
        ];
      },
    },
    {
      what: 'a query that fails through the server and through the shell',
      calls: (maker, round) => [
        maker.call('mcp__db__query', { sql: ['select id, due from loans where due < now()', 'SELECT id, due FROM loans WHERE due < now();', 'select l.id, l.due from loans l where l.due < now()'][round % 3] }, 'relation "loans" does not exist', { failed: true, took: 2 }),
        maker.bash(`psql -c "select id, due from loans where due < now()"`, 'ERROR:  relation "loans" does not exist', { failed: true }),
      ],
    },
    {
      what: 'a generated file that is not there, and its generator that fails',
      calls: (maker) => [
        maker.bash('./tools/gen-schema --out gen/schema.json', 'gen-schema: cannot open model/base.yaml', { failed: true }),
        maker.call('Read', { file_path: maker.path('gen/schema.json') }, 'File does not exist.', { failed: true, role: 'look', file: 'gen/schema.json' }),
      ],
    },
  ],
};

const NEAR_LOOPS: BySplit<Loop> = {
  train: [
    {
      what: 'each edit misses once, then fits',
      calls: (maker, round) => {
        const file = maker.pack.sources[round] ?? '';
        return [
          maker.call('Edit', { file_path: maker.path(file), old_string: 'old', new_string: 'new' }, 'String to replace not found in file.\nString: old', { failed: true, file }),
          maker.read(file), maker.edit(file),
        ];
      },
    },
    {
      what: 'other pages refuse, and curl gets them',
      calls: (maker, round) => [
        maker.call('WebFetch', { url: `https://docs.example.org/${maker.pack.names[round] ?? round}`, prompt: 'Summarise' }, 'Request failed with status code 404', { failed: true, took: 3 }),
        maker.bash(`curl -sSf https://docs.example.org/${maker.pack.names[round] ?? round}.md`, '# Page'),
      ],
    },
  ],
  test: [
    {
      what: 'two tools fail in turns, each time on another file',
      calls: (maker, round) => {
        const file = maker.pack.sources[round] ?? '';
        return [
          maker.call('Read', { file_path: maker.path(`old/${file}`) }, 'File does not exist.', { failed: true, role: 'look', file: `old/${file}` }),
          maker.bash(`ls old/${file}*`, `ls: cannot access 'old/${file}*': No such file or directory`, { failed: true, role: 'look' }),
        ];
      },
    },
    {
      what: 'a stale edit is read again and then fits',
      calls: (maker, round) => {
        const file = maker.pack.sources[2] ?? '';
        return [
          maker.call('Edit', { file_path: maker.path(file), old_string: `step ${round}`, new_string: `step ${round + 1}` }, 'File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.', { failed: true, file }),
          maker.read(file), maker.edit(file),
        ];
      },
    },
    {
      what: 'query and shell take turns, and each fails on something new that is repaired',
      calls: (maker, round) => [
        maker.call('mcp__db__query', { sql: `select count(*) from ${maker.pack.names[round] ?? 'rows'}` }, `relation "${maker.pack.names[round] ?? 'rows'}" does not exist`, { failed: true, took: 2 }),
        maker.bash(`psql -f migrations/00${round}.sql`, 'CREATE TABLE'),
      ],
    },
  ],
};

const retryLoop: Fault = {
  name: 'retry-loop',
  structural: true,
  lenses: ['repeat-failure', 'default'],
  make: ({ maker, chapter, use, pick }) => {
    const { random } = maker;
    const rounds = random.int(3, 4);
    const { what, calls } = pick(LOOPS);
    const near = pick(NEAR_LOOPS);
    use(what);
    use(near.what);
    const all = Array.from({ length: rounds }, (_, round) => calls(maker, round));
    const failures = all.flat().filter(({ failed }) => failed);
    const turns = (each: readonly (readonly Step[])[]): readonly Step[] => each.flatMap((round, at) => (at > 0 && random.chance(0.5) ? [maker.say(use(pick(SHRUGS))), ...round] : round));
    // With both failing, the second round shows the loop; with one failing, its third failure does.
    const onset = (all[0] ?? []).every(({ failed }) => failed) ? failures[3] : failures[2];
    return [
      { kind: 'fault', what, steps: beforeTests(chapter.steps, turns(all)), onset: onset?.key ?? '', evidence: failures.map(({ key }) => key) },
      { kind: 'clean', what: 'the same time spent looking', steps: beforeTests(chapter.steps, all.flatMap((round) => round.map(() => maker.looking()))) },
      { kind: 'near', what: near.what, steps: beforeTests(chapter.steps, turns(Array.from({ length: rounds }, (_, round) => near.calls(maker, round)))) },
    ];
  },
};

export const commandFaults: readonly Fault[] = [repeatedCommand, retryLoop];
