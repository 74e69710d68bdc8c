// Finds what points into a repository: paths, and paths with a line. Each place is looked at once, however long the text.

/** A locator is never longer: what is, is data. */
const LONGEST = 200;

/** The distinct locators of `text` in order of appearance, at most `max`; those standing in `known` are left out. */
export const locatorsIn = (text: string, max: number, known = ''): readonly string[] => {
  const found = new Set<string>();
  for (let at = nextMark(text, 0); at !== -1 && found.size < max; ) {
    let start = at;
    while (start > 0 && at - start < LONGEST && inPath(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && end - at < LONGEST && inPath(text.charCodeAt(end))) end += 1;
    const locator = judge(text, start, end);
    if (locator !== undefined && !known.includes(locator)) found.add(locator);
    // A longer run holds no locator: behind it, not through it again.
    while (end < text.length && end - at >= LONGEST && inPath(text.charCodeAt(end))) end += 1;
    at = nextMark(text, end);
  }
  return [...found];
};

/** Every path has a slash or a dot. */
const nextMark = (text: string, from: number): number => {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x2f || code === 0x2e) return i;
  }
  return -1;
};

const IN_PATH = Uint8Array.from({ length: 128 }, (_, code) => (/[\w./~@+-]/.test(String.fromCharCode(code)) ? 1 : 0));
const inPath = (code: number): boolean => code < 128 && IN_PATH[code] === 1;

// Extensions that make a bare word a file; with a slash before it any extension does.
const FILE =
  /^[\w@.-]*\w\.(?:[cm]?[jt]sx?|json[5cl]?|py[ix]?|ipynb|go|rs|java|kts?|c|cc|cpp|cxx|hh?|hpp|cs|fs|rb|php|swift|scala|sh|bash|zsh|fish|ps1|bat|sql|mdx?|rst|txt|ya?ml|toml|ini|cfg|conf|lock|xml|html?|s?css|less|vue|svelte|astro|proto|graphql|tf|tfvars|gradle|csv|tsv|log|lua|exs?|erl|hs|mli?|pl|jl|dart|zig|nix|mod|sum|patch|diff|pem|key|crt)$/i;
const DOTFILE = /^\.(?:env|gitignore|dockerignore|eslintrc|prettierrc|npmrc|nvmrc|editorconfig|babelrc)[\w.-]*$/;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;
const ROOTED = /^(?:~|\.{1,2})?\/[\w@.+-]/;
const LINE = /:(\d{1,7})(?:[:-]\d{1,7})?(?!\d)|["']?, line (\d{1,7})(?!\d)/y;

const judge = (text: string, start: number, end: number): string | undefined => {
  if (end - start > LONGEST) return undefined;
  const word = text.slice(start, end).replace(/^[-+]+|[-.+~]+$/g, '');
  if (!isPath(word, text.charAt(end), text.charAt(start - 1))) return undefined;
  LINE.lastIndex = end;
  const line = LINE.exec(text);
  return line === null ? word : `${word}${line[2] === undefined ? line[0] : `:${line[2]}`}`;
};

const isPath = (word: string, next: string, before: string): boolean => {
  if (word.length < 3 || word.includes('//') || word.includes('...')) return false;
  const slash = word.indexOf('/');
  if (slash === -1) return next !== '(' && next !== '@' && (FILE.test(word) || DOTFILE.test(word));
  if (before === ':' && slash === 0 && next !== ':') return false; // the rest of a URL or a port
  const parts = word.split('/').filter((part) => part !== '');
  if (parts.length < (slash === 0 ? 2 : 1) || parts.some(isData)) return false;
  if (EXTENSION.test(word) || (ROOTED.test(word) && !word.includes('+'))) return true;
  return parts.length > 2 && parts.every((part) => /^[a-z_.@][\w.@-]*$/.test(part));
};

/** A part of base64 or a hash rather than a name. */
const isData = (part: string): boolean => part.length > 40 && !/[-_.]/.test(part);
