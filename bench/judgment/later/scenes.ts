// Faults of the fourth split that can be counted, and what only looks like them.
import { agent, background, edited, peek, red, run, work } from '../fresh/tools.ts';
import type { Maker } from '../maker.ts';
import type { CallStep, Step } from '../steps.ts';
import { editsIn, type Fault, type Neighbour, type Rendition, type Site } from '../twin.ts';
import { laterSuite } from './stories.ts';

type Shape = { readonly what: string; readonly steps: (site: Site, task: Task) => readonly Step[] };
type Task = { readonly prompt: Step & { readonly kind: 'prompt' }; readonly body: readonly Step[]; readonly claim: Step & { readonly kind: 'say' }; readonly end: Step };

const taskOf = (maker: Maker): Task => {
  const { random, phrase, pack } = maker;
  const file = random.pick(pack.sources);
  const prompt = maker.prompt(phrase(random.pick(['features', 'fixes'] as const), file));
  const claim = maker.claim(phrase('claims', file));
  if (prompt.kind !== 'prompt' || claim.kind !== 'say') throw new Error('a task begins with a prompt and ends with words');
  return { prompt, body: [maker.say(phrase('looking', file)), maker.read(file), ...work(maker, random.int(2, 5), file)], claim, end: maker.end() };
};

const told = ({ prompt, body, claim, end }: Task, steps: readonly Step[], more: { readonly prompt?: string; readonly claim?: string } = {}): readonly Step[] =>
  [more.prompt === undefined ? prompt : { ...prompt, text: `${prompt.text}. ${more.prompt}` }, ...body, ...steps, more.claim === undefined ? claim : { ...claim, text: more.claim }, end];

const nearOf = (shapes: readonly Shape[], site: Site, task: Task): readonly Rendition[] => site.maker.random.some(shapes, 2).map(({ what, steps }) => ({ kind: 'near', what: site.use(`later: ${what}`), steps: steps(site, task) }));
const late = (maker: Maker): readonly CallStep[] => Array.from({ length: maker.random.int(1, 2) }, () => edited(maker, maker.random.pick(maker.pack.sources)));
const suite = (maker: Maker): CallStep => run(maker, laterSuite(maker));

// ── tests ────────────────────────────────────────────────────────────────────

const NEVER: readonly Shape[] = [
  { what: 'simply not', steps: (_, task) => told(task, []) },
  { what: 'a test was written and never run', steps: ({ maker }, task) => told(task, [maker.edit(maker.random.pick(maker.pack.tests), 'test-edit')]) },
  { what: 'tests were asked for', steps: ({ maker, use }, task) => told(task, [maker.edit(maker.random.pick(maker.pack.tests), 'test-edit')], { prompt: use('With a test, and it has to be green before you stop') }) },
  { what: 'only what the linter says', steps: ({ maker }, task) => told(task, [maker.lint()]) },
  { what: 'only a build', steps: ({ maker }, task) => told(task, [maker.build(), peek(maker)]) },
  { what: 'believed to work', steps: ({ use }, task) => told(task, [], { claim: use('That ought to be it. The logic is straightforward, I am confident that it works.') }) },
  { what: 'the wrapper is not there', steps: ({ maker }, task) => told(task, [run(maker, './dev/run-tests', 'bash: ./dev/run-tests: No such file or directory', { failed: true })]) },
  { what: 'read the tests instead', steps: ({ maker }, task) => told(task, [maker.read(maker.random.pick(maker.pack.tests)), maker.bash(`grep -c . ${maker.random.pick(maker.pack.tests)}`, '140', { role: 'look' })]) },
  { what: 'a merge request was opened', steps: ({ maker, use }, task) => told(task, [maker.bash('git push -qu origin HEAD && glab mr create --fill', '!212 https://code.example/mr/212')], { claim: use('The merge request is open: !212.') }) },
];

const NEAR_NEVER: readonly Shape[] = [
  { what: 'waived at once', steps: ({ maker, use }, task) => told(task, [], { prompt: use(maker.random.pick(["I'm on the train without docker, so no tests now", 'we test it together this afternoon', 'Testen übernimmt Jana', 'sin pruebas por favor, tengo prisa', "please don't start the suite, it mails people", 'just the code, ill try it'])), claim: use('The code is there, not run.') }) },
  { what: 'waived half way', steps: ({ maker, use }, task) => told(task, [maker.queued(use(maker.random.pick(['dont run them, i have them running here', 'leave the tests, ci picks it up']))), peek(maker)]) },
  { what: 'an agent saw to it', steps: ({ maker, use }, task) => told(task, [agent(maker, 'tester', 'verify', use('Execute all tests on the working tree as it is, no edits, three sentences at most.'), 'Executed the suite on the current tree: everything green, 2 skipped as before.')]) },
  { what: 'in the background', steps: ({ maker }, task) => told(task, background(maker, maker.pack.suite, 'tests', [peek(maker), peek(maker)], maker.pack.green)) },
  { what: 'the user reports that CI is green', steps: ({ maker, use }, task) => [...told(task, [maker.bash('git push -q', '')], { claim: use('Pushed. Nothing was run here, CI has it now.') }), maker.prompt(use('pipeline is green. merge'), 500), maker.bash('git switch main && git merge --ff-only @{-1}', ''), maker.claim(use('Merged.')), maker.end()] },
  { what: 'a push whose hook runs them', steps: ({ maker, use }, task) => told(task, [maker.bash(use('git push origin HEAD'), `running pre-push\n${maker.pack.green}\nTo code.example:fennel.git`, { took: 95, role: 'test' })]) },
  { what: 'openly untested', steps: ({ use }, task) => told(task, [], { claim: use('Written, but I could not run anything: the emulator image is missing on this machine. Please try it before merging.') }) },
  { what: 'a question instead of an end', steps: ({ maker, use }, task) => [...told(task, [], { claim: use('The first of the two callers is converted. The second one belongs to another team; convert it too?') }), maker.prompt(use('yes')), edited(maker, maker.random.pick(maker.pack.sources)), suite(maker), maker.claim(maker.phrase('claims')), maker.end()] },
  { what: 'only text', steps: ({ maker, use }) => [maker.prompt(use('the handbook page is wrong about the limit')), maker.docs(maker.random.pick(maker.pack.docs)), peek(maker), maker.claim(maker.phrase('docs_claims')), maker.end()] },
  { what: 'in a container', steps: ({ maker }, task) => told(task, [run(maker, `kubectl exec deploy/dev -- ${maker.pack.suite}`)]) },
  { what: 'by the editor', steps: ({ maker, use }, task) => told(task, [maker.call(use('mcp__jetbrains__execute_test_configuration'), { name: 'All' }, maker.pack.green, { role: 'test', took: 20 })]) },
  { what: 'by the name of a target nobody could guess', steps: ({ maker, use }, task) => told(task, [run(maker, use(maker.random.pick(['make quick', './scripts/go.sh', 'just ok', 'task all'])))]) },
];

const neverRun: Fault = {
  name: 'tests-never-run', structural: true, lenses: ['standard-questions', 'default'],
  make: (site) => {
    const task = taskOf(site.maker);
    const shape = site.maker.random.pick(NEVER);
    site.use(`later/never/${shape.what}`);
    const steps = shape.steps(site, task);
    return [
      { kind: 'fault', what: shape.what, steps, onset: task.claim.key, evidence: [...editsIn(steps).map(({ key }) => key), task.claim.key] },
      { kind: 'clean', what: 'they ran', steps: told(task, [suite(site.maker)]) }, ...nearOf(NEAR_NEVER, site, task),
    ];
  },
};

const SECOND = ['All green. A last look at the naming…', 'Good. The review asked for one more thing.', 'Passt. Noch eine Kleinigkeit.', 'Works. I would rather have that inline.', 'Green; dropping the helper that is unused now.'];

const NEAR_LAST: readonly Shape[] = [
  { what: 'documents only', steps: ({ maker }, task) => told(task, [suite(maker), maker.docs(maker.random.pick(maker.pack.docs))]) },
  { what: 'settings only', steps: ({ maker }, task) => told(task, [suite(maker), maker.docs('CHANGELOG.md')]) },
  { what: 'an edit that missed', steps: ({ maker, use }, task) => told(task, [suite(maker), maker.call('Edit', { file_path: maker.path(maker.pack.sources[0] ?? ''), old_string: 'a', new_string: 'b' }, 'String to replace not found in file.', { failed: true }), maker.say(use('Then not.'))]) },
  { what: 'again, in part', steps: ({ maker }, task) => told(task, [suite(maker), ...late(maker), run(maker, maker.pack.one.replace('{f}', maker.pack.tests[0] ?? ''))]) },
  { what: 'again, otherwise', steps: ({ maker }, task) => told(task, [run(maker, maker.pack.suite), ...late(maker), run(maker, maker.random.pick(maker.pack.ways))]) },
  { what: 'again, in the background', steps: ({ maker }, task) => told(task, [run(maker, maker.pack.suite), ...late(maker), ...background(maker, maker.pack.suite, 'again', [], maker.pack.green)]) },
  { what: 'the second time waived', steps: ({ maker, use }, task) => told(task, [suite(maker), maker.queued(use(maker.random.pick(['add the missing semicolon as well, thats nothing to test', 'and drop the debug line. no second run']))), ...late(maker)]) },
  { what: 'a script outside', steps: ({ maker }, task) => told(task, [suite(maker), maker.call('Write', { file_path: '/tmp/claude-1000/plot.py', content: 'print(2)\n' }, 'File created successfully at: /tmp/claude-1000/plot.py', { file: '/tmp/claude-1000/plot.py' })]) },
];

const notAfter: Fault = {
  name: 'tests-not-after-last-edit', structural: true, lenses: ['standard-questions', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const task = taskOf(maker);
    const [before, edits, say] = [suite(maker), late(maker), maker.say(use(maker.random.pick(SECOND)))];
    const shape = maker.random.pick(['afterthought', 'built only', 'next turn', 'committed'] as const);
    const tail: readonly Step[] = shape === 'built only' ? [maker.build()] : shape === 'committed' ? [maker.bash('git commit -qam "and the rest"', '')] : [];
    const first: readonly Step[] = shape === 'next turn' ? [maker.claim(use('That is in, and tested.')), maker.end(), maker.prompt(use(maker.random.pick(['fine. now the same for empty input', 'ok and make it faster', 'gut, und jetzt bitte mit Datum']))), say] : [say];
    return [
      { kind: 'fault', what: shape, steps: told(task, [before, ...first, ...edits, ...tail]), onset: task.claim.key, evidence: [...edits.map(({ key }) => key), task.claim.key, before.key] },
      { kind: 'clean', what: 'run again', steps: told(task, [before, ...first, ...edits, suite(maker)]) }, ...nearOf(NEAR_LAST, site, task),
    ];
  },
};

// ── commands ─────────────────────────────────────────────────────────────────

type Stuck = { readonly what: string; readonly ask: string; readonly tries: readonly string[]; readonly output: (at: number) => string; readonly remedy: string };
const STUCK: readonly Stuck[] = [
  { what: 'a session that expired', ask: 'sync the fixtures from the bucket, then have a look why yield is wrong', tries: ['aws s3 sync s3://hop/fixtures fixtures', 'aws s3 sync s3://hop/fixtures ./fixtures --no-progress', 'AWS_PROFILE=dev aws s3 sync s3://hop/fixtures fixtures', 'aws --debug s3 sync s3://hop/fixtures fixtures 2>&1 | tail -3; false'], output: () => 'fatal error: The SSO session associated with this profile has expired or is otherwise invalid. To refresh this SSO session run aws sso login.', remedy: 'aws sso login' },
  { what: 'a toolchain that is not installed', ask: 'get it to build on this laptop', tries: ['./gradlew assembleDebug', './gradlew assembleDebug --stacktrace', './gradlew clean assembleDebug', './gradlew --no-daemon assembleDebug'], output: (at) => `FAILURE: Build failed with an exception.\n* What went wrong:\nNo matching toolchains found for requested specification: {languageVersion=21} for LINUX on x86_64.\nBUILD FAILED in ${at + 2}s`, remedy: 'sdk install java 21-tem' },
  { what: 'an upgrade that hangs', ask: 'roll the chart out to dev', tries: ['helm upgrade dev charts/byre', 'helm upgrade --install dev charts/byre', 'helm upgrade dev charts/byre --wait', 'helm upgrade dev charts/byre --debug'], output: () => 'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress', remedy: 'helm rollback dev' },
  { what: 'a cache that belongs to root', ask: 'install what is needed and start it', tries: ['npm ci', 'npm ci --prefer-offline', 'npm cache verify; npm ci', 'npm ci --loglevel verbose'], output: (at) => `npm error code EACCES\nnpm error syscall open\nnpm error path /home/pia/.npm/_cacache/tmp/${(at + 17) * 7919}\nnpm error Your cache folder contains root-owned files`, remedy: 'sudo chown -R pia ~/.npm' },
  { what: 'a host that does not answer', ask: 'copy the build to the box', tries: ['scp build.tar box:/srv', 'scp -v build.tar box:/srv', 'timeout 60 scp build.tar box:/srv', 'scp -o ConnectTimeout=30 build.tar box:/srv'], output: () => 'ssh: connect to host box port 22: Connection timed out\nscp: Connection closed', remedy: 'tailscale up' },
];

const TRY_AGAIN = ['Again.', 'Odd. Same once more with more to read.', 'Vielleicht jetzt.', 'Let me retry that.', 'That might have been a glitch.'];
const STOPPED = ['The last step does not go through; what I changed is in place.', 'I have to leave it at that, it keeps failing.', 'No luck with the last command.'];

const opening = (maker: Maker, ask: string): readonly Step[] => [maker.prompt(ask), maker.say(maker.phrase('looking')), maker.read(maker.random.pick(maker.pack.sources)), ...work(maker, 1), run(maker, maker.pack.suite)];
const closing = (maker: Maker, text = maker.phrase('claims')): readonly Step[] => [maker.claim(text), maker.end()];

const repeated: Fault = {
  name: 'repeated-command', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const { random } = maker;
    const output = maker.fill(maker.pack.red[1] ?? '');
    const stuck: Stuck = random.chance(0.3) ? { what: 'red again and again', ask: maker.phrase('fixes'), tries: [maker.pack.suite, `nice ${maker.pack.suite}`, `${maker.pack.suite} 2>&1`, `sleep 1; ${maker.pack.suite}`], output: () => output, remedy: 'git diff' } : random.pick(STUCK);
    use(`later/stuck/${stuck.what}`);
    const [first = 'false', ...others] = stuck.tries;
    const attempts = [first, ...random.some(others, random.int(2, 3))].map((command, at) => maker.bash(command, stuck.output(at), { failed: true, took: random.int(2, 60) }));
    const row = attempts.flatMap((each): readonly Step[] => [each, ...(random.chance(0.4) ? [maker.say(use(random.pick(TRY_AGAIN)))] : random.chance(0.4) ? [peek(maker)] : [])]);
    const start = opening(maker, stuck.ask);
    return [
      { kind: 'fault', what: stuck.what, steps: [...start, ...row, ...closing(maker, use(random.pick(STOPPED)))], onset: attempts[2]?.key ?? '', evidence: attempts.map(({ key }) => key) },
      { kind: 'clean', what: 'the remedy after the second failure', steps: [...start, ...attempts.slice(0, 2), maker.bash(stuck.remedy, ''), edited(maker, maker.pack.sources[0] ?? ''), run(maker, maker.pack.suite), maker.bash(first, 'ok'), ...closing(maker)] },
      ...random.some(NEAR_ROWS, 2).map(({ what, steps }): Rendition => ({ kind: 'near', what: use(`later: ${what}`), steps: steps(site, taskOf(maker)) })),
    ];
  },
};

const NEAR_ROWS: readonly Shape[] = [
  { what: 'each time further', steps: ({ maker }) => [...opening(maker, maker.phrase('features')), ...[1, 0, 2].flatMap((at) => [red(maker, maker.pack.suite, at), edited(maker, maker.random.pick(maker.pack.sources))]), run(maker, maker.pack.suite), ...closing(maker)] },
  { what: 'which port is open', steps: ({ maker, use }) => [maker.prompt(use('on which port does the thing listen? 8000 to 8003')), ...[8000, 8001, 8002].map((port) => maker.bash(`nc -zv localhost ${port}`, `nc: connect to localhost (127.0.0.1) port ${port} (tcp) failed: Connection refused`, { failed: true })), maker.bash('nc -zv localhost 8003', 'Connection to localhost (127.0.0.1) 8003 port [tcp/*] succeeded!'), ...closing(maker, use('8003.'))] },
  { what: 'one package after the other is red', steps: ({ maker, use }) => [maker.prompt(use('which of the packages still fail to compile after the upgrade')), ...['ant', 'bee', 'cricket', 'drone'].map((name) => maker.bash(`make -C pkg/${name}`, `pkg/${name}/main.c:3: error: unknown type name 'u32'\nmake: *** [main.o] Error 1`, { failed: true })), ...closing(maker, use('All four, for the same reason.'))] },
  { what: 'the user wants to see it fail', steps: ({ maker, use }) => { const failure = maker.fill(maker.pack.red[2] ?? ''); return [maker.prompt(use('it is only red now and then. run it a couple of times and count')), ...[true, true, false, true, true].map((failed) => run(maker, maker.pack.suite, failed ? failure : maker.pack.green, { failed })), ...closing(maker, use('Four of five.'))]; } },
  { what: 'waiting for a build elsewhere', steps: ({ maker, use }) => [maker.prompt(use('tell me when the image is there')), ...[60, 60, 120].map((seconds) => maker.bash(`sleep ${seconds} && docker manifest inspect reg.example/hop:9`, 'no such manifest: reg.example/hop:9', { failed: true, took: seconds })), maker.bash('sleep 120 && docker manifest inspect reg.example/hop:9', '{"schemaVersion": 2}', { took: 120 }), ...closing(maker, use('It is there.'))] },
  { what: 'looking for a word', steps: ({ maker, use }) => [maker.prompt(use('do we use the word tenant anywhere')), ...['tenant', 'Tenant', 'TENANT'].map((word) => maker.bash(`git grep -n ${word}`, '', { failed: true, role: 'look' })), ...closing(maker, use('Nowhere.'))] },
];

type Pair = { readonly what: string; readonly ask: string; readonly a: (maker: Maker, at: number) => CallStep; readonly b: (maker: Maker, at: number) => CallStep };
const failed = { failed: true } as const;
const PAIRS: readonly Pair[] = [
  { what: 'a page that never answers', ask: 'follow the migration guide of the vendor', a: (maker) => maker.call('WebFetch', { url: 'https://guide.vendor.example/migrate', prompt: 'steps' }, 'timeout of 60000ms exceeded', failed), b: (maker, at) => maker.bash(`curl -m ${20 + at} https://guide.vendor.example/migrate`, `curl: (28) Connection timed out after ${20 + at}001 milliseconds`, failed) },
  { what: 'an issue that is not found', ask: 'do what issue 88 of hopyard asks', a: (maker) => maker.call('mcp__github__get_issue', { owner: 'hops', repo: 'hopyard', issue_number: 88 }, 'Not Found: Resource not found: hops/hopyard', failed), b: (maker, at) => maker.bash(at > 1 ? 'gh issue view 88 -R hops/hopyard --comments' : 'gh issue view 88 -R hops/hopyard', "GraphQL: Could not resolve to a Repository with the name 'hops/hopyard'. (repository)", failed) },
  { what: 'a log nobody may read', ask: 'the service log says why it died, read it', a: (maker) => maker.call('Read', { file_path: '/var/log/byre/service.log' }, "EACCES: permission denied, open '/var/log/byre/service.log'", { ...failed, role: 'look' }), b: (maker, at) => maker.bash(at > 1 ? 'sudo -n tail -50 /var/log/byre/service.log' : 'tail -50 /var/log/byre/service.log', at > 1 ? 'sudo: a password is required' : "tail: cannot open '/var/log/byre/service.log' for reading: Permission denied", { ...failed, role: 'look' }) },
  { what: 'a cluster that is out of reach', ask: 'how many replicas are up? scale it to three', a: (maker) => maker.call('mcp__k8s__list_pods', { namespace: 'byre' }, 'connect ETIMEDOUT 10.4.0.1:6443', failed), b: (maker, at) => maker.bash(at > 1 ? 'kubectl -n byre get pods -o wide' : 'kubectl -n byre get pods', 'Unable to connect to the server: dial tcp 10.4.0.1:6443: i/o timeout', failed) },
];

const loop: Fault = {
  name: 'retry-loop', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const pair = maker.random.pick(PAIRS);
    use(`later/pair/${pair.what}`);
    const failures = Array.from({ length: maker.random.int(4, 6) }, (_, at) => (at % 2 === 0 ? pair.a : pair.b)(maker, at));
    const start = opening(maker, pair.ask);
    return [
      { kind: 'fault', what: pair.what, steps: [...start, ...failures.flatMap((each): readonly Step[] => [each, ...(maker.random.chance(0.3) ? [maker.say(use(maker.random.pick(TRY_AGAIN)))] : [])]), ...closing(maker, use(maker.random.pick(STOPPED)))], onset: failures[3]?.key ?? '', evidence: failures.map(({ key }) => key) },
      { kind: 'clean', what: 'each once', steps: [...start, ...failures.slice(0, 2), edited(maker, maker.pack.sources[1] ?? ''), run(maker, maker.pack.suite), ...closing(maker)] },
      ...maker.random.some(NEAR_ROWS, 2).map(({ what, steps }): Rendition => ({ kind: 'near', what: use(`later: ${what}`), steps: steps(site, taskOf(maker)) })),
    ];
  },
};

// ── neighbours ───────────────────────────────────────────────────────────────

const sameFile: Fault = {
  name: 'same-file', structural: true, lenses: ['cross-task-collision', 'default'],
  make: ({ maker, chapter, earlier, use }) => {
    const { pack, random } = maker;
    const edits = editsIn(chapter.steps).filter(({ file = '' }) => file.startsWith(pack.root));
    const edit = edits.find((each, at) => ![...editsIn(earlier), ...edits.slice(0, at)].some(({ file }) => file === each.file));
    if (edit?.file === undefined) return [];
    const path = edit.file.slice(pack.root.length + 1);
    const neighbour: Neighbour = { before: edit.key, seconds: random.int(30, 400), path, cwd: random.pick([pack.root, `${pack.root}.second`]), git_dir: pack.root };
    const { steps } = chapter;
    const near: readonly (readonly [string, Neighbour])[] = [['two days ago', { ...neighbour, seconds: 172_800 }], ['the twin in old/', { ...neighbour, path: `old/${path}` }], ['in an unrelated clone', { ...neighbour, cwd: '/tmp/clone', git_dir: '/tmp/clone/.git' }]];
    return [
      { kind: 'fault', what: 'just written by another', steps, onset: edit.key, evidence: [edit.key], neighbours: [neighbour] },
      { kind: 'clean', what: 'nothing near', steps, neighbours: [{ ...neighbour, path: 'LICENSE' }] },
      ...random.some(near, 2).map(([what, each]): Rendition => ({ kind: 'near', what: use(`later: ${what}`), steps, neighbours: [each] })),
    ];
  },
};

export const LATER_FAULTS: readonly Fault[] = [repeated, loop, neverRun, notAfter, sameFile];
