// A print-mode CLI for tests: a node script that answers each user message with stream lines as its first argument says.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes an executable into `dir`. `mode`: answer | hang | die | hang-deaf (ignores SIGTERM and the end of stdin) | limit | retry | error | login. */
export const writeFakeCli = (dir: string, mode: string): string => {
  const path = join(dir, `cli-${mode}`);
  writeFileSync(path, `#!${process.execPath}\n${SCRIPT.replace('MODE', mode)}`);
  chmodSync(path, 0o700);
  return path;
};

const SCRIPT = `
const mode = 'MODE';
const fs = require('node:fs');
fs.appendFileSync(process.argv[process.argv.indexOf('--system-prompt-file') + 1] + '.seen', JSON.stringify({ pid: process.pid, argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), files: fs.readdirSync('.') }) + '\\n');
const out = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
if (mode === 'hang-deaf') { process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); }
let turns = 0;
let pending = '';
process.stdin.on('data', (chunk) => {
  pending += chunk;
  for (let at; (at = pending.indexOf('\\n')) !== -1; pending = pending.slice(at + 1)) answer(JSON.parse(pending.slice(0, at)));
});
process.stdin.on('end', () => { if (mode !== 'hang-deaf') process.exit(0); });
function answer({ message }) {
  turns += 1;
  if (mode === 'die') process.exit(3);
  if (mode.startsWith('hang')) return;
  const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 100, cache_creation_input_tokens: 0 };
  if (mode === 'limit') out({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 2000 } });
  if (mode === 'retry') return out({ type: 'system', subtype: 'api_retry', attempt: 1, error_status: 429, error: 'rate_limit' });
  if (mode === 'login') return out({ type: 'result', subtype: 'success', is_error: true, api_error_status: 401, result: 'Please log in', usage, total_cost_usd: 0 });
  if (mode === 'error') return out({ type: 'result', subtype: 'error_during_execution', is_error: true, result: 'API Error: rate limit', usage, total_cost_usd: 0 });
  out({ type: 'system', subtype: 'init' });
  const text = turns === 1 && JSON.stringify(message).includes('READ') ? '{"call": "Read", "args": {"path": "a"}}' : 'Sure:\\n\`\`\`json\\n{"call": "second_brain_detector_feedback", "args": {"verdict": "silent", "checked": "{it}"}}\\n\`\`\`';
  const event = (value) => out({ type: 'stream_event', event: value });
  event({ type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } });
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  event({ type: 'content_block_stop', index: 0 });
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } });
  event({ type: 'message_stop' });
  out({ type: 'result', subtype: 'success', is_error: false, result: text, usage, total_cost_usd: turns * 0.25 });
}
`;
