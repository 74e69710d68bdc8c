import { describe, expect, it } from 'vitest';
import { locatorsIn } from '../../../src/main/ingest/locators.ts';
import { cpuMs } from '../../support/cpu.ts';

const of = (text: string): readonly string[] => locatorsIn(text, 100);

describe('locators', () => {
  it.each([
    ['at src/main/app.ts:12:5 - error', ['src/main/app.ts:12:5']],
    ['"services.json", (go.mod) and README.md.', ['services.json', 'go.mod', 'README.md']],
    ['./run.sh ../lib/x ~/notes/today', ['./run.sh', '../lib/x', '~/notes/today']],
    ['/usr/share/dict/words and /etc/hosts.conf', ['/usr/share/dict/words', '/etc/hosts.conf']],
    ['File "/app/t.py", line 5, in x', ['/app/t.py:5']],
    ['--file=deploy/base.yaml,deploy/top.yaml', ['deploy/base.yaml', 'deploy/top.yaml']],
    ['internal/auth/agent is a package', ['internal/auth/agent']],
    ['see .env.local and .gitignore', ['.env.local', '.gitignore']],
    ['a.ts:3 then a.ts:3 then a.ts:4', ['a.ts:3', 'a.ts:4']],
    ['packages/@scope/ui/src/x.tsx#L3', ['packages/@scope/ui/src/x.tsx']],
  ])('are found in %j', (text, locators) => {
    expect(of(text)).toEqual(locators);
  });

  it.each([
    'console.log(x); this.name = a.b.z',
    'and/or, either/or, 1/2, km/h, e.g. this, i.e. that, v1.2.3',
    'https://example.com/docs/page.html',
    'GET /live/5 and /api',
    '// a comment /* and another */ a // b',
    `${'QUFB/9x+'.repeat(20)}==`,
    'iVBORw0KGgoAAAANSUhEUgAAAAUA/AAAFCAYAAACNbyblAAAAHElEQVQI12P4',
    '....... ../../.. ~ . / -',
    'user@example.com wrote: ok.',
  ])('are not seen in %j', (text) => {
    expect(of(text)).toEqual([]);
  });

  it('stop at the limit, and leave out what is known', () => {
    const text = Array.from({ length: 30 }, (_, i) => `src/f${i}.ts`).join('\n');
    expect(locatorsIn(text, 3)).toEqual(['src/f0.ts', 'src/f1.ts', 'src/f2.ts']);
    expect(locatorsIn('src/a.ts src/b.ts', 10, 'shown: src/a.ts')).toEqual(['src/b.ts']);
  });

  it.each(['a', '/', '.', 'a/', 'a.b', '/a', './', 'a.ts:', '中/', 'a/b.ts ', '-.'])('take time in proportion to a text of only %j', (unit) => {
    const took = (size: number): number => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      let best = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const start = cpuMs();
        locatorsIn(text, 10);
        best = Math.min(best, cpuMs() - start);
      }
      return best;
    };
    took(20_000);
    expect(took(200_000)).toBeLessThan(10 * took(50_000) + 30);
  });
});
