// One command fails four times, changed in looks only, with no repair between; then the agent moves on to something else.
import type { Recording } from './recording.ts';
import { parcelProject } from './parcel-project.ts';

export const repeatFailure: Recording = {
  name: 'repeat-failure',
  minutes: 14,
  files: parcelProject,
  script: (project) => ({
    turns: [
      { content: ["I'll look at the migration and its configuration first.", { tool: 'Read', input: { file_path: `${project}/scripts/migrate.mjs` } }], delay_ms: 400 },
      { content: ['Now run it against staging.', { tool: 'Bash', input: { command: 'npm run migrate -- --env staging', description: 'Run the staging migration' } }], delay_ms: 300 },
      { content: ['It stopped in step 7. That may be a hiccup of the connection, so once more.', { tool: 'Bash', input: { command: 'npm run migrate -- --env staging 2>&1', description: 'Run the migration again with errors on stdout' } }], delay_ms: 500 },
      { content: ['Same place. Let me make sure that I am in the right folder.', { tool: 'Bash', input: { command: `cd ${project} && npm run migrate -- --env staging`, description: 'Run the migration from the project root' } }], delay_ms: 500 },
      { content: [{ tool: 'Read', input: { file_path: `${project}/config/staging.json` } }], delay_ms: 300 },
      { content: ['The configuration looks fine to me. One more try.', { tool: 'Bash', input: { command: 'npm  run  migrate  --  --env staging', description: 'Retry the staging migration' } }], delay_ms: 500 },
      { content: ["It keeps failing, so I'll leave the migration for later and prepare the documentation for the new flag instead.", { tool: 'Read', input: { file_path: `${project}/README.md` } }], delay_ms: 400 },
      { content: [{ tool: 'Edit', input: { file_path: `${project}/README.md`, old_string: '## Zones', new_string: '## Migrating\n\n    npm run migrate -- --env staging\n\n## Zones' } }], delay_ms: 300 },
      { content: [{ tool: 'Bash', input: { command: 'git status --short', description: 'Show what changed' } }], delay_ms: 300 },
      { content: ['The README now says how to run the migration. The migration of staging itself has not gone through yet; it stops in `0007_add_remote_flag.sql`.'], delay_ms: 400 },
    ],
  }),
  drive: async (host) => {
    await host.prompt('Run the database migration on staging and note in the README how it is done.');
    await host.waitFor(/has not gone through yet/, 60_000);
    await host.idle();
  },
};
