import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDenials, type Denials } from '../../../src/main/pass/deny-file.ts';
import { defaultSealed, denyRules } from '../../../src/main/pass/deny-rules.ts';
import { isSealed } from '../../../src/main/ingest/sealed.ts';
import { answerFileTool } from '../../../src/workers/tools/file-tool.ts';

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sb-deny-')));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), typeof value === 'string' ? value : JSON.stringify(value));
};
const deny = (...rules: readonly unknown[]) => ({ permissions: { deny: rules } });
const denials = (world: string, env: Record<string, string> = {}): Denials =>
  readDenials({ workspace: join(base, world, 'proj'), cwd: join(base, world, 'proj', 'pkg'), env, homes: [join(base, world, 'home')], managed: join(base, world, 'managed') });

describe('the host’s deny rules', () => {
  test('every layer binds: managed, user, project, local, and a config folder of its own', () => {
    write('all/managed/managed-settings.json', deny('Read(m.txt)'));
    write('all/managed/managed-settings.d/10.json', deny('Read(d.txt)'));
    write('all/home/.claude/settings.json', deny('Read(u.txt)'));
    write('all/proj/.claude/settings.json', deny('Read(p.txt)'));
    write('all/proj/.claude/settings.local.json', deny('Read(l.txt)'));
    write('all/proj/pkg/.claude/settings.json', deny('Read(c.txt)'));
    write('all/own/settings.json', deny('Read(o.txt)'));
    const { denied, problems } = denials('all', { CLAUDE_CONFIG_DIR: join(base, 'all', 'own') });
    for (const name of 'mduplco') expect(isSealed(join(base, 'all', 'proj', `${name}.txt`), denied), name).toBe(true);
    expect(isSealed(join(base, 'all', 'proj', 'x.txt'), denied)).toBe(false);
    expect(problems).toEqual([]);
  });

  test('a config folder set by the environment adds to the user’s own and replaces nothing', () => {
    write('env/home/.claude/settings.json', deny('Read(u.txt)'));
    const { denied } = denials('env', { CLAUDE_CONFIG_DIR: '/nowhere' });
    expect(isSealed(join(base, 'env', 'proj', 'u.txt'), denied)).toBe(true);
  });

  test('a broken file is named and costs only itself', () => {
    write('broken/home/.claude/settings.json', '{"permissions":');
    write('broken/proj/.claude/settings.json', deny('Read(p.txt)', 7, '', 'x'.repeat(2000)));
    write('broken/proj/.claude/settings.local.json', '[]');
    write('broken/managed/managed-settings.json', { permissions: { deny: 'Read(x)' } });
    const { denied, problems } = denials('broken');
    expect(isSealed(join(base, 'broken', 'proj', 'p.txt'), denied)).toBe(true);
    expect(problems.map((line) => line.replace(base, ''))).toEqual([
      '/broken/managed/managed-settings.json: permissions.deny is not a list; deny rules there are not all in force',
      '/broken/home/.claude/settings.json: not valid JSON; deny rules there are not all in force',
      '/broken/proj/.claude/settings.json: 3 entries of permissions.deny are no rules; deny rules there are not all in force',
      '/broken/proj/.claude/settings.local.json: not an object; deny rules there are not all in force',
    ]);
    write('folder/proj/.claude/settings.json/x', '');
    expect(denials('folder').problems[0]).toContain('not a file');
  });

  test('the rules bind Read, Grep and Glob, whole folders with them', () => {
    write('tools/proj/.claude/settings.json', deny('Read(./secrets/**)', 'Read(vault)', 'Read(src/**/*.gen.ts)', 'Bash(cat *)'));
    for (const path of ['secrets/a.txt', 'vault/deep/b.txt', 'src/x/y.gen.ts', 'src/open.ts', '.env', 'pkg/.env.local', 'deploy.pem']) write(`tools/proj/${path}`, 'needle\n');
    const { denied } = denials('tools');
    const call = (tool: 'Read' | 'Grep' | 'Glob', args: Record<string, unknown>) =>
      answerFileTool({ kind: 'file-tool', tool, args, root: join(base, 'tools', 'proj'), denied, deadline_ms: 5000, redact: true });
    expect(call('Grep', { pattern: 'needle' }).text).toBe('src/open.ts:1: needle');
    expect(call('Glob', { pattern: '**/*.{txt,ts,pem,local,env}' }).text).toBe('src/open.ts');
    for (const path of ['secrets/a.txt', 'vault/deep/b.txt', 'vault', 'secrets', 'src/x/y.gen.ts', '.env', 'pkg/.env.local', 'deploy.pem']) expect(call('Read', { path }).text, path).toMatch(/^Closed by/);
  });
});

describe('rules as patterns', () => {
  const bases = { project: ['/work/proj'], homes: ['/home/me'], settings: '/home/me/.claude' };
  const closes = (rule: string, path: string): boolean => isSealed(path, denyRules(deny(rule), bases).absolute);

  test('each way to anchor a path', () => {
    const yes: [string, string][] = [
      ['Read(//etc/hosts)', '/etc/hosts'], ['Read(~/notes/**)', '/home/me/notes/a/b'], ['Read(~/notes)', '/home/me/notes/a'], ['Read(/src/a)', '/work/proj/src/a'], ['Read(/x)', '/home/me/.claude/x'],
      ['Read(a.txt)', '/work/proj/deep/a.txt'], ['Read(a/b)', '/work/proj/a/b'], ['Read(./a)', '/work/proj/a/b'], ['Read(**/a.txt)', '/work/proj/x/a.txt'], ['Read(*.pem)', '/work/proj/x/k.pem'],
      ['Read', '/work/proj/any'], ['Read()', '/work/proj/any'], ['Read(*)', '/work/proj/any/thing'], ['Read(**)', '/work/proj/any/thing'], ['Read(dir/)', '/work/proj/dir/x'], ['Read([ab].txt)', '/work/proj/a.txt'],
      ['Read({a,b}.txt)', '/work/proj/b.txt'], ['Read(a(1).txt)', '/work/proj/a(1).txt'], ['Read(a.txt', '/work/proj/a.txt'], [' Read (a.txt) ', '/work/proj/a.txt'],
    ];
    const no: [string, string][] = [
      ['Read(a.txt)', '/elsewhere/a.txt'], ['Read(~/notes)', '/work/proj/notes'], ['Read(//work/x)', '/work/proj/x'], ['Edit(a.txt)', '/work/proj/a.txt'], ['Bash(Read:*)', '/work/proj/a'],
      ['Read(proj/**)', '/work/proj/a'], ['ReadMcpResource', '/work/proj/a'], ['Read(*.pem)', '/work/proj/pem'],
    ];
    for (const [rule, path] of yes) expect(closes(rule, path), `${rule} ${path}`).toBe(true);
    for (const [rule, path] of no) expect(closes(rule, path), `${rule} ${path}`).toBe(false);
  });

  test('loose patterns fit paths as commands spell them', () => {
    const { loose } = denyRules(deny('Read(./secrets/**)', 'Read(~/vault/key)', 'Read(**/a.txt)'), bases);
    for (const path of ['secrets/x', './secrets/x', '/work/proj/secrets/x', '~/vault/key', 'b/a.txt', 'a.txt']) expect(isSealed(path, loose), path).toBe(true);
    expect(isSealed('src/x', loose)).toBe(false);
  });

  test('files that hold secrets are closed without any rule', () => {
    for (const path of ['/p/.env', '/p/.env.production', '/p/prod.env', '/p/x/id_rsa', '/p/tls.key', '/home/me/.aws/credentials', '/home/me/.ssh/config', '/p/.git/config']) expect(isSealed(path, defaultSealed), path).toBe(true);
    for (const path of ['/p/env.ts', '/p/key.ts', '/p/environment', '/p/config', '/p/src/keys.json']) expect(isSealed(path, defaultSealed), path).toBe(false);
  });
});
