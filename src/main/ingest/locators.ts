// Finds what points into a repository: paths, and paths with a line. Each place is looked at once, however long the text.

/** Distinct words remembered within one text. */
const SEEN = 1000;

/** A locator is never longer: what is, is data. */
const LONGEST = 200;

/** The distinct locators of `text` in order of appearance, at most `max`; those standing in `known` are left out. */
export const locatorsIn = (text: string, max: number, known = ''): readonly string[] => {
  const found = new Set<string>();
  if (max === 0) return [];
  // Bodies name the same things again and again: each is judged once.
  const seen = new Set<string>();
  // Every path has a slash or a dot; the platform finds either faster than a loop could look for both.
  let slash = text.indexOf('/');
  let dot = text.indexOf('.');
  while ((slash !== -1 || dot !== -1) && found.size < max) {
    const at = dot === -1 || (slash !== -1 && slash < dot) ? slash : dot;
    let start = at;
    while (start > 0 && at - start < LONGEST && inPath(text, start - 1)) start -= 1;
    let end = at + 1;
    while (end < text.length && inPath(text, end)) end += 1;
    const locator = judge(text, start, end, seen);
    if (locator !== undefined && !known.includes(locator)) found.add(locator);
    if (slash !== -1 && slash < end) slash = text.indexOf('/', end);
    if (dot !== -1 && dot < end) dot = text.indexOf('.', end);
  }
  return [...found];
};

const inPath = (text: string, at: number): boolean => IN_PATH[text.charCodeAt(at) & 255] === 1;

const IN_PATH = Uint8Array.from({ length: 256 }, (_, code) => (code < 128 && /[\w./~@+-]/.test(String.fromCharCode(code)) ? 1 : 0));

// Extensions that make a bare word a file; with a slash before it any extension does.
const FILE =
  /^[\w@.-]*\w\.(?:[cm]?[jt]sx?|json[5cl]?|py[ix]?|ipynb|go|rs|java|kts?|c|cc|cpp|cxx|hh?|hpp|cs|fs|rb|php|swift|scala|sh|bash|zsh|fish|ps1|bat|sql|mdx?|rst|txt|ya?ml|toml|ini|cfg|conf|lock|xml|html?|s?css|less|vue|svelte|astro|proto|graphql|tf|tfvars|gradle|csv|tsv|log|lua|exs?|erl|hs|mli?|pl|jl|dart|zig|nix|mod|sum|patch|diff|pem|key|crt)$/i;
const DOTFILE = /^\.(?:env|gitignore|dockerignore|eslintrc|prettierrc|npmrc|nvmrc|editorconfig|babelrc)[\w.-]*$/;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;
const ROOTED = /^(?:~|\.{1,2})?\/[\w@.+-]/;
const LINE = /:(\d{1,7})(?:[:-]\d{1,7})?(?!\d)|["']?, line (\d{1,7})(?!\d)/y;

const judge = (text: string, start: number, end: number, seen: Set<string>): string | undefined => {
  if (end - start > LONGEST || end - start < 3) return undefined;
  const next = text.charCodeAt(end);
  LINE.lastIndex = end;
  const line = LEADS_TO_LINE.has(next) ? LINE.exec(text) : null;
  // With what follows, as far as it matters: a line number, or else a parenthesis.
  const whole = text.slice(start, line === null ? end + 1 : LINE.lastIndex);
  if (seen.has(whole)) return undefined;
  if (seen.size < SEEN) seen.add(whole);
  const word = text.slice(start, end).replace(/^[-+]+|[-.+~]+$/g, '');
  if (!isPath(word, text.charAt(end), text.charAt(start - 1))) return undefined;
  return line === null ? word : `${word}${line[2] === undefined ? line[0] : `:${line[2]}`}`;
};

// Colon, quotes, comma.
const LEADS_TO_LINE = new Set([0x3a, 0x22, 0x27, 0x2c]);

const isPath = (word: string, next: string, before: string): boolean => {
  if (word.length < 3 || word.includes('//') || word.includes('...')) return false;
  const slash = word.indexOf('/');
  if (slash === -1) return next !== '(' && next !== '@' && (FILE.test(word) || DOTFILE.test(word));
  if (before === ':' && slash === 0 && next !== ':') return false; // the rest of a URL or a port
  const parts = word.split('/').filter((part) => part !== '');
  if (parts.length < (slash === 0 ? 2 : 1) || parts.some(isData) || !parts.some((part) => /\w/.test(part))) return false;
  if (EXTENSION.test(word)) return true;
  // Without an extension `/live/5` is a route rather than a file.
  if (ROOTED.test(word)) return !word.includes('+') && (slash !== 0 || parts.length > 2);
  return parts.length > 2 && parts.every((part) => /^[a-z_.@][\w.@-]*$/.test(part));
};

/** A part of base64 or a hash rather than a name. */
const isData = (part: string): boolean => part.length > 40 && !/[-_.]/.test(part);
