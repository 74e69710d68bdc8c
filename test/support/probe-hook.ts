// The probe plugin's hook: logs what it was handed and answers what the test has laid out for its event.
//   node probe-hook.mjs EVENT   with PROBE_DIR
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbeAnswer } from './probe-plugin.ts';

const main = async (): Promise<void> => {
  const at = Date.now();
  const event = process.argv[2] ?? '';
  const dir = process.env['PROBE_DIR'] ?? '.';
  const stdin = readFileSync(0, 'utf8');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(CLAUDE|AI_AGENT)/.test(name) && !/KEY|TOKEN|SOCKET/.test(name)));
  appendFileSync(join(dir, 'hooks.jsonl'), `${JSON.stringify({ at, event, pid: process.pid, argv: process.argv.slice(3), env, payload: JSON.parse(stdin) })}\n`);
  const answer = take(join(dir, `answer-${event}.json`), stdin);
  if (answer === undefined) return;
  if (answer.sleep_ms !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.sleep_ms));
  if (answer.json !== undefined) process.stdout.write(JSON.stringify(answer.json));
  process.exitCode = answer.exit ?? 0;
};

/** The answer if it is for this input and not used up. */
const take = (path: string, stdin: string): ProbeAnswer | undefined => {
  let answer: ProbeAnswer;
  try {
    answer = JSON.parse(readFileSync(path, 'utf8')) as ProbeAnswer;
  } catch {
    return undefined; // nothing laid out for this event
  }
  if (answer.when !== undefined && !stdin.includes(answer.when)) return undefined;
  if (answer.times === undefined) return answer;
  if (answer.times <= 0) return undefined;
  writeFileSync(path, JSON.stringify({ ...answer, times: answer.times - 1 }));
  return answer;
};

await main();
