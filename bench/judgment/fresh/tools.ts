// Steps the third split needs beyond those every maker has: test runs that look like real ones, agents, background jobs, looking around in other ways.
import type { Maker } from '../maker.ts';
import type { CallStep, Step } from '../steps.ts';

/** A test run as typed at a prompt: `command`, what it prints, red or green. */
export const run = (maker: Maker, command: string, output: string = maker.pack.green, more: { failed?: boolean; description?: string } = {}): CallStep =>
  maker.bash(command, output, { role: 'test', took: maker.random.int(8, 170), ...more });

/** The suite in one of the ways people start it. */
export const anySuite = (maker: Maker): string => {
  const { random, pack } = maker;
  const plain = random.pick([pack.suite, pack.suite, ...pack.ways]);
  return random.pick([plain, plain, plain, `${pack.suite} 2>&1 | tail -${random.int(5, 40)}`, `cd ${pack.root} && ${pack.suite}`, `time ${pack.suite}`, `${pack.suite} > /tmp/out.txt 2>&1; tail -n 12 /tmp/out.txt`, `timeout 600 ${pack.suite}`]);
};

export const one = (maker: Maker): string => maker.pack.one.replace('{f}', maker.random.pick(maker.pack.tests));

/** Red with the `at`th of the pack's failures; behind a pipe or another command the exit code says nothing of it. */
export const red = (maker: Maker, command: string, at: number): CallStep => run(maker, command, maker.fill(maker.pack.red[at % maker.pack.red.length] ?? ''), { failed: !/\| \w+[^|]*$|; tail [^;]*$/.test(command) });

/** A look around with the shell, never a change. */
export const peek = (maker: Maker): CallStep => {
  const { random, pack } = maker;
  const file = random.pick(pack.sources);
  const name = random.pick(pack.names);
  const command = random.pick([
    `rg -n "${name}"`, `rg -l ${name} | head`, `bat -p ${file} -r 1:60`, `git log -3 --stat -- ${file}`, `git blame -L 10,30 ${file}`, `head -50 ${file}`, `grep -rn "${name}" . | head -20`,
    `git show HEAD~1 --stat`, `tree -L 2`, `fd ${file.slice(file.lastIndexOf('.') + 1)}`, `git branch -vv`, `nl -ba ${file} | sed -n '20,60p'`, `git stash list`,
  ]);
  return maker.bash(command, maker.lines(random.int(2, 6)), { role: 'look' });
};

/** A search that finds nothing: exit code 1 and no output. */
export const nothingFound = (maker: Maker): CallStep => maker.bash(`rg -n "${maker.random.pick(maker.pack.names)}(Old|Legacy|V1)"`, '', { role: 'look', failed: true });

/** An agent that comes back with `conclusion` after `took` seconds. */
export const agent = (maker: Maker, type: string, description: string, prompt: string, conclusion: string): Step => ({
  kind: 'agent', key: maker.key(), wait: maker.random.int(4, 20), type, description, prompt, conclusion, took: maker.random.int(40, 400),
});

/** A background command, things done meanwhile, the report that it ended, and a look at what it printed. */
export const background = (maker: Maker, command: string, description: string, meanwhile: readonly Step[], output: string): readonly Step[] => {
  const job = maker.key();
  return [
    { kind: 'background', key: job, wait: maker.random.int(3, 12), command, description }, ...meanwhile, { kind: 'report', key: maker.key(), wait: maker.random.int(30, 160), of: job, description },
    maker.call('Read', { file_path: '/tmp/claude-1000/tasks/output.log' }, output, { role: 'look', file: '/tmp/claude-1000/tasks/output.log' }),
  ];
};

/** Several edits, with some of the talk, reading and formatting that comes between them. */
export const work = (maker: Maker, count: number, file: string = maker.random.pick(maker.pack.sources)): readonly Step[] => {
  const { random, pack, phrase } = maker;
  return Array.from({ length: count }, (_, at): readonly Step[] => [
    ...(random.chance(0.45) ? [maker.say(phrase('changing', file))] : []),
    edited(maker, at === 0 ? file : random.pick(pack.sources)),
    ...(random.chance(0.2) ? [maker.read(random.pick(pack.sources))] : random.chance(0.15) ? [peek(maker)] : []),
  ]).flat();
};

/** A change to `file`; cells of notebooks are edited by a tool of their own. */
export const edited = (maker: Maker, file: string): CallStep =>
  file.endsWith('.ipynb')
    ? maker.call('NotebookEdit', { notebook_path: maker.path(file), cell_id: `c${maker.random.int(2, 19)}`, new_source: maker.fill(maker.random.pick(maker.pack.lines)), edit_mode: 'replace' }, 'Updated cell', { role: 'edit', file, wait: maker.random.int(12, 80) })
    : maker.edit(file);

/** The look before a task. */
export const lookAround = (maker: Maker, file: string): readonly Step[] => {
  const { random, pack, phrase } = maker;
  const group = maker.key();
  return [
    ...(random.chance(0.7) ? [maker.say(phrase('looking', file))] : []),
    ...(random.chance(0.4) ? random.some(pack.sources, 3).map((each) => maker.read(each, group)) : [maker.read(file)]),
    ...Array.from({ length: random.int(0, 3) }, () => peek(maker)),
    ...(random.chance(0.12) ? [nothingFound(maker)] : []),
    ...(random.chance(0.1) ? [agent(maker, 'Explore', 'Find the parts involved', maker.fill('Which files take part in {n}? Report paths and one line each.'), maker.phrase('conclusions'))] : []),
  ];
};
