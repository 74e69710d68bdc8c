import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepCommand, keepEnds, keepHead, sealCommand } from '../../../src/main/ingest/elision.ts';
import { locatorsIn } from '../../../src/main/ingest/locators.ts';
import { cpuMs } from '../../support/cpu.ts';

const limits = { bash_cap: 400, heredoc_head: 120, harvest_max: 10 };
const numbered = (count: number, line: string): string => Array.from({ length: count }, (_, i) => `${line} ${i}`).join('\n');

describe('caps', () => {
  it('leave a text alone that a mark would not make shorter', () => {
    expect(keepHead('x'.repeat(440), 400, 10)).toBe('x'.repeat(440));
    expect(keepHead('x'.repeat(441), 400, 10)).toMatch(/^x{400}…\[\+41 chars, sha [0-9a-f]{4}\]$/);
  });

  it('say how many lines and characters went, and which locators', () => {
    const text = `head\n${numbered(20, 'see pkg/deep/file.go:7 or')}\nconf.yaml`;
    expect(keepHead(text, 10, 3)).toMatch(/…\[\+2\d lines, \d+ chars, sha [0-9a-f]{4}; paths: pkg\/deep\/file\.go:7, conf\.yaml\]$/);
  });

  it('mark two long cuts differently when their starts, ends or lengths differ', () => {
    const long = 'x'.repeat(20_000);
    const marks = [long, `${long}x`, `y${long}`, `${long}y`].map((text) => /sha (\w+)/.exec(keepHead(text, 0, 0))?.[1]);
    expect(new Set(marks).size).toBe(4);
  });

  it('keep both ends of a prompt', () => {
    const kept = keepEnds(`first words ${'paste '.repeat(500)}last words`, 300, 10);
    expect(kept.startsWith('first words')).toBe(true);
    expect(kept.endsWith('last words')).toBe(true);
    expect(kept.length).toBeLessThan(400);
  });

  const paths = fc.constantFrom('src/a.ts', 'src/a.ts:12', 'lib/deep/b.go:3:4', 'c.yaml', './run.sh', '/etc/app/conf.d/x.toml', 'Makefile', 'plain', 'and/or', '中文');
  it('name every locator in what is shown or in the mark, up to the limit, wherever the cut falls', () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 40 }), fc.integer({ min: 0, max: 200 }), (words, cap) => {
        const text = words.join(' ');
        for (const kept of [keepHead(text, cap, 100), keepEnds(text, cap, 100)]) {
          for (const locator of locatorsIn(text, 100)) expect(kept).toContain(locator);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('harvest no more than they may', () => {
    const text = Array.from({ length: 50 }, (_, i) => `src/f${i}.ts`).join(' ');
    expect(keepHead(text, 20, 4).match(/f\d+\.ts/g)?.length).toBeLessThan(8);
    expect(keepHead(text, 20, 0)).not.toContain('paths:');
  });
});

describe('commands', () => {
  it('keep what stands around a heredoc', () => {
    const kept = keepCommand(`cat > a.txt <<'EOF'\n${numbered(40, 'line')}\nEOF\nmake all`, limits);
    expect(kept).toMatch(/^cat > a\.txt <<'EOF'\nline 0\n[\s\S]*…\[\+\d+ lines, \d+ chars, sha [0-9a-f]{4}\]\nEOF\nmake all$/);
  });

  it('tell two heredocs of one line apart, and take a word in quotes, behind a dash or a backslash', () => {
    for (const word of ['EOF', "'EOF'", '"EOF"', '\\EOF']) {
      const kept = keepCommand(`cat <<-${word}; cat <<B\n${numbered(40, 'a')}\n\tEOF\n${numbered(40, 'b')}\nB\nend`, limits);
      expect(kept.match(/…\[/g)).toHaveLength(2);
      expect(kept.endsWith('\nB\nend')).toBe(true);
    }
  });

  it('do not take a here-string or a shift for a heredoc', () => {
    for (const command of ['cat <<< word\nnext', 'echo $((1 << 2))\nnext']) expect(keepCommand(command, limits)).toBe(command);
  });

  it('keep the head of a long literal and what follows it', () => {
    expect(keepCommand(`python3 -c "${'print(1); '.repeat(60)}" && echo ok`, limits)).toMatch(/print\(1\)[\s\S]*…\[\+\d+ chars, sha [0-9a-f]{4}\]" && echo ok$/);
    expect(keepCommand(`echo "a \\" ${'b'.repeat(300)}" 'c'`, limits)).toMatch(/…\[[^\]]*\]" 'c'$/);
  });

  it('are capped by what is shown, marks aside, and the last mark names what is behind it', () => {
    const kept = keepCommand(`${'run step; '.repeat(100)}cat src/last.ts`, limits);
    expect(kept.indexOf('…')).toBe(400);
    expect(kept).toContain('paths: src/last.ts');
  });

  it('hide the body of a heredoc into a sealed path, its paths and its hash included', () => {
    const sealed = sealCommand('cat > .env <<EOF\nA=conf/x.yaml\nEOF\ncat > b <<EOF\nc\nEOF', (path) => path === '.env');
    expect(sealed).toBe('cat > .env <<EOF\n…[+14 chars, sealed]\nEOF\ncat > b <<EOF\nc\nEOF');
  });

  it('never throw, and show a start of the command', () => {
    const parts = fc.constantFrom('<<', '<<EOF', "<<'A'", '\n', 'EOF', '"', "'", '\\', 'x'.repeat(90), ' ', '$(', '`', '<<<', 'a/b.ts');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (pieces) => {
        const command = pieces.join('');
        const kept = keepCommand(command, limits);
        expect(command.startsWith(kept.split('…[')[0] ?? '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['x', '<<A\n', '"a', "'", '\\"', '"\\\\', '<<EOF\nx\n', 'a/b.c ', '\n', '"\'`'])('take time in proportion to a command of only %j', (unit) => {
    const took = (size: number): number => {
      const command = unit.repeat(Math.ceil(size / unit.length));
      let best = Infinity;
      for (let round = 0; round < 3; round += 1) {
        const start = cpuMs();
        keepCommand(command, limits);
        best = Math.min(best, cpuMs() - start);
      }
      return best;
    };
    took(20_000);
    expect(took(200_000)).toBeLessThan(10 * took(50_000) + 30);
  });
});
