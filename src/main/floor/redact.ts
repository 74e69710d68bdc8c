// The one table of secrets: what leaves this machine or is stored passes here first, whole, before anything is cut (SPEC 5.3).
// No backtracking search runs over the text: cheap scans find places, bounded sticky patterns judge them.
import { lowBytes, shortSha } from './text.ts';

/**
 * `text` with every secret-shaped part replaced by `[redacted:<kind> <4 hex of sha256>]`. Deterministic and
 * idempotent; time grows with the length of `text` only.
 */
export const redact = (text: string): string => {
  let shown = text;
  // What a mark replaced may have hidden where the next secret starts. One look finds all but contrived ones.
  for (let look = 0; look < LOOKS; look += 1) {
    const spans = secretsIn(shown);
    if (spans.length === 0) break;
    shown = replace(shown, spans);
  }
  return shown;
};

const LOOKS = 8;

const secretsIn = (text: string): Span[] => {
  const spans: Span[] = [];
  const low = lowBytes(text);
  findRuns(text, low, spans);
  findNames(text, low, spans);
  findUrlPasswords(text, low, spans);
  findKeyBlocks(text, low, spans);
  findBasicFlags(text, low, spans);
  return spans;
};

type Span = { readonly start: number; readonly end: number; readonly kind: string };

// Overlapping spans become one, named after the one that starts first: nothing of either may show.
const replace = (text: string, spans: Span[]): string => {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let out = '';
  let done = 0;
  for (let i = 0; i < spans.length; ) {
    const first = spans[i] as Span;
    let end = first.end;
    for (i += 1; i < spans.length && (spans[i] as Span).start < end; i += 1) end = Math.max(end, (spans[i] as Span).end);
    out += `${text.slice(done, first.start)}[redacted:${first.kind} ${shortSha(text.slice(first.start, end))}]`;
    done = end;
  }
  return out + text.slice(done);
};

// ─── vendor tokens: all hold an unbroken run of [A-Za-z0-9_-] of some length, which prose and code seldom do ───

const RUN = 16;
const IN_RUN = Uint8Array.from({ length: 256 }, (_, code) => (code < 128 && /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0));

/** What a run may hold. Each tail is one class, so that a failed match costs at most the shortest token. */
const VENDOR = new RegExp(
  [
    '(?<anthropic>sk-ant-[\\w-]{12,})',
    '(?<openai>(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))sk-(?:proj-|svcacct-|admin-)?[\\w-]{16,})',
    '(?<aws>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})',
    '(?<github>gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\\w{20,})',
    '(?<gitlab>gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\\w-]{16,})',
    '(?<slack>xox[abeoprs]-[\\w-]{10,}|xapp-[\\w-]{10,})',
    '(?<google>AIza[\\w-]{30,}|GOCSPX-[\\w-]{20,})',
    '(?<stripe>[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{16,})',
    '(?<npm>npm_[A-Za-z0-9]{30,})',
    '(?<pypi>pypi-[\\w-]{30,})',
    '(?<huggingface>hf_[A-Za-z0-9]{24,})',
    '(?<token>do[opr]_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{24,}|ntn_[A-Za-z0-9]{30,}' +
      '|AGE-SECRET-KEY-1[A-Z0-9]{30,}|HRKU-[\\w-]{24,}|sq0(?:csp|atp|idp)-[\\w-]{16,}|glsa_\\w{24,}|sntry[su]_\\w{24,}|phc_[A-Za-z0-9]{30,})',
    '(?<twilio>SK[a-f0-9]{32})',
    '(?<mailgun>key-[a-f0-9]{32})',
  ].join('|'),
  'g',
);

const findRuns = (text: string, low: Buffer, spans: Span[]): void => {
  // Looks at every 16th place and walks back only where a run may hold it.
  for (let start = 0; start + RUN <= low.length; ) {
    let i = start + RUN - 1;
    while (i >= start && IN_RUN[low[i] as number] === 1) i -= 1;
    if (i >= start) {
      start = i + 1;
      continue;
    }
    let end = start + RUN;
    while (end < low.length && IN_RUN[low[end] as number] === 1) end += 1;
    start = Math.max(end + 1, judgeRun(text, start, end, spans));
  }
};

/** Returns where to go on: behind what the run's token takes with it. */
const judgeRun = (text: string, start: number, end: number, spans: Span[]): number => {
  const run = text.slice(start - 2 < 0 ? 0 : start - 2, end);
  const shift = end - run.length;
  for (const { index, groups = {}, 0: found } of run.matchAll(VENDOR)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'token';
    spans.push({ start: shift + index, end: shift + index + found.length, kind });
  }
  const jwt = text.charAt(end) === '.' ? run.indexOf('eyJ') : -1;
  const rest = jwt === -1 ? '' : matchAt(JWT_REST, text, end);
  if (rest !== '') spans.push({ start: shift + jwt, end: end + rest.length, kind: 'jwt' });
  const dotted = DOTTED.exec(text.slice(Math.max(0, start - 64), start));
  const more = dotted === null ? '' : matchAt(MORE, text, end);
  if (dotted !== null) spans.push({ start: start - dotted[0].length, end: end + more.length, kind: 'token' });
  return end + Math.max(rest.length, more.length);
};

// Two more parts in a signed token, four in an encrypted one.
const JWT_REST = /\.[\w-]{6,}(?:\.[\w-]*){0,3}/y;
const MORE = /[\w.-]*/y;
// Tokens whose prefix a dot or a slash parts from the run.
const DOTTED = /(?:SG\.|ya29\.|hv[sb]\.|dp\.(?:pt|st|ct|sa)\.|hooks\.slack\.com\/services\/\w{1,16}\/\w{1,16}\/|(?<!\d)\d{8,10}:(?=$))$/;

// ─── names: password, token, key … followed by a value ───

/** Three letters of each name, how far into the name they stand, the kind, and whether the name alone convicts. */
const NAMES = [
  ['ssw', 2, 'password', true],
  ['ssp', 2, 'passphrase', true],
  ['pwd', 0, 'password', true],
  ['ecr', 1, 'secret', true],
  ['ede', 2, 'credential', true],
  ['riz', 5, 'authorization', true],
  ['oki', 2, 'cookie', true],
  ['bea', 0, 'bearer', true],
  ['oke', 1, 'token', false],
  ['key', 0, 'key', false],
  ['aut', 0, 'auth', false],
] as const;

// Five bits of a character code fold case; what else they fold, NAME sorts out.
const fold3 = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);

const TRIGRAMS = ((): Uint8Array => {
  const table = new Uint8Array(1 << 15);
  for (const [index, [letters]] of NAMES.entries()) table[fold3(letters, 0)] = index + 1;
  return table;
})();

// How far a scan may step when it sees two characters: 2 where no trigram holds them in any place it could.
const STEP = ((): Uint8Array => {
  const table = new Uint8Array(1 << 10).fill(2);
  for (const [letters] of NAMES) table[fold3(letters, 0) >> 5] = 1;
  for (const [letters] of NAMES) table[fold3(letters, 0) & 1023] = 0;
  return table;
})();

const findNames = (text: string, low: Buffer, spans: Span[]): void => {
  const last = low.length - 2;
  for (let i = 0; i < last; ) {
    const pair = (((low[i + 1] as number) & 31) << 5) | ((low[i + 2] as number) & 31);
    const step = STEP[pair] as number;
    if (step > 0) {
      i += step;
      continue;
    }
    const hit = TRIGRAMS[(((low[i] as number) & 31) << 10) | pair] as number;
    if (hit > 0) {
      const row = NAMES[hit - 1];
      // What was convicted is not looked into again: a value may hold names.
      if (row !== undefined && mayBeNamed(low, i + 3, row[2])) i = Math.max(i, judgeName(text, i - row[1], row[2], row[3], spans));
    }
    i += 1;
  }
};

/** Whether the word around is followed by what may lead to a value: the cheap half of SEPARATOR, FLAG_END and BEARER. */
const mayBeNamed = (low: Buffer, from: number, kind: string): boolean => {
  let i = from;
  while (i < from + 40 && IN_RUN[low[i] as number] === 1) i += 1;
  if (low[i] !== 0x20) return ENDS_NAME[low[i] as number] === 1;
  while (i < from + 50 && low[i] === 0x20) i += 1;
  if (low[i] === 0x3d || low[i] === 0x3a || kind === 'bearer') return true;
  let start = from - 3;
  while (start > from - 40 && IN_RUN[low[start - 1] as number] === 1) start -= 1;
  return low[start] === 0x2d;
};

// What may stand right behind a name: a separator, a quote and what escapes it, a bracket, white space.
const ENDS_NAME = Uint8Array.from({ length: 256 }, (_, code) => (/[:="'`\\\]\t]/.test(String.fromCharCode(code)) ? 1 : 0));

const NAME = /(?:passw|passphrase|pwd|secret|credential|authorization|cookie|token|key|auth)/iy;
// The rest of the name, a closing quote, the separator: one of `=`, `:`, `:=`, `=>`, or the space behind a flag.
const SEPARATOR = /[\w-]{0,24}(?:\\{0,3}["'`])?\]?[ \t]{0,8}(?::=|=>|[:=])(?![:=])[ \t]{0,8}/y;
const FLAG_END = /[\w-]{0,24}[ \t]{1,8}(?![-=:])/y;
const BEARER = /bearer[ \t]+(?=[\w.~+/=-]{8})/iy;
const TOKEN68 = /[\w.~+/=-]+/y;

/** Judges the name at `start`; returns where the secret behind it ends, 0 if there is none. */
const judgeName = (text: string, start: number, kind: string, convicts: boolean, spans: Span[]): number => {
  if (kind === 'bearer') {
    const lead = matchAt(BEARER, text, start);
    const value = lead === '' ? '' : matchAt(TOKEN68, text, start + lead.length);
    return value.length >= 20 || /\d/.test(value) ? push(spans, start + lead.length, value, kind) : 0;
  }
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

/** The part of the name left of `at`, at most 32 characters. */
const leftOf = (text: string, at: number): string => {
  let i = at;
  while (i > 0 && at - i < 32 && IN_RUN[text.charCodeAt(i - 1)] === 1) i -= 1;
  return text.slice(i, at);
};

// Names that make a key or token a credential: `api_key`, `accessToken`, `GITHUB_TOKEN=`.
const QUALIFIED =
  /(?:api|access|auth|refresh|private|signing|encrypt\w*|master|account|client|session|bearer|secret|deploy|github|gitlab|slack|npm|bot)[_-]?(?:key|token)|[A-Z0-9]_(?:KEY|TOKEN|AUTH)\w*\\*["'`]?=|_auth\w*\W*[:=]/i;

// `NAME=value` as in a shell or an env file, against `name = value` and `name: value` as in code.
const tight = (lead: string): boolean => lead.includes('=') && !/[ \t]/.test(lead);

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
  /^(?:\[redacted:|\$|%|<|\{|\*+$|\.{2,}|x{3,}$|(?:string|number|boolean|bool|str|int|bytes|object|any|unknown|text|null|none|nil|undefined|true|false|yes|no|on|off|required|optional|typeof|await|new|function|async|return|this|self|const|let)(?:$|\W))/i;
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

/** Long, of digits and letters mixed, and not words joined by dashes: what a random key looks like. */
const isEntropic = (value: string): boolean => {
  if (value.length < 16 || !/^[\w+/=.~-]+$/.test(value) || value.startsWith('/')) return false;
  const digits = value.replace(/\D+/g, '').length;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return digits >= 2 && /[A-Za-z]/.test(value) && (digits >= 5 || mixed) && new Set(value).size >= 8 && !/\.[A-Za-z]{1,4}$/.test(value);
};

// ─── the rest ───

const findUrlPasswords = (text: string, low: Buffer, spans: Span[]): void => {
  for (let at = low.indexOf(0x40); at !== -1; at = low.indexOf(0x40, at + 1)) {
    let start = at;
    // Left to the slashes of `scheme://`; user names and passwords hold none.
    while (start > 0 && at - start < 512 && isUserinfo(text.charCodeAt(start - 1))) start -= 1;
    if (start < 3 || text.slice(start - 3, start) !== '://') continue;
    const info = text.slice(start, at);
    const colon = info.indexOf(':');
    const secret = colon === -1 ? info : info.slice(colon + 1);
    if (secret === '' || /^[$<{%*]/.test(secret) || (colon === -1 && !isEntropic(secret))) continue;
    spans.push({ start: at - secret.length, end: at, kind: 'url' });
  }
};

// Printable, no space, slash, quote, angle, `@` or `[` (which opens our own marker).
const isUserinfo = (code: number): boolean =>
  code > 0x20 && code !== 0x2f && code !== 0x22 && code !== 0x27 && code !== 0x3c && code !== 0x3e && code !== 0x40 && code !== 0x5b && code !== 0x60;

const KEY_BEGIN = Buffer.from('-----BEGIN ');
const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_BODY = /[\w+/=\s\\:,"'().>-]*/y;

const findKeyBlocks = (text: string, low: Buffer, spans: Span[]): void => {
  for (let start = low.indexOf(KEY_BEGIN); start !== -1; ) {
    const head = matchAt(KEY_HEAD, text, start);
    let end = start + 11;
    if (head !== '') {
      // Without an end line (cut, or still being typed) everything that could be its body goes.
      const body = matchAt(KEY_BODY, text, start + head.length);
      const close = body.indexOf('-----END ');
      const dashes = close === -1 ? -1 : body.indexOf('-----', close + 9);
      end = start + head.length + (dashes === -1 ? body.length : dashes + 5);
      spans.push({ start, end, kind: 'private-key' });
    }
    start = low.indexOf(KEY_BEGIN, end);
  }
};

const BASIC = /(?:-u|--user)[ =]?["']?(?=[^\s:"']{1,64}:[^\s:"']{3,256})[^\s:"']{1,64}:/y;

const CURL = Buffer.from('curl');

/** `curl -u name:password`. */
const findBasicFlags = (text: string, low: Buffer, spans: Span[]): void => {
  if (!low.includes(CURL)) return;
  for (let at = text.indexOf('-u'); at !== -1; at = text.indexOf('-u', at + 2)) {
    const from = text.charAt(at - 1) === '-' ? at - 1 : at;
    if (/\S/.test(text.charAt(from - 1))) continue;
    const lead = matchAt(BASIC, text, from);
    const value = lead === '' ? '' : matchAt(BARE, text, from + lead.length);
    if (!NO_SECRET.test(value)) push(spans, from + lead.length, value, 'password');
  }
};

/** What `sticky` matches exactly at `at`, or nothing. */
const matchAt = (sticky: RegExp, text: string, at: number): string => {
  if (at < 0) return '';
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
};
