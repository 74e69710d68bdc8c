// One transcript line into what may be known of it (SPEC 5.2, 5.3): pure and stateless, so that ranges can run anywhere.
import type { ProjectionLimits } from '../../workers/contract.ts';
import { holdsSecret } from '../floor/redact-gate.ts';
import { redact } from '../floor/redact.ts';
import { wellFormed } from '../floor/text.ts';
import type { Projected } from '../records.ts';
import { projectAssistant } from './assistant-records.ts';
import { projectAttachment, projectQueue, projectSystem } from './host-records.ts';
import { decodeLine, hollow, isHollowable } from './hollow.ts';
import { isKnownType, plainName } from './record-types.ts';
import { isSilent } from './results.ts';
import { blocksOf, fieldsOf, idAt, isFields, sizeOfBlocks, textAt, timeOf, type Fields, type Part, type RecordContext, type Writable } from './transcript.ts';
import { projectUser } from './user-records.ts';

/**
 * What one line (without its newline) holds. Never throws: a line that is no record, or one whose shape breaks us, is
 * of type `bad-line`.
 */
export const projectLine = (line: Uint8Array, limits: ProjectionLimits): Projected => {
  const bytes = trimmed(line);
  if (isHollowable(bytes)) {
    const record = parse(hollow(bytes) ?? '');
    if (record !== undefined && isSilent(record)) return project(record, limits, true);
  }
  return projectText(decodeLine(bytes), limits);
};

/** The same from the line's text, without the cheap way: what `projectLine` must agree with. */
export const projectText = (text: string, limits: ProjectionLimits): Projected => {
  const record = parse(text);
  if (record === undefined) return text.trim() === '' ? nothing('empty') : BAD;
  return project(record, limits, text.includes('\\u'));
};

const parse = (text: string): Fields | undefined => {
  try {
    const record: unknown = JSON.parse(text);
    return isFields(record) ? record : undefined;
  } catch {
    return undefined; // counted by its type: one damaged line never hides the rest
  }
};

/** `mayBreak`: a text may hold a lone surrogate. Decoding leaves none; only an escape can spell one. */
const project = (record: Fields, limits: ProjectionLimits, mayBreak: boolean): Projected => {
  try {
    return projectRecord(record, limits, cleanerOf(limits, mayBreak));
  } catch {
    return BAD; // nested deeper than the stack, say
  }
};

const nothing = (type: string): Projected => ({ type, observations: [], events: [], proofs: [], raw_chars: 0 });
const BAD: Projected = { ...nothing('bad-line'), unknown: true };

/** Without a byte order mark and a carriage return. */
const trimmed = (line: Uint8Array): Buffer => {
  const start = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const end = line[line.length - 1] === 0x0d ? line.length - 1 : line.length;
  if (start === 0 && end === line.length && Buffer.isBuffer(line)) return line;
  return Buffer.from(line.buffer, line.byteOffset + start, Math.max(0, end - start));
};

const cleanerOf = ({ redact: redacts }: ProjectionLimits, mayBreak: boolean): RecordContext['clean'] => {
  if (!redacts) return mayBreak ? wellFormed : asItIs;
  return mayBreak ? (text) => secretless(wellFormed(text)) : secretless;
};

const asItIs = (text: string): string => text;

const secretless = (text: string): string => (holdsSecret(text) ? redact(text) : text);

const projectRecord = (record: Fields, limits: ProjectionLimits, clean: RecordContext['clean']): Projected => {
  const uuid = idAt(record, 'uuid');
  const parent = idAt(record, 'parentUuid');
  const session = idAt(record, 'sessionId');
  const fork = idAt(fieldsOf(record['forkedFrom']), 'sessionId');
  const context: RecordContext = { limits, clean, at: timeOf(record), uuid: uuid ?? '' };
  const part = partOf(record, context);
  const type = part.type ?? typeOf(record);
  // Field by field: this is done for every line, and spreading costs more than parsing a short one.
  const held = { observations: part.observations ?? NONE, events: part.events ?? NONE, proofs: part.proofs ?? NONE };
  const unknown = part.unknown === true || !isKnownType(type);
  const projected: Writable<Omit<Projected, 'raw_chars'>> =
    unknown || fork !== undefined
      ? { type, ...(unknown ? { unknown } : {}), ...(fork === undefined ? {} : { forked_from: fork }), ...held }
      : { type, observations: held.observations, events: held.events, proofs: held.proofs };
  if (uuid !== undefined) projected.uuid = uuid;
  if (parent !== undefined) projected.parent = parent;
  if (context.at !== 0) projected.at = context.at;
  if (session !== undefined) projected.session = session;
  if (part.usage !== undefined) projected.usage = part.usage;
  if (part.prompt !== undefined) projected.prompt = part.prompt;
  if (part.queue !== undefined) projected.queue = part.queue;
  return Object.assign(projected, { raw_chars: part.raw_chars ?? 0 });
};

const NONE: readonly never[] = [];

const partOf = (record: Fields, context: RecordContext): Part => {
  // A subagent's own conversation; its conclusion comes by notification, result or signal.
  if (record['isSidechain'] === true) return { type: 'sidechain', raw_chars: sizeOfBlocks(blocksOf(fieldsOf(record['message'])['content'])) };
  switch (record['type']) {
    case 'assistant':
      return projectAssistant(record, context);
    case 'user':
      return projectUser(record, context);
    case 'attachment':
      return projectAttachment(fieldsOf(record['attachment']), context);
    case 'system':
      return projectSystem(record, context);
    case 'queue-operation':
      return projectQueue(record, context);
    default:
      return {};
  }
};

/** `type`, with the subtype where there is one; names from outside are kept short and plain. */
const typeOf = (record: Fields): string => {
  const type = plainName(textAt(record, 'type'));
  const subtype = type === 'attachment' ? textAt(fieldsOf(record['attachment']), 'type') : type === 'system' ? textAt(record, 'subtype') : undefined;
  return subtype === undefined ? type : `${type}/${plainName(subtype)}`;
};
