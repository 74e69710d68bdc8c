// The shapes of transcript records, checked by hand: any field may be missing, of another type, or new (contract e).

import type { ProjectionLimits } from '../../workers/contract.ts';
import type { Projected } from '../records.ts';

/** What every part of a record's projection knows. */
export type RecordContext = {
  readonly limits: ProjectionLimits;
  readonly at: number;
  readonly uuid: string;
  /** Well-formed and redacted. */
  readonly clean: (text: string) => string;
};

/** What a kind of record adds to what all have. */
export type Part = Partial<Omit<Projected, 'unknown'>> & { readonly unknown?: boolean };

/** A result still being put together, field by field: on the way of every line, spreading is most of the work. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** An object from outside: nothing is known about its fields. */
export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = {};

/** `value` when it is an object, else an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NOTHING);

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text in `fields[key]`; undefined for anything else, the empty text included. */
export const textAt = (fields: Fields, key: string): string | undefined => {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const ID_CHARS = 300;

/** The id in `fields[key]`. Ids are kept by the thousand: one longer than any real one is none. */
export const idAt = (fields: Fields, key: string): string | undefined => {
  const id = textAt(fields, key);
  return id === undefined || id.length > ID_CHARS ? undefined : id;
};

export const numberAt = (fields: Fields, key: string): number => {
  const value = fields[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};

export const listAt = (fields: Fields, key: string): readonly unknown[] => {
  const value = fields[key];
  return Array.isArray(value) ? value : [];
};

/** Content as blocks: a text is one text block, as is each text in a list; what is neither object nor text is left out. */
export const blocksOf = (content: unknown): readonly Fields[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (isFields(content)) return [content];
  if (!Array.isArray(content)) return [];
  const blocks: Fields[] = [];
  for (const block of content) {
    if (isFields(block)) blocks.push(block);
    else if (typeof block === 'string') blocks.push({ type: 'text', text: block });
  }
  return blocks;
};

/** The text of a result's or attachment's content, whichever shape it has. */
export const plainText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : blocksOf(content)
        .map((block) => textAt(block, 'text') ?? '')
        .filter((text) => text !== '')
        .join('\n');

/** Characters in every text below `value`, keys aside. */
export const charsIn = (value: unknown): number => sumOf(value, (text) => text.length);

/** Bytes of every text below `value` as its line spells them: the one size a hollow text still tells. */
export const spelledBytesIn = (value: unknown): number => sumOf(value, spelledBytes);

/** What `blocks` amount to: results that succeeded in bytes, all else in characters. */
export const sizeOfBlocks = (blocks: readonly Fields[]): number => {
  let size = 0;
  for (const { type, is_error, text, thinking, input, content } of blocks) {
    if (type === 'tool_result' && is_error !== true) size += spelledBytesIn(content);
    else size += charsIn(text) + charsIn(thinking) + charsIn(input) + charsIn(content);
  }
  return size;
};

const sumOf = (value: unknown, sizeOf: (text: string) => number): number => {
  if (typeof value === 'string') return sizeOf(value);
  if (typeof value !== 'object') return 0;
  let sum = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') sum += sizeOf(next);
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (isFields(next)) for (const key in next) waiting.push(next[key]);
  }
  return sum;
};

/** How `hollow` writes a text it left out: this and its length in bytes. */
export const HOLLOW = '\u0000~';

const spelledBytes = (text: string): number =>
  text.startsWith(HOLLOW) ? Number(text.slice(HOLLOW.length)) || 0 : Buffer.byteLength(JSON.stringify(text)) - 2;

/** ISO time as milliseconds, 0 when there is none, or one that no session has: one odd date would carry all that follows away. */
export const timeOf = (fields: Fields): number => {
  const at = Date.parse(textAt(fields, 'timestamp') ?? '');
  return at > 0 && at < Y2100 ? at : 0;
};

const Y2100 = 4_102_444_800_000;
