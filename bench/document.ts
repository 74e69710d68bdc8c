// PERFORMANCE.md from results: what was measured on which kind of machine, the goals in one table, then each subject.
import { availableParallelism } from 'node:os';
import { markdown, type Result } from './report.ts';

export const performanceDocument = (results: readonly Result[]): string =>
  [
    '# Performance',
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} on a small virtual machine (${process.platform} ${process.arch}, ${availableParallelism()} cores shared with others), Node ${process.versions.node}. Read the ratios: both sides of each ran in turn in the same minutes. \`npm run bench\` measures all of it again, \`npm run bench -- --write\` writes this file, \`npm run bench -- --quick\` takes about a minute and fails when a goal is missed by more than twice.`,
    '',
    ...results.map((result) => `${markdown(result)}\n`),
  ].join('\n');
