// Which paths' bodies may not be shown: the host's deny rules and names like `.env`, as glob patterns.

/**
 * Whether `path` is covered by one of `patterns`. A pattern without a slash is matched with the last part of the path,
 * one that starts with a slash with the whole path, any other with any of its ends. `*` stays within a part, `**` does not.
 */
export const isSealed = (path: string, patterns: readonly string[]): boolean => {
  // Beyond any real path: only its end can name a file, and a step is paid for every pair of characters.
  const end = path.slice(-PATH_CHARS).replace(/\\/g, '/');
  return patterns.some((pattern) => covers(pattern, end));
};

const PATH_CHARS = 4096;

const covers = (pattern: string, path: string): boolean => {
  if (pattern === '' || path === '') return false;
  if (!pattern.includes('/')) return globMatch(pattern, path.slice(path.lastIndexOf('/') + 1));
  if (pattern.startsWith('/')) return globMatch(pattern.replace(/^\/+/, '/'), path) || globMatch(pattern.slice(1), path);
  const ending = pattern.replace(/^(?:\.\/|~\/|\*\*\/)+/, '');
  return globMatch(ending, path) || globMatch(`**/${ending}`, path);
};

/** Two pointers and one place to go back to for each kind of star: no more than pattern × path steps. */
const globMatch = (pattern: string, path: string): boolean => {
  let p = 0;
  let s = 0;
  let star = -1;
  let starAt = 0;
  let deep = -1;
  let deepAt = 0;
  while (s < path.length) {
    if (pattern.startsWith('**', p)) {
      p += pattern.startsWith('**/', p) && (s === 0 || path.charAt(s - 1) === '/') ? 3 : 2;
      deep = p;
      deepAt = s;
      star = -1;
    } else if (pattern.charAt(p) === '*') {
      p += 1;
      star = p;
      starAt = s;
    } else if (p < pattern.length && (pattern.charAt(p) === path.charAt(s) || (pattern.charAt(p) === '?' && path.charAt(s) !== '/'))) {
      p += 1;
      s += 1;
    } else if (star !== -1 && path.charAt(starAt) !== '/') {
      starAt += 1;
      s = starAt;
      p = star;
    } else if (deep !== -1) {
      deepAt += 1;
      s = deepAt;
      p = deep;
      star = -1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(p));
};
