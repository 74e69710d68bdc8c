// The recorded sessions hold what their README promises: whoever records them again learns here what others rely on.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Block = { readonly type: string; readonly name?: string; readonly input?: Record<string, string>; readonly is_error?: boolean; readonly text?: string };
type Line = {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly timestamp?: string;
  readonly toolDenialKind?: string;
  readonly origin?: { readonly kind: string };
  readonly attachment?: { readonly type: string };
  readonly message?: { readonly content: string | readonly Block[] };
};

const NAMES = ['no-tests', 'repeat-failure', 'clean', 'unicode-windows', 'long-mixed'] as const;
const textOf = (name: (typeof NAMES)[number]): string => readFileSync(`test/fixtures/sessions/${name}.jsonl`, 'utf8');
const linesOf = (name: (typeof NAMES)[number]): readonly Line[] => textOf(name).trimEnd().split('\n').map((line) => JSON.parse(line) as Line);
const blocksOf = (lines: readonly Line[]): readonly Block[] => lines.flatMap(({ message }) => (typeof message?.content === 'object' ? message.content : []));
const commandsOf = (blocks: readonly Block[]): readonly string[] => blocks.flatMap(({ name, input }) => (name === 'Bash' ? [input?.['command'] ?? ''] : []));

describe.each(NAMES)('%s', (name) => {
  const lines = linesOf(name);

  test('is a whole session without traces of the machine it was recorded on', () => {
    expect(lines.length).toBeGreaterThanOrEqual(40);
    expect(textOf(name)).not.toMatch(/sb-host|\/work\/|@@\w/);
    const known = new Set(lines.map(({ uuid }) => uuid));
    for (const { parentUuid } of lines) if (typeof parentUuid === 'string') expect(known).toContain(parentUuid);
  });

  test('lasts between 10 and 40 minutes', () => {
    const times = lines.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [Date.parse(timestamp)]));
    const minutes = (Math.max(...times) - Math.min(...times)) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(10);
    expect(minutes).toBeLessThanOrEqual(40);
  });
});

test('no-tests: a dozen calls, edits and builds, a claim to be done, and no run of the tests', () => {
  const blocks = blocksOf(linesOf('no-tests'));
  expect(blocks.filter(({ type }) => type === 'tool_use').length).toBeGreaterThanOrEqual(12);
  expect(commandsOf(blocks).some((command) => command.includes('npm run build'))).toBe(true);
  expect(commandsOf(blocks).some((command) => /test\b/.test(command.replaceAll('src test', '')))).toBe(false);
  expect(blocks.findLast(({ type }) => type === 'text')?.text).toMatch(/^Done\./);
});

test('repeat-failure: four failures of one command and nothing edited between', () => {
  const blocks = blocksOf(linesOf('repeat-failure'));
  const failures = blocks.flatMap(({ is_error }, index) => (is_error === true ? [index] : []));
  expect(failures).toHaveLength(4);
  expect(commandsOf(blocks).filter((command) => /npm +run +migrate/.test(command))).toHaveLength(4);
  expect(blocks.slice(0, failures.at(-1)).some(({ name }) => name === 'Edit')).toBe(false);
});

test('clean: the tests run after the last edit and nothing fails', () => {
  const blocks = blocksOf(linesOf('clean'));
  const lastEdit = blocks.findLastIndex(({ name }) => name === 'Edit');
  expect(commandsOf(blocks.slice(lastEdit))).toContain('npm test');
  expect(blocks.some(({ is_error }) => is_error === true)).toBe(false);
});

test('unicode-windows: other alphabets, emoji and Windows paths in arguments and errors', () => {
  const blocks = blocksOf(linesOf('unicode-windows'));
  for (const part of ['路径', '경로', '🐛', String.raw`C:\Users\開発者`, String.raw`\\fileserver\共有`]) {
    expect(blocks.some(({ input }) => Object.values(input ?? {}).some((value) => String(value).includes(part)))).toBe(true);
  }
  expect(blocks.filter(({ is_error }) => is_error === true).some((block) => JSON.stringify(block).includes('開発者'))).toBe(true);
});

test('long-mixed: queued prompt, refusals, background work, subagent, compaction and rewind', () => {
  const lines = linesOf('long-mixed');
  expect(lines.some(({ attachment }) => attachment?.type === 'queued_command')).toBe(true);
  expect(lines.filter(({ toolDenialKind }) => toolDenialKind === 'user-rejected')).toHaveLength(2);
  expect(lines.filter(({ origin }) => origin?.kind === 'task-notification')).toHaveLength(2);
  expect(blocksOf(lines).some(({ name }) => name === 'Agent')).toBe(true);
  expect(lines.some(({ subtype }) => subtype === 'compact_boundary')).toBe(true);
  const parents = lines.filter(({ origin }) => origin?.kind === 'human').map(({ parentUuid }) => parentUuid);
  expect(new Set(parents).size).toBe(parents.length - 1); // the rewound prompt and the one after it hang on the same record
});
