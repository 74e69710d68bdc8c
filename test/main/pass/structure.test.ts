import { describe, expect, it } from 'vitest';
import { repeatFailures, repeatOutcomes } from '../../../src/main/pass/structure.ts';
import type { Numbered } from '../../../src/main/records.ts';

/** `!cmd` fails, `cmd` succeeds (folded), `~cmd` succeeds in a later episode, `?cmd` has no result, `&cmd` goes to the background. */
const stream = (...commands: readonly string[]): Numbered[] => {
  const seen: Numbered[] = [];
  const add = (observation: Partial<Numbered> & Pick<Numbered, 'kind' | 'text'>): void => {
    const n = seen.length + 1;
    seen.push({ at: n * 1000, uuid: `u${n}`, raw_chars: 1, n, ...observation });
  };
  commands.forEach((marked, at) => {
    const mark = '!~?&'.includes(marked[0] ?? '') ? marked[0] : '';
    const command = mark === '' ? marked : marked.slice(1);
    const call = `c${at}`;
    add({ kind: 'tool', tool: 'Bash', call, command, text: `[tool] Bash\n  ${command}${mark === '' ? ' → done' : ''}` });
    if (mark === '!') add({ kind: 'error', tool: 'Bash', call, text: '[error] Bash: Exit code 1\n\n> pkg@1.0.0 test\nSqlError: no such table\n  at x.js:1' });
    if (mark === '~') add({ kind: 'done', tool: 'Bash', call, text: '[done] Bash' });
    if (mark === '&') add({ kind: 'done', tool: 'Bash', call, launches: 'b1', text: '[done] Bash' });
  });
  return seen;
};
const repeat = { name: 'repeat-failure', config: {} };
const found = (commands: readonly string[], over: Partial<Parameters<typeof repeatFailures>[2]> = {}) => repeatFailures(stream(...commands), repeat, { from: 1, ...over });

describe('repeatFailures', () => {
  it('finds one command that failed three times in other clothes, and cites the failures', () => {
    const [match, ...more] = found(['!npm test', '!cd /repo && npm test 2>&1 | tail', 'ls', '!CI=1  npm test']);
    expect(more).toEqual([]);
    expect(match).toMatchObject({
      detector: 'repeat-failure', headline: '`npm test` has failed 3 times with no success between', evidence: ['#2', '#4', '#7'],
      body: 'The attempts differ in looks only. The latest one ended with: SqlError: no such table', stale_if: ['npm test* → done'],
    });
    expect(match?.key).toMatch(/^repeat-failure:npm-test:[0-9a-f]{8}$/);
  });

  it.each<[string, string[], number]>([
    ['two failures', ['!npm test', '!npm test'], 0],
    ['a success between', ['!npm test', '!npm test', 'npm test', '!npm test'], 0],
    ['a success between, told in a later episode', ['!npm test', '!npm test', '~npm test', '!npm test'], 0],
    ['a run without result between', ['!npm test', '!npm test', '?npm test', '!npm test'], 1],
    ['a run in the background between', ['!npm test', '!npm test', '&npm test', '!npm test'], 1],
    ['another command’s success between', ['!npm test', '!npm test', 'npm run build', '!npm test'], 1],
    ['three different commands', ['!npm test -- a', '!npm test -- b', '!npm test -- c'], 0],
    ['one command in three packages', ['!cd a && npm test', '!cd b && npm test', '!cd c && npm test'], 0],
    ['one package by three names', ['!cd /r/a && npm test', '!npm test', '!cd a && npm test'], 1],
    ['two commands, both failing thrice, in turns', ['!x 1', '!y 1', '!x 1', '!y 1', '!x 1', '!y 1'], 1],
    ['two commands, both failing thrice, one after the other', ['!x 1', '!x 1', '!x 1', '!y 1', '!y 1', '!y 1'], 2],
    ['failures after a success', ['npm test', '!npm test', '!npm test', '!npm test'], 1],
  ])('%s: %j gives %i', (_, commands, count) => {
    expect(found(commands)).toHaveLength(count);
  });

  it('counts from the catalogue’s number, and not below two', () => {
    expect(repeatFailures(stream('!x', '!x'), { name: 'r', config: { min_failures: 2 } }, { from: 1 })).toHaveLength(1);
    expect(repeatFailures(stream('!x'), { name: 'r', config: { min_failures: 1 } }, { from: 1 })).toHaveLength(0);
    expect(repeatFailures(stream('!x', '!x', '!x'), { name: 'r', config: { min_failures: 'four' } }, { from: 1 })).toHaveLength(1);
  });

  it('leaves out what did not grow in this episode, what was said, and what lies before the watch', () => {
    const three = ['!npm test', '!npm test', '!npm test', 'ls'];
    expect(found(three, { from: 7 })).toEqual([]);
    expect(found(three, { from: 6 })).toHaveLength(1);
    expect(found(three, { since: 3 })).toEqual([]);
    expect(found(three, { told: new Set(found(three).map(({ key }) => key)) })).toEqual([]);
  });

  it('puts the latest first', () => {
    expect(found(['!x 1', '!x 1', '!x 1', '!y 1', '!y 1', '!y 1']).map(({ headline }) => headline.slice(0, 5))).toEqual(['`y 1`', '`x 1`']);
  });

  it('is linear: a thousand failing commands read in one pass', () => {
    expect(found(Array.from({ length: 1000 }, (_, at) => `!npm test ${at % 300}`))).toHaveLength(300);
  });
});

/** Any call with its end: `ok`, or the text of its failure. */
const call = (n: number, over: Partial<Numbered>, end: string): Numbered[] => {
  const shared = { at: n, uuid: `u${n}`, raw_chars: 1, call: `x${n}`, tool: 'Bash', ...over };
  const text = `[tool] ${shared.tool} ${over.paths?.[0] ?? over.command ?? over.text ?? ''}`;
  if (end === 'ok') return [{ ...shared, kind: 'tool', n, text: over.writes === true ? `${text} (+1 -1) → done\n+ new` : `${text} → done` }];
  return [{ ...shared, kind: 'tool', n, text }, { at: n, uuid: `e${n}`, raw_chars: 1, n: n + 1, kind: 'error', tool: shared.tool, call: shared.call, text: `[error] ${shared.tool}: ${end}` }];
};
const story = (...calls: readonly [over: Partial<Numbered>, end: string][]): Numbered[] => calls.flatMap(([over, end], at) => call(1 + at * 2, over, end));
const edit = (path: string): Partial<Numbered> => ({ tool: 'Edit', paths: [path], writes: true });
const bash = (command: string): Partial<Numbered> => ({ command });
const matchesOf = (observations: readonly Numbered[], told: ReadonlySet<string> = new Set()) => repeatFailures(observations, repeat, { from: 1, told });

describe('progress', () => {
  const tests = bash('npm test');

  it('begins anew when something was changed and the failure is another one', () => {
    expect(matchesOf(story([tests, 'a is 1'], [edit('/r/a.ts'), 'ok'], [tests, 'b is 2'], [edit('/r/b.ts'), 'ok'], [tests, 'c is 3']))).toEqual([]);
  });

  it.each<[string, [Partial<Numbered>, string][]]>([
    ['changes that change nothing', [[tests, 'a is 1'], [edit('/r/a.ts'), 'ok'], [tests, 'a is 1'], [edit('/r/b.ts'), 'ok'], [tests, 'a is 1']]],
    ['other times and durations only', [[tests, 'a took 12ms'], [edit('/r/a.ts'), 'ok'], [tests, 'a took 9 ms'], [edit('/r/b.ts'), 'ok'], [tests, 'a took 1.5s']]],
    ['another failure without a change', [[tests, 'a'], [bash('ls'), 'ok'], [tests, 'b'], [tests, 'c']]],
    ['an edit that did not happen', [[tests, 'a'], [edit('/r/a.ts'), 'String to replace not found'], [tests, 'b'], [tests, 'c']]],
  ])('does not begin anew for %s', (_, calls) => {
    expect(matchesOf(story(...calls))).toMatchObject([{ headline: '`npm test` has failed 3 times with no success between' }]);
  });

  it.each(['sed -i.bak s/a/b/ src/a.ts', 'perl -pi -e s/a/b/ src/a.ts', 'git apply fix.patch', 'npm install left-pad', 'rm -rf build', 'docker compose up -d db'])('a shell that changes something counts like an edit: %s', (command) => {
    expect(matchesOf(story([tests, 'a is 1'], [bash(command), 'ok'], [tests, 'b is 2'], [bash(command), 'ok'], [tests, 'c is 3']))).toEqual([]);
    expect(matchesOf(story([tests, 'a'], [bash(command), 'ok'], [tests, 'a'], [bash(command), 'ok'], [tests, 'a']))).toHaveLength(1);
  });

  it('begins anew when the whole tree moved, as in a bisection', () => {
    expect(matchesOf(story([tests, 'a'], [bash('git bisect bad'), 'ok'], [tests, 'a'], [bash('git bisect bad'), 'ok'], [tests, 'a']))).toEqual([]);
  });

  it('a look at the stash moves nothing', () => {
    expect(matchesOf(story([tests, 'a'], [bash('git stash list'), 'ok'], [tests, 'a'], [tests, 'a']))).toHaveLength(1);
    expect(matchesOf(story([tests, 'a'], [bash('git stash'), 'ok'], [tests, 'a'], [tests, 'a']))).toEqual([]);
  });

  it('a search without a hit has not failed', () => {
    const search = bash('rg -n gone');
    expect(matchesOf(story([search, 'Exit code 1'], [search, 'Exit code 1'], [search, 'Exit code 1']))).toEqual([]);
    expect(matchesOf(story([search, 'Exit code 2\nregex parse error'], [search, 'Exit code 2\nregex parse error'], [search, 'Exit code 2\nregex parse error']))).toHaveLength(1);
  });

  it('gives an attempt that waits first twice as many', () => {
    const probe = (times: number) => story(...Array.from({ length: times }, (): [Partial<Numbered>, string] => [bash('sleep 5; curl -sf localhost:1/up'), 'refused']));
    expect(matchesOf(probe(5))).toEqual([]);
    expect(matchesOf(probe(6))).toHaveLength(1);
  });
});

describe('other tools', () => {
  const miss = 'String to replace not found in file.';

  it('counts the failures of one tool at one target, whatever succeeds besides', () => {
    const [match] = matchesOf(story([edit('/r/a.ts'), miss], [{ tool: 'Read', paths: ['/r/a.ts'] }, 'ok'], [edit('/r/a.ts'), miss], [edit('/r/b.ts'), 'ok'], [edit('/r/a.ts'), miss]));
    expect(match).toMatchObject({ headline: '`Edit /r/a.ts` has failed 3 times with no success between', stale_if: ['Edit /r/a.ts* → done'], evidence: ['#2', '#6', '#10'] });
    expect(match?.key).toMatch(/^repeat-failure:edit-r-a-ts:[0-9a-f]{8}$/);
  });

  it('takes other targets, and a success, for something else', () => {
    expect(matchesOf(story([edit('/r/a.ts'), miss], [edit('/r/b.ts'), miss], [edit('/r/c.ts'), miss]))).toEqual([]);
    expect(matchesOf(story([edit('/r/a.ts'), miss], [edit('/r/a.ts'), 'ok'], [edit('/r/a.ts'), miss], [edit('/r/a.ts'), miss]))).toEqual([]);
  });

  it('counts a tool without a target only while it fails alike', () => {
    const query = { tool: 'mcp__db__query', text: 'select 1' };
    expect(matchesOf(story([query, 'no such table'], [query, 'no such table'], [query, 'no such table']))).toHaveLength(1);
    expect(matchesOf(story([query, 'no such table'], [query, 'syntax error'], [query, 'no such table']))).toEqual([]);
  });
});

describe('two tools in turns', () => {
  const query = { tool: 'mcp__db__query', text: 'select id from loans' };
  const shell = bash('psql -c "select id from loans"');
  const turns = story([query, 'relation "loans" does not exist'], [shell, 'ERROR: relation "loans" does not exist'], [query, 'relation "loans" does not exist'], [shell, 'ERROR: relation "loans" does not exist']);

  it('is one finding, said once', () => {
    const [match, ...more] = matchesOf(turns);
    expect(more).toEqual([]);
    expect(match).toMatchObject({ headline: expect.stringMatching(/^`mcp__db__query` and `psql .*` have failed in turns, 4 times in all$/), evidence: ['#2', '#4', '#6', '#8'] });
    const told = new Set([match?.key ?? '']);
    expect(matchesOf([...turns, ...call(9, query, 'relation "loans" does not exist'), ...call(11, shell, 'ERROR: relation "loans" does not exist')], told)).toEqual([]);
  });

  it('is seen by a pass that has only one of the tools before it', () => {
    expect(repeatFailures(turns, repeat, { from: 7 })).toHaveLength(1);
  });

  it('is the same story as a row of it that was told before', () => {
    const third = [...turns, ...call(9, query, 'relation "loans" does not exist')];
    const alone = new Set([repeatFailures(third.filter(({ tool }) => tool === query.tool), repeat, { from: 1 })[0]?.key ?? '']);
    expect(matchesOf([...third, ...call(11, shell, 'ERROR: relation "loans" does not exist')], alone)).toEqual([]);
  });

  it('needs something in common', () => {
    expect(matchesOf(story([query, 'timeout'], [bash('make'), 'no rule'], [query, 'timeout'], [bash('make'), 'no rule']))).toEqual([]);
  });

  it('is over once something was changed or one of them went through', () => {
    expect(matchesOf([...turns.slice(0, 4), ...call(50, edit('/r/a.sql'), 'ok'), ...turns.slice(4)])).toEqual([]);
    expect(matchesOf([...turns.slice(0, 4), ...call(50, query, 'ok'), ...turns.slice(4)])).toEqual([]);
  });

  it('is adopted once either went through', () => {
    const key = matchesOf(turns)[0]?.key ?? '';
    expect(repeatOutcomes([...turns, ...call(9, query, 'ok')], [{ id: 'sb-1', key, after: 8 }])).toEqual([{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#9'] }]);
    expect(repeatOutcomes([...turns, ...call(9, shell, 'ok')], [{ id: 'sb-1', key, after: 8 }])).toHaveLength(1);
  });
});

describe('two commands of a shell in turns', () => {
  const merge = bash('git merge origin/main');
  const rebase = bash('git rebase origin/main');
  const no: [Partial<Numbered>, string] = [merge, 'would be overwritten'];
  const nor: [Partial<Numbered>, string] = [rebase, 'You have unstaged changes'];

  it('are one finding at the fourth failure, and adopted once either went through', () => {
    const turns = story(no, nor, no, nor);
    const [match, ...more] = matchesOf(turns);
    expect(more).toEqual([]);
    expect(match).toMatchObject({ headline: '`git merge origin/main` and `git rebase origin/main` have failed in turns, 4 times in all', evidence: ['#2', '#4', '#6', '#8'] });
    expect(matchesOf(story(no, nor, no, nor, no, nor), new Set([match?.key ?? '']))).toEqual([]);
    expect(repeatOutcomes([...turns, ...call(9, rebase, 'ok')], [{ id: 'sb-1', key: match?.key ?? '', after: 8 }])).toHaveLength(1);
  });

  it.each<[string, [Partial<Numbered>, string][]]>([
    ['three failures', [no, nor, no]],
    ['not in turns', [no, no, nor, nor]],
    ['another failure the second time', [no, nor, no, [rebase, 'CONFLICT in a.ts']]],
    ['a third command between', [no, nor, [bash('make'), 'no rule'], no, nor]],
    ['an edit between', [no, nor, [edit('/r/a.ts'), 'ok'], no, nor]],
    ['a change by the shell between', [no, nor, [bash('sed -i s/a/b/ a.ts'), 'ok'], no, nor]],
    ['one of them went through', [no, nor, [merge, 'ok'], no, nor]],
    ['both wait first', [[bash('sleep 5; curl -sf a/up'), 'x'], [bash('sleep 5; curl -sf b/up'), 'y'], [bash('sleep 5; curl -sf a/up'), 'x'], [bash('sleep 5; curl -sf b/up'), 'y']]],
  ])('are none with %s', (_, calls) => {
    expect(matchesOf(story(...calls))).toEqual([]);
  });
});

describe('repeatOutcomes', () => {
  it('closes an advisory as adopted when the command went through later', () => {
    const seen = stream('!npm test', '!npm test', '!npm test', '!npm test', 'cd /r && npm test');
    const key = repeatFailures(seen.slice(0, 6), repeat, { from: 1 })[0]?.key ?? '';
    expect(repeatOutcomes(seen, [{ id: 'sb-1', key, after: 6 }])).toEqual([{ advice_id: 'sb-1', verdict: 'adopted', evidence: ['#9'] }]);
    expect(repeatOutcomes(seen, [{ id: 'sb-1', key, after: 9 }, { id: 'sb-2', key: 'other', after: 0 }])).toEqual([]);
  });
});
