// Reads a shell command as far as telling commands apart needs it: which simple commands it runs, with what is only cosmetic left out.
// Not a shell: expansions stay as written, and what cannot be read stays as it is. One pass over the characters, no regex over all of them.

export type Command = {
  /** The simple commands in order with their joints, cosmetics aside: equal texts are the same attempt. */
  readonly text: string;
  /** Where a leading `cd` goes, without `./` and trailing slashes. */
  readonly dir?: string;
  /** Each simple command's words joined by one space, e.g. `vitest run src/a.test.ts`. */
  readonly parts: readonly string[];
};

export const readCommand = (command: string): Command => normalised(splitShell(command), 0);

/** Whether two readings are the same attempt. A missing directory fits any: shells keep theirs between calls. */
export const sameCommand = (a: Command, b: Command): boolean => a.text === b.text && sameDir(a.dir, b.dir);

export const sameDir = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

type Joint = '&&' | '||' | ';' | '|' | '&';
/** `quoted`: at least a part of the word stood in quotes. */
type Word = { readonly text: string; readonly quoted: boolean };
type Simple = { readonly words: readonly Word[]; readonly joint: Joint };

// ── reading ──────────────────────────────────────────────────────────────────

/** Simple commands with the joint behind each. Redirections of output and comments are left out. */
const splitShell = (command: string): Simple[] => {
  const simples: Simple[] = [];
  let words: Word[] = [];
  let text = '';
  let open = false;
  let quoted = false;
  const endWord = (): void => {
    if (open) words.push({ text, quoted });
    text = '';
    open = false;
    quoted = false;
  };
  const endSimple = (joint: Joint): void => {
    endWord();
    const last = simples.at(-1);
    if (words.length > 0) simples.push({ words, joint });
    else if (last !== undefined) simples[simples.length - 1] = { ...last, joint };
    words = [];
  };

  for (let at = 0; at < command.length; at += 1) {
    const char = command[at] ?? '';
    if (char === "'" || char === '"') {
      const end = closing(command, at);
      text += command.slice(at + 1, end);
      open = true;
      quoted = true;
      at = end;
    } else if (char === '\\') {
      if (command[at + 1] !== '\n') {
        text += command[at + 1] ?? '';
        open = true;
      }
      at += 1;
    } else if (char === '#' && !open) {
      at = upTo(command, '\n', at) - 1;
    } else if (char === '<' && command[at + 1] === '<') {
      // A here-document's body is input, not commands: it stays whole.
      words.push({ text: command.slice(at).trimEnd(), quoted: true });
      break;
    } else if (char === '>' || (char === '&' && command[at + 1] === '>')) {
      if (/^\d?$/.test(text) && !quoted) open = false;
      endWord();
      at = endOfRedirection(command, at);
    } else if (char === '\n' || char === ';' || char === '|' || char === '&') {
      const double = command[at + 1] === char && (char === '|' || char === '&');
      if (double) at += 1;
      endSimple(char === '\n' ? ';' : double ? (char === '|' ? '||' : '&&') : char);
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord();
    } else if ((char === '(' || char === ')') && !open) {
      endWord(); // a subshell around it changes nothing for us
    } else if (char === ')' && !text.includes('(')) {
      endWord();
    } else {
      const end = endOfPlain(command, at + 1);
      text += command.slice(at, end);
      open = true;
      at = end - 1;
    }
  }
  endSimple(';');
  return simples;
};

const SPECIAL = new Set([...' \t\r\n\'"\\#<>&;|()'].map((char) => char.charCodeAt(0)));

/** Index behind a run of characters that mean themselves. */
const endOfPlain = (command: string, from: number): number => {
  let end = from;
  while (end < command.length && !SPECIAL.has(command.charCodeAt(end))) end += 1;
  return end;
};

/** Index of the quote that closes the one at `at`, or the end of the text. */
const closing = (command: string, at: number): number => {
  const quote = command[at];
  for (let end = at + 1; end < command.length; end += 1) {
    if (command[end] === '\\' && quote === '"') end += 1;
    else if (command[end] === quote) return end;
  }
  return command.length;
};

const upTo = (command: string, char: string, from: number): number => {
  const at = command.indexOf(char, from);
  return at === -1 ? command.length : at;
};

/** Index of the last character of `>file`, `>> file`, `2>&1`, `&>file`. */
const endOfRedirection = (command: string, at: number): number => {
  let end = at;
  while (command[end] === '>' || command[end] === '&' || command[end] === '|') end += 1;
  while (command[end] === ' ' || command[end] === '\t') end += 1;
  if (command[end] === '"' || command[end] === "'") return closing(command, end);
  while (end < command.length && !' \t\n;|&<>()'.includes(command[end] ?? '')) end += 1;
  return end - 1;
};

// ── leaving out what is only cosmetic ────────────────────────────────────────

const MAX_NESTING = 3;

const normalised = (simples: readonly Simple[], depth: number): Command => {
  const kept: { words: readonly string[]; joint: Joint }[] = [];
  let dir: string | undefined;
  simples.forEach(({ words, joint }, at) => {
    const piped = at > 0 && simples[at - 1]?.joint === '|';
    const bare = stripPrefixes(words);
    const [program, first] = bare;
    if (program === undefined) return;
    if ((program.text === 'cd' || program.text === 'pushd') && kept.length === 0 && joint !== '|') {
      dir = joined(dir, first?.text ?? '~');
      return;
    }
    if (piped ? PAGERS.has(program.text) : DECORATION.has(program.text) && simples.length > 1) {
      const last = kept.at(-1);
      if (piped && last !== undefined) last.joint = joint;
      return;
    }
    const inner = scriptOf(bare);
    if (inner !== undefined && depth < MAX_NESTING) {
      const read = normalised(splitShell(inner), depth + 1);
      dir = read.dir === undefined ? dir : joined(dir, read.dir);
      kept.push({ words: [read.text], joint });
      return;
    }
    kept.push({ words: canonical(bare).map(({ text, quoted }) => (quoted && /[\s"';|&<>]/.test(text) ? JSON.stringify(text) : text)), joint });
  });
  const parts = kept.map(({ words }) => words.join(' '));
  const text = kept.map(({ joint }, at) => (at === kept.length - 1 ? parts[at] : joint === ';' ? `${parts[at]};` : `${parts[at]} ${joint}`)).join(' ');
  return { text, ...(dir === undefined ? {} : { dir }), parts };
};

/** What only shortens or shows the output of the command before it. */
const PAGERS: ReadonlySet<string> = new Set(['head', 'tail', 'tee', 'cat', 'less', 'more']);
/** What does nothing of its own beside another command. */
const DECORATION: ReadonlySet<string> = new Set(['echo', 'printf', 'true', ':', 'set', 'export', 'source', '.', 'sleep', 'clear', 'date', 'pwd', 'popd', 'exit', 'unset', 'shopt']);
/** Runs the command behind it unchanged. */
const WRAPPERS: ReadonlySet<string> = new Set(['time', 'nohup', 'command', 'exec', 'builtin', 'stdbuf', 'nice', 'unbuffer', 'env', 'timeout', 'gtimeout', 'then', 'do', 'if', '!', '{']);

/** Without assignments and wrappers in front. */
const stripPrefixes = (words: readonly Word[]): readonly Word[] => {
  let at = 0;
  for (; at < words.length; at += 1) {
    const { text, quoted } = words[at] ?? { text: '', quoted: false };
    if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(text)) continue;
    if (quoted || !WRAPPERS.has(text)) break;
    // Options of the wrapper, and the duration of a timeout.
    while (words[at + 1]?.text.startsWith('-') === true) at += /^-[kson]$/.test(words[at + 1]?.text ?? '') ? 2 : 1;
    if (text.endsWith('timeout') && /^\d/.test(words[at + 1]?.text ?? '')) at += 1;
  }
  return words.slice(at);
};

/** The script in `bash -c "…"`. */
const scriptOf = (words: readonly Word[]): string | undefined => {
  if (!/^(\/(usr\/)?bin\/)?(ba|z|da)?sh$/.test(words[0]?.text ?? '')) return undefined;
  const flag = words.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  return flag === -1 ? undefined : words[flag + 1]?.text;
};

/** One spelling for what is spelled in several ways. */
const canonical = (words: readonly Word[]): readonly Word[] => {
  const named = oneName(words);
  const program = named[0]?.text ?? '';
  const rest = named.slice(1).map((word, at, all) => ({ ...word, text: tidyPath(word.text), cosmetic: isCosmetic(program, word, all[at - 1]) }));
  const telling = rest.filter(({ cosmetic }) => !cosmetic);
  // `node -v` is a question of its own, not `node` with noise.
  return [...named.slice(0, 1), ...(telling.length === 0 ? rest : telling)];
};

const oneName = (words: readonly Word[]): readonly Word[] => {
  const [first, second, third] = words.map(({ text }) => text);
  if (first === undefined) return words;
  const name = first.replace(/^(\.\/)?node_modules\/\.bin\//, '').replace(/^(python)[\d.]+$/, '$1').replace(/^pip\d$/, 'pip');
  const rest = words.slice(1);
  if (name === 'npx' || name === 'bunx' || name === 'pnpx') {
    const from = rest.findIndex(({ text }) => !text.startsWith('-'));
    return from === -1 ? words : oneName(rest.slice(from));
  }
  if (name === 'pnpm' && second === 'exec') return rest.slice(1);
  if (name === 'python' && second === '-m' && third !== undefined) return rest.slice(1);
  if (PACKAGE_MANAGERS.has(name)) return [word(name), ...scriptWords(name, rest)];
  return [{ ...word(name), quoted: words[0]?.quoted ?? false }, ...rest];
};

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/** `npm run test`, `npm t`, `npm run -s test` → `npm test`. */
const scriptWords = (name: string, words: readonly Word[]): readonly Word[] => {
  const dashes = words.findIndex(({ text }) => text === '--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  const [verb, ...rest] = own.filter(({ text }) => text !== '-s');
  const tail = dashes === -1 ? [] : words.slice(dashes);
  if (verb === undefined) return tail;
  const short = name === 'bun' ? verb.text : verb.text === 't' || verb.text === 'tst' ? 'test' : verb.text;
  return name !== 'bun' && (short === 'run' || short === 'run-script') && rest[0]?.text === 'test' ? [...rest, ...tail] : [word(short), ...rest, ...tail];
};

const word = (text: string): Word => ({ text, quoted: false });

/** Programs whose -v or -q is no matter of verbosity. */
const OWN_FLAGS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rg', 'docker', 'podman', 'awk', 'git', 'command', 'cp', 'mv', 'ssh', 'tar', 'sed', 'psql', 'kubectl']);
const NOISE: ReadonlySet<string> = new Set([
  '-v', '-vv', '-vvv', '--verbose', '-q', '-qq', '--quiet', '--silent', '--no-color', '--color', '--colors', '--no-colors', '--nocapture', '--no-header', '--no-progress',
]);
const TIMEOUT = /^-{1,2}(test[-_]?)?timeout$/i;

const isCosmetic = (program: string, { text, quoted }: Word, before: Word | undefined): boolean => {
  if (quoted || (!text.startsWith('-') && before?.text.startsWith('-') !== true)) return false;
  if (TIMEOUT.test(text) || /^-{1,2}(test[-_]?)?timeout=/i.test(text)) return true;
  if (before !== undefined && TIMEOUT.test(before.text) && /^\d/.test(text)) return true;
  return (text.startsWith('--') || !OWN_FLAGS.has(program)) && (NOISE.has(text) || text.startsWith('--color=') || text.startsWith('--tb='));
};

const tidyPath = (text: string): string => (!text.includes('/') || text === './' || text === '/' ? text : text.replace(/^\.\/(?=[^.])/, '').replace(/([^/])\/$/, '$1'));

const joined = (dir: string | undefined, to: string): string => {
  const tidy = tidyPath(to);
  return dir === undefined || tidy.startsWith('/') || tidy.startsWith('~') ? tidy : `${dir}/${tidy}`;
};
