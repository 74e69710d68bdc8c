import { expect, test } from 'vitest';
import { makeUniform } from './uniform.ts';

const HOME = '/tmp/sb-host-abc/home';
const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const uniform = (...records: readonly object[]): readonly unknown[] =>
  makeUniform(records.map((record) => JSON.stringify(record)).join('\n'), { home: HOME, minutes: 10 }).lines.map((line) => JSON.parse(line));

test('paths and scenario markers become uniform', () => {
  const [record] = uniform({ type: 'user', timestamp: at(0), cwd: `${HOME}/project`, message: { content: '@@build Make it' }, file: '/x/-tmp-sb-host-abc-home-project/y' });
  expect(record).toMatchObject({ cwd: '/home/dev/project', message: { content: 'Make it' }, file: '/x/-home-dev-project/y' });
});

test('times keep their order and spread over the wanted minutes', () => {
  const times = uniform({ type: 'user', timestamp: at(0) }, { type: 'user', timestamp: at(9) }, { type: 'user', timestamp: at(6) }, { type: 'user', timestamp: at(10) });
  expect(times).toMatchObject([{ timestamp: at(0) }, { timestamp: at(540) }, { timestamp: at(360) }, { timestamp: at(600) }]);
});

test('long host texts are cut and say so, words of the session stay', () => {
  const long = 'word '.repeat(100);
  const [user, snapshot, hook] = uniform(
    { type: 'user', timestamp: at(0), message: { content: long } },
    { type: 'attachment', timestamp: at(1), attachment: { type: 'prompt_snapshot', systemPrompt: [long] } },
    { type: 'attachment', timestamp: at(2), attachment: { type: 'hook_additional_context', content: [long] } },
  );
  expect(user).toMatchObject({ message: { content: long } });
  expect(snapshot).toMatchObject({ attachment: { systemPrompt: [`${long.slice(0, 40)}…[460 more characters of host text left out]`] } });
  expect(hook).toMatchObject({ attachment: { content: [long] } });
});
