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
    '**Projection of a whole file.** No single step is slow; their sum is. In one warm thread projection with redaction costs about as much CPU as parsing every line (table *Where the time goes*): reading successful results as bytes, without decoding or parsing them, saves more than half of the parse, and looking for secrets, places and sizes in what remains spends it again. Four bytes at a time the look for secrets takes 1.7 to 1.9 ns a character, a byte loop that does nothing 0.9 to 1.6 on the same machine.',
    'A profile of the warm thread after that: `JSON.parse` 31 %, decoding 7 %, secrets 9 %, places in what is cut 4 %, the hash and the words of a cut 4 %, results skipped as bytes 3 %, times 2 %, lines counted 1 %, garbage 3 %, the rest spread over some forty functions, none of them over 3 %. Decoding and parsing what is no successful result, skipping those that are, and the look for secrets come to 0.5 × of parsing everything in the host’s records and to 0.8 × in contents alone, of which more has to be shown: this is the bound for what is built this way, before any rule, hash or place, and before the start of a process.',
    'A whole process adds what a program of twenty lines does not have: some 0.1 s to load, and code that gets warm while it runs (table *CPU of one fresh thread*; V8 compiles some seventy functions meanwhile, few of them twice, in 15 to 20 % of all CPU time). Compiling sooner (`--always-sparkplug`, a smaller interrupt budget, feedback from the start) took 12 to 25 % more CPU for 20 MB, not less. How much room the heap has for what is young decides a fifth of the CPU: `project` lets it grow to 8 MB twice; at 16 MB twice the time is the same and memory passes 120 MB.',
    '`project` works on one thread. With a second thread that projects it took 1.15 to 1.45 × of the CPU and 150 to 175 MB, with two more 1.4 to 1.7 × and 185 to 200 MB, for no gain in time on two cores that have other work: each must get warm too, and packing and unpacking what it finds costs half as much as parsing its lines (*Where the time goes* again). Leaving bodies that are cut in their bytes, undecoded and unparsed, would save a twentieth of the warm time at most (of 15 ms that decoding and parsing them takes in 20 MB, 10 go into skipping over them and parsing what is left), and their lines, sizes, hashes, places and secrets would have to be read from escaped bytes.',
    'It is the price of `second-brain project` and of replays only: at the first sight of a session the monitor reads the last 2 MB of a file of any size, and afterwards what is appended.',
  ].join('\n\n'),
  append: '**Appended lines.** The same sum in the small: with warm code 1 MB takes about as long as parsing its lines (0.9 to 1.05 × by the least CPU of many rounds), so the goal is met where parsing 1 MB takes less than 5 ms, and missed where it takes more. A busy session appends some kilobytes a second.',
  pass: '**A fan-out with nothing to wait for** swings around its goal, 1.4 to 1.7 × in repeated runs. One thread encrypts and writes eight bodies of 400 kB, one after the other, some 3 ms each: a sixth of that is the write itself, a tenth garbage, the rest spread over SDK, undici and streams, while the scripted model decrypts them on the other core. Behind a model that takes 400 ms to its first token a pass shows nothing of it.',
  monitor: '**Start of the monitor.** It runs code that V8 compiled at a version’s first start and that was kept (480 kB of bundle would take it some 30 ms more of CPU each time); what remains above node itself is running its modules, random numbers and hashes of node:crypto among them, the shell and asking node for its version, and the files of a start (its copy marked as used, lock, configuration, spool, lease). Other work on the cores lengthens all of it, while the goal has 60 ms that do not grow with it.',
};
