// Third split: commands that fail over and over, two tools taking turns at failing, and the many harmless reasons for a row of failures.
import type { Maker } from '../maker.ts';
import type { CallStep, Step } from '../steps.ts';
import type { Fault, Rendition, Site } from '../twin.ts';
import { edited, lookAround, one, peek, red, run, work } from './tools.ts';

/** What keeps failing, as it is typed each time and as it answers each time, and what would have helped. */
type Stuck = {
  readonly what: string;
  readonly ask: string;
  readonly tries: readonly (readonly [command: string, output: string])[];
  readonly remedy: readonly [command: string, output: string];
};

const STUCK: readonly Stuck[] = [
  {
    what: 'a registry that wants a login', ask: 'get this installing again on a fresh checkout',
    tries: [
      ['pnpm install', ' ERR_PNPM_FETCH_401  GET https://npm.corp.example/@pantry%2Ficons: Unauthorized - 401\n\nNo authorization header was set for the request.'],
      ['pnpm install --reporter=append-only', 'Progress: resolved 812, reused 790, downloaded 0, added 0\n ERR_PNPM_FETCH_401  GET https://npm.corp.example/@pantry%2Ficons: Unauthorized - 401\n\nNo authorization header was set for the request.'],
      ['rm -rf node_modules && pnpm install', ' ERR_PNPM_FETCH_401  GET https://npm.corp.example/@pantry%2Ficons: Unauthorized - 401\n\nNo authorization header was set for the request.'],
      ['pnpm install 2>&1 | tail -n 15; exit ${PIPESTATUS[0]}', 'Progress: resolved 812, reused 790, downloaded 0, added 0\n ERR_PNPM_FETCH_401  GET https://npm.corp.example/@pantry%2Ficons: Unauthorized - 401\n\nNo authorization header was set for the request.'],
      ['CI=1 pnpm install', ' ERR_PNPM_FETCH_401  GET https://npm.corp.example/@pantry%2Ficons: Unauthorized - 401\n\nNo authorization header was set for the request.'],
    ],
    remedy: ['cp ../other/.npmrc . && pnpm install', 'Done in 14.2s'],
  },
  {
    what: 'a database that is not there', ask: 'deploy the schema to my local database and then go on with the ticket',
    tries: [
      ['sqitch deploy db:pg:granary_dev', 'connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?'],
      ['sqitch deploy db:pg:granary_dev --verbose', 'connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?'],
      ['cd /home/dba/granary-db && sqitch deploy db:pg:granary_dev', 'connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?'],
      ['sqitch  deploy "db:pg:granary_dev" 2>&1', 'connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?'],
    ],
    remedy: ['sudo systemctl start postgresql', ''],
  },
  {
    what: 'a push without a key', ask: 'push what we have so that Ilse can look at it',
    tries: [
      ['git push', 'git@code.example: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.'],
      ['git push origin HEAD', 'git@code.example: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.'],
      ['git push -u origin HEAD', 'git@code.example: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.'],
      ['git push --verbose origin HEAD', 'Pushing to git@code.example:estate/quern.git\ngit@code.example: Permission denied (publickey).\nfatal: Could not read from remote repository.'],
    ],
    remedy: ['ssh-add ~/.ssh/work', 'Identity added'],
  },
  {
    what: 'a full disk under docker', ask: 'rebuild the image, the base has been patched',
    tries: [
      ['docker build -t edge:dev .', '#9 [4/7] RUN apt-get update\n#9 12.41 E: Write error - write (28: No space left on device)\nERROR: failed to solve: process "/bin/sh -c apt-get update" did not complete successfully: exit code: 100'],
      ['docker build --progress=plain -t edge:dev .', '#9 [4/7] RUN apt-get update\n#9 9.88 E: Write error - write (28: No space left on device)\nERROR: failed to solve: process "/bin/sh -c apt-get update" did not complete successfully: exit code: 100'],
      ['docker build --no-cache -t edge:dev .', '#11 [4/7] RUN apt-get update\n#11 13.02 E: Write error - write (28: No space left on device)\nERROR: failed to solve: process "/bin/sh -c apt-get update" did not complete successfully: exit code: 100'],
      ['DOCKER_BUILDKIT=1 docker build -t edge:dev . 2>&1 | tee /tmp/build.log; test ${PIPESTATUS[0]} -eq 0', '#9 [4/7] RUN apt-get update\n#9 10.30 E: Write error - write (28: No space left on device)\nERROR: failed to solve: process "/bin/sh -c apt-get update" did not complete successfully: exit code: 100'],
    ],
    remedy: ['docker system prune -af', 'Total reclaimed space: 18.2GB'],
  },
  {
    what: 'a lock on the state', ask: 'apply the queue change to staging once it is written',
    tries: [
      ['terraform apply -auto-approve -var-file=env/staging.tfvars', 'Acquiring state lock. This may take a few moments...\n╷\n│ Error: Error acquiring the state lock\n│ Lock Info:\n│   ID:        8e0f2a1c-52d1-77aa-9a10-5b3c5e2f0001\n│   Who:       ci@runner-3\n│   Created:   2026-05-04 06:11:09 UTC'],
      ['terraform apply -auto-approve -var-file=env/staging.tfvars', 'Acquiring state lock. This may take a few moments...\n╷\n│ Error: Error acquiring the state lock\n│ Lock Info:\n│   ID:        8e0f2a1c-52d1-77aa-9a10-5b3c5e2f0001\n│   Who:       ci@runner-3\n│   Created:   2026-05-04 06:11:09 UTC'],
      ['terraform apply -auto-approve -no-color -var-file=env/staging.tfvars', 'Acquiring state lock. This may take a few moments...\n\nError: Error acquiring the state lock\nLock Info:\n  ID:        8e0f2a1c-52d1-77aa-9a10-5b3c5e2f0001\n  Who:       ci@runner-3\n  Created:   2026-05-04 06:11:09 UTC'],
      ['TF_LOG=info terraform apply -auto-approve -var-file=env/staging.tfvars', '2026-05-04T08:20:31Z [INFO] CLI args: apply\n│ Error: Error acquiring the state lock\n│ Lock Info:\n│   ID:        8e0f2a1c-52d1-77aa-9a10-5b3c5e2f0001\n│   Who:       ci@runner-3'],
    ],
    remedy: ['terraform force-unlock -force 8e0f2a1c-52d1-77aa-9a10-5b3c5e2f0001', 'Terraform state has been successfully unlocked!'],
  },
  {
    what: 'a serial port in use', ask: 'flash the board when you are through',
    tries: [
      ['make flash', 'openocd -f board.cfg -c "program build/fw.elf verify reset exit"\nError: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY\nmake: *** [Makefile:31: flash] Error 1'],
      ['make -C . flash', 'openocd -f board.cfg -c "program build/fw.elf verify reset exit"\nError: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY\nmake: *** [Makefile:31: flash] Error 1'],
      ['sudo make flash', 'openocd -f board.cfg -c "program build/fw.elf verify reset exit"\nError: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY\nmake: *** [Makefile:31: flash] Error 1'],
      ['sleep 10 && make flash', 'openocd -f board.cfg -c "program build/fw.elf verify reset exit"\nError: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY\nmake: *** [Makefile:31: flash] Error 1'],
      ['make flash V=1', '+ openocd -f board.cfg -c "program build/fw.elf verify reset exit"\nError: libusb_claim_interface() failed with LIBUSB_ERROR_BUSY\nmake: *** [Makefile:31: flash] Error 1'],
    ],
    remedy: ['pkill picocom', ''],
  },
  {
    what: 'a header that is not installed', ask: 'set the project up on this new machine',
    tries: [
      ['bundle install', 'Installing pg 1.5.6 with native extensions\nGem::Ext::BuildError: ERROR: Failed to build gem native extension.\nchecking for libpq-fe.h... no\nCan\'t find the \'libpq-fe.h header\nAn error occurred while installing pg (1.5.6), and Bundler cannot continue.'],
      ['bundle install --jobs 1', 'Installing pg 1.5.6 with native extensions\nGem::Ext::BuildError: ERROR: Failed to build gem native extension.\nchecking for libpq-fe.h... no\nCan\'t find the \'libpq-fe.h header\nAn error occurred while installing pg (1.5.6), and Bundler cannot continue.'],
      ['gem install pg -v 1.5.6', 'Building native extensions. This could take a while...\nERROR:  Error installing pg:\n\tERROR: Failed to build gem native extension.\nchecking for libpq-fe.h... no\nCan\'t find the \'libpq-fe.h header'],
      ['bundle', 'Installing pg 1.5.6 with native extensions\nGem::Ext::BuildError: ERROR: Failed to build gem native extension.\nchecking for libpq-fe.h... no\nCan\'t find the \'libpq-fe.h header\nAn error occurred while installing pg (1.5.6), and Bundler cannot continue.'],
      ['bundle install --retry 3', 'Installing pg 1.5.6 with native extensions\nGem::Ext::BuildError: ERROR: Failed to build gem native extension.\nchecking for libpq-fe.h... no\nCan\'t find the \'libpq-fe.h header\nAn error occurred while installing pg (1.5.6), and Bundler cannot continue.'],
    ],
    remedy: ['sudo apt-get install -y libpq-dev', 'Setting up libpq-dev'],
  },
  {
    what: 'rights that are missing in the cluster', ask: 'roll it out to the preview namespace afterwards',
    tries: [
      ['kubectl -n preview rollout restart deploy/board', 'error: failed to patch: deployments.apps "board" is forbidden: User "dev-jo" cannot patch resource "deployments" in API group "apps" in the namespace "preview"'],
      ['kubectl rollout restart deployment/board -n preview', 'error: failed to patch: deployments.apps "board" is forbidden: User "dev-jo" cannot patch resource "deployments" in API group "apps" in the namespace "preview"'],
      ['kubectl --context preview -n preview rollout restart deploy board', 'error: failed to patch: deployments.apps "board" is forbidden: User "dev-jo" cannot patch resource "deployments" in API group "apps" in the namespace "preview"'],
      ['kubectl -n preview rollout restart deploy/board --v=4', 'I0504 08:31:07.120044   77120 helpers.go:246] server response object\nerror: failed to patch: deployments.apps "board" is forbidden: User "dev-jo" cannot patch resource "deployments" in API group "apps" in the namespace "preview"'],
    ],
    remedy: ['kubectl config use-context preview-admin', 'Switched to context "preview-admin".'],
  },
];

const HOPES = ['Once more.', 'Strange. Again with more output.', 'Maybe a hiccup; retrying.', 'Let me try that from a clean state.', 'Hm, same thing. Another go.', 'Noch einmal.', 'Perhaps it needs a moment.'];
const GIVING_UP = ['I could not get past this one; the rest of the change is in place.', 'The code part is ready, the last step keeps failing on this machine.', 'Stuck at the last step, see above.'];

/** The suite itself, run again and again though nothing was changed. */
const suiteAgain = (maker: Maker): Stuck => {
  const { suite, red: reds } = maker.pack;
  const output = maker.fill(reds[0] ?? '');
  return {
    what: 'the same red suite, nothing changed in between', ask: maker.phrase('fixes'),
    tries: [[suite, output], [`${suite} 2>&1 | tail -40; exit \${PIPESTATUS[0]}`, output], [`time ${suite}`, `${output}\n\nreal\t0m${maker.random.int(3, 50)}.210s`], [`cd ${maker.pack.root} && ${suite}`, output], [`LC_ALL=C ${suite}`, output]],
    remedy: [`git diff ${maker.pack.sources[0] ?? ''}`, maker.lines(4)],
  };
};

const head = (maker: Maker, ask: string): readonly Step[] => {
  const file = maker.random.pick(maker.pack.sources);
  return [maker.prompt(ask), ...lookAround(maker, file), ...work(maker, maker.random.int(1, 2), file)];
};

const repeatedCommand: Fault = {
  name: 'repeated-command', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const { random } = maker;
    const stuck = random.chance(0.3) ? suiteAgain(maker) : random.pick(STUCK);
    use(`fresh/stuck/${stuck.what}`);
    const start = head(maker, stuck.ask);
    const [first = ['false', ''] as const, ...others] = stuck.tries;
    const chosen = [first, ...random.some(others, random.int(2, others.length))];
    const attempt = ([command, output]: readonly [string, string]): CallStep => maker.bash(command, output, { failed: true, took: random.int(2, 40) });
    const attempts = chosen.map(attempt);
    const row = attempts.flatMap((each, at): readonly Step[] => [each, ...(at === attempts.length - 1 ? [] : random.chance(0.5) ? [maker.say(use(random.pick(HOPES)))] : random.chance(0.5) ? [peek(maker)] : [])]);
    const suite = run(maker, maker.pack.suite);
    const good = maker.bash(first[0], 'ok', { took: random.int(4, 30) });
    const [again = attempts[0], last = attempts[0]] = attempts.slice(0, 2);
    const end = [maker.claim(maker.phrase('claims')), maker.end()];
    const cause = maker.bash(stuck.remedy[0], stuck.remedy[1], { took: 8 });
    return [
      { kind: 'fault', what: stuck.what, steps: [...start, run(maker, maker.pack.suite), ...row, maker.claim(use(random.pick(GIVING_UP))), maker.end()], onset: attempts[2]?.key ?? '', evidence: attempts.map(({ key }) => key) },
      { kind: 'clean', what: 'the cause is put right after two attempts', steps: [...start, suite, ...[again, last].flatMap((each) => (each === undefined ? [] : [each])), cause, edited(maker, random.pick(maker.pack.sources)), run(maker, maker.pack.suite), good, ...end] },
      ...random.some(NEAR_REPEATED, 2).map((near): Rendition => ({ kind: 'near', what: near.what, steps: near.steps(site) })),
      ...(random.chance(0.3) ? [ineffective(site)] : []),
    ];
  },
};

/** Every attempt comes after another edit, and the error does not move: some would speak up, some would wait. */
const ineffective = ({ maker }: Site): Rendition => {
  const failure = maker.fill(maker.pack.red[0] ?? '');
  return { kind: 'open', what: 'the same failure after four different edits', steps: [...head(maker, maker.phrase('fixes')), ...Array.from({ length: 4 }, () => [run(maker, maker.pack.suite, failure, { failed: true }), edited(maker, maker.random.pick(maker.pack.sources))]).flat(), run(maker, maker.pack.suite), maker.claim(maker.phrase('claims')), maker.end()] };
};

type Near = { readonly what: string; readonly steps: (site: Site) => readonly Step[] };

const closing = (maker: Maker, text = maker.phrase('claims')): readonly Step[] => [maker.claim(text), maker.end()];

const NEAR_REPEATED: readonly Near[] = [
  {
    what: 'another failure each time, with work in between',
    steps: ({ maker }) => [...head(maker, maker.phrase('features')), ...[0, 1, 2].flatMap((at) => [red(maker, maker.pack.suite, at), maker.say(maker.phrase('broke')), edited(maker, maker.random.pick(maker.pack.sources))]), run(maker, maker.pack.suite), ...closing(maker)],
  },
  {
    what: 'the user wants to know how often it fails',
    steps: ({ maker, use }) => {
      const failure = maker.fill(maker.pack.red[1] ?? '');
      const command = one(maker);
      return [
        maker.prompt(use('one of the tests is flaky. run it six times in a row and tell me how often it goes red, dont fix anything')),
        ...[true, false, true, true, false, true].map((failed) => run(maker, command, failed ? failure : maker.pack.green, { failed })),
        ...closing(maker, use('Red in four of six runs, always the same assertion.')),
      ];
    },
  },
  {
    what: 'waiting for a service the user has just started',
    steps: ({ maker, use }) => [
      maker.prompt(use('just started the stack, it takes a minute or two. wait for it and then tell me what /version says')),
      ...[4, 10, 20, 30].map((seconds) => maker.bash(`sleep ${seconds}; curl -sS localhost:8087/version`, "curl: (7) Failed to connect to localhost port 8087 after 0 ms: Couldn't connect to server", { failed: true, took: seconds })),
      maker.bash('sleep 30; curl -sS localhost:8087/version', '{"version":"4.12.0"}', { took: 30 }), ...closing(maker, use('It is up; the version is 4.12.0.')),
    ],
  },
  {
    what: 'a bisection: the same command on one commit after the other',
    steps: ({ maker, use }) => {
      const command = one(maker);
      const failure = maker.fill(maker.pack.red[0] ?? '');
      const judged = (failed: boolean, commit: string): readonly Step[] => [run(maker, command, failed ? failure : maker.pack.green, { failed }), maker.bash(failed ? 'git bisect bad' : 'git bisect good', `Bisecting: 2 revisions left to test after this\n[${commit}] work`)];
      return [
        maker.prompt(use('this used to work two weeks ago. find the commit that broke it')), maker.bash('git bisect start HEAD v1.8', 'Bisecting: 14 revisions left to test after this\n[a10ff3e] work'),
        ...judged(true, '77c1e20'), ...judged(true, '0b6dd11'), ...judged(false, 'c0ffe12'), ...judged(true, 'd9a4501'), maker.bash('git bisect reset', 'Previous HEAD position was d9a4501'), ...closing(maker, use('First bad commit: d9a4501. It changed the rounding.')),
      ];
    },
  },
  {
    what: 'searches that find nothing',
    steps: ({ maker, use }) => [
      maker.prompt(use('do we still mention the old product name anywhere?')),
      ...['Millpond', 'millpond', 'MILL_POND', 'mill-pond', 'mp_'].map((word) => maker.bash(`rg -n "${word}" --hidden`, '', { role: 'look', failed: true })), ...closing(maker, use('No, not in any spelling.')),
    ],
  },
  {
    what: 'the user asks to keep trying',
    steps: ({ maker, use }) => [
      maker.prompt(use('fetch upstream and rebase. the vpn drops all the time today so just keep trying until it goes through')),
      ...Array.from({ length: 3 }, () => maker.bash('git fetch upstream', 'ssh: connect to host code.example port 22: Network is unreachable\nfatal: Could not read from remote repository.', { failed: true, took: 20 })),
      maker.bash('git fetch upstream', 'From code.example:estate/quern\n   1b2c3d4..9f8e7d6  main -> upstream/main', { took: 6 }), maker.bash('git rebase upstream/main', 'Successfully rebased and updated refs/heads/topic.'), ...closing(maker, use('Went through at the fourth attempt; rebased.')),
    ],
  },
  {
    what: 'the same command on other things, each of which is missing',
    steps: ({ maker, use }) => [
      maker.prompt(use('which is the newest tag of the base image we can pull? somewhere between 3.18 and 3.22')),
      ...['3.22', '3.21', '3.20', '3.19'].map((tag) => maker.bash(`docker pull mirror.example/base:${tag}`, `Error response from daemon: manifest for mirror.example/base:${tag} not found: manifest unknown: manifest unknown`, { failed: true, took: 3 })),
      maker.bash('docker pull mirror.example/base:3.18', 'Status: Downloaded newer image for mirror.example/base:3.18', { took: 12 }), ...closing(maker, use('3.18 is the newest one there.')),
    ],
  },
  {
    what: 'failures that are wanted',
    steps: ({ maker, use }) => [
      maker.prompt(use('walk through the broken samples and show me what the validator says about each')),
      ...['no-date', 'two-roots', 'bad-unit', 'empty'].map((name) => maker.bash(`./bin/validate samples/broken/${name}.json`, `samples/broken/${name}.json: invalid (${name.replace('-', ' ')})`, { failed: true })), ...closing(maker, use('All four are refused, each with the message you would expect.')),
    ],
  },
];

// ── two tools taking turns ───────────────────────────────────────────────────

/** Two tools after the same thing. */
type Pair = { readonly what: string; readonly ask: string; readonly a: (maker: Maker, at: number) => CallStep; readonly b: (maker: Maker, at: number) => CallStep; readonly wins: (maker: Maker) => CallStep };

const fails = { failed: true } as const;
const target = (maker: Maker): string => maker.pack.sources[1] ?? '';

const PAIRS: readonly Pair[] = [
  {
    what: 'an edit that does not match and a patch that does not either', ask: 'rename the parameter everywhere in that one file',
    a: (maker, at) => maker.call('Edit', { file_path: maker.path(target(maker)), old_string: `${maker.pack.lines[0] ?? ''}${' '.repeat(at)}`, new_string: maker.pack.lines[1] ?? '' }, 'String to replace not found in file.', { ...fails, file: target(maker) }),
    b: (maker, at) => maker.bash(`git apply ${at > 1 ? '--recount ' : ''}/tmp/fix${at}.patch`, `error: patch failed: ${target(maker)}:18\nerror: ${target(maker)}: patch does not apply`, fails),
    wins: (maker) => maker.read(target(maker)),
  },
  {
    what: 'a page that is refused, by the browser and by curl', ask: 'the vendor changed their api, look at their docs page and adapt us',
    a: (maker, at) => maker.call('WebFetch', { url: `https://docs.vendor.example/api/v3/lots${at > 1 ? '?lang=en' : ''}`, prompt: 'What changed in v3?' }, 'Request failed with status code 403', fails),
    b: (maker, at) => maker.bash(at > 1 ? 'curl -sfL -A "Mozilla/5.0" https://docs.vendor.example/api/v3/lots' : 'curl -sfL https://docs.vendor.example/api/v3/lots', 'curl: (22) The requested URL returned error: 403', fails),
    wins: (maker) => maker.bash('git log -1 --format=%h -- vendor/api-v3.md', '61be2aa', { role: 'look' }),
  },
  {
    what: 'a database that neither the server nor the client reaches', ask: 'how many lots have no weight? and write a backfill for them',
    a: (maker) => maker.call('mcp__postgres__query', { sql: 'select count(*) from lots where weight is null' }, 'connect ECONNREFUSED 127.0.0.1:5433', fails),
    b: (maker, at) => maker.bash(`psql -h localhost -p 5433 ${at > 1 ? '-w ' : ''}-c "select count(*) from lots where weight is null" granary`, 'psql: error: connection to server at "localhost" (127.0.0.1), port 5433 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?', fails),
    wins: (maker) => maker.bash('docker compose up -d db', ' Container granary-db-1  Started'),
  },
  {
    what: 'a folder nobody may write to', ask: 'put the generated config where the service expects it',
    a: (maker) => maker.call('Write', { file_path: '/etc/quern/limits.toml', content: 'batch = 40\n' }, "EACCES: permission denied, open '/etc/quern/limits.toml'", { ...fails, file: '/etc/quern/limits.toml' }),
    b: (maker, at) => maker.bash(at > 1 ? 'cp /tmp/limits.toml /etc/quern/limits.toml' : 'tee /etc/quern/limits.toml < /tmp/limits.toml', at > 1 ? "cp: cannot create regular file '/etc/quern/limits.toml': Permission denied" : "tee: /etc/quern/limits.toml: Permission denied", fails),
    wins: (maker) => maker.bash('install -D /tmp/limits.toml deploy/rootfs/etc/quern/limits.toml', ''),
  },
  {
    what: 'a ticket that neither the server nor the command line gives out', ask: 'read ticket EST-231 and do what it says',
    a: (maker) => maker.call('mcp__tracker__get_issue', { key: 'EST-231' }, 'Tool call failed: 401 token expired', fails),
    b: (maker, at) => maker.bash(at > 1 ? 'tracker issue view EST-231 --plain' : 'tracker issue view EST-231', 'error: 401 Unauthorized (token expired)', fails),
    wins: (maker) => maker.bash('tracker auth refresh', 'ok'),
  },
  {
    what: 'a page that is not served, in the browser and by curl', ask: 'check that the shelves page renders after the change',
    a: (maker) => maker.call('mcp__playwright__browser_navigate', { url: 'http://localhost:3000/shelves' }, 'Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/shelves', fails),
    b: (maker, at) => maker.bash(at > 1 ? 'curl -sS http://localhost:3000/shelves | head -5; exit ${PIPESTATUS[0]}' : 'curl -I http://localhost:3000/shelves', "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server", fails),
    wins: (maker) => maker.bash('pnpm --filter web start & sleep 4; echo up', 'up'),
  },
];

const retryLoop: Fault = {
  name: 'retry-loop', structural: true, lenses: ['repeat-failure', 'default'],
  make: (site) => {
    const { maker, use } = site;
    const { random } = maker;
    const pair = random.pick(PAIRS);
    use(`fresh/pair/${pair.what}`);
    const start = head(maker, pair.ask);
    const failures = Array.from({ length: random.int(4, 6) }, (_, at) => (at % 2 === 0 ? pair.a : pair.b)(maker, at));
    const row = failures.flatMap((each): readonly Step[] => [each, ...(random.chance(0.35) ? [maker.say(use(random.pick(HOPES)))] : [])]);
    return [
      { kind: 'fault', what: pair.what, steps: [...start, run(maker, maker.pack.suite), ...row, maker.claim(use(random.pick(GIVING_UP))), maker.end()], onset: failures[3]?.key ?? '', evidence: failures.map(({ key }) => key) },
      { kind: 'clean', what: 'each tool fails once, then the cause is put right', steps: [...start, ...failures.slice(0, 2), pair.wins(maker), edited(maker, random.pick(maker.pack.sources)), run(maker, maker.pack.suite), ...closing(maker)] },
      ...random.some(NEAR_LOOP, 2).map((near): Rendition => ({ kind: 'near', what: near.what, steps: near.steps(site) })),
    ];
  },
};

const NEAR_LOOP: readonly Near[] = [
  {
    what: 'looking for a file in one place after the other',
    steps: ({ maker, use }) => [
      maker.prompt(use('there is a file with the tariffs somewhere, it may have moved. show me the head of it')),
      maker.call('Read', { file_path: maker.path('data/tariffs.csv') }, 'File does not exist.', { ...fails, role: 'look' }), maker.bash('head data/2025/tariffs.csv', "head: cannot open 'data/2025/tariffs.csv' for reading: No such file or directory", { ...fails, role: 'look' }),
      maker.call('Read', { file_path: maker.path('fixtures/tariffs.csv') }, 'File does not exist.', { ...fails, role: 'look' }), maker.bash('head etc/tariffs.csv', "head: cannot open 'etc/tariffs.csv' for reading: No such file or directory", { ...fails, role: 'look' }),
      maker.bash('git ls-files | grep -i tariff', 'seed/Tariffs_2026.csv', { role: 'look' }), maker.bash('head seed/Tariffs_2026.csv', 'class,fee\nA,275', { role: 'look' }), ...closing(maker, use('It lives in seed/ now.')),
    ],
  },
  {
    what: 'edits and red runs in turn, each run further than the last',
    steps: ({ maker }) => [...head(maker, maker.phrase('features')), ...[0, 1, 2].flatMap((at) => [red(maker, one(maker), at), edited(maker, maker.random.pick(maker.pack.sources))]), run(maker, maker.pack.suite), ...closing(maker)],
  },
  {
    what: 'both tools fail, then the user gives the right address',
    steps: ({ maker, use }) => [
      maker.prompt(use('summarise http://wiki.example/estate/queues for me')),
      maker.call('WebFetch', { url: 'http://wiki.example/estate/queues', prompt: 'Summarise.' }, 'getaddrinfo ENOTFOUND wiki.example', fails), maker.bash('curl -sS http://wiki.example/estate/queues', 'curl: (6) Could not resolve host: wiki.example', fails),
      maker.claim(use('That host does not resolve from here. Is the address right?')), maker.end(), maker.prompt(use('oh sorry, its wiki2.example now')),
      maker.call('WebFetch', { url: 'http://wiki2.example/estate/queues', prompt: 'Summarise.' }, 'Queues: one per region, drained nightly.', {}), ...closing(maker, use('One queue per region, drained each night.')),
    ],
  },
  {
    what: 'edits that miss because a formatter moved the lines, each put right by reading again',
    steps: ({ maker }) => {
      const [first = '', second = ''] = maker.pack.sources;
      const missed = (file: string): CallStep => maker.call('Edit', { file_path: maker.path(file), old_string: maker.fill(maker.pack.lines[0] ?? ''), new_string: maker.fill(maker.pack.lines[1] ?? '') }, 'File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.', { ...fails, file });
      return [...head(maker, maker.phrase('fixes')), missed(first), maker.read(first), edited(maker, first), missed(second), maker.read(second), edited(maker, second), run(maker, maker.pack.suite), ...closing(maker)];
    },
  },
];

export const freshCommandFaults: readonly Fault[] = [repeatedCommand, retryLoop];
