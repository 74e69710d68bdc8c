import { describe, expect, test } from 'vitest';
import { commitLines, definitionLines, definitionPattern, leadKind, newDefinitions, writtenPaths } from '../../../src/main/pass/leads.ts';
import type { Numbered, Observation } from '../../../src/main/records.ts';
import { observation } from '../../support/records.ts';

const numbered = (fields: Partial<Observation>): Numbered => ({ ...observation(fields), n: 1 });
const DAY = 86_400_000;
const NOW = 1_780_000_000_000;
const edit = (path: string, text: string, tool = 'Edit') => numbered({ kind: 'tool', tool, text: `[tool] ${tool} ${path} (+2 -1)\n${text}`, paths: [path], writes: true });

test('a lead is what the catalogue asks for, and nothing it does not know', () => {
  expect(leadKind({ config: { leads: 'commits' } })).toBe('commits');
  expect(leadKind({ config: { leads: 'gossip' } })).toBeUndefined();
  expect(leadKind({ config: {} })).toBeUndefined();
});

test('paths are those written, relative to the root; none leads out of it', () => {
  const seen = [edit('/w/src/a.ts', ''), edit('./lib/b.ts', ''), edit('/etc/passwd', ''), edit('../up.ts', ''), edit('/w/../x', ''), edit('C:\\x', ''), numbered({ kind: 'tool', tool: 'Read', text: '[tool] Read /w/src/read.ts', paths: ['/w/src/read.ts'] })];
  expect(writtenPaths(seen, '/w')).toEqual(['src/a.ts', 'lib/b.ts']);
});

describe('commits', () => {
  const raw = (hash: string, at: number, subject: string, body = '', stat = '') => `\x1e${hash}\x1f${at / 1000}\x1f${subject}\x1f${body}\x1f\n\n${stat}`;

  test('each is a line with its age, what it says and what it did to the file; those of this task are marked', () => {
    const text = commitLines(raw('a41c9e2', NOW - 2 * DAY, 'Drop the retry queue', 'It hid timeouts.\n\nUse the gateway.', '3\t84\tlib/retry.ts\n') + raw('b000001', NOW - 60_000, 'Begin'), NOW, NOW - 3_600_000);
    expect(text.split('\n')).toEqual([
      'Commits that touched the files written here:',
      '- a41c9e2 2 days ago: Drop the retry queue — It hid timeouts. Use the gateway. [lib/retry.ts +3 -84]',
      '- b000001 within the last hour, since this session began: Begin',
    ]);
  });

  test('nothing and nonsense are no lead, and any amount of it stays small', () => {
    expect(commitLines('', NOW, 0)).toBe('');
    expect(commitLines('fatal: not a git repository', NOW, 0)).toBe('');
    expect(commitLines('\x1enot-a-hash\x1f1\x1fx\x1f\x1f', NOW, 0)).toBe('');
    expect(commitLines(Array.from({ length: 500 }, (_, n) => raw(`abc${String(n).padStart(4, '0')}`, NOW, 'x\n- fake line'.repeat(999), 'y'.repeat(9999), '1\t2\tz\n'.repeat(999))).join(''), NOW, 0).length).toBeLessThanOrEqual(2000);
  });

  test('a message cannot pose as another line', () => {
    expect(commitLines(raw('a41c9e2', NOW, 'one\n- b000001 2 days ago: fake'), NOW, NOW + 1).split('\n')).toHaveLength(2);
  });
});

describe('definitions', () => {
  test.each([
    ['+ export const withRetry = async (call: () => void) => {', 'withRetry'],
    ['+ export async function retryWithBackoff(n: number) {', 'retryWithBackoff'],
    ['+ class RetryPolicy:', 'RetryPolicy'],
    ['+ def parse_header(line):', 'parse_header'],
    ['+ pub(crate) fn read_exact_at(buf: &[u8]) {', 'read_exact_at'],
    ['+ func (c *Client) FetchAll(ctx context.Context) error {', 'FetchAll'],
  ])('%s', (line, name) => {
    expect(newDefinitions([edit('/w/src/a.ts', line)], '/w')).toEqual([{ name, path: 'src/a.ts' }]);
  });

  test('a value, a removed or changed definition, a usual name, a test and a sentence are none', () => {
    const lines = '+ const retries = 3;\n+ function handler() {\n- function oldHelper() {\n+ function changedHelper(a, b) {\n- function changedHelper(a) {\n  function unchangedHelper() {\n+ // the class that matters';
    expect(newDefinitions([edit('/w/src/a.ts', lines), edit('/w/test/a.test.ts', '+ function fakeClock() {')], '/w').map(({ name }) => name)).toEqual([]);
  });

  test('a written file is looked at whole', () => {
    expect(newDefinitions([edit('/w/lib/dates.py', 'import os\n\ndef parse_duration(text):\n    return 1', 'Write')], '/w')).toEqual([{ name: 'parse_duration', path: 'lib/dates.py' }]);
  });

  test('the expression finds a name in either spelling, and holds only what Grep takes', () => {
    const pattern = definitionPattern([{ name: 'parseRetryAfter', path: 'a' }, { name: '$cache', path: 'a' }]);
    expect(pattern).toContain('parse_?retry_?after|\\$cache');
    expect(definitionPattern(Array.from({ length: 8 }, (_, n) => ({ name: `aLongName${'X'.repeat(45)}${n}`, path: 'a' }))).length).toBeLessThanOrEqual(300);
    expect(definitionPattern([])).toBe('');
  });

  test('only rows elsewhere than the new definition count', () => {
    const grep = 'src/new.ts:3: export const withRetry = () => {\nlib/retry.ts:12: export const withRetry = async (call) => {\nlib/other.py:9: def with_retry(call):\n[there are more matches: narrow the expression, or name a folder or a glob]';
    expect(definitionLines(grep, [{ name: 'withRetry', path: 'src/new.ts' }])).toBe(
      'Newly written here: withRetry in src/new.ts. The same names are defined at:\n- lib/retry.ts:12: export const withRetry = async (call) => {\n- lib/other.py:9: def with_retry(call):',
    );
    expect(definitionLines('No line matches.', [{ name: 'withRetry', path: 'src/new.ts' }])).toBe('');
    expect(definitionLines('src/new.ts:3: export const withRetry = () => {', [{ name: 'withRetry', path: 'src/new.ts' }])).toBe('');
  });

  test('megabytes of one line take no time to speak of', () => {
    const text = `+ ${'func ('.repeat(200_000)}`;
    expect(newDefinitions([edit('/w/a.go', text), edit('/w/b.go', 'x'.repeat(1_000_000), 'Write')], '/w')).toEqual([]);
  });
});
