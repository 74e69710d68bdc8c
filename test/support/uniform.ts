// Makes a recorded transcript fit to be kept: uniform paths, spaced timestamps, and the host's bulky texts cut short with a mark.
import { dirname } from 'node:path';

export type UniformOptions = { readonly home: string; readonly minutes: number };

/**
 * The lines of a transcript, made uniform: `home` becomes /home/dev, the markers that choose a scenario are taken out of
 * texts, host texts are cut, and every timestamp is moved to `start + (t − start) × factor` (order kept).
 */
export const makeUniform = (text: string, options: UniformOptions): { readonly lines: readonly string[]; readonly factor: number } => {
  const records = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(withUniformPaths(line, options.home)) as Json);
  const times = records.flatMap((record) => {
    const at = isObject(record) && typeof record['timestamp'] === 'string' ? Date.parse(record['timestamp']) : Number.NaN;
    return Number.isNaN(at) ? [] : [at];
  });
  const start = Math.min(...times);
  const end = Math.max(...times);
  const factor = Math.max(1, (options.minutes * 60_000) / Math.max(1, end - start));
  const lines = records.map((record) => JSON.stringify(isHostText(record) ? cutTexts(record) : record).replaceAll(ISO_TIME, (time) => stretch(time, start, factor)));
  return { lines, factor };
};

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const KEPT_CHARS = 40;
const LONG_CHARS = 100;

// Attachments that are part of the session; all others carry what the host tells its model about itself.
const SESSION_ATTACHMENTS = new Set(['queued_command', 'hook_success', 'hook_additional_context', 'hook_system_message', 'async_hook_response', 'command_permissions']);

const withUniformPaths = (line: string, home: string): string => {
  const inFolderName = home.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return line
    .replaceAll(home, '/home/dev')
    .replaceAll(dirname(home), '')
    .replaceAll(inFolderName, '-home-dev')
    .replaceAll(/\/tmp\/claude-\d+/g, '/tmp/claude')
    .replaceAll(/@@[\w-]+ /g, '');
};

const isHostText = (record: Json): boolean => {
  if (!isObject(record)) return false;
  const { type, attachment } = record;
  if (typeof type === 'string' && type.startsWith('api-request')) return true;
  return type === 'attachment' && isObject(attachment) && !SESSION_ATTACHMENTS.has(String(attachment['type']));
};

const cutTexts = (value: Json, key = ''): Json => {
  if (key === 'commit' || key === 'pr') return '[left out]';
  if (key === 'input_schema' || key === 'schema') return '[schema left out]';
  if (typeof value === 'string') {
    return value.length <= LONG_CHARS ? value : `${[...value].slice(0, KEPT_CHARS).join('')}…[${value.length - KEPT_CHARS} more characters of host text left out]`;
  }
  if (Array.isArray(value)) return value.map((item: Json) => cutTexts(item));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutTexts(item, name)]));
  return value;
};

const stretch = (time: string, start: number, factor: number): string => {
  const at = Date.parse(time);
  // Times from outside the session (file dates in an output) are not ours to move.
  return at < start ? time : new Date(Math.round(start + (at - start) * factor)).toISOString();
};

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } => typeof value === 'object' && value !== null && !Array.isArray(value);
