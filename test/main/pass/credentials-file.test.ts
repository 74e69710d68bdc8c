// The key command: no shell, a deadline, and nothing of its output in any message.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAuthority, runKeyCommand, splitWords } from '../../../src/main/pass/credentials-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'sb-key-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const script = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return `"${process.execPath}" "${path}"`;
};

describe('the key command', () => {
  it('gives what it printed, trimmed', async () => {
    expect(await runKeyCommand(`${script('ok a.cjs', 'console.log(process.argv[2])')} 'dummy-key'`, process.env)).toEqual({ ok: true, value: 'dummy-key' });
  });

  it('goes through no shell', async () => {
    expect(await runKeyCommand(`${script('argv.cjs', 'console.log(process.argv.length)')} a;b $(id) | cat`, process.env)).toEqual({ ok: true, value: '6' });
  });

  it('sees an environment built from scratch', async () => {
    const command = script('env.cjs', 'console.log(Object.keys(process.env).filter((n) => /NODE_OPTIONS|SECOND|ANTHROPIC/.test(n)).length)');
    expect(await runKeyCommand(command, { ...process.env, NODE_OPTIONS: '--no-warnings', ANTHROPIC_API_KEY: 'k' })).toEqual({ ok: true, value: '0' });
  });

  it.each([
    ['fails', 'console.log("secret-word"); process.exit(3)', 'exit 3'],
    ['prints nothing', '', 'nothing'],
    ['prints a page', 'console.log("secret-word and more")', 'more than one word'],
    ['reads forever', 'console.log("secret-word"); setInterval(() => {}, 1000)', 'no answer within 0.5 s'],
    ['prints too much', 'process.stdout.write("secret-word".repeat(100000))', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'],
  ])('a command that %s is a problem in words without its output', async (name, text, why) => {
    const result = await runKeyCommand(script(`${name}.cjs`, text), process.env, 500);
    expect(result).toMatchObject({ ok: false, why: expect.stringContaining(why) });
    expect(JSON.stringify(result)).not.toContain('secret-word');
  });

  it('that does not exist, or is empty, is a problem', async () => {
    expect(await runKeyCommand('/no/such/program', process.env)).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    expect((await runKeyCommand('  ', process.env)).ok).toBe(false);
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
