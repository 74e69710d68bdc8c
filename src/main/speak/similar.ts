// Whether two advisories say the same thing in other words: similarity over normalised tokens (SPEC 9, HAZARDS A14).

/** The tokens of a text: places (paths, quoted code, names in code, numbers) as they are, words folded to what they are about. */
export const tokensOf = (text: string): readonly string[] => {
  const out = new Set<string>();
  const part = text.slice(0, MAX_TEXT);
  for (const [, code = ''] of part.matchAll(/`([^`\n]{3,120})`/g)) if (/\s/.test(code)) out.add(`@${code.toLowerCase().split(/\s+/).join(' ')}`);
  for (const raw of part.split(/[\s,;!?()[\]{}"“”‘’`<>|=*]+/u)) {
    const word = raw.replace(/^[^\p{L}\p{N}@#./~_-]+|[^\p{L}\p{N}_]+$/gu, '');
    if (word === '') continue;
    if (isPlace(word)) {
      out.add(placeOf(word));
      const about = ABOUT.get(word.toLowerCase().replace(/\.\w+$/, '')); // README.md is a place and a document
      if (about !== undefined) out.add(`=${about}`);
    } else for (const piece of word.toLowerCase().split(/[^\p{L}\p{N}]+/u)) addWord(out, piece);
  }
  return [...out];
};

/** From 0 (nothing shared) to 1 (the same tokens); symmetric. Places weigh most, then what a word is about. */
export const similarity = (a: readonly string[], b: readonly string[]): number => {
  const [mine, other] = [new Set(a), new Set(b)];
  let shared = 0;
  let total = 0;
  for (const token of mine) {
    total += weightOf(token);
    if (other.has(token)) shared += 2 * weightOf(token);
  }
  for (const token of other) total += weightOf(token);
  if (total === 0) return 0;
  const apart = [namesPlace, isMatter, isDeed, isTool].some((kind) => disjoint(mine, other, kind));
  return apart ? shared / total / 2 : shared / total;
};

/** Both name something of the kind and nothing in common: another file, another subject or another deed is another finding. */
const disjoint = (a: ReadonlySet<string>, b: ReadonlySet<string>, kind: (token: string) => boolean): boolean => {
  const named = [...a].filter(kind);
  return named.length > 0 && [...b].some(kind) && !named.some((token) => b.has(token));
};

const namesPlace = (token: string): boolean => token.startsWith('@') && /\p{L}/u.test(token);

const MATTERS: ReadonlySet<string> = new Set(['=test', '=compile', '=lint', '=deploy', '=document', '=exist', '=migrate']);
const isMatter = (token: string): boolean => MATTERS.has(token);

const DEEDS: ReadonlySet<string> = new Set(['=run', '=add', '=fail', '=delete']);
const isDeed = (token: string): boolean => DEEDS.has(token);

const TOOLS: ReadonlySet<string> = new Set('npm npx yarn pnpm bun deno cargo cmake bazel gradle mvn maven dotnet pip poetry uv docker kubectl helm terraform'.split(' '));
const isTool = (token: string): boolean => TOOLS.has(token);

const MAX_TEXT = 2000;

const weightOf = (token: string): number => (token.startsWith('@') ? 2 : token.startsWith('=') ? 1.5 : 0.5);

const isPlace = (word: string): boolean => /\d/.test(word) || /[/\\_]/.test(word) || /[\p{L}\p{N}]\.[\p{L}]/u.test(word) || /\p{Ll}\p{Lu}/u.test(word);

/** A path keeps its last two segments and loses its line: `/repo/src/a.ts:12` and `src/a.ts` are one place. */
const placeOf = (word: string): string => `@${word.replace(/:\d+(?:[:-]\d+)?$|[#@]L\d+.*$/, '').split(/[/\\]/).filter((part) => part !== '' && part !== '.').slice(-2).join('/')}`;

const addWord = (out: Set<string>, word: string): void => {
  if (word === '' || STOP.has(word)) return;
  if (TOOLS.has(word)) return void out.add(word);
  const stem = stemOf(word);
  const about = ABOUT.get(word) ?? ABOUT.get(stem);
  if (about !== undefined) out.add(`=${about}`);
  else if (!STOP.has(stem)) out.add(stem);
};

/** Light: plural, -ing, -ed and their doubled consonants; enough to bring the forms of one word together. */
const stemOf = (word: string): string => {
  if (word.length < 5) return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ations?|ings?|edly|ed|ies|es|s)$/, '');
  return cut.length < 3 ? word : cut.replace(/([bdgklmnprt])\1$/, '$1').replace(/e$/, '');
};

const STOP: ReadonlySet<string> = new Set(
  `a about after again all also an and any anything are as at be been before being but by can could did do does each even ever for from
  further had has have here how i if in into is it its itself just like made may might more most much nor not no none never nothing now of off
  on once one only or other our out over own past per same see seem seen session shown since so some still such than that the their
  them then there these they this those though through to too under until up upon very was way were what when where which while who
  whole why will with without would yet you your far already anywhere whatever observed appear appeared appears found find agent user
  work thing so follow followed following`.split(/\s+/),
);

/** Words of one meaning in this trade, by what they are about. */
const ABOUT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    test: 'test tests testing tested untested suite suites spec specs verify verified unverified verification verifying vitest jest pytest mocha',
    run: 'run runs ran running rerun execute executed executing execution executions exercised exercise invoke invoked invocation started kicked',
    edit: 'edit edits edited editing change changes changed changing modify modified modification modifications modifying update updated updates rewrite rewritten rewrote touched touch wrote written alter altered adjusted',
    add: 'add added adds adding new introduce introduced create created creating cover covered covers coverage',
    fail: 'fail fails failed failing failure failures error errors errored crash crashed crashes broke broken break breaks exits nonzero unsuccessful unsuccessfully',
    repeat: 'repeat repeated repeats repeatedly retry retried retries attempt attempts attempted times row consecutive identical unchanged again loop looping tries tried',
    command: 'command commands call calls invocation cmd',
    deploy: 'deploy deployed deploys deployment deploying release released publish published rollout ship shipped',
    compile: 'compile compiles compiled compiling compilation build builds built building typecheck tsc transpile transpiled',
    document: 'doc docs document documents documented documentation readme changelog',
    exist: 'exist exists existing duplicate duplicates duplicated duplicating reimplement reimplements reimplemented helper helpers',
    lint: 'lint lints linter linting eslint oxlint prettier format formatter formatting',
    migrate: 'migrate migrated migration migrations schema',
    commit: 'commit commits committed history git',
    finish: 'done complete completed completion completes finish finished finishes declared declare declares claim claimed claims announced',
    delete: 'delete deleted deletes remove removed removes drop dropped',
    other: 'another neighbour parallel concurrent concurrently simultaneously',
  }).flatMap(([about, words]) => words.split(' ').map((word) => [word, about] as const)),
);
