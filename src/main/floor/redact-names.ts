// Secrets that a word before them tells: `password=`, `--token`, `Authorization:`, `bearer`, `curl -u`, the head of a private key.
import { IN_WORD, isEntropic, matchAt, tableOf, type Span } from './redact-span.ts';

/**
 * Finds every such secret. One scan in steps of two looks for three letters of each word; only where it finds them is
 * anything judged.
 */
export const findNamed = (text: string, low: Buffer, spans: Span[]): void => {
  let done = 0;
  const judge = (at: number): void => {
    const hit = TRIGRAMS[fold(low, at)] as number;
    const clue = hit && CLUES[hit - 1];
    // What was convicted is not looked into again: a value may hold words too.
    if (clue && at >= done) done = clue[2](text, low, at - clue[1], spans) || done;
  };
  for (let i = 1; i < low.length; i += 2) {
    const part = PAIRS[(low[i - 1] as number) | ((low[i] as number) << 8)] as number;
    // Beyond either end stands no letter.
    if (part > 1) judge(i - 2);
    if (part & 1) judge(i - 1);
  }
};

/** Judges the word at `start`; returns where the secret behind it ends, 0 if there is none. */
type Judge = (text: string, low: Buffer, start: number, spans: Span[]) => number;

/** Three letters that few other words hold, and how far into the word (or before it, its dashes) they stand. */
type Clue = readonly [letters: string, back: number, judge: Judge];

/** `sure`: the name alone convicts; else the value must look random, or the rest of the name help. */
const named =
  (kind: string, sure = true): Judge =>
  (text, low, start, spans) =>
    mayBeNamed(low, start + 3) ? judgeName(text, start, kind, sure, spans) : 0;

const judgeBearer: Judge = (text, _low, start, spans) => {
  const lead = matchAt(BEARER, text, start);
  const value = lead === '' ? '' : matchAt(TOKEN68, text, start + lead.length);
  return value.length >= 20 || /\d/.test(value) ? push(spans, start + lead.length, value, 'bearer') : 0;
};

/** Without an end line (cut, or still being typed) everything that could be the key's body goes. */
const judgeKeyBlock: Judge = (text, _low, start, spans) => {
  const head = matchAt(KEY_HEAD, text, start);
  if (head === '') return 0;
  const body = matchAt(KEY_BODY, text, start + head.length);
  const close = body.indexOf('-----END ');
  const dashes = close === -1 ? -1 : body.indexOf('-----', close + 9);
  return push(spans, start, head + (dashes === -1 ? body : body.slice(0, dashes + 5)), 'private-key');
};

/** `curl … -u name:password`. */
const judgeCurl: Judge = (text, _low, start, spans) => {
  const lead = text.startsWith('curl', start) ? BASIC.exec(text.slice(start, start + CURL_LINE)) : null;
  if (lead === null) return 0;
  const from = start + lead.index + lead[0].length;
  const value = matchAt(BARE, text, from);
  return NO_SECRET.test(value) ? 0 : push(spans, from, value, 'password');
};

export const CLUES: readonly Clue[] = [
  ['ssw', 2, named('password')],
  ['ssp', 2, named('passphrase')],
  ['pwd', 0, named('password')],
  ['ecr', 1, named('secret')],
  ['ede', 2, named('credential')],
  ['riz', 5, named('authorization')],
  ['oki', 2, named('cookie')],
  ['oke', 1, named('token', false)],
  ['key', 0, named('key', false)],
  ['aut', 0, named('auth', false)],
  ['bea', 0, judgeBearer],
  ['egi', 6, judgeKeyBlock],
  ['url', 1, judgeCurl],
];

// Five bits of a character code fold case; what else they fold, the judges sort out.
const fold = (low: Buffer, at: number): number => (((low[at] as number) & 31) << 10) | (((low[at + 1] as number) & 31) << 5) | ((low[at + 2] as number) & 31);

const TRIGRAMS = new Uint8Array(1 << 15);
// By two bytes: 1 for the first two letters of a clue, 2 for the last two, capital or not.
const PAIRS = new Uint8Array(1 << 16);
const LETTERS = Buffer.from(CLUES.map(([letters]) => letters).join(''));
for (let i = 0; i < LETTERS.length; i += 1) {
  const place = i % 3;
  if (place === 0) TRIGRAMS[fold(LETTERS, i)] = i / 3 + 1;
  if (place < 2) for (const capitals of [0, 0x20, 0x2000, 0x2020]) (PAIRS[((LETTERS[i] as number) | ((LETTERS[i + 1] as number) << 8)) ^ capitals] as number) |= place + 1;
}

/** Whether the word around `from` is followed by what may lead to a value: the cheap half of SEPARATOR and FLAG_END. */
const mayBeNamed = (low: Buffer, from: number): boolean => {
  let i = from;
  while (i < low.length && i < from + 40 && IN_WORD[low[i] as number] === 1) i += 1;
  if (i >= low.length) return false;
  if (low[i] !== 0x20) return ENDS_NAME[low[i] as number] === 1;
  while (i < low.length && i < from + 50 && low[i] === 0x20) i += 1;
  if (i < low.length && (low[i] === 0x3d || low[i] === 0x3a)) return true;
  let start = from - 3;
  while (start > 0 && start > from - 40 && IN_WORD[low[start - 1] as number] === 1) start -= 1;
  return start >= 0 && low[start] === 0x2d;
};

// What may stand right behind a name: a separator (in a URL `%3D`), a quote and what escapes it, a bracket, a tab.
const ENDS_NAME = tableOf(':="\'`\\]\t%');

const judgeName = (text: string, start: number, kind: string, convicts: boolean, spans: Span[]): number => {
  const word = matchAt(NAME, text, start);
  if (word === '') return 0;
  const behind = start + word.length;
  const left = leftOf(text, start);
  const flag = left.startsWith('--') || (left.startsWith('-') && word !== 'key');
  const lead = matchAt(SEPARATOR, text, behind) || (flag ? matchAt(FLAG_END, text, behind) : '');
  const value = lead === '' ? undefined : valueOf(text, behind + lead.length, kind);
  if (value === undefined) return 0;
  const sure = convicts || (flag && !/[:=]/.test(lead)) || QUALIFIED.test(left + word + lead);
  if (!isSecret(value, sure, lead, kind)) return 0;
  // Only now to its end: judging looks at a bounded start, so that names without a secret cost little each.
  const rest = value.quoted || kind === 'cookie' ? '' : matchAt(REST, text, value.at + value.text.length);
  return push(spans, value.at, value.text + rest, kind === 'key' ? 'api-key' : kind);
};

const push = (spans: Span[], start: number, value: string, kind: string): number => {
  if (value !== '') spans.push({ start, end: start + value.length, kind });
  return value === '' ? 0 : start + value.length;
};

const NAME = /(?:passw|passphrase|pwd|secret|credential|authorization|cookie|token|key|auth)/iy;
// The rest of the name, a closing quote, the separator: one of `=`, `:`, `:=`, `=>`, or the space behind a flag.
const SEPARATOR = /[\w-]{0,24}(?:\\{0,3}["'`])?\]?[ \t]{0,8}(?::=|=>|[:=]|%3[ad])(?![:=])[ \t]{0,8}/iy;
const FLAG_END = /[\w-]{0,24}[ \t]{1,8}(?![-=:])/y;
const BEARER = /bearer[ \t]+(?=[\w.~+/=-]{8})/iy;
const TOKEN68 = /[\w.~+/=-]+/y;

const BASIC = /\s(?:-u|--user)[ =]?["']?[^\s:"']{1,64}:(?=[^\s:"']{3})/;
const CURL_LINE = 400;

const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_BODY = /[\w+/=\s\\:,"'().>#*|!;-]*/y;

/** The part of the name left of `at`, at most 32 characters. */
const leftOf = (text: string, at: number): string => {
  let i = at;
  while (i > 0 && at - i < 32 && IN_WORD[text.charCodeAt(i - 1)] === 1) i -= 1;
  return text.slice(i, at);
};

// Names that make a key or token a credential: `api_key`, `accessToken`, `GITHUB_TOKEN=`.
const QUALIFIED =
  /(?:api|access|auth|refresh|private|signing|encrypt\w*|master|account|client|session|bearer|secret|deploy|github|gitlab|slack|npm|bot)[_-]?(?:key|token)|[A-Z0-9]_(?:KEY|TOKEN|AUTH)\w*\\*["'`]?=|_auth\w*\W*[:=]/i;

// `NAME=value` as in a shell or an env file, against `name = value` and `name: value` as in code.
const tight = (lead: string): boolean => /[=%]/.test(lead) && !/[ \t]/.test(lead);

type Value = { readonly at: number; readonly text: string; readonly quoted: boolean; readonly next: string };

const OPENING = /\\{0,3}["'`]/y;
const SCHEME = /(?:bearer|basic|token|digest|apikey|negotiate|bot)[ \t]+/iy;
// For judging up to a `=`; REST goes on behind it.
const BARE = /[^\s"'`,;&|<>(){}[\]\\=]{1,256}={0,2}/y;
const REST = /[^\s"'`,;&|<>(){}[\]\\]*/y;
const LINE = /[^\r\n"'`\\]{1,4096}/y;
const QUOTED = { '"': /[^"\r\n]{0,4096}/y, "'": /[^'\r\n]{0,4096}/y, '`': /[^`\r\n]{0,4096}/y } as const;

const valueOf = (text: string, from: number, kind: string): Value | undefined => {
  const opening = matchAt(OPENING, text, from);
  let at = from + opening.length;
  if (kind === 'authorization') at += matchAt(SCHEME, text, at).length;
  const quote = opening.at(-1);
  if (quote === '"' || quote === "'" || quote === '`') {
    const whole = matchAt(QUOTED[quote], text, at);
    const inner = opening.length > 1 && whole.endsWith('\\') ? whole.slice(0, -(opening.length - 1)) : whole;
    return inner === '' ? undefined : { at, text: inner, quoted: true, next: '' };
  }
  const value = matchAt(kind === 'cookie' ? LINE : BARE, text, at);
  return value === '' ? undefined : { at, text: value, quoted: false, next: text.charAt(at + value.length) };
};

// What stands where a secret would, and is none: references, placeholders, types, code.
const NO_SECRET =
  /^(?:\[redacted:|[$%<{]|\*+$|\.{2,}|x{3,}$|(?:string|number|boolean|bool|str|int|bytes|object|any|unknown|text|null|none|nil|undefined|true|false|yes|no|on|off|required|optional|typeof|await|new|function|async|return|this|self|const|let)(?:$|\W))/i;
const REFERENCE = /^(?:process|os|env|environ|import|config|cfg|settings|options|opts|args|req|request|ctx|params|secrets|vars|data|props|input|user|body)\b[.[]|^[a-z_]+(?:\.[A-Za-z_]+)+$/;
const PLAIN_WORD = /^[A-Za-z_]+$/;

const isSecret = (value: Value, sure: boolean, lead: string, kind: string): boolean => {
  const head = value.text.slice(0, 256);
  if (NO_SECRET.test(head) || value.next === '(' || (!value.quoted && value.next === '[')) return false;
  if (kind === 'authorization' || kind === 'cookie') return head.length >= 8;
  if (!sure) return isEntropic(head);
  if (value.quoted) return head.length >= 3 && (!/\s/.test(head) || tight(lead) || kind === 'passphrase');
  if (head.length < 3 || REFERENCE.test(head) || (head.startsWith('/') && /^[\w./-]+$/.test(head))) return false;
  if (/^\d{1,3}$/.test(head)) return false;
  return tight(lead) || !PLAIN_WORD.test(head) || (lead.includes(':') && /^[\r\n]?$/.test(value.next));
};
