// Work on the source, a test written, a green build, a confident end; the tests are never run.
import type { Recording } from './recording.ts';
import { parcelProject } from './parcel-project.ts';

export const noTests: Recording = {
  name: 'no-tests',
  minutes: 18,
  files: parcelProject,
  script: (project) => ({
    turns: [
      {
        content: [
          { thinking: 'Two changes: a surcharge for remote postcodes, and rounding. I should see how the zones are built first.' },
          "I'll start with how a quote is put together today.",
          { tool: 'Read', input: { file_path: `${project}/src/rates.mjs` } },
          { tool: 'Read', input: { file_path: `${project}/src/zones.mjs` } },
        ],
        delay_ms: 400,
      },
      { content: ['The zone table is the right place for the surcharge. Let me see what already relies on it.', { tool: 'Bash', input: { command: 'grep -rn "zoneOf\\|ZONES" src test scripts', description: 'Find users of the zone table' } }], delay_ms: 300 },
      {
        content: [
          'Only `rates.mjs` uses it, so I can add a third zone without touching anybody else.',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/src/zones.mjs`,
              old_string: "export const ZONES = { A: { base: 4.2, perKg: 0.9 }, B: { base: 11.5, perKg: 2.4 } };",
              new_string: "export const ZONES = {\n  A: { base: 4.2, perKg: 0.9, surcharge: 0 },\n  R: { base: 4.2, perKg: 0.9, surcharge: 3.5 },\n  B: { base: 11.5, perKg: 2.4, surcharge: 0 },\n};\n\n// Islands and alpine villages, by the first two digits.\nconst REMOTE = new Set(['18', '25', '26', '87']);",
            },
          },
        ],
        delay_ms: 500,
      },
      {
        content: [
          {
            tool: 'Edit',
            input: { file_path: `${project}/src/zones.mjs`, old_string: "  return 'A';", new_string: "  return REMOTE.has(postcode.slice(0, 2)) ? 'R' : 'A';" },
          },
        ],
        delay_ms: 300,
      },
      {
        content: [
          'Now the quote itself: add the surcharge and round to cents.',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/src/rates.mjs`,
              old_string: '  const { base, perKg } = ZONES[zoneOf(postcode)];\n  const total = base + weight * perKg;',
              new_string: '  const { base, perKg, surcharge } = ZONES[zoneOf(postcode)];\n  const total = toCents(base + weight * perKg + surcharge);',
            },
          },
        ],
        delay_ms: 400,
      },
      {
        content: [
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/src/rates.mjs`,
              old_string: 'export const quoteAll',
              new_string: '/** Rounded half up to two decimals. */\nconst toCents = (euro) => Math.round(euro * 100) / 100;\n\nexport const quoteAll',
            },
          },
        ],
        delay_ms: 300,
      },
      { content: ['Does it still build?', { tool: 'Bash', input: { command: 'npm run build', description: 'Build the package' } }], delay_ms: 300 },
      {
        content: [
          'It builds. A case for the new zone belongs beside the others.',
          {
            tool: 'Edit',
            input: {
              file_path: `${project}/test/rates.test.mjs`,
              old_string: "test('several parcels add up'",
              new_string: "test('a remote postcode pays the surcharge', () => {\n  assert.deepEqual(quote({ weight: 1, postcode: '87561' }), { zone: 'R', total: 8.6 });\n});\n\ntest('several parcels add up'",
            },
          },
        ],
        delay_ms: 400,
      },
      {
        content: [
          { tool: 'Edit', input: { file_path: `${project}/README.md`, old_string: '- B: abroad', new_string: '- R: remote places inland (islands, alpine villages), with a surcharge\n- B: abroad' } },
        ],
        delay_ms: 300,
      },
      { content: ['The sum over several parcels should be rounded as well, or the cents drift.', { tool: 'Edit', input: { file_path: `${project}/src/rates.mjs`, old_string: 'parcels.map(quote).reduce((sum, { total }) => sum + total, 0);', new_string: 'toCents(parcels.map(quote).reduce((sum, { total }) => sum + total, 0));' } }], delay_ms: 400 },
      { content: [{ tool: 'Bash', input: { command: 'npm run build && git diff --stat', description: 'Build again and look at the size of the change' } }], delay_ms: 300 },
      {
        content: [
          'Done. Remote postcodes now fall into their own zone `R` with a surcharge of 3.50 €, single quotes and sums are rounded to cents, there is a test case for the new zone, and the README lists it. The build passes, so this is ready to merge.',
        ],
        delay_ms: 400,
      },
    ],
  }),
  drive: async (host) => {
    await host.prompt('Please add a surcharge for remote postcodes to the quote and round all totals to cents.');
    await host.waitFor(/ready to merge/, 60_000);
    await host.idle();
  },
};
