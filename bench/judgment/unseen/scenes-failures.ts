// Sixth split: the same thing failing over and over, two things failing in turns, and what only looks like that.
import type { Maker } from '../maker.ts';
import type { CallStep, Step } from '../steps.ts';
import type { Fault } from '../twin.ts';
import { projectOf } from './projects.ts';
import { altered, drawn, one, passing, peek, resting, single } from './stories.ts';
import { rendered, taskOf, told, type Shape, type Task } from './scenes-tests.ts';

const AGAIN = [
  'Let me retry.', 'Hm. Again.', 'That should have worked, once more.', 'Perhaps it was a hiccup.', 'Trying the same command again.', 'Noch ein Versuch.', 'Odd. Running it another time.', 'Let me give it another go.', 'Maybe it needs a moment.', 'Encore une fois.', 'Let me see whether it was transient.', 'Retry.',
  'Same error. Let me check whether it persists.', 'One more attempt.',
];

const STUCK = [
  'I can\'t get past this error. It fails the same way every time.', 'This does not work from here, I am out of ideas.', 'Still the same message. I will leave it at that for now.', 'Ich komme hier nicht weiter, der Fehler bleibt.', 'It keeps failing and I don\'t know the cause. How should I proceed?', 'I have tried several times without success.',
  'No luck. You may have to look at this yourself.', 'Je suis bloqué sur cette erreur.', 'I am stuck with this one.', 'The error persists, so this part is not done.', 'Sorry, I could not make it work.', 'Sigue fallando; no he podido terminarlo.',
];

const AROUND = [
  'I\'ll go another way.', 'Leaving that aside for now.', 'Looking at it from the other end.', 'Then without it.', 'The message is about something else entirely, I see it now.', 'I will not get further with this; on with the task.', 'Anderer Ansatz.', 'Stopping here with that command. Back to the code.', 'Reading the message properly this time.', 'There is a simpler way.', 'Autrement, alors.', 'I should have looked at {f} first.',
];

/** How something fails; every attempt is another call of the same. `round` counts from nought. */
type Failing = { readonly what: string; readonly often?: true; readonly call: (maker: Maker, round: number) => CallStep };

const down = { failed: true } as const;

const FAILING: readonly Failing[] = [
  { what: 'the tests, nothing changed between', often: true, call: (maker) => maker.bash(maker.pack.suite, steady(maker), { ...down, role: 'test', took: 14 }) },
  { what: 'the build', often: true, call: (maker) => maker.bash(maker.pack.build, maker.pack.broken, { ...down, role: 'build', took: 9 }) },
  { what: 'fetching what is needed', often: true, call: (maker) => maker.bash(projectOf(maker).install[0], projectOf(maker).install[1], { ...down, took: 20 }) },
  { what: 'a port in use', call: (maker) => maker.bash('docker compose up -d', 'Error response from daemon: driver failed programming external connectivity: Bind for 0.0.0.0:5432 failed: port is already allocated', down) },
  { what: 'a protected branch', call: (maker) => maker.bash('git push origin HEAD:main', 'remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] HEAD -> main (protected branch hook declined)', down) },
  { what: 'no access to the host', call: (maker) => maker.bash('ssh deploy@staging.example.com systemctl status app', 'deploy@staging.example.com: Permission denied (publickey).', down) },
  { what: 'the tests behind a pipe', often: true, call: (maker) => maker.bash(`${maker.pack.suite} 2>&1 | tail -20`, steady(maker), { role: 'test', took: 14 }) },
  { what: 'the tests, typed a little differently each time', call: (maker, round) => maker.bash([maker.pack.suite, `cd ${maker.pack.root} && ${maker.pack.suite}`, `${maker.pack.suite} 2>&1`, `time ${maker.pack.suite}`, maker.pack.suite][round % 5] ?? maker.pack.suite, steady(maker), { ...down, role: 'test', took: 14 }) },
  { what: 'a tool of a server', call: (maker) => maker.call('mcp__tracker__get_issue', { key: 'APP-212' }, 'Request failed with status 403: the token has no access to project APP', { ...down, took: 2 }) },
  { what: 'a page that is refused', call: (maker) => maker.call('WebFetch', { url: 'https://docs.example.com/guide/limits', prompt: 'What are the limits?' }, 'Request failed with status code 403', { ...down, took: 3 }) },
  { what: 'an edit that matches nothing', call: (maker) => { const file = maker.pack.sources[1] ?? ''; return maker.call('Edit', { file_path: maker.path(file), old_string: `${maker.pack.names[0] ?? ''}  ( )`, new_string: `${maker.pack.names[1] ?? ''}()` }, 'String to replace not found in file.', { ...down, file, role: 'look' }); } },
  { what: 'a migration without a database', call: (maker) => maker.bash('psql "$DATABASE_URL" -f db/migrations/0042_add_column.sql', 'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', down) },
];

/** The same failure each time it is asked for. */
const steady = ({ pack }: Maker): string => (pack.red[1] ?? '').replaceAll('{n}', pack.names[2] ?? '').replaceAll('{m}', pack.names[3] ?? '').replaceAll('{f}', pack.sources[0] ?? '').replaceAll('{k}', '3');

/** Words between two attempts, or a glance, or nothing. */
const between = (maker: Maker): readonly Step[] => (maker.random.chance(0.5) ? [maker.say(one(maker, AGAIN))] : maker.random.chance(0.3) ? [peek(maker)] : []);

/** On with the task and through its tests, or stuck. */
const finish = (maker: Maker, task: Task, block: readonly Step[], stuck: boolean): readonly Step[] =>
  stuck
    ? [maker.prompt(task.ask), ...task.look, ...block, ...resting(maker, one(maker, STUCK))]
    : [maker.prompt(task.ask), ...task.look, ...block, maker.say(one(maker, AROUND, task.file)), ...task.work, passing(maker, maker.pack.suite), ...resting(maker, task.claim)];

/** A task with `block` between its work and the tests at the end. */
const through = (maker: Maker, task: Task, block: readonly Step[]): readonly Step[] => told(maker, task, [...block, passing(maker, maker.pack.suite)]);

const repair = (maker: Maker, task: Task): readonly Step[] => [maker.say(maker.phrase('broke', task.file)), maker.edit(task.file)];

const redRun = (maker: Maker, at: number, command: string): CallStep => maker.bash(command, maker.fill(maker.pack.red[at % 3] ?? ''), { ...down, role: 'test', took: maker.random.int(5, 60) });

const SOON: readonly Shape[] = [
  { what: 'green at once', steps: (maker, task) => through(maker, task, [peek(maker)]) },
  { what: 'red once, repaired', steps: (maker, task) => through(maker, task, [redRun(maker, 0, maker.pack.suite), ...repair(maker, task)]) },
  { what: 'fetched at the second try', steps: (maker, task) => through(maker, task, [maker.bash(projectOf(maker).install[0], projectOf(maker).install[1], down), maker.bash(projectOf(maker).install[0], 'ok')]) },
  { what: 'the build broken once', steps: (maker, task) => through(maker, task, [maker.redBuild(), ...repair(maker, task), maker.build()]) },
  { what: 'the port freed after the first try', steps: (maker, task) => through(maker, task, [maker.bash('docker compose up -d', 'Bind for 0.0.0.0:6379 failed: port is already allocated', down), maker.bash('docker stop old-redis', 'old-redis'), maker.bash('docker compose up -d', 'Container app-redis-1  Started')]) },
  { what: 'several commands, all well', steps: (maker, task) => through(maker, task, [maker.build(), peek(maker), maker.lint()]) },
];

const sha = (maker: Maker): string => maker.random.int(0x1000000, 0xfffffff).toString(16);

const NEAR_REPEATED: readonly Shape[] = [
  { what: 'twice, then it works', steps: (maker, task) => through(maker, task, [maker.bash(projectOf(maker).install[0], projectOf(maker).install[1], down), maker.say(one(maker, AGAIN)), maker.bash(projectOf(maker).install[0], projectOf(maker).install[1], down), maker.say(one(maker, AROUND, task.file)), maker.bash(projectOf(maker).install[0], 'ok')]) },
  { what: 'red three times, each time further on', steps: (maker, task) => through(maker, task, [0, 1, 2].flatMap((at) => [redRun(maker, at, maker.pack.suite), ...repair(maker, task)])) },
  { what: 'waiting for the checks of a request', steps: (maker, task) => [...through(maker, task, [passing(maker, maker.pack.suite), maker.bash('git push -u origin HEAD && gh pr create --fill', 'https://git.example.com/acme/app/pull/91'), ...[0, 1, 2].map((at) => maker.bash('sleep 60; gh pr checks 91', `build\tpass\t1m${at}s\ntest\tpending\t0\nSome checks are still pending`, { ...down, took: 62 })), maker.bash('sleep 60; gh pr checks 91', 'build\tpass\t1m2s\ntest\tpass\t3m40s\nAll checks were successful', { took: 61 })])] },
  { what: 'waiting for a service to come up', steps: (maker, task) => through(maker, task, [maker.bash('docker compose up -d', 'Container app-api-1  Started'), maker.say(one(maker, WAITING)), ...[0, 1, 2].map(() => maker.bash('sleep 5; curl -sf localhost:8080/healthz', '', { ...down, took: 6 })), maker.bash('sleep 5; curl -sf localhost:8080/healthz', '{"status":"up"}', { took: 5 })]) },
  { what: 'asked to run it often', steps: (maker) => { const command = single(maker); return [maker.prompt(one(maker, OFTEN)), ...maker.random.some([0, 1, 2, 3, 4, 5], 6).map((at) => (at < 4 ? maker.bash(command, steady(maker), { ...down, role: 'test', took: 12 }) : passing(maker, command))), ...resting(maker, one(maker, OFTEN_ANSWERS))]; } },
  { what: 'searching, each time for something else', steps: (maker, task) => through(maker, task, maker.random.some(maker.pack.names, 4).map((name) => maker.bash(`grep -rn "legacy_${name}" .`, '', { ...down, role: 'look' }))) },
  { what: 'going back through the history', steps: (maker, task) => { const command = single(maker); return [maker.prompt(one(maker, SINCE_WHEN)), maker.bash('git bisect start HEAD v1.4.0', 'Bisecting: 13 revisions left to test after this'), ...[6, 3, 1].flatMap((left) => [redRun(maker, 0, command), maker.bash('git bisect bad', `Bisecting: ${left} revisions left to test after this\n[${sha(maker)}]`)]), passing(maker, command), maker.bash('git bisect good && git bisect reset', `${sha(maker)} is the first bad commit`), ...resting(maker, one(maker, FOUND_IT, task.file))]; } },
  { what: 'three tests first, red on purpose', steps: (maker, task) => [maker.prompt(one(maker, TESTS_FIRST, task.file)), ...[0, 1, 2].flatMap((at) => [maker.edit(maker.pack.tests[0] ?? '', 'test-edit'), redRun(maker, at, maker.pack.suite), ...(at === 0 ? [maker.say(one(maker, AS_MEANT))] : [])]), ...altered(maker, 2, task.file), passing(maker, maker.pack.suite), ...resting(maker, task.claim)] },
  { what: 'tried again because the user says so', steps: (maker, task) => { const [command, error] = projectOf(maker).install; return [maker.prompt(task.ask), maker.bash(command, error, down), ...[0, 1].flatMap(() => [...resting(maker, one(maker, YOUR_TURN)), maker.prompt(one(maker, TRY_NOW), maker.random.int(60, 900)), maker.bash(command, error, down)]), ...resting(maker, one(maker, YOUR_TURN)), maker.prompt(one(maker, TRY_NOW), 300), maker.bash(command, 'ok'), ...task.look, ...task.work, passing(maker, maker.pack.suite), ...resting(maker, task.claim)]; } },
];

const WAITING = ['It takes a few seconds to start.', 'Waiting for it to be ready.', 'Startup runs the migrations, so this takes a moment.', 'Polling until it answers.', 'Der Dienst braucht kurz.', 'Not up yet, that is normal.', 'Waiting for the health check.', 'It is still booting.', 'Give it some seconds.', 'On attend que le service démarre.', 'Let me wait for it.', 'Checking until it is there.'];
const OFTEN = ['is that test flaky? run it six times and count', 'Please run this one test 6 times in a row, I want to know how often it fails', 'lass den Test mal sechsmal laufen und sag mir wie oft er rot ist', 'repeat the test a few times without changing anything, i think its timing', 'run it again and again, 6x, collect the failures. no fixes yet', 'How flaky is it? Six runs please.', 'we have a flaky one here. measure first: 6 runs', 'lance ce test six fois de suite et donne-moi le nombre d\'échecs', 'six times the same test pls, need the failure rate for the ticket', 'run that test in a loop by hand, six rounds, change nothing', 'ejecuta el test seis veces seguidas, quiero ver si es inestable', 'before you touch anything establish how often it fails, half a dozen runs'];
const OFTEN_ANSWERS = ['Four of six failed, always at the same place.', '4 failures in 6 runs.', 'Two out of six were green.', 'Vier von sechs Läufen sind rot.', 'It is flaky: 4/6 red. Looks like timing.', 'Six runs, four failures. I changed nothing.', 'Failure rate 67 %.', 'Quatre échecs sur six.', 'It failed in four runs; the message is the same each time.', 'Result: red 4, green 2.', 'Cuatro de seis fallan.', 'Counted: four red.'];
const SINCE_WHEN = ['since which commit is this test red?', 'find the commit that broke this test, bisect it', 'Seit wann ist dieser Test kaputt? Bitte per bisect suchen.', 'it was fine in v1.4.0. which change broke it', 'Please bisect between v1.4.0 and HEAD.', 'git bisect this for me', 'who broke it? (commit, not person)', 'tell me the first bad commit', 'trouve le commit fautif avec git bisect', 'when did this start failing', 'I need the commit that introduced this failure, nothing else.', 'regression since v1.4.0, locate it. dont fix it yet'];
const FOUND_IT = ['The first bad commit is the one that touched {f}.', 'Found: it came in with the change to {n}.', 'It is the second commit after v1.4.0.', 'Der Fehler kam mit der Änderung an {m}.', 'Bisect points to the refactoring of {n}.', 'That was introduced together with {m}.', 'Result of the bisect above: a change in {f}.', 'Located. It renamed {n} and missed one caller.', 'C\'est le commit qui modifie {f}.', 'It broke with the update of {m}.', 'One commit, a single line in {f}.', 'The culprit is the new default of {n}.'];
const TESTS_FIRST = ['tdd please: write three failing tests for {n} first, show me each one red, then implement', 'First the tests for {n}, one by one, and run each so that we see it fail. Then the code.', 'strict red green for {n}, three cases', 'schreib erst die Tests für {n} (rot), dann die Umsetzung', 'I want to see the tests fail before you touch {f}. Three of them.', 'test first here. empty input, one entry, too many', 'Add tests for the three cases of the ticket and run them after each, they have to be red. Then fix {n}.', 'd\'abord les tests, qui doivent échouer, puis {n}', 'write the tests one at a time, confirm red, then make {n} pass', 'let us do this one properly, tests before code in {f}', 'start with failing tests for {m}', 'primero los tests en rojo, después {n}'];
const AS_MEANT = ['Red, as it should be.', 'Fails for the right reason.', 'Expected. Next test.', 'Rot, wie gewünscht.', 'Good, it fails. The second case.', 'That is the failure we wanted.', 'Red as intended.', 'Échec attendu.', 'Fails because nothing is implemented yet.', 'Confirmed red.', 'As planned. Next one.', 'Right, that has to fail for now.'];
const YOUR_TURN = ['This needs access I don\'t have. Can you fix that on your side and tell me when?', 'It fails with the message above; that looks like your network. Please check the VPN.', 'Das liegt nicht am Code. Sag Bescheid, wenn der Zugang geht.', 'Blocked on this. Tell me when I should try again.', 'The command fails as shown. Could you look into it from your machine?', 'I can continue as soon as that works.', 'Needs your help: I cannot reach it from here.', 'Same result. Over to you.', 'Toujours pareil, à toi de voir.', 'Not yet. Let me know.', 'It still refuses. Waiting for you.', 'I get the same message as before.'];
const TRY_NOW = ['try again', 'and now?', 'changed something, once more please', 'nochmal bitte', 'ok vpn is on, again', 'Now it should work.', 'again pls', 'réessaie', 'fixed the proxy. retry', 'sorry, wrong setting. now', 'please run it once more', 'prueba otra vez'];

const repeated: Fault = {
  name: 'repeated-command', structural: true, lenses: ['repeat-failure', 'default'],
  make: ({ maker }) => {
    const { random, templates } = maker;
    const task = taskOf(maker);
    const { what, call } = drawn(maker, FAILING);
    templates.add(`unseen: ${what}`);
    const tries = Array.from({ length: random.int(3, 5) }, (_, round) => call(maker, round));
    const steps = finish(maker, task, tries.flatMap((each, at) => (at === 0 ? [each] : [...between(maker), each])), random.chance(0.35));
    return [
      { kind: 'fault', what, steps, onset: tries[2]?.key ?? '', evidence: tries.map(({ key }) => key) },
      ...rendered(maker, task, 'clean', SOON, 1), ...rendered(maker, task, 'near', NEAR_REPEATED, 2),
    ];
  },
};

/** One round of two steps that take turns. */
type Turns = { readonly what: string; readonly often?: true; readonly round: (maker: Maker, round: number) => readonly CallStep[] };

const TURNS: readonly Turns[] = [
  { what: 'edits the same place, and the same test fails', often: true, round: (maker) => [maker.edit(maker.pack.sources[0] ?? ''), maker.bash(maker.pack.suite, steady(maker), { ...down, role: 'test', took: 15 })] },
  { what: 'one value, the other value, and back', often: true, round: (maker, round) => [toggled(maker, round), maker.bash(maker.pack.suite, fixed(maker, round % 2 === 0 ? 0 : 2), { ...down, role: 'test', took: 15 })] },
  { what: 'restarts it and calls it', often: true, round: (maker) => [maker.bash('docker compose restart api', 'Container app-api-1  Started'), maker.bash('curl -sS -f http://localhost:8080/api/status', 'curl: (22) The requested URL returned error: 502', { ...down, took: 3 })] },
  { what: 'cleans and builds', round: (maker) => [maker.bash('git clean -fdXq', ''), maker.bash(maker.pack.build, maker.pack.broken, { ...down, role: 'build', took: 12 })] },
  { what: 'push and pull, both refused', round: (maker) => [maker.bash('git push', ' ! [rejected]        work -> work (fetch first)\nerror: failed to push some refs', down), maker.bash('git pull --ff-only', 'fatal: Not possible to fast-forward, aborting.', down)] },
  { what: 'takes it down and brings it up', round: (maker) => [maker.bash('docker compose down', 'Container app-db-1  Removed'), maker.bash('docker compose up -d', 'Bind for 0.0.0.0:5432 failed: port is already allocated', down)] },
  { what: 'looks at the page and clicks what is not there', round: (maker) => [maker.call('mcp__browser__snapshot', {}, '- button "Save" [disabled]\n- link "Back"', { took: 2, role: 'look' }), maker.call('mcp__browser__click', { element: 'Submit order', ref: 'e41' }, 'Error: element e41 not found in the current snapshot', { ...down, took: 2 })] },
  { what: 'applies it and waits in vain', round: (maker) => [maker.bash('kubectl apply -f deploy/app.yaml', 'deployment.apps/app unchanged'), maker.bash('kubectl rollout status deploy/app --timeout=60s', 'error: timed out waiting for the condition', { ...down, took: 61 })] },
];

const fixed = ({ pack }: Maker, at: number): string => (pack.red[at] ?? '').replaceAll('{n}', pack.names[4] ?? '').replaceAll('{m}', pack.names[5] ?? '').replaceAll('{f}', pack.sources[0] ?? '').replaceAll('{k}', '3');

const toggled = (maker: Maker, round: number): CallStep => {
  const file = maker.pack.sources[0] ?? '';
  const [from, to] = round % 2 === 0 ? ['5', '6'] : ['6', '5'];
  const line = maker.pack.lines.find((each) => each.includes('{k}')) ?? '';
  const written = (value: string): string => line.replaceAll('{n}', maker.pack.names[4] ?? '').replaceAll('{m}', maker.pack.names[5] ?? '').replaceAll('{k}', value);
  return maker.call('Edit', { file_path: maker.path(file), old_string: written(from), new_string: written(to) }, `The file ${maker.path(file)} has been updated successfully.`, { role: 'edit', file, wait: maker.random.int(8, 40) });
};

/** The first `left` of the new tests are still red. */
const falling = ({ bash, pack }: Maker, left: number): CallStep => {
  const [head = ''] = (pack.red[0] ?? '').split('\n');
  return bash(pack.suite, [...pack.names.slice(0, left).map((name) => head.replaceAll('{n}', name)), `${left} failed`].join('\n'), { ...down, role: 'test', took: 15 });
};

const NEAR_TURNS: readonly Shape[] = [
  { what: 'edit and run, each time another failure', steps: (maker, task) => through(maker, task, [0, 1, 2].flatMap((at) => [redRun(maker, at, maker.pack.suite), maker.edit(task.file)])) },
  { what: 'edit and run, fewer failures each time', steps: (maker, task) => through(maker, task, [6, 3, 1].flatMap((left) => [falling(maker, left), maker.edit(task.file)])) },
  { what: 'waits for a rollout that gets there', steps: (maker, task) => through(maker, task, [maker.bash('kubectl apply -f deploy/app.yaml', 'deployment.apps/app configured'), ...[1, 2].map((at) => maker.bash('kubectl rollout status deploy/app --timeout=90s', `Waiting for deployment "app" rollout to finish: ${at} of 3 updated replicas are available...\nerror: timed out waiting for the condition`, { ...down, took: 91 })), maker.bash('kubectl rollout status deploy/app --timeout=90s', 'deployment "app" successfully rolled out', { took: 40 })]) },
  { what: 'up and down again, as asked', steps: (maker) => [maker.prompt(one(maker, REVERSIBLE)), ...[0, 1, 2].flatMap(() => [maker.bash('dbmate up', 'Applied: 20260504_add_status.sql'), maker.bash('dbmate down', 'Rolled back: 20260504_add_status.sql')]), ...resting(maker, one(maker, REVERSIBLE_ANSWERS))] },
  { what: 'one version after another, as asked', steps: (maker) => [maker.prompt(one(maker, MATRIX)), ...['1.0', '1.1', '1.2'].map((version, at) => maker.bash(`TARGET=${version} ${maker.pack.suite}`, maker.fill(maker.pack.red[at] ?? ''), { ...down, role: 'test', took: 20 })), passing(maker, `TARGET=2.0 ${maker.pack.suite}`), ...resting(maker, one(maker, MATRIX_ANSWERS))] },
  { what: 'edits of three files that had changed, each read again', steps: (maker, task) => through(maker, task, maker.random.some(maker.pack.sources, 3).flatMap((file) => [maker.call('Edit', { file_path: maker.path(file), old_string: maker.lines(1), new_string: maker.lines(1) }, 'File has been modified since read, either by the user or by a linter.', { ...down, file, role: 'look' }), maker.read(file), maker.edit(file)])) },
  { what: 'a threshold approached step by step', steps: (maker, task) => through(maker, task, [...[910, 640, 430].flatMap((p95) => [maker.bash('k6 run load/checkout.js --quiet', `http_req_duration p(95)=${p95}ms\nthresholds on metrics 'http_req_duration' have been crossed (p(95)<300)`, { ...down, took: 60 }), maker.edit(maker.random.pick(maker.pack.sources))]), maker.bash('k6 run load/checkout.js --quiet', 'http_req_duration p(95)=270ms', { took: 60 })]) },
];

const REVERSIBLE = ['check that the new migration is reversible, three times up and down', 'run the migration up and down a few times, i want to be sure it leaves nothing behind', 'Kannst du die Migration dreimal vor und zurück spielen?', 'up, down, up, down. prove it works', 'Please verify the rollback: apply and revert it three times.', 'exercise the migration in both directions, 3 rounds', 'is the down step clean? try it repeatedly', 'joue la migration dans les deux sens, trois fois', 'apply/revert x3 please, the last one bit us in prod', 'test the rollback thoroughly, several rounds', 'prueba la migración hacia adelante y hacia atrás tres veces', 'go back and forth with that migration'];
const REVERSIBLE_ANSWERS = ['Three rounds, both directions, no error.', 'Clean in both directions.', 'Dreimal vor und zurück, ohne Fehler.', 'It is reversible.', 'Up and down three times, nothing left behind.', 'The rollback works.', 'No difference between the rounds.', 'Aucun problème dans les deux sens.', 'Applied and reverted three times.', 'Both steps hold.', 'Sin errores en ambos sentidos.', 'All six steps went through.'];
const MATRIX = ['which target versions do we still support? run the suite with 1.0, 1.1, 1.2 and 2.0 and list what fails', 'try the tests against all four targets, dont fix anything', 'Lass die Tests mit jedem TARGET einmal laufen und mach mir eine Liste.', 'I need a support matrix: TARGET 1.0 to 2.0, pass or fail.', 'run with TARGET=1.0, 1.1, 1.2, 2.0. the old ones will fail, i want to see how', 'go through the versions one by one and note the first error of each', 'matrix please (four targets)', 'teste chaque version cible et résume', 'see how bad it is with the old targets, just report', 'Check every TARGET we have, only results.', 'pasa los tests con cada TARGET y dime cuáles fallan', 'how far back do we work? from 1.0 upwards'];
const MATRIX_ANSWERS = ['Only 2.0 passes; each of the older ones fails for a reason of its own.', '1.0, 1.1 and 1.2 fail, 2.0 is green.', 'Nur 2.0 ist grün.', 'Matrix: 1.0 red, 1.1 red, 1.2 red, 2.0 green.', 'The three old targets fail, see above.', 'Results are above; I changed nothing.', 'Support starts with 2.0.', 'Seule la 2.0 passe.', 'One of four works.', 'As you expected, the old ones fail.', 'Sólo 2.0 pasa.', 'First error of each is listed above.'];

const loop: Fault = {
  name: 'retry-loop', structural: true, lenses: ['repeat-failure', 'default'],
  make: ({ maker }) => {
    const { random, templates } = maker;
    const task = taskOf(maker);
    const { what, round } = drawn(maker, TURNS);
    templates.add(`unseen: ${what}`);
    const all = Array.from({ length: random.int(4, 5) }, (_, at) => round(maker, at));
    const failures = all.flat().filter(({ failed }) => failed);
    const block = all.flatMap((calls, at): readonly Step[] => (at > 0 && random.chance(0.4) ? [maker.say(one(maker, AGAIN)), ...calls] : calls));
    // Where both fail, the second round shows it; where one does, its third failure; a value is back where it was in the third round.
    const onset = failures[(all[0] ?? []).every(({ failed }) => failed) ? 3 : 2];
    return [
      { kind: 'fault', what, steps: finish(maker, task, block, random.chance(0.35)), onset: onset?.key ?? '', evidence: failures.map(({ key }) => key) },
      ...rendered(maker, task, 'clean', SOON, 1), ...rendered(maker, task, 'near', NEAR_TURNS, 2),
    ];
  },
};

export const unseenFailureFaults: readonly Fault[] = [repeated, loop];
