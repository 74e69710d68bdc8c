// The probe plugin's monitor: logs how it was started, then says every line that the test appends to its file.
//   node probe-monitor.mjs ARGS…   with PROBE_DIR
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const dir = process.env['PROBE_DIR'] ?? '.';
const log = (entry: object): void => appendFileSync(join(dir, 'monitor.jsonl'), `${JSON.stringify({ at: Date.now(), pid: process.pid, ...entry })}\n`);

const readLines = (): string => {
  try {
    return readFileSync(join(dir, 'say'), 'utf8');
  } catch {
    return ''; // nothing to say yet
  }
};

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(CLAUDE|AI_AGENT)/.test(name) && !/KEY|TOKEN|SOCKET/.test(name)));
log({ event: 'start', cwd: process.cwd(), argv: process.argv.slice(2), env, has_key: process.env['ANTHROPIC_API_KEY'] !== undefined });
process.on('SIGTERM', () => {
  log({ event: 'SIGTERM' });
  process.exit(0);
});
process.stdout.on('error', (error) => log({ event: 'stdout-error', cause: error.message }));

let said = readLines().length;
setInterval(() => {
  const lines = readLines();
  if (lines.length === said) return;
  process.stdout.write(lines.slice(said));
  said = lines.length;
}, 100);
