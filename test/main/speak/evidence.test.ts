import { describe, expect, test } from 'vitest';
import { checkEvidence } from '../../../src/main/speak/evidence.ts';
import { cpuMs } from '../../support/cpu.ts';

const OBSERVATIONS: Readonly<Record<number, string>> = {
  1: '[prompt] Please make the parser accept nested quotes, and leave config/prod.yaml alone.',
  2: '[tool] Edit src/parser.ts @L40-L52\n  + const depth = 0;',
  3: '[tool] Bash — "Run the build"\n  npm run build 2>&1 | tail -5',
  4: '[error] Bash: error TS2304: Cannot find name depthOf',
  5: '[text] Fixed in e8ac6d7f; everything works now.',
  6: '[tool] Read /home/dev/project/lib/données.ts',
};
const window_text = Object.entries(OBSERVATIONS).map(([n, text]) => `#${n} ${text}`).join('\n');
const tool_text = 'lib/retry.ts:14: export const retry = async () => {\ncommit 91abcde0 rework of the queue\n';
const check = (...citations: string[]) => checkEvidence(citations, { observation: (n) => (OBSERVATIONS[n] === undefined ? undefined : { text: OBSERVATIONS[n] }), window_text, tool_text });
const cites = (...citations: string[]): readonly string[] => check(...citations).map(({ cite }) => cite);

describe('evidence', () => {
  test.each([
    ['a number', '#2', ['#2']],
    ['a number in brackets', '[#2]', ['#2']],
    ['a number with the model’s gloss, which is dropped', '#2: the parser was broken here', ['#2']],
    ['several numbers, of which one exists', '#3, #99', ['#3']],
    ['a range by its ends', '#2-#4', ['#2', '#4']],
    ['a path', 'src/parser.ts', ['src/parser.ts']],
    ['a path from the root of the checkout', './src/parser.ts', ['src/parser.ts']],
    ['a path by its last segments', 'lib/données.ts', ['lib/données.ts']],
    ['a path whose line only a tool has shown', 'lib/retry.ts:14', ['lib/retry.ts:14']],
    ['a path whose line nobody has shown, without the line', 'src/parser.ts:999', ['src/parser.ts']],
    ['a path with another form of line', 'src/parser.ts#L40', ['src/parser.ts']],
    ['a range of lines that was seen', 'lib/retry.ts:14-20', ['lib/retry.ts']],
    ['a commit', '91abcde0', ['91abcde0']],
    ['a commit by its start', 'e8ac6d7', []],
    ['a commit in capitals', '91ABCDE0', ['91abcde0']],
    ['a command', 'npm run build 2>&1', ['npm run build 2>&1']],
    ['a command behind its tool', 'Bash: npm run build', ['npm run build']],
    ['a rendered call', '[tool] Bash npm run build', ['npm run build']],
    ['a quotation over a line break', '"Run the build" npm run build', ['Run the build" npm run build']],
    ['a quotation inside a sentence', 'the agent said "everything works now" at the end', ['everything works now']],
    ['a quotation of another script', 'données.ts', ['données.ts']],
    ['a path named within a sentence', 'edit of src/parser.ts without tests', ['src/parser.ts']],
  ])('takes %s', (_name, citation, found) => {
    expect(cites(citation)).toEqual(found);
  });

  test.each([
    ['a number nobody has', '#99'],
    ['number zero', '#0'],
    ['a path nobody named', 'src/invented.ts:3'],
    ['a path that is the start of another', 'src/parser.t'],
    ['a path that ends another', 'arser.ts'],
    ['a commit nobody named', 'deadbeef1'],
    ['a command nobody ran', 'npm test'],
    ['a command the window only starts', 'npm run build --watch'],
    ['trivial words', 'it was done'],
    ['an article and a noun', 'the build'],
    ['a rendering’s tag', '[tool] Bash'],
    ['a tag alone', '[prompt]'],
    ['one plain word', 'everything'],
    ['a letter', 'a'],
    ['nothing', ''],
    ['white space', ' \n '],
    ['other letters’ case', 'SRC/PARSER.TS'],
    ['a made-up quotation', '"the tests all failed"'],
    ['an address', 'https://x.test/src/parser.ts'],
  ])('drops %s', (_name, citation) => {
    expect(cites(citation)).toEqual([]);
  });

  test('hallucinated ones die, the others stay, each once', () => {
    expect(cites('src/nowhere.ts:1', '#2', '#2 again', 'npm run build', 'made up words here', '#77')).toEqual(['#2', 'npm run build']);
  });

  test('each says in one line what it stands for', () => {
    const [number, command] = check('#3', 'npm run build');
    expect(number?.text).toBe('[tool] Bash — "Run the build" npm run build 2>&1 | tail -5');
    expect(command?.text).toContain('npm run build 2>&1 | tail -5');
    for (const { text } of check('#1', '#2', 'src/parser.ts', 'lib/retry.ts:14')) expect(text).not.toMatch(/\n/);
  });

  test('a large window and hostile citations take linear work', () => {
    const time = (size: number): number => {
      const text = 'aaaa aaab '.repeat(size / 10);
      const start = cpuMs();
      checkEvidence(['aaaa aaac '.repeat(30), 'a/'.repeat(150), '#1,'.repeat(100), '"'.repeat(300), '`'.repeat(300), 'a.b'.repeat(100)], { observation: () => undefined, window_text: text, tool_text: text });
      return cpuMs() - start;
    };
    const best = (size: number): number => Math.min(time(size), time(size), time(size));
    expect(best(800_000)).toBeLessThan(Math.max(60, 12 * best(200_000)));
  });
});
