import { expect, it } from 'vitest';
import { complaintOf } from '../../../src/main/pass/kin.ts';
import { repeatFailures, repeatOutcomes } from '../../../src/main/pass/structure.ts';
import type { Numbered } from '../../../src/main/records.ts';
import { cpuMs } from '../../support/cpu.ts';

const DENIED = 'Exit code 128\ngit@host: Permission denied (publickey).\nfatal: Could not read from remote repository.';

/** Failed commands with their output; a command alone went through. */
type Call = readonly [command: string, failure?: string];
const stream = (...calls: readonly Call[]): Numbered[] =>
  calls.flatMap(([command, failure], at) => {
    const shared = { at, uuid: `u${at}`, raw_chars: 1, call: `c${at}`, tool: 'Bash' };
    const call: Numbered = { ...shared, n: at * 2 + 1, kind: 'tool', command, text: `[tool] Bash\n  ${command}${failure === undefined ? ' → done' : ''}` };
    return failure === undefined ? [call] : [call, { ...shared, n: at * 2 + 2, kind: 'error', text: `[error] Bash: ${failure}` }];
  });
const found = (...calls: readonly Call[]) => repeatFailures(stream(...calls), { name: 'repeat-failure', config: {} }, { from: 1 });

it('takes commands that name the same things and fail with the same words for one attempt', () => {
  const [match, ...more] = found(['git push', DENIED], ['git push origin HEAD', DENIED], ['sudo git push -u origin HEAD --verbose', `Pushing to git@host:a.git\n${DENIED}`]);
  expect(more).toEqual([]);
  expect(match).toMatchObject({ headline: expect.stringContaining('has failed 3 times') as string, evidence: ['#2', '#4', '#6'] });
  expect(match?.body).toContain('fail with the same words');
});

it.each<[string, Call[]]>([
  ['other things', [['docker pull a:1', 'Error: manifest unknown'], ['docker pull b:2', 'Error: manifest unknown'], ['docker pull c:3', 'Error: manifest unknown']]],
  ['other words', [['git push', 'error: a'], ['git push origin', 'error: b'], ['git push origin HEAD', 'error: c']]],
  ['another program', [['npm i x', 'ERR 401'], ['pnpm i x', 'ERR 401'], ['yarn add x', 'ERR 401']]],
  ['no complaint at all', [['./probe a', ''], ['./probe a b', ''], ['./probe a b c', '']]],
])('but not with %s', (_, calls) => {
  expect(found(...calls)).toEqual([]);
});

it('is over once any spelling went through, and each that was told closes it', () => {
  const told = found(['git push', DENIED], ['git push origin HEAD', DENIED], ['git push origin', DENIED])[0]?.key ?? '';
  expect(found(['git push', DENIED], ['git push origin HEAD', DENIED], ['git push'], ['git push origin HEAD', DENIED])).toEqual([]);
  for (const command of ['git push', 'git push origin HEAD']) {
    expect(repeatOutcomes(stream(['git push', DENIED], [command]), [{ id: 'sb-1', key: told, after: 2 }])).toMatchObject([{ verdict: 'adopted' }]);
  }
});

it('is bounded: three times as many spellings take no more than their share of time', () => {
  const many = (count: number): readonly Call[] => Array.from({ length: count }, (_, at) => [`make part-${at.toString(36)}x`, `make: no rule for ${at.toString(36)}x, error`]);
  const cost = (count: number): number => {
    const seen = stream(...many(count));
    const from = cpuMs();
    for (let round = 0; round < 3; round += 1) repeatFailures(seen, { name: 'repeat-failure', config: {} }, { from: 1 });
    return cpuMs() - from;
  };
  cost(300);
  expect(cost(3000)).toBeLessThan(12 * Math.max(cost(1000), 5));
});

it('a complaint is the lines that name a fault', () => {
  expect(complaintOf('[error] Bash: Exit code 1\n> build\nE: Write error (28)\nbye')).toEqual(['E: Write error (28)']);
  expect(complaintOf('[error] nothing of the kind')).toEqual([]);
});
