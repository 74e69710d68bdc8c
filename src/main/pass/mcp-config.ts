// `mcp.servers` of our own config, looked at by hand: which program or address each server is.
import { isObject } from '../floor/object.ts';

export type McpServer =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http'; readonly url: string };

export type ReadServer = { readonly ok: true; readonly server: McpServer } | { readonly ok: false; readonly why: string };

/** One entry: `{command, args?, env?}` or `{url}`. Plain http only to this machine. */
export const parseServer = (raw: unknown): ReadServer => {
  if (!isObject(raw)) return bad('expected {command, args, env} or {url}');
  const { command, args = [], env = {}, url } = raw;
  if (url !== undefined) return command === undefined ? parseUrl(url) : bad('give command or url, not both');
  if (typeof command !== 'string' || command === '' || command.includes('\0')) return bad('command must be a program');
  if (!isTexts(args)) return bad('args must be a list of texts');
  if (!isObject(env) || !isTexts(Object.values(env))) return bad('env must be an object of texts');
  return { ok: true, server: { kind: 'stdio', command, args, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) } };
};

/** What is wrong with the entries of `mcp.servers`, a sentence each. */
export const serverProblems = (servers: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(servers).flatMap(([name, raw]) => {
    const read = parseServer(raw);
    return read.ok ? [] : [`mcp.servers.${name}: ${read.why}`];
  });

const parseUrl = (raw: unknown): ReadServer => {
  const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return bad('url must be an https address');
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'http:' && !local ? bad('plain http only to this machine') : { ok: true, server: { kind: 'http', url: url.href } };
};

const bad = (why: string): ReadServer => ({ ok: false, why });
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.length <= 200 && value.every((item) => typeof item === 'string' && !item.includes('\0'));
