// Secrets that tell themselves: vendors' tokens, signed tokens, passwords in URLs.
import { IN_WORD, isEntropic, matchAt, type Span } from './redact-span.ts';

/** Finds every such secret. All but URLs' hold an unbroken run of [A-Za-z0-9_-], which prose and code seldom do. */
export const findTokens = (text: string, low: Buffer, spans: Span[]): void => {
  findRuns(text, low, spans);
  findUrlPasswords(text, low, spans);
};

export const RUN = 16;

/** What a run may hold. Each tail is one class, so that a failed match costs at most the shortest token. One literal: the hook carries it, hence `[^\W_]` for letters and digits. */
const VENDOR =
  /(?<anthropic>sk-ant-[\w-]{12,})|(?<openai>(?:(?<![^\W_])|(?<=\\[nrt]|%..))sk-(?:proj-|svcacct-|admin-)?[\w-]{16,})|(?<aws>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})|(?<github>gh[opsur]_[^\W_]{20,}|github_pat_\w{20,})|(?<gitlab>gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\w-]{16,})|(?<slack>xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,})|(?<google>AIza[\w-]{30,}|GOCSPX-[\w-]{20,})|(?<stripe>[rs]k_(?:live|test)_[^\W_]{10,}|whsec_[^\W_]{16,})|(?<npm>npm_[^\W_]{30,})|(?<pypi>pypi-[\w-]{30,})|(?<huggingface>hf_[^\W_]{24,})|(?<token>do[opr]_v1_[a-f0-9]{32,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}|dapi[a-f0-9]{32}|lin_api_[^\W_]{24,}|ntn_[^\W_]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{30,}|HRKU-[\w-]{24,}|sq0(?:csp|atp|idp)-[\w-]{16,}|glsa_\w{24,}|sntry[su]_\w{24,}|phc_[^\W_]{30,})|(?<twilio>SK[a-f0-9]{32})|(?<mailgun>key-[a-f0-9]{32})/g;

const findRuns = (text: string, low: Buffer, spans: Span[]): void => {
  // Looks at every 16th place and walks back only where a run may hold it.
  for (let start = 0; start + RUN <= low.length; ) {
    let i = start + RUN - 1;
    while (i >= start && IN_WORD[low[i] as number] === 1) i -= 1;
    if (i >= start) {
      start = i + 1;
      continue;
    }
    let end = start + RUN;
    while (end < low.length && IN_WORD[low[end] as number] === 1) end += 1;
    start = hasMark(low, start, end) ? Math.max(end + 1, judgeRun(text, low, start, end, spans)) : end + 1;
  }
};

/** Whether anything but small letters stands in the run: long words are frequent, tokens of letters alone are not. */
export const hasMark = (low: Buffer, start: number, end: number): boolean => {
  for (let i = start; i < end; i += 1) if ((low[i] as number) < 0x60) return true;
  return false;
};

/** Returns where to go on: behind what the run's token takes with it. */
export const judgeRun = (text: string, low: Buffer, start: number, end: number, spans: Span[]): number => {
  const run = text.slice(start - 2 < 0 ? 0 : start - 2, end);
  const shift = end - run.length;
  VENDOR.lastIndex = 0;
  for (let match = VENDOR.exec(run); match !== null; match = VENDOR.exec(run)) {
    const { index, groups = {}, 0: found } = match;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'token';
    spans.push({ start: shift + index, end: shift + index + found.length, kind });
  }
  const jwt = end < low.length && low[end] === 0x2e ? run.indexOf('eyJ') : -1;
  const rest = jwt === -1 ? '' : matchAt(JWT_REST, text, end);
  if (rest !== '') spans.push({ start: shift + jwt, end: end + rest.length, kind: 'jwt' });
  // A dot, a slash, a colon.
  const before = start === 0 ? 0 : (low[start - 1] as number);
  const dotted = before === 0x2e || before === 0x2f || before === 0x3a ? DOTTED.exec(text.slice(Math.max(0, start - 64), start)) : null;
  const more = dotted === null ? '' : matchAt(MORE, text, end);
  if (dotted !== null) spans.push({ start: start - dotted[0].length, end: end + more.length, kind: 'token' });
  return end + Math.max(rest.length, more.length);
};

// Two more parts in a signed token, four in an encrypted one.
const JWT_REST = /\.[\w-]{6,}(?:\.[\w-]*){0,3}/y;
const MORE = /[\w.-]*/y;
// Tokens whose prefix a dot or a slash parts from the run.
const DOTTED = /(?:SG\.|ya29\.|hv[sb]\.|dp\.(?:pt|st|ct|sa)\.|hooks\.slack\.com\/services\/\w{1,16}\/\w{1,16}\/|(?<!\d)\d{8,10}:(?=$))$/;

export const findUrlPasswords = (text: string, low: Buffer, spans: Span[]): void => {
  for (let at = low.indexOf(0x40); at !== -1; at = low.indexOf(0x40, at + 1)) {
    let start = at;
    // Left to the slashes of `scheme://`; user names and passwords hold none.
    while (start > 0 && at - start < 512 && USERINFO.test(text.charAt(start - 1))) start -= 1;
    // A wide character may have the low byte of the `@`.
    if (start < 3 || text.slice(start - 3, start) + text.charAt(at) !== '://@') continue;
    const info = text.slice(start, at);
    const colon = info.indexOf(':');
    const secret = colon === -1 ? info : info.slice(colon + 1);
    if (secret === '' || /^[$<{%*]/.test(secret) || (colon === -1 && !isEntropic(secret))) continue;
    spans.push({ start: at - secret.length, end: at, kind: 'url' });
  }
};

// Printable, no space, slash, quote, angle, `@` or `[` (which opens our own marker).
const USERINFO = /[^\0-\x20/"'<>@[`]/;
