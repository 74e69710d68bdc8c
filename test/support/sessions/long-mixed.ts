// Everything that can happen in a session, in one: a queued prompt, an interrupt, a refusal, a background shell, a subagent,
// a compaction, a rewind.
import type { Host } from '../host.ts';
import type { Turn } from '../host-script.ts';
import type { Recording } from './recording.ts';
import { parcelProject } from './parcel-project.ts';

export const longMixed: Recording = {
  name: 'long-mixed',
  minutes: 38,
  files: { ...parcelProject, 'scripts/load.mjs': 'const until = Date.now() + 40_000;\nconsole.log("warming up");\nsetInterval(() => Date.now() > until && process.exit(0), 100);\n' },
  // `git push` is not among them, so the host asks.
  allow: ['Bash(npm:*)', 'Bash(sleep:*)', 'Bash(node:*)', 'Bash(cat:*)', 'Bash(ls:*)', 'Read', 'Write', 'Edit', 'Agent'],
  script: () => ({
    // What the session says when work in the background reports back.
    rules: [
      { match: '<summary>Background command "Watch the build"', turn: { content: ['The build in the background has finished without errors.'] } },
      { match: '<summary>Agent "Survey the zones"', turn: { content: ['The survey is back: the zone table is used in one place only, and postcodes from abroad fall into zone B.'] } },
    ],
    scenarios: {
      scout: [
        { content: ['I read the table first.', { tool: 'Read', input: { file_path: 'src/zones.mjs' } }] },
        { content: [{ tool: 'Bash', input: { command: 'ls src test', description: 'List the sources' } }] },
        { content: ['The zone table is used by `src/rates.mjs` alone. Everything that is not five digits is zone B. No test covers a postcode with letters in front.'] },
      ],
    },
    fallback: { content: ['Understood.'] },
  }),
  drive: async (host) => {
    const { project } = host.world;
    const bash = (command: string, description: string, more: object = {}): { tool: string; input: Record<string, unknown> } => ({ tool: 'Bash', input: { command, description, ...more } });

    await turn(host, 'What is still open in this project before the next release?', 'a build script', [
      { content: ["I'll look around.", { tool: 'Read', input: { file_path: `${project}/README.md` } }, { tool: 'Read', input: { file_path: `${project}/src/rates.mjs` } }], delay_ms: 300 },
      { content: [bash('npm test', 'Run the tests')], delay_ms: 300 },
      { content: ['Three points: totals are not rounded, the README does not mention the tests, and nothing but a build script guards the release.'], delay_ms: 300 },
    ]);

    // A prompt typed while a command runs is taken up with its result.
    await host.push(
      { content: ['First the rounding.', { tool: 'Edit', input: { file_path: `${project}/src/rates.mjs`, old_string: 'const total = base + weight * perKg;', new_string: 'const total = Math.round((base + weight * perKg) * 100) / 100;' } }] },
      { content: [bash('sleep 4; npm test', 'Let the file watcher settle, then test')] },
      { content: ['The tests pass, and I have seen your second wish: the version goes to 1.4.0.', { tool: 'Edit', input: { file_path: `${project}/package.json`, old_string: '"version": "1.3.0"', new_string: '"version": "1.4.0"' } }] },
      { content: ['Totals are rounded, the tests pass, and the version is 1.4.0.'] },
    );
    await host.prompt('Round the totals to cents and run the tests.');
    await host.waitFor(/settle, then test|sleep 4/);
    await host.prompt('And set the version to 1.4.0 while you are at it.');
    await host.waitFor(/the version is 1\.4\.0/);
    await host.idle();

    // Esc while a command runs.
    await host.push({ content: ['I will measure a long run.', bash('node scripts/load.mjs --seconds 40', 'Measure the build under load')] });
    await host.prompt('How long does the build take under load?');
    await host.waitFor(/load\.mjs/);
    await host.keys('Escape');
    await host.waitFor(/[Ii]nterrupted/);
    await host.idle();

    // A permission dialog left with Esc.
    await host.push({ content: ['Then I will publish the branch.', bash('git push origin main', 'Push the branch')] });
    await host.prompt('Never mind the load. Is everything saved?');
    await host.waitFor(/Do you want to proceed/);
    await host.keys('Escape');
    await host.idle();

    await host.push({ content: ['The build goes to the background.', bash('sleep 3; npm run build', 'Watch the build', { run_in_background: true })] }, { content: ['It runs in the background; I will report when it is through.'] });
    await host.prompt('Please do not push. Build in the background instead.');
    await host.waitFor(/finished without errors/);
    await host.idle();

    await host.push(
      { content: ['A second pair of eyes for the zones.', { tool: 'Agent', input: { description: 'Survey the zones', prompt: '@@scout Find out who uses the zone table and what is not tested.', subagent_type: 'general-purpose' } }] },
      { content: ['The survey is under way.'] },
    );
    await host.prompt('Have somebody survey how the zones are used.');
    await host.waitFor(/The survey is back/);
    await host.idle();

    await host.push({
      content: ['<analysis>Release work on parcel-rates.</analysis><summary>Totals are rounded to cents in src/rates.mjs, the version is 1.4.0, tests and build pass. Open: README does not mention the tests; a postcode with letters in front is not tested. The user does not want anything pushed.</summary>'],
      delay_ms: 300,
    });
    await host.prompt('/compact');
    await host.waitFor(/[Cc]ompacted|Conversation compacted/);
    await host.idle();

    await turn(host, 'Now the README: say how the tests are run.', 'is described', [
      { content: [{ tool: 'Read', input: { file_path: `${project}/README.md` } }], delay_ms: 200 },
      { content: [{ tool: 'Edit', input: { file_path: `${project}/README.md`, old_string: '## Zones', new_string: '## Tests\n\n    npm test\n\n## Zones' } }], delay_ms: 200 },
      { content: ['Running the tests is described in the README now.'] },
    ]);
    await turn(host, 'Add a table of contents to the README as well.', 'has a table of contents', [
      { content: [{ tool: 'Edit', input: { file_path: `${project}/README.md`, old_string: '# parcel-rates\n', new_string: '# parcel-rates\n\n- [Tests](#tests)\n- [Zones](#zones)\n' } }], delay_ms: 200 },
      { content: ['The README has a table of contents.'] },
    ]);

    // The last prompt is taken back, with the files.
    await host.prompt('/rewind');
    await host.waitFor(/Enter to continue/);
    await host.keys('Up');
    await host.keys('Enter');
    await host.waitFor(/Restore code and conversation/);
    await host.keys('Enter');
    await host.idle();
    // The host puts the taken-back prompt into the input box.
    await host.keys('C-u');
    await turn(host, 'No table of contents; write a test for a postcode with letters in front instead.', 'covered by a test', [
      {
        content: [
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/test/rates.test.mjs`,
              old_string: "test('several parcels add up'",
              new_string: "test('letters in front of a postcode mean abroad', () => {\n  assert.equal(quote({ weight: 1, postcode: 'D-10115' }).zone, 'B');\n});\n\ntest('several parcels add up'",
            },
          },
        ],
        delay_ms: 200,
      },
      { content: [bash('npm test', 'Run the tests')], delay_ms: 200 },
      { content: ['A postcode with letters in front is covered by a test now, and all tests pass.'] },
    ]);
  },
};

const turn = async (host: Host, prompt: string, last: string, turns: readonly Turn[]): Promise<void> => {
  await host.push(...turns);
  await host.prompt(prompt);
  await host.waitFor(new RegExp(last), 30_000);
  await host.idle();
};
