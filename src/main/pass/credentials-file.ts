// What the user keeps outside our configuration and names in it: the command that prints a key, and an authority's PEM file.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { realpathSync } from '../floor/disk-file.ts';
import { isCode, unlessClosed } from '../floor/json-file.ts';
import { keyCommandEnv, type ChildEnvSource } from './child-env.ts';

export type Secret = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };

const LIMIT_MS = 10_000;

/** Runs `model.key_command` without a shell and gives what it printed, trimmed. Its output appears in no message of ours. */
export const runKeyCommand = (command: string, { env, root }: Pick<ChildEnvSource, 'env' | 'root'>, limit_ms = LIMIT_MS): Promise<Secret> => {
  const [file, ...args] = splitWords(command);
  if (file === undefined) return Promise.resolve({ ok: false, why: 'model.key_command is empty' });
  return new Promise((resolve) => {
    const options = { env: keyCommandEnv({ env, root, exec_path: process.execPath, real }, homeByAccount()), timeout: limit_ms, killSignal: 'SIGKILL', maxBuffer: 64_000, windowsHide: true } as const;
    const child = execFile(file, args, options, (error, stdout) => {
      const value = stdout.trim();
      if (error !== null) resolve({ ok: false, why: `model.key_command failed (${reasonOf(error, limit_ms)})` });
      else if (value === '' || /\s/.test(value)) resolve({ ok: false, why: `model.key_command printed ${value === '' ? 'nothing' : 'more than one word'}` });
      else resolve({ ok: true, value });
    });
    child.stdin?.end();
  });
};

const real = (folder: string): string | undefined => unlessClosed(() => realpathSync(folder));

/** Not by HOME, which a repository can set; undefined where the user has no account. */
const homeByAccount = (): string | undefined => {
  try {
    return real(userInfo().homedir);
  } catch (error) {
    if (isCode(error, 'ERR_SYSTEM_ERROR')) return undefined;
    throw error;
  }
};

/** The PEM text of `model.ca_file`. */
export const readAuthority = (path: string): Secret => {
  try {
    const value = readFileSync(path, 'utf8');
    return value.includes('-----BEGIN CERTIFICATE-----') ? { ok: true, value } : { ok: false, why: 'model.ca_file holds no PEM certificate' };
  } catch (error) {
    return { ok: false, why: `model.ca_file cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'error'})` };
  }
};

/** Words of a command line; quotes group, a backslash takes the next character as it is. Nothing else is special. */
export const splitWords = (line: string): string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + (char === '\\' && quote === '"' && at + 1 < line.length ? line.charAt((at += 1)) : char);
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < line.length) word = (word ?? '') + line.charAt((at += 1));
    else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
};

const reasonOf = (error: Error & { code?: unknown; killed?: boolean }, limit_ms: number): string => {
  if (error.killed === true) return `no answer within ${limit_ms / 1000} s`;
  return typeof error.code === 'number' ? `exit ${error.code}` : String(error.code ?? 'error');
};
