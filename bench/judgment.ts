// How often each lens is right, how early, how often it cries wolf, and what it cost.
//   npm run bench:judgment -- [--provider NAME] [--model NAME] [--base-url URL] [--cache DIR [--offline]] [--bases N] [--twins N] [--split unseen|blind|later|fresh|test|train|all] [--seed N] [--json] [--markdown FILE] [--report FILE] [--cases FILE]
// Without --split only the sessions no judge was tuned on are played.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBenchJudge } from './judgment/judges.ts';
import { judgmentHtml } from './judgment/page.ts';
import { runAll } from './judgment/run.ts';
import { scoreSplit, type SplitFigures } from './judgment/score.ts';
import type { Split } from './judgment/steps.ts';
import { lastLine, markdown, terminal, UNTUNED } from './judgment/table.ts';

const SPLITS: readonly Split[] = ['train', 'test', 'fresh', 'later', 'blind', 'unseen'];

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      provider: { type: 'string', default: 'local' }, model: { type: 'string', default: '' }, 'base-url': { type: 'string', default: '' },
      cache: { type: 'string' }, offline: { type: 'boolean', default: false }, seed: { type: 'string', default: '9' },
      bases: { type: 'string', default: '100' }, twins: { type: 'string', default: '40' }, split: { type: 'string', default: UNTUNED },
      json: { type: 'boolean', default: false }, markdown: { type: 'string' }, report: { type: 'string' }, cases: { type: 'string' },
    },
  });
  const { provider } = values;
  if (provider !== 'local' && provider !== 'anthropic' && provider !== 'openai' && provider !== 'auto') {
    process.stderr.write(`--provider takes local, anthropic, openai or auto, not ${provider}\n`);
    return 2;
  }
  const splits = SPLITS.filter((split) => values.split === 'all' || values.split === split);
  if (splits.length === 0) {
    process.stderr.write(`--split takes ${SPLITS.join(', ')} or all, not ${values.split}\n`);
    return 2;
  }
  const judge = await openBenchJudge({ provider, model: values.model, base_url: values['base-url'], cache: values.cache, offline: values.offline, plugin: 'plugin', env: process.env });
  try {
    const bases = Number(values.bases);
    const progress = (done: number, all: number): void => {
      if (process.stderr.isTTY && (done % 20 === 0 || done === all)) process.stderr.write(`\r${done} of ${all} sessions\u001b[K${done === all ? '\r\u001b[K' : ''}`);
    };
    const cases = await runAll({ seed: Number(values.seed), bases: { train: Math.ceil(bases / 2), test: bases, fresh: bases, later: bases, blind: bases, unseen: bases }, twins: Number(values.twins), splits, recorded: 'test/fixtures/sessions', progress }, judge.pipeline);
    const figures: readonly SplitFigures[] = splits.map((split) => scoreSplit(cases, split));
    const { asked, from_cache, absent } = judge.counts();
    if (asked + from_cache + absent > 0) process.stderr.write(`${asked} requests made, ${from_cache} answers from the folder${absent === 0 ? '' : `, ${absent} not there: these count as silence`}.\n`);
    if (values.cases !== undefined) writeFileSync(values.cases, cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
    if (values.markdown !== undefined) writeFileSync(values.markdown, markdown(figures, judge.name));
    if (values.report !== undefined) writeFileSync(values.report, judgmentHtml({ judge: judge.name, figures, style: readFileSync('src/page/report.css', 'utf8') }));
    if (!values.json) process.stdout.write(`${terminal(figures, judge.name)}\n`);
    process.stdout.write(`${JSON.stringify(values.json ? { ...lastLine(figures, judge.name), figures } : lastLine(figures, judge.name))}\n`);
    return 0;
  } finally {
    await judge.close();
  }
};

// The test of the scorer imports what is beside this file, never this file.
process.exitCode = await main();
