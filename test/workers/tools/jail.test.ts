import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert as holds, constantFrom, property } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';
import { findPlace, isWithin, listPlace, openJail, readPlace } from '../../../src/workers/tools/jail.ts';
import type { ToolReply } from '../../../src/main/records.ts';

// What lies outside holds this word in its text and in its names.
const OUTSIDE = 'outsideword';

let base: string;
let root: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-jail-')));
  root = join(base, 'proj');
  const write = (path: string, text: string): void => {
    mkdirSync(join(base, path, '..'), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  write('proj/src/a.ts', 'inside a\n');
  write('proj/src/deep/b.ts', 'inside b\n');
  write('proj/src/Cafe\u0301.txt', 'inside cafe\n');
  write('proj/closed/secret.txt', 'closedword\n');
  write('proj/.env', 'KEY=closedword\n');
  write('proj/sub/.ENV', 'closedword\n');
  write('proj/re\u0301sume\u0301.key', 'closedword\n');
  write(`proj-${OUTSIDE}/${OUTSIDE}.txt`, `${OUTSIDE}\n`);
  write(`elsewhere/${OUTSIDE}.txt`, `${OUTSIDE}\n`);
  write(`elsewhere/deeper/${OUTSIDE}.txt`, `${OUTSIDE}\n`);
  const link = (at: string, to: string): void => symlinkSync(to, join(root, at));
  link('out-file', join(base, 'elsewhere', `${OUTSIDE}.txt`));
  link('out-dir', join(base, 'elsewhere'));
  link('out-relative', `../elsewhere/${OUTSIDE}.txt`);
  link('chain-1', 'chain-2');
  link('chain-2', 'src/../chain-3');
  link('chain-3', '../elsewhere');
  link('parent', '..');
  link('etc', '/etc');
  link('proc', '/proc/self');
  link('dev', '/dev');
  link('loop', 'loop');
  link('dangling', `../elsewhere/missing-${OUTSIDE}`);
  link('self', '.');
  link('in-dir', 'src');
  link('plain-name', '.env');
  link('src/deep/up', '../../..');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  symlinkSync(root, join(base, 'root-link'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const DENIED = ['.env', 'closed', 'r\u00e9sum\u00e9.key'];

const call = (tool: 'Read' | 'Grep' | 'Glob', args: Record<string, unknown>, at = root): ToolReply =>
  answerFileTool({ kind: 'file-tool', tool, args, root: at, denied: DENIED, deadline_ms: 5000, redact: true });

/** Every way to name a path or a pattern to the three tools. */
const tries = (path: string): readonly (readonly ['Read' | 'Grep' | 'Glob', Record<string, unknown>])[] => [
  ['Read', { path }],
  ['Grep', { pattern: '.', path }],
  ['Grep', { pattern: `${OUTSIDE}|closedword|root:` }],
  ['Grep', { pattern: '.', glob: path }],
  ['Glob', { pattern: '**', path }],
  ['Glob', { pattern: path }],
  ['Glob', { pattern: `${path}/**` }],
  ['Glob', { pattern: `${path}/*` }],
];

const leaks = (reply: ToolReply): boolean => {
  // A refusal repeats what was asked, and nothing else.
  if (!reply.ok) return /closedword|inside|root:x/.test(reply.text);
  return new RegExp(`${OUTSIDE}|closedword|root:x|daemon`).test(reply.text.replaceAll(base, ''));
};

describe('nothing outside the root is read', () => {
  const LEAFS = [
    '..', '../elsewhere', `../elsewhere/${OUTSIDE}.txt`, `../proj-${OUTSIDE}`, `../proj-${OUTSIDE}/${OUTSIDE}.txt`, 'out-file', 'out-dir', 'out-relative', 'chain-1', 'chain-2/deeper',
    'parent/elsewhere', `parent/proj-${OUTSIDE}`, 'etc/passwd', 'proc/environ', 'proc/cwd/..', 'dev/null', 'dev/zero', 'dev/tty', 'loop', 'dangling', 'pipe', 'self/parent', 'in-dir/../out-dir',
    'src/deep/up/elsewhere', '/etc/passwd', '/proc/self/environ', '/dev/zero', '/', '~', '~/.ssh', 'src/\0/../../x', 'out-dir/new/file', 'chain-1/missing/leaf', 'parent/missing', 'etc/missing',
    'closed', 'closed/secret.txt', '.env', 'sub/.ENV', 'SUB/.env', 'plain-name', 're\u0301sume\u0301.key', 'r\u00e9sum\u00e9.key', 'CLOSED/secret.txt', 'self/.env', 'self/self/closed', 'in-dir/../.env',
  ];

  test('F4, F5, F6: hundreds of generated attempts', () => {
    const prefix = constantFrom('', './', 'src/../', 'self/', 'self/self/', 'in-dir/../', 'src/deep/../../', `${base}/root-link/`, `${base}/proj/`, 'nowhere/../', './/', 'self/./');
    const suffix = constantFrom('', '/', '/.', '/..', '/../', `/${OUTSIDE}.txt`, `/deeper/${OUTSIDE}.txt`, '/*', '//', '/../..');
    const cased = constantFrom((path: string) => path, (path: string) => path.toUpperCase(), (path: string) => path.normalize('NFC'), (path: string) => path.normalize('NFD'), (path: string) => path.replaceAll('/', '//'));
    holds(
      property(prefix, constantFrom(...LEAFS), suffix, cased, (before, leaf, after, spell) => {
        const path = spell(`${before}${leaf}${after}`);
        for (const [tool, args] of tries(path)) {
          const reply = call(tool, args);
          expect(leaks(reply), `${tool} ${JSON.stringify(args)} → ${reply.text.slice(0, 200)}`).toBe(false);
        }
      }),
      { numRuns: 250, seed: 7 },
    );
  });

  test('F4: what is inside is read, through a link to the root and links within', () => {
    expect(call('Read', { path: 'src/a.ts' })).toEqual({ ok: true, text: 'src/a.ts, lines 1–1 of 1:\n1\tinside a' });
    expect(call('Read', { path: 'in-dir/a.ts' }).text).toContain('inside a');
    expect(call('Read', { path: join(base, 'root-link', 'src', 'a.ts') }).text).toContain('inside a');
    expect(call('Grep', { pattern: 'inside' }).text.split('\n').length).toBe(3);
    expect(call('Glob', { pattern: 'in-dir/**/*.ts' }).text).toBe('src/a.ts\nsrc/deep/b.ts');
  });

  test.runIf(existsSync('/proc/self/fd'))('F4: a root that has become a link is no root any more, and a folder moved away takes nothing along', () => {
    const moved = join(base, 'moving');
    mkdirSync(join(moved, 'src'), { recursive: true });
    writeFileSync(join(moved, 'src', 'a.ts'), 'inside\n');
    const jail = openJail(moved, []);
    if (jail === undefined) throw new Error('no jail');
    const place = findPlace(jail, 'src/a.ts');
    if (!place.ok) throw new Error(place.because);
    renameSync(moved, join(base, 'moved'));
    symlinkSync(join(base, 'elsewhere'), moved);
    expect(readPlace(jail, place, 100).ok).toBe(false);
    expect(listPlace(jail, moved, 10)).toBeUndefined();
    expect(call('Glob', { pattern: '**' }, moved)).toEqual({ ok: false, text: 'The repository cannot be opened.' });
    expect(openJail(join(base, 'root-link'), [])).toBeUndefined();
  });

  test('F4: a name like what the kernel calls a deleted file is a file like any other', () => {
    writeFileSync(join(root, 'src', 'gone (deleted)'), 'inside\n');
    expect(call('Read', { path: 'src/gone (deleted)' }).text).toContain('inside');
    expect(call('Read', { path: 'src/gone' }).ok).toBe(false);
    rmSync(join(root, 'src', 'gone (deleted)'));
  });

  test('a missing file and a file outside get the same words', () => {
    const words = (path: string): string => call('Read', { path }).text.replace(path, '…');
    expect(words('nowhere')).toBe(words('/etc/passwd'));
    expect(words('nowhere')).toBe(words('/etc/no-such-file'));
    expect(words('dangling')).toBe(words('out-file'));
  });

  test('F5: a sibling whose name begins like the root is outside', () => {
    expect(isWithin('/proj', '/proj-secret')).toBe(false);
    expect(isWithin('/proj', '/proj')).toBe(true);
    expect(isWithin('/proj', '/proj/a')).toBe(true);
    expect(isWithin('/', '/etc/passwd')).toBe(true);
    expect(isWithin('/', '/proc/1/environ')).toBe(false);
  });

  test('F6: names are closed in every case and normal form', () => {
    for (const path of ['.env', 'sub/.ENV', 're\u0301sume\u0301.key', 'r\u00e9sum\u00e9.key', 'Closed/x', 'plain-name']) {
      expect(call('Read', { path }).text, path).toMatch(/^Closed by the user/);
    }
  });

  test('deny rules hold for all three tools', () => {
    expect(call('Grep', { pattern: 'closedword' }).text).toBe('No line matches.');
    expect(call('Grep', { pattern: 'closedword', path: 'closed' }).ok).toBe(false);
    expect(call('Glob', { pattern: '**/secret.txt' }).text).toBe('No file fits.');
    expect(call('Glob', { pattern: 'closed/*' }).text).toBe('No file fits.');
    expect(call('Glob', { pattern: '.env' }).text).toBe('No file fits.');
    expect(call('Read', { path: 'closed/secret.txt' }).ok).toBe(false);
  });
});

describe('what changes while it is looked at', () => {
  test('F4: a link put in place between check and open is not followed', () => {
    const jail = openJail(root, []);
    if (jail === undefined) throw new Error('no jail');
    mkdirSync(join(root, 'swap'));
    writeFileSync(join(root, 'swap', `${OUTSIDE}.txt`), 'inside\n');
    const place = findPlace(jail, `swap/${OUTSIDE}.txt`);
    if (!place.ok) throw new Error(place.because);
    expect(readPlace(jail, place, 100).ok).toBe(true);

    // A folder on the way becomes a link.
    renameSync(join(root, 'swap'), join(root, 'swapped'));
    symlinkSync(join(base, 'elsewhere'), join(root, 'swap'));
    expect(readPlace(jail, place, 100).ok).toBe(false);
    expect(listPlace(jail, join(root, 'swap'), 10)).toBeUndefined();
    rmSync(join(root, 'swap'));
    renameSync(join(root, 'swapped'), join(root, 'swap'));

    // The file itself becomes a link, then a pipe: neither is read, nor waited for.
    rmSync(place.path);
    symlinkSync(join(base, 'elsewhere', `${OUTSIDE}.txt`), place.path);
    expect(readPlace(jail, place, 100).ok).toBe(false);
    rmSync(place.path);
    execFileSync('mkfifo', [place.path]);
    expect(readPlace(jail, place, 100).ok).toBe(false);
    rmSync(join(root, 'swap'), { recursive: true });
  });

  test('F4: a process that swaps a folder for a link all the time gets nothing out', async () => {
    mkdirSync(join(root, 'race'));
    writeFileSync(join(root, 'race', `x.txt`), 'inside\n');
    writeFileSync(join(base, 'elsewhere', 'x.txt'), `${OUTSIDE}\n`);
    symlinkSync(join(base, 'elsewhere'), join(root, 'race-link'));
    const script = `const {renameSync:r}=require('node:fs');process.chdir(process.argv[1]);process.stdout.write('.');for(;;){r('race','race-kept');r('race-link','race');r('race','race-link');r('race-kept','race');}`;
    const child = spawn(process.execPath, ['-e', script, root], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const seen = { inside: 0, other: 0 };
    const jail = openJail(root, []);
    if (jail === undefined) throw new Error('no jail');
    const unaided = { ...jail, kernelPaths: false };
    const place = { path: join(jail.root, 'race', 'x.txt'), rel: 'race/x.txt' };
    try {
      for (let n = 0; n < 3000; n += 1) {
        const reply = call('Read', { path: 'race/x.txt' });
        expect(reply.text).not.toContain(OUTSIDE);
        seen[reply.ok ? 'inside' : 'other'] += 1;
        for (const way of [jail, unaided]) {
          const read = readPlace(way, place, 100);
          if (read.ok) expect(read.bytes.toString()).toBe('inside\n');
        }
        for (const { name } of listPlace(jail, join(jail.root, 'race'), 10)?.entries ?? []) expect(name).toBe('x.txt');
        if (n % 10 === 0) {
          expect(call('Grep', { pattern: '.', path: 'race' }).text).not.toContain(OUTSIDE);
          expect(call('Glob', { pattern: '**', path: 'race' }).text).not.toContain(OUTSIDE);
        }
      }
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(seen.inside).toBeGreaterThan(0);
    expect(seen.other).toBeGreaterThan(0);
  });

  test('a root that is gone or no folder is said so', () => {
    expect(call('Read', { path: 'a' }, join(base, 'gone'))).toEqual({ ok: false, text: 'The repository cannot be opened.' });
    expect(openJail(join(root, 'src', 'a.ts'), [])).toBeUndefined();
  });
});
