// The key command: no shell, a deadline, and nothing of its output in any message.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAuthority, runKeyCommand, splitWords } from '../../../src/main/pass/credentials-file.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sb-key-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const script = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return `"${process.execPath}" "${path}"`;
};

/** A command's surroundings in a repository of its own. */
const root = join(dir, 'repository');
const among = (more: Readonly<Record<string, string>> = {}) => ({ env: { ...process.env, ...more }, root });

describe('the key command', () => {
  it('gives what it printed, trimmed', async () => {
    expect(await runKeyCommand(`${script('ok a.cjs', 'console.log(process.argv[2])')} 'dummy-key'`, among())).toEqual({ ok: true, value: 'dummy-key' });
  });

  it('goes through no shell', async () => {
    expect(await runKeyCommand(`${script('argv.cjs', 'console.log(process.argv.length)')} a;b $(id) | cat`, among())).toEqual({ ok: true, value: '6' });
  });

  it('sees an environment built from scratch', async () => {
    const command = script('env.cjs', 'console.log(Object.keys(process.env).filter((n) => /NODE_OPTIONS|SECOND|ANTHROPIC/.test(n)).length)');
    expect(await runKeyCommand(command, among({ NODE_OPTIONS: '--no-warnings', ANTHROPIC_API_KEY: 'k' }))).toEqual({ ok: true, value: '0' });
  });

  it('is no program of the repository, whose settings may put a folder of it on the path', async () => {
    const bin = join(root, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'print-key'), '#!/bin/sh\necho stolen\n', { mode: 0o755 });
    const within = (env: Readonly<Record<string, string>>) => runKeyCommand('print-key', { env, root });
    expect(await runKeyCommand('print-key', { env: { PATH: bin }, root: join(dir, 'another') })).toEqual({ ok: true, value: 'stolen' });
    symlinkSync(bin, join(dir, 'link'));
    for (const PATH of [bin, `${bin}/../bin`, join(dir, 'link'), 'bin', '']) expect(await within({ PATH }), PATH).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    const homes = script('home.cjs', 'console.log(`${process.env.HOME}/${process.env.USER}`)');
    expect(await runKeyCommand(homes, { env: { HOME: root, USER: 'me' }, root })).toEqual({ ok: true, value: 'undefined/me' });
    expect(await runKeyCommand(homes, { env: { HOME: dir, USER: 'me' }, root })).toEqual({ ok: true, value: `${dir}/me` });
    const home = userInfo().homedir;
    expect(await runKeyCommand(homes, { env: { HOME: home, USER: 'me' }, root: home })).toEqual({ ok: true, value: `${home}/me` });
  });

  it.each([
    ['fails', 'console.log("secret-word"); process.exit(3)', 'exit 3'],
    ['prints nothing', '', 'nothing'],
    ['prints a page', 'console.log("secret-word and more")', 'more than one word'],
    ['reads forever', 'console.log("secret-word"); setInterval(() => {}, 1000)', 'no answer within 0.5 s'],
    ['prints too much', 'process.stdout.write("secret-word".repeat(100000))', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'],
  ])('a command that %s is a problem in words without its output', async (name, text, why) => {
    const result = await runKeyCommand(script(`${name}.cjs`, text), among(), 500);
    expect(result).toMatchObject({ ok: false, why: expect.stringContaining(why) });
    expect(JSON.stringify(result)).not.toContain('secret-word');
  });

  it('that does not exist, or is empty, is a problem', async () => {
    expect(await runKeyCommand('/no/such/program', among())).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    expect((await runKeyCommand('  ', among())).ok).toBe(false);
  });

  it.each([
    ['a b', ['a', 'b']],
    ['  a   b ', ['a', 'b']],
    [`a "b c" 'd "e"' f\\ g ""`, ['a', 'b c', 'd "e"', 'f g', '']],
    ['"open', ['open']],
    ['', []],
  ])('%j is the words %j', (line, words) => expect(splitWords(line)).toEqual(words));
});

it('an authority file must hold a certificate', () => {
  const path = join(dir, 'ca.pem');
  writeFileSync(path, '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n');
  expect(readAuthority(path).ok).toBe(true);
  expect(readAuthority(join(dir, 'none.pem'))).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
  writeFileSync(path, 'x');
  expect(readAuthority(path).ok).toBe(false);
});
