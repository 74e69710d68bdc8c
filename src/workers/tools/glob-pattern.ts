// Glob patterns as linear-time expressions: they come from models and repositories, so none may backtrack (HAZARDS F7).
import { RE2JS } from 're2js';

/**
 * Whether a path with `/` fits the pattern: `*` and `?` stay within a part, `**` does not, `[…]` is one character, `{a,b}`
 * a choice unless `braces` is false. Undefined for a pattern that is too long or cannot be read.
 */
export const compileGlob = (pattern: string, { braces = true }: { readonly braces?: boolean } = {}): ((path: string) => boolean) | undefined => {
  if (pattern === '' || pattern.length > MAX_GLOB) return undefined;
  if (!/[*?[\]{}\\]/.test(pattern)) return (path) => path === pattern;
  const source = expressionOf(pattern, braces);
  if (source === undefined) return undefined;
  try {
    const compiled = RE2JS.compile(source, RE2JS.DOTALL);
    return (path) => compiled.matches(path);
  } catch {
    return undefined; // a class like [z-a]
  }
};

const MAX_GLOB = 300;

const expressionOf = (pattern: string, braces: boolean): string | undefined => {
  let out = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '*') {
      const starts = at === 0 || pattern.charAt(at - 1) === '/';
      let end = at;
      while (pattern.charAt(end + 1) === '*') end += 1;
      const deep = end > at;
      if (deep && starts && pattern.charAt(end + 1) === '/') {
        out += '(?:.*/)?';
        end += 1;
      } else out += deep ? '.*' : '[^/]*';
      at = end;
    } else if (char === '?') out += '[^/]';
    else if (char === '[') {
      const end = pattern.indexOf(']', pattern.charAt(at + 1) === '!' || pattern.charAt(at + 1) === '^' ? at + 3 : at + 2);
      if (end === -1) return undefined;
      out += classOf(pattern.slice(at + 1, end));
      at = end;
    } else if (braces && char === '{') {
      depth += 1;
      out += '(?:';
    } else if (braces && char === '}' && depth > 0) {
      depth -= 1;
      out += ')';
    } else if (braces && char === ',' && depth > 0) out += '|';
    else if (char === '\\' && at + 1 < pattern.length) {
      at += 1;
      out += RE2JS.quote(pattern.charAt(at));
    } else out += RE2JS.quote(char);
  }
  return depth === 0 ? out : undefined;
};

const classOf = (inner: string): string => {
  const negated = inner.startsWith('!') || inner.startsWith('^');
  const members = (negated ? inner.slice(1) : inner).replace(/[\\[\]^&~]/g, (char) => `\\${char}`);
  return negated ? `[^/${members}]` : `[${members}]`;
};
