// Makes a model's words inert before they reach an agent or a terminal: whatever could act, hide or command is taken out.
import { ADVICE_ID, BELL_PREFIX } from '../floor/marks.ts';
import { headOf, wellFormed } from '../floor/text.ts';
import { isOrder, withoutOrders } from './orders.ts';

// Far above every cap: what lies behind it would be cut anyway, and it bounds all the patterns below.
const MAX_IN = 20_000;

/** Model text as it may be said: inert, an observation rather than an order, at most `cap` UTF-16 units. */
export const sanitise = (text: string, cap: number): string => cut(withoutOrders(inert(text)), cap);

/** Like `sanitise`, on one line. */
export const sanitiseLine = (text: string, cap: number): string => cut(oneLine(withoutOrders(inert(text))), cap);

/** A quotation from the session on one line: inert, its words left alone. */
export const quoteLine = (text: string, cap: number): string => cut(oneLine(inert(text)), cap);

// Every pass can join what it left into something an earlier pass would have taken; three rounds settle what people write,
// and the last replacement removes the characters that any tag needs.
const inert = (text: string): string => {
  let out = wellFormed(text.slice(0, MAX_IN));
  for (let round = 0; round < 3; round += 1) {
    const before = out;
    for (const [pattern, by] of RULES) out = out.replace(pattern, by);
    if (out === before) break;
  }
  return out
    .replace(/[<＜](?=[\p{L}/!?|＜<])/gu, '‹')
    .replace(/‹([^‹›<>＞\n]{0,300})[>＞]/g, '‹$1›') // `2>&1` and `=>` stay: what opens nothing closes nothing
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

const LINK = String.raw`!?\[([^[\]\n]{0,300})\]\(\s{0,20}(?:<[^<>\n]{0,2000}>|[^()\s]{1,2000})(?:\s{1,20}"[^"\n]{0,300}")?\s{0,20}\)`;
const ADDRESS = String.raw`\b(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|(?:javascript|vbscript|mailto):|data:(?=\w{1,30}\/))[^\s<>‹›"'\x60()[\]{}]{1,2000}`;

const RULES: readonly (readonly [RegExp, string])[] = [
  // ANSI: control sequences, operating system commands (one without an end takes no more than its own start), single escapes
  [/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g, ''],
  [/(?:\u001b[\]P^_X]|[\u0090\u009d])(?:[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c))?/g, ''],
  [/\u001b[ -/]*[0-~]?/g, ''],
  [/\r\n?|[\u2028\u2029\u0085]/g, '\n'],
  [/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''],
  // bidi controls and what nobody sees: zero-width, soft hyphen, fillers, tag characters, variation selectors but those of emoji
  [/[\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|[\u180b-\u180e]|[\ufe00-\ufe0d]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/gu, ''],
  // images and links keep their words and lose their addresses
  [new RegExp(LINK, 'g'), '$1'],
  [new RegExp(ADDRESS, 'gi'), '(link)'],
  [/(?:`{3,}|~{3,})(?:[ \t]{0,5}[\w+-]{1,20}(?=\n))?/g, ''],
  // tags of the host and of models, their closers, and model control tokens
  [/[<＜]\/?(?:[\w-]{1,20}:)?(?:function|tool|system|task|command|local|bash|hook|user|agent)[-_][\w-]{1,60}\b[^<>＜＞\n]{0,300}[>＞]/gi, ''],
  // a short name may also be a generic's argument, `Promise<Result>`: there it follows a word
  [/(?:(?<![\p{L}\p{N}_])[<＜]|[<＜]\/)(?:[\w-]{1,20}:)?(?:invoke|parameters?|tools?|system|user|assistant|human|thinking|antml|result|output|instructions?)\b[^<>＜＞\n]{0,300}[>＞]/giu, ''],
  [/[<＜]\|[^<>|\n]{0,60}\|[>＞]|[<＜]{2}\/?SYS[>＞]{2}|\[\/?INST\]/gi, ''],
  [/^([ \t>*_-]{0,10})(human|assistant|system|user|developer|tool)[ \t]{0,5}:/gim, '$1$2 -'],
  // hook answers and tool calls as JSON: the names that a host acts on, and the shape of an object
  [/["']?\b(?:hookSpecificOutput|hookEventName|additionalContext|systemMessage|permissionDecision(?:Reason)?|updatedInput|updatedToolOutput|suppressOutput|suppressOriginalPrompt|stopReason|tool_use(?:_id)?|tool_calls?|function_call|input_schema)\b["']?\s{0,5}:/g, ''],
  [/["']\b(decision|continue|reason|type|name|arguments|input|behavior)\b["']\s{0,5}:/g, '$1 -'],
  // marks of ours: naming another advisory here would pass for the proof that it arrived
  [new RegExp(ADVICE_ID, 'g'), 'an earlier note'],
  [new RegExp(BELL_PREFIX, 'g'), ''],
];

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const cut = (text: string, cap: number): string => (text.length <= cap ? text : `${headOf(text, Math.max(0, cap - 1)).trimEnd()}…`);

/** What is still unfit in a text that shall be said, by name; empty when nothing is (HAZARDS A13). */
export const textProblems = (text: string): readonly string[] => [
  ...SIGNS.filter(([, sign]) => sign.test(text)).map(([name]) => name),
  ...(isOrder(text) ? ['order'] : []),
];

const SIGNS: readonly (readonly [string, RegExp])[] = [
  ['ansi', /[\u001b\u009b]/],
  ['control', /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/],
  ['bidi', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/],
  ['hidden', /[\u115f\u1160\u200b\u2060-\u2064\u3164\ufeff\uffa0]|\u034f|[\ufe00-\ufe0d]|[\u{e0000}-\u{e0fff}]/u],
  ['link', new RegExp(`${ADDRESS}|${LINK}`, 'i')],
  ['fence', /`{3}|~{3}/],
  ['tag', /<[\p{L}/!?|]/u],
  ['hook', /\b(?:hookSpecificOutput|additionalContext|systemMessage|permissionDecision)["']?\s*:|["']decision["']\s*:/],
  ['lone-surrogate', /\p{Surrogate}/u],
];
