// Detectors that look for themselves: leads found by code, files read in their jail, commands run against a real workspace.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { advise, ask, cite, silent, type Rule } from '../support/competent-model.ts';
import { holds, type Case } from '../support/detector-cases.ts';
import { openDetectorRun, type DetectorRun } from '../support/detector-run.ts';
import { claim, edit, end, fails, prompt, say, write } from '../support/story.ts';

let on: DetectorRun;
const DAY = 86_400_000;
const START = Date.UTC(2026, 4, 4, 8);

const git = (args: readonly string[], at = START): void => {
  const stamp = new Date(at).toISOString();
  execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', '-c', 'init.defaultBranch=main', ...args], { cwd: on.root, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: on.root, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_DATE: stamp, GIT_COMMITTER_DATE: stamp } });
};
const commit = (files: Readonly<Record<string, string>>, message: string, at: number): void => {
  for (const [path, text] of Object.entries(files)) on.file(path, text);
  git(['add', '-A']);
  git(['commit', '-qm', message], at);
};

beforeAll(async () => {
  on = await openDetectorRun();
  git(['init', '-q']);
  commit({ 'src/old.ts': 'export const old = 1;\n', 'src/queue.ts': 'export class RetryQueue {}\n', 'src/rates.ts': 'a\n' }, 'Import the shop', START - 60 * DAY);
  commit(
    {
      'lib/backoff.ts': '/** Repeats a call that fails, with growing pauses. */\nexport const withBackoff = async (call) => {\n  return call();\n};\n',
      'lib/dates.py': 'def parse_duration(text):\n    """Seconds of 1h30m."""\n    return 0\n',
      'lib/paint.ts': '/** Draws the layers of a sprite. */\nexport function composeLayers(layers) {}\n',
    },
    'Add helpers', START - 50 * DAY,
  );
  commit({ 'src/queue.ts': '// calls are not repeated\n' }, 'Remove the retry queue on purpose\n\nIt hid time-outs from the alarms.', START - 2 * DAY);
  commit({ 'src/rates.ts': 'b\nc\n' }, 'Rewrite the rates for the new tax law', START - DAY);
  commit({ 'src/mine.ts': 'export const mine = 1;\n' }, 'Remove mine on purpose', START + 5000);
}, 120_000);
afterAll(() => on.close());

describe('git-log', () => {
  const fields = { cadence: 'every_pass' };
  const rule: Rule = ({ tail, find, reported }) => {
    if (reported.some((line) => line.includes('→ advise'))) return silent();
    const commits = [...tail.matchAll(/^- ([0-9a-f]{7,}) (.*)$/gm)].map((match) => ({ hash: match[1] ?? '', text: match[2] ?? '' }));
    const telling = commits.find(({ text }) => /on purpose|rewrite/i.test(text) && !text.includes('since this session began'));
    const step = find('tool', '[tool] edit', '[tool] write').at(0);
    const known = [...find('prompt', 'bring it back'), ...find('text', 'was removed')];
    if (telling === undefined || step === undefined || known.length > 0) return silent(`${commits.length} commits`);
    return advise({ headline: 'This file was changed on purpose a short while ago', body: 'The commit says what for; the edit goes the other way.', evidence: [telling.hash, ...cite([step])], dedup_key: 'recent-change' });
  };
  const task = (file: string, say_ = 'Done.', asked = 'Calls to the bank should survive a hiccup.') => [prompt(asked, 0), edit(file, 'call()', 'queue.push(call)'), claim(say_), end(), prompt('Fine. What else?')];
  const cases: readonly Case[] = [
    { what: 'what is added was removed on purpose two days ago', parts: task('src/queue.ts'), speaks: { to: 'agent', key: 'recent-change', seen: [/^[0-9a-f]{7,} .*2 days ago: Remove the retry queue on purpose/, /^#\d+ \[tool\] Edit .*src\/queue\.ts/] } },
    { what: 'the area was rewritten yesterday', parts: task('src/rates.ts'), speaks: { to: 'agent', key: 'recent-change', seen: [/1 day ago: Rewrite the rates for the new tax law/, /src\/rates\.ts/] } },
    { what: 'an old file with an old history', parts: task('src/old.ts') },
    { what: 'a commit of this very session', parts: task('src/mine.ts') },
    { what: 'the user knows, and wants it', parts: task('src/queue.ts', 'Done.', 'The retry queue: bring it back, the alarms are mended.') },
    { what: 'a file git does not know', parts: task('src/new.ts') },
  ];
  test.each(cases)('$what', async ({ parts, speaks }) => holds(await on.play({ parts, rules: { 'git-log': rule }, detectors: { 'git-log': fields } }), 'git-log', speaks));
});

describe('prior-art', () => {
  const fields = { cadence: 'every_pass' };
  // It opens the place the lead names before it says a word.
  const rule: Rule = ({ tail, find, results, reported }) => {
    if (reported.some((line) => line.includes('→ advise'))) return silent();
    const twin = /^- ((?:[\w.-]+\/)+[\w.-]+):(\d+): /m.exec(tail);
    const step = find('tool', '[tool] write', '[tool] edit').at(-1);
    if (twin === null || step === undefined) return silent('no twin');
    if (find('text', 'replaces', 'instead of lib/').length > 0) return silent('a replacement, and explained');
    const [, path = '', line = ''] = twin;
    if (results.length === 0) return ask('Read', { path });
    if (!results.some((text) => /Repeats a call|Seconds of/.test(text))) return silent(`${path} does something else`);
    return advise({ headline: `What is written here exists in ${path}`, body: 'It does the same job.', evidence: [`${path}:${line}`, ...cite([step])], dedup_key: `prior-art:${path}` });
  };
  const task = (file: string, content: string, words = 'It is written.') => [prompt('The bank call should survive a hiccup.', 0), write(file, content), claim(words), end(), prompt('Good. And the logs?')];
  const cases: readonly Case[] = [
    { what: 'a helper of that name is there', parts: task('src/bank.ts', 'export const withBackoff = async (call) => {\n  for (;;) await call();\n};\n'), speaks: { to: 'agent', key: 'prior-art:lib/backoff.ts', seen: [/^lib\/backoff\.ts:2 /, /^#\d+ \[tool\] Write .*src\/bank\.ts/] } },
    { what: 'the same name in the other spelling', parts: task('src/time.ts', 'export function parseDuration(text) {\n  return 0;\n}\n'), speaks: { to: 'agent', key: 'prior-art:lib/dates.py', seen: [/^lib\/dates\.py:1 /, /src\/time\.ts/] } },
    { what: 'nothing of that name', parts: task('src/bank.ts', 'export const ringTwice = async (call) => {\n  await call();\n};\n') },
    { what: 'the same name for another job', parts: task('src/mail.ts', 'export function composeLayers(parts) {\n  return parts.join();\n}\n') },
    { what: 'a replacement that is explained', parts: [prompt('Rewrite the backoff helper.', 0), say('The new one replaces lib/backoff.ts, which goes next.'), write('src/backoff.ts', 'export const withBackoff = async (call) => {\n};\n'), claim('Written.'), end()] },
  ];
  test.each(cases)('$what', async ({ parts, speaks }) => holds(await on.play({ parts, rules: { 'prior-art': rule }, detectors: { 'prior-art': fields } }), 'prior-art', speaks));
});

describe('static-analysis', () => {
  const check = 'node tools/check.mjs';
  const fields = { cadence: 'every_pass', tools: ['Read', { exec: [check] }] };
  const enabled = (knobs: Parameters<NonNullable<Parameters<DetectorRun['play']>[0]['knobs']>>[0]) => ({ ...knobs, run_tool: { enabled: true } });
  beforeAll(() => {
    on.file('tools/check.mjs', `console.log("src/tax.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'."); process.exit(2);\n`);
  });
  const rule: Rule = ({ tail, find, results, reported }) => {
    if (reported.some((line) => line.includes('→ advise'))) return silent();
    if (!tail.includes(check)) return silent('no command may be used');
    if (results.length === 0) return ask('Run', { command: check });
    const error = /(src\/[\w./]+\.ts):(\d+):\d+ - (error TS\d+: [^\n<]*)/.exec(results.join('\n'));
    const step = error === null ? undefined : find('tool', error[1] ?? '').at(-1);
    if (error === null || step === undefined || find('error', 'TS2322').length > 0) return silent('nothing of this session');
    return advise({ headline: 'The tree no longer type-checks', body: `${error[3]}`, evidence: [`${error[1]}:${error[2]}`, `"${error[3]}"`, ...cite([step])], dedup_key: `static-analysis:${error[1]}` });
  };
  const speaks = { to: 'agent', key: 'static-analysis:src/tax.ts', seen: [/^src\/tax\.ts:3 /, /error TS2322/, /^#\d+ \[tool\] (?:Edit|Write) .*src\/tax\.ts/] } as const;
  const cases: readonly Case[] = [
    { what: 'an edit broke the types', parts: [prompt('Tax as a number.', 0), edit('src/tax.ts', 'tax: string', 'tax: number'), claim('Changed.'), end(), prompt('Next: the labels.')], speaks },
    { what: 'a new file does not type-check', parts: [prompt('Add the tax module.', 0), write('src/tax.ts', "\n\nexport const tax: number = '19';\n"), claim('Added.'), end(), prompt('Next: the labels.')], speaks },
    { what: 'the error is in a file the session never touched', parts: [prompt('Tax as a number.', 0), edit('src/labels.ts', 'a', 'b'), claim('Changed.'), end()] },
    { what: 'the agent has just seen it itself', parts: [prompt('Tax as a number.', 0), edit('src/tax.ts', 'tax: string', 'tax: number'), fails('npx tsc', "src/tax.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'."), say('One type error is left, I mend it now.')] },
  ];
  test.each(cases)('$what', async ({ parts, speaks: expected }) => holds(await on.play({ parts, knobs: enabled, rules: { 'static-analysis': rule }, detectors: { 'static-analysis': fields } }), 'static-analysis', expected));

  test('without a command, or with Run off in this workspace, nothing is asked and nothing is said', async () => {
    const parts = cases[0]?.parts ?? [];
    holds(await on.play({ parts, knobs: enabled, rules: { 'static-analysis': rule }, detectors: { 'static-analysis': { cadence: 'every_pass' } } }), 'static-analysis', undefined, false);
    const off = await on.play({ parts, rules: { 'static-analysis': rule }, detectors: { 'static-analysis': fields } });
    holds(off, 'static-analysis', undefined, false);
  });
});
