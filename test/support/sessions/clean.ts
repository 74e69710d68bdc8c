// Work as one would wish it: source, test and README changed, built, and the tests run green after the last edit.
import type { Recording } from './recording.ts';
import { parcelProject } from './parcel-project.ts';

export const cleanSession: Recording = {
  name: 'clean',
  minutes: 12,
  files: parcelProject,
  script: (project) => ({
    turns: [
      { content: ["I'll read the quote and its tests before changing anything.", { tool: 'Read', input: { file_path: `${project}/src/rates.mjs` } }, { tool: 'Read', input: { file_path: `${project}/test/rates.test.mjs` } }], delay_ms: 400 },
      {
        content: [
          'A negative or missing weight gives a nonsense price today. I will refuse it where the quote is made.',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/src/rates.mjs`,
              old_string: '  const { base, perKg }',
              new_string: "  if (!(weight > 0)) throw new RangeError(`weight must be positive, not ${weight}`);\n  const { base, perKg }",
            },
          },
        ],
        delay_ms: 400,
      },
      {
        content: [
          'And a test for it.',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/test/rates.test.mjs`,
              old_string: "test('several parcels add up'",
              new_string: "test('a weight that is not positive is refused', () => {\n  for (const weight of [0, -1, undefined, Number.NaN]) assert.throws(() => quote({ weight, postcode: '10115' }), RangeError);\n});\n\ntest('several parcels add up'",
            },
          },
        ],
        delay_ms: 400,
      },
      { content: [{ tool: 'Edit', input: { file_path: `${project}/README.md`, old_string: '## Zones', new_string: 'A weight of zero or less is a `RangeError`.\n\n## Zones' } }], delay_ms: 300 },
      { content: ['Build, then the whole test suite.', { tool: 'Bash', input: { command: 'npm run build', description: 'Build the package' } }], delay_ms: 300 },
      { content: [{ tool: 'Bash', input: { command: 'npm test', description: 'Run all tests' } }], delay_ms: 300 },
      { content: ['All four tests pass, the new one included.', { tool: 'Bash', input: { command: 'git diff --stat', description: 'Show the size of the change' } }], delay_ms: 300 },
      { content: ['Done: `quote` refuses a weight that is not positive, with a test and a line in the README. Build and tests are green.'], delay_ms: 400 },
    ],
  }),
  drive: async (host) => {
    await host.prompt('quote() accepts negative weights. Please make it refuse them, with a test.');
    await host.waitFor(/Build and tests are green/, 60_000);
    await host.idle();
  },
};
