// A long working day for the soak: turns of edits, commands, failures and claims, drawn from one seed, with the times they take.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { makeText } from './corpus-text.ts';
import type { Step } from './judgment/steps.ts';
import { transcript } from './judgment/transcript.ts';

export type DayOptions = { readonly hours: number; readonly observations: number; readonly root: string; readonly seed: number };

/** What a call, a word said and a turn's frame come to in observations; most results join their calls. */
const PER_TURN = 96;

/** Writes the day as a transcript of about `observations` observations spread evenly over `hours`; the same options give the same file. */
export const writeDay = async (path: string, { hours, observations, root, seed }: DayOptions): Promise<void> => {
  const turns = Math.ceil(observations / PER_TURN);
  const { lines } = transcript(`soak-${seed}`, root, stepsOf(turns, (hours * 3600) / turns, root, seed));
  const out = createWriteStream(path);
  for (const line of lines) if (!out.write(`${line}\n`)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
};

const CALLS = 60;

const stepsOf = (turns: number, turn_s: number, root: string, seed: number): readonly Step[] => {
  const text = makeText(seed);
  const { random } = text;
  const files = Array.from({ length: 40 }, (_, n) => `${root}/src/part${n % 8}/file${n}.ts`);
  const any = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const steps: Step[] = [];
  let key = 0;
  const next = (): string => `s${(key += 1)}`;
  // A turn's time: half of it before the prompt and the last word, half between the calls.
  const wait = turn_s / 2 / CALLS;
  for (let turn = 0; turn < turns; turn += 1) {
    const file = any(files);
    const broken = random() < 0.3 ? `npm test -- ${file}` : undefined;
    steps.push({ kind: 'prompt', key: next(), wait: turn_s / 4, text: `Go on with ${file}: ${text.prose(200 + random() * 600)}` });
    for (let call = 0; call < CALLS; call += 1) {
      if (random() < 0.4) steps.push({ kind: 'say', key: next(), wait: wait / 2, text: text.prose(80 + random() * 400) });
      const base = { kind: 'call' as const, key: next(), wait: wait / 2, took: wait / 2, failed: false };
      const dice = random();
      if (dice < 0.4) steps.push({ ...base, tool: 'Edit', role: 'edit', file, input: { file_path: file, old_string: text.output(120), new_string: text.output(300) }, output: 'ok' });
      else if (dice < 0.6) steps.push({ ...base, tool: 'Read', role: 'look', file: any(files), input: { file_path: any(files) }, output: text.output(900) });
      else if (dice < 0.7 && broken !== undefined) steps.push({ ...base, tool: 'Bash', role: 'test', failed: true, input: { command: broken, description: 'Run the tests' }, output: text.output(500) });
      else steps.push({ ...base, tool: 'Bash', role: 'other', input: { command: `npm run ${any(['lint', 'build', 'types', 'start'])} -- ${any(files)}`, description: text.prose(30) }, output: text.output(600) });
    }
    steps.push({ kind: 'say', key: next(), wait: turn_s / 4, claim: true, text: `Done: ${file} does what was asked. ${text.prose(120)}` });
    steps.push({ kind: 'end', key: next(), wait: 1 });
  }
  return steps;
};
