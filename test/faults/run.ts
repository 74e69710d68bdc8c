// The fault suite: npm run faults -- [--seed WORD] [--only NAME,…] [--size N] [--quick]. The same seed draws the same faults;
// when in a process's life they strike is the machine's affair.
import { parseArgs } from 'node:util';
import { makeRandom } from '../../bench/judgment/random.ts';
import { scenarios } from './scenarios.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, only: { type: 'string' }, size: { type: 'string' }, quick: { type: 'boolean' } } });
const seed = values.seed ?? Date.now().toString(36);
const wanted = values.only?.split(',') ?? Object.keys(scenarios);
const unknown = wanted.find((name) => !(name in scenarios));
if (unknown !== undefined) throw new Error(`no scenario ${unknown}: ${Object.keys(scenarios).join(', ')}`);

const play = async (name: string): Promise<void> => {
  const scenario = scenarios[name];
  if (scenario === undefined) return;
  const size = values.size === undefined ? (values.quick === true ? scenario.small : scenario.full) : Number(values.size);
  const begun = performance.now();
  const { findings, counts, root } = await scenario.run(makeRandom(`${seed}/${name}`), size, (line) => console.log(`  ${name}: ${line}`));
  const told = Object.entries(counts).map(([what, count]) => `${what} ${count}`).join(', ');
  console.log(`${findings.length === 0 ? 'sound' : 'FAULT'}  ${name}: ${told}; ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  for (const { rule, what } of findings) console.log(`  ${rule}: ${what}`);
  if (findings.length > 0) {
    console.log(`  kept: ${root ?? 'nothing'}`);
    process.exitCode = 1;
  }
};

console.log(`seed ${seed}`);
const begun = performance.now();
// Two at a time: most of a scenario's time is waiting.
const left = [...wanted];
const lane = async (): Promise<void> => {
  for (let name = left.shift(); name !== undefined; name = left.shift()) await play(name);
};
await Promise.all([lane(), lane()]);
console.log(`${wanted.length} scenarios; ${((performance.now() - begun) / 1000).toFixed(0)} s`);
// Worlds that were given up still listen.
process.exit();
