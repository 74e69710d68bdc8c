// PERFORMANCE.md from results: on which kind of machine, what to set, what is missed and why, then each subject.
import { availableParallelism } from 'node:os';
import { markdown, meets, type Result } from './report.ts';

export const performanceDocument = (results: readonly Result[]): string => {
  const missed = results.flatMap(({ name, lines }) => lines.filter((line) => !meets(line)).map(({ what }) => ({ name, what })));
  const notes = Object.entries(WHY).filter(([name]) => missed.some((line) => line.name === name));
  return [
    '# Performance',
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} on a small virtual machine (${process.platform} ${process.arch}, ${availableParallelism()} cores shared with other work), Node ${process.versions.node}. Read the ratios rather than the milliseconds: both sides of a ratio ran in turn within the same minutes, but other work on the cores makes single figures long. \`npm run bench\` measures all of it again (half an hour to an hour), \`npm run bench -- hook pass\` some of it; with \`--write\` this file is written from what was measured, with \`--json\` it comes as JSON lines, and \`npm run bench:quick\` takes about a minute and fails when a hot path’s ratio is more than twice what it usually is.`,
    '',
    '## What to set `loop.max_parallel_forks` to',
    '',
    WIDTH,
    '',
    '## Goals that are missed, and why',
    '',
    ...(missed.length === 0 ? ['None.'] : missed.map(({ name, what }) => `- ${name}: ${what}`)),
    '',
    ...notes.flatMap(([, why]) => [why, '']),
    ...results.map((result) => `${markdown(result)}\n`),
  ].join('\n');
};

const WIDTH = [
  'Leave it at 8. The bundled catalogue never runs more than nine detectors in one pass and rarely more than eight, and while all of a pass fit in the width it takes the time to the first token plus one fork, however many they are (tables under *A pass*).',
  'Each halving below that costs one more fork in time: eight forks take about 3.4 s at width 8, 6.3 s at 4 and 12 s at 2. More than the number of detectors buys nothing: threads and memory stay the same, but so many more requests may hit the provider in the same second.',
  'Set it lower when the provider answers with 429 (the passes say so in `/second-brain-stats`), or to the number of parallel slots of a local server: a request that waits in the server’s queue is no faster than one that waits in ours, and its deadline runs.',
  'Raise it only with a catalogue of your own that runs more detectors than that at once. `loop.fork_threads` stays at 1: sockets are warm per thread, and eight streamed forks take a few per cent of one core.',
].join('\n\n');

/** By subject; printed while one of its goals is missed. */
const WHY: Readonly<Record<string, string>> = {
  hook: '**A hook with mail.** Above an empty script on an idle machine (22 ms) it takes some 5 ms: the shell before it 1, compiling its 20 kB 1.5 (two fifths of them the table of secrets, which this call does not use but the one file of a hook carries), reading its input 0.5, the rest 2 in steps of 0.2 to 0.3 each, all of it code that runs once and cold: payload, configuration, turn, mailbox, choice, claim, answer. What other work on the cores adds, it adds to two processes here and to one there.',
  projection: [
    '**Projection of a whole file.** No single step is slow; their sum is. In one warm thread projection with redaction costs about as much CPU as parsing every line (table *Where the time goes*): reading successful results as bytes, without decoding or parsing them, saves more than half of the parse, and looking for secrets, places and sizes in what remains spends it again. On this machine a loop over bytes takes about 0.9 ns for each, a fifth of what parsing it takes, and secrets alone need two such looks.',
    'A whole process adds what a program of twenty lines does not have: some 0.1 s to load, and code that gets warm while it runs (table *CPU of one fresh thread*; V8 compiles more than a hundred functions meanwhile). `project` works on one thread: a second would have to get warm too, and packing and unpacking what it finds costs half as much as parsing its lines (*Where the time goes* again).',
    'A profile of the warm thread: `JSON.parse` 24 %, secrets 16 %, garbage 9 %, decoding 5 %, places in what is cut 4 %, hashes 3 %, lines counted 2 %, the rest spread over some forty functions, none of them over 3 %.',
    'It is the price of `second-brain project` and of replays only: at the first sight of a session the monitor reads the last 2 MB of a file of any size, and afterwards what is appended.',
  ].join('\n\n'),
  append: '**Appended lines.** The same sum in the small: with warm code 1 MB takes about as long as parsing its lines. A busy session appends some kilobytes a second.',
  monitor: '**Start of the monitor.** It runs code that V8 compiled at a version’s first start and that was kept (480 kB of bundle would take it some 30 ms more of CPU each time); what remains above node itself is running its modules, random numbers and hashes of node:crypto among them, the shell and asking node for its version, and the files of a start (its copy marked as used, lock, configuration, spool, lease). Other work on the cores lengthens all of it, while the goal has 60 ms that do not grow with it.',
};
