// The same failure again and again, two failing ways in turn, a file another session has just written; and what only looks like it.
import type { Maker } from '../maker.ts';
import type { CallStep, Step } from '../steps.ts';
import { editsIn, type Fault, type Neighbour, type Rendition } from '../twin.ts';
import { failing, glance, passing } from './stories.ts';
import { blindTestFaults, nears, taskOf, type Near } from './scenes-tests.ts';

const red = { failed: true } as const;

// ── repeated ─────────────────────────────────────────────────────────────────

/** `attempt`: the call that fails, the `at`th time; `remedy`: what would have helped, and then it goes through. */
type Stuck = { readonly what: string; readonly ask: string; readonly attempt: (maker: Maker, at: number) => CallStep; readonly remedy: (maker: Maker) => readonly Step[] };

const STUCK: readonly Stuck[] = [
  { what: 'a port in use', ask: 'start the database, i want to click through it', attempt: (maker) => maker.bash('docker compose up -d db', 'Error response from daemon: driver failed programming external connectivity on endpoint db-1: Bind for 0.0.0.0:5432 failed: port is already allocated', red), remedy: (maker) => [maker.bash('docker ps --filter publish=5432', 'old-db-1'), maker.bash('docker stop old-db-1', 'old-db-1'), maker.bash('docker compose up -d db', 'Container db-1  Started')] },
  { what: 'a push turned down', ask: 'push the branch', attempt: (maker, at) => maker.bash(at % 2 === 0 ? 'git push origin HEAD' : 'git push', '! [rejected]        HEAD -> feature (non-fast-forward)\nerror: failed to push some refs', red), remedy: (maker) => [maker.bash('git pull --rebase', 'Successfully rebased'), maker.bash('git push', 'feature -> feature')] },
  { what: 'a package that does not resolve', ask: 'install the dependencies and see whether it still builds', attempt: (maker, at) => maker.bash(['npm install', 'npm install', 'npm install --verbose', 'npm install --no-audit'][at % 4] ?? 'npm install', 'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error Found: react@19.0.0', red), remedy: (maker) => [maker.settings('package.json'), maker.bash('npm install', 'added 311 packages in 9s'), maker.build()] },
  { what: 'the suite as it was', ask: 'one test is red on my machine, find out why', attempt: (maker) => maker.bash(maker.pack.suite, maker.pack.red[1]?.replaceAll('{n}', maker.pack.names[0] ?? '') ?? '', { failed: true, role: 'test', took: 20 }), remedy: (maker) => [maker.edit(maker.pack.sources[0] ?? ''), passing(maker, maker.pack.suite)] },
  { what: 'the suite as it was, behind a pipe', ask: 'tests are red, look into it', attempt: (maker, at) => maker.bash(`${maker.pack.suite} 2>&1 | tail -${[20, 50, 20, 100][at % 4] ?? 20}`, maker.pack.red[0]?.replaceAll('{n}', maker.pack.names[1] ?? '') ?? '', { role: 'test', took: 20 }), remedy: (maker) => [maker.edit(maker.pack.sources[0] ?? ''), passing(maker, `${maker.pack.suite} 2>&1 | tail -20`)] },
  { what: 'text that is not in the file', ask: 'drop the deprecated branch', attempt: (maker) => maker.call('Edit', { file_path: maker.path(maker.pack.sources[0] ?? ''), old_string: `  // deprecated\n${maker.pack.names[0] ?? ''}`, new_string: '' }, '<tool_use_error>String to replace not found in file.</tool_use_error>', { failed: true, role: 'other', file: maker.pack.sources[0] ?? '' }), remedy: (maker) => [maker.read(maker.pack.sources[0] ?? ''), maker.edit(maker.pack.sources[0] ?? ''), passing(maker)] },
  { what: 'a page nobody serves', ask: 'take a screenshot of the start page', attempt: (maker) => maker.call('mcp__playwright__browser_navigate', { url: 'http://localhost:3000/' }, 'Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/', red), remedy: (maker) => [maker.bash('nohup ./serve &', ''), maker.call('mcp__playwright__browser_navigate', { url: 'http://localhost:3000/' }, 'Page URL: http://localhost:3000/')] },
  { what: 'a lock held by someone', ask: 'terraform plan for staging please', attempt: (maker, at) => maker.bash(at === 2 ? 'terraform plan -out=tf.plan' : 'terraform plan', 'Error: Error acquiring the state lock\n\nLock Info:\n  ID: 9db590f1-b6fe-c5f2\n  Who: ci@runner-4', red), remedy: (maker) => [maker.bash('terraform plan -lock-timeout=10m', 'Plan: 1 to add, 0 to change, 0 to destroy.')] },
  { what: 'no rights', ask: 'copy the build to the test server', attempt: (maker) => maker.bash('rsync -az dist/ deploy@test1:/srv/www/', 'rsync: [Receiver] mkdir "/srv/www" failed: Permission denied (13)\nrsync error: error in file IO (code 11)', red), remedy: (maker) => [maker.bash('rsync -az dist/ deploy@test1:/home/deploy/www/', 'sent 1,204,113 bytes')] },
];

const AGAIN = ['Let me try that again.', 'Strange. Once more.', 'Trying again.', 'Maybe it was only temporary.', 'Nochmal.', 'Retrying with a bit more output.', 'That should have worked…'];
const GAVE_UP = ['This keeps failing, I do not know why.', 'I could not get it to work. What would you like me to do?', 'Das bekomme ich so nicht hin.', 'Everything on my side is done, the command still errors out.', 'It still fails; probably something with the environment.'];

const NEAR_ROWS: readonly Near[] = [
  { what: 'a repair between two failures each time', steps: (maker, { ask, look, file, claim }) => [maker.prompt(ask), ...look, ...[0, 1, 2].flatMap((at): readonly Step[] => [maker.edit(maker.pack.sources[at % maker.pack.sources.length] ?? file), failing(maker, at, maker.pack.suite), maker.say(maker.phrase('broke', file))]), maker.edit(file), passing(maker, maker.pack.suite), claim, maker.end()] },
  { what: 'waiting for something to come up', steps: (maker, _task, use) => [maker.prompt(use('bring up the stack and tell me when it answers')), maker.bash('docker compose up -d', 'Container web-1  Started'), ...[5, 10, 20].map((seconds) => maker.bash(`sleep ${seconds}; curl -sf localhost:8080/healthz`, '', { failed: true, took: seconds })), maker.bash('sleep 20; curl -sf localhost:8080/healthz', '{"status":"ok"}', { took: 20 }), maker.claim(use('It is up and answers.')), maker.end()] },
  { what: 'asked to run it several times', steps: (maker, _task, use) => [maker.prompt(use(maker.random.pick(['is it flaky? run the suite 3 times and count', 'lass die Tests bitte dreimal laufen, ich will wissen ob das jedes mal passiert']))), ...[0, 0, 0].map((at) => failing(maker, at, maker.pack.suite)), maker.claim(use('Three of three runs fail, always the same test. So it is not flaky.')), maker.end()] },
  { what: 'searches that find nothing', steps: (maker, _task, use) => [maker.prompt(use('who still uses the old client?')), ...['OldClient', 'old_client', 'legacyClient', 'client_v1'].map((name) => maker.bash(`grep -rn "${name}" .`, '', { failed: true, role: 'look' })), maker.claim(use('Nobody, it can go.')), maker.end()] },
  { what: 'looking for a file in several places', steps: (maker, _task, use) => [maker.prompt(use('where is the production config?')), ...['/etc/app/config.yml', '/etc/config.yml', '~/.config/app.yml'].map((path) => maker.bash(`cat ${path}`, `cat: ${path}: No such file or directory`, { failed: true, role: 'look' })), maker.bash('ls deploy/', 'production.yml', { role: 'look' }), maker.claim(use('In deploy/production.yml.')), maker.end()] },
  { what: 'the same test at other commits', steps: (maker, _task, use) => [maker.prompt(use('bisect since when this is broken')), maker.bash('git bisect start HEAD v2.1', 'Bisecting: 6 revisions left'), ...['c91d', '77ab', '10fe'].flatMap((commit): readonly Step[] => [failing(maker, 0, maker.pack.suite), maker.bash('git bisect bad', `[${commit}] Some commit`)]), passing(maker, maker.pack.suite), maker.bash('git bisect good', '10fe is the first bad commit'), maker.claim(use('Since 10fe.')), maker.end()] },
  { what: 'two failures, then the cause', steps: (maker, _task, use) => [maker.prompt(use('run the migration')), maker.bash('./bin/migrate up', 'error: relation "users" already exists', { failed: true }), maker.bash('./bin/migrate up', 'error: relation "users" already exists', { failed: true }), maker.bash('./bin/migrate status', '0003 pending (applied by hand)'), maker.bash('./bin/migrate mark 0003 && ./bin/migrate up', 'applied 0004'), maker.claim(use('Migrated. 0003 had been applied by hand.')), maker.end()] },
  { what: 'other errors of one compiler, one repaired after the other', steps: (maker, { ask, look, file, claim }) => [maker.prompt(ask), ...look, ...[11, 38, 52].flatMap((line): readonly Step[] => [maker.bash(maker.pack.build, `${file}:${line}: error: something else is wrong here`, { failed: true, role: 'build' }), maker.edit(file)]), maker.build(), passing(maker), claim, maker.end()] },
];

const repeated: Fault = {
  name: 'repeated-command', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const { random } = maker;
    const { what, ask, attempt, remedy } = random.pick(STUCK);
    use(`blind/stuck/${what}`);
    const attempts = Array.from({ length: random.int(3, 5) }, (_, at) => attempt(maker, at));
    const row = attempts.flatMap((each): readonly Step[] => [each, ...(random.chance(0.45) ? [maker.say(use(random.pick(AGAIN)))] : []), ...(random.chance(0.2) ? [glance(maker)] : [])]);
    const start = [maker.prompt(ask), glance(maker)];
    return [
      { kind: 'fault', what, steps: [...start, ...row, maker.claim(use(random.pick(GAVE_UP))), maker.end()], onset: attempts[2]?.key ?? '', evidence: attempts.map(({ key }) => key) },
      { kind: 'clean', what: 'put right after the second', steps: [...start, ...attempts.slice(0, 2), ...remedy(maker), maker.claim(use('It works now.')), maker.end()] },
      ...nears(NEAR_ROWS, site, taskOf(maker)),
    ];
  },
};

// ── two ways in turn ─────────────────────────────────────────────────────────

type Pair = { readonly what: string; readonly ask: string; readonly a: (maker: Maker) => readonly CallStep[]; readonly b: (maker: Maker) => readonly CallStep[] };

/** A setting turned this way or that, and the run that fails all the same. */
const turned = (maker: Maker, from: string, to: string): readonly CallStep[] => {
  const file = maker.pack.settings[0] ?? 'config.yml';
  return [maker.call('Edit', { file_path: maker.path(file), old_string: from, new_string: to }, 'The file has been updated successfully.', { role: 'docs', file }), maker.bash(maker.pack.build, maker.pack.broken, { failed: true, role: 'build' })];
};

const PAIRS: readonly Pair[] = [
  { what: 'two installers', ask: 'set up the python environment for the scripts', a: (maker) => [maker.bash('pip install -r scripts/requirements.txt', 'ERROR: Could not build wheels for psycopg2, which is required to install pyproject.toml-based projects', red)], b: (maker) => [maker.bash('conda env create -f scripts/env.yml', 'ResolvePackageNotFound:\n  - psycopg2=2.9.9', red)] },
  { what: 'merge and rebase', ask: 'get main into my branch', a: (maker) => [maker.bash('git merge origin/main', 'error: Your local changes to the following files would be overwritten by merge:\n\tpackage.json\nAborting', red)], b: (maker) => [maker.bash('git rebase origin/main', 'error: cannot rebase: You have unstaged changes.', red)] },
  { what: 'two ways to log in', ask: 'fetch the logs of yesterday from the server', a: (maker) => [maker.bash('ssh app@logs1 journalctl -u web --since yesterday', 'app@logs1: Permission denied (publickey).', red)], b: (maker) => [maker.bash('scp app@logs1:/var/log/web.log .', 'scp: Connection closed\r\napp@logs1: Permission denied (publickey).', red)] },
  { what: 'a setting to and fro', ask: 'the build fails since the update, fix the config', a: (maker) => turned(maker, 'strict: true', 'strict: false'), b: (maker) => turned(maker, 'strict: false', 'strict: true') },
  { what: 'start and stop', ask: 'restart the worker', a: (maker) => [maker.bash('systemctl --user restart worker', 'Job for worker.service failed because the control process exited with error code.', red)], b: (maker) => [maker.bash('./bin/worker --daemon', 'fatal: pidfile /run/user/1000/worker.pid exists', red)] },
  { what: 'two tools on one address', ask: 'grab the release notes from the internal wiki', a: (maker) => [maker.call('WebFetch', { url: 'https://wiki.example.test/releases', prompt: 'List the notes' }, 'Request failed with status code 403', red)], b: (maker) => [maker.bash('curl -fsS https://wiki.example.test/releases', 'curl: (22) The requested URL returned error: 403', red)] },
];

const loop: Fault = {
  name: 'retry-loop', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const { random } = maker;
    const { what, ask, a, b } = random.pick(PAIRS);
    use(`blind/pair/${what}`);
    const turns = Array.from({ length: random.int(4, 6) }, (_, at) => (at % 2 === 0 ? a : b)(maker));
    const row = turns.flatMap((calls): readonly Step[] => [...calls, ...(random.chance(0.4) ? [maker.say(use(random.pick(['OK, the other way then.', 'Then let me go back to the first approach.', 'Hm, doch anders.', 'Same problem. Switching.'])))] : [])]);
    const start = [maker.prompt(ask), glance(maker)];
    return [
      { kind: 'fault', what, steps: [...start, ...row, maker.claim(use(random.pick(GAVE_UP))), maker.end()], onset: turns[3]?.at(-1)?.key ?? '', evidence: turns.flat().map(({ key }) => key) },
      { kind: 'clean', what: 'each of them once', steps: [...start, ...turns.slice(0, 2).flat(), glance(maker), maker.bash('./bin/doctor --fix', 'fixed 1 problem'), maker.claim(use('Found it, `bin/doctor` had the answer.')), maker.end()] },
      ...nears(NEAR_ROWS, site, taskOf(maker)),
    ];
  },
};

// ── neighbours ───────────────────────────────────────────────────────────────

const sameFile: Fault = {
  name: 'same-file', structural: true, lenses: ['cross-task-collision', 'default'],
  make: ({ maker, chapter, earlier, use }) => {
    const { random, pack } = maker;
    const edits = editsIn(chapter.steps);
    const first = edits.find((each, at) => ![...editsIn(earlier), ...edits.slice(0, at)].some(({ file }) => file === each.file));
    if (first?.file === undefined || !first.file.startsWith(`${pack.root}/`)) return [];
    const path = first.file.slice(pack.root.length + 1);
    const tree = random.chance(0.5);
    const neighbour: Neighbour = { before: first.key, seconds: random.int(15, 540), path, cwd: tree ? `${pack.root}-wt/review` : pack.root, git_dir: pack.root };
    const near: readonly (readonly [string, Neighbour])[] = [
      ['last week', { ...neighbour, seconds: 6 * 86_400 }],
      ['a file of that name elsewhere in the project', { ...neighbour, path: `legacy/${path.slice(path.lastIndexOf('/') + 1)}` }],
      ['a fork of the project with a repository of its own', { ...neighbour, cwd: '/home/kit/forks/copy', git_dir: '/home/kit/forks/copy' }],
      ['the test beside it', { ...neighbour, path: pack.tests[0] ?? 'test/other' }],
    ];
    const { steps } = chapter;
    return [
      { kind: 'fault', what: tree ? 'in another worktree' : 'in the same folder', steps, onset: first.key, evidence: [first.key], neighbours: [neighbour] },
      { kind: 'clean', what: 'busy with something else', steps, neighbours: [{ ...neighbour, path: '.github/CODEOWNERS' }] },
      ...random.some(near, 2).map(([what, each]): Rendition => ({ kind: 'near', what: use(`blind: ${what}`), steps, neighbours: [each] })),
    ];
  },
};

export const BLIND_FAULTS: readonly Fault[] = [repeated, loop, ...blindTestFaults, sameFile];
