// Changes one property in the text of a settings file and leaves every other byte as it is, comments included. Pure.

export type Node = { readonly start: number; readonly end: number; readonly members?: readonly Member[] };
type Member = { readonly key: string; readonly key_start: number; readonly node: Node };

/** The text's one value with where everything in it lies; JSON with comments and trailing commas. Throws SyntaxError. */
export const scan = (text: string): Node => {
  const start = skip(text, text.startsWith('\uFEFF') ? 1 : 0);
  const node = value(text, start, 0);
  if (skip(text, node.end) < text.length) throw new SyntaxError(`more after the value at ${node.end}`);
  return node;
};

/** The node at `path` of the root object. Of equal keys the last one counts, as JSON.parse has it. */
export const find = (root: Node, path: readonly string[]): Node | undefined =>
  path.reduce<Node | undefined>((node, key) => node?.members?.findLast((member) => member.key === key)?.node, root);

/** The value of a node, comments aside. */
export const valueOf = (text: string, node: Node): unknown => {
  if (node.members === undefined) return JSON.parse(text.slice(node.start, node.end)) as unknown;
  return Object.fromEntries(node.members.map((member) => [member.key, quiet(text, member.node)]));
};

/** Arrays may hold comments; nobody asks for their content. */
const quiet = (text: string, node: Node): unknown => (text[node.start] === '[' ? [] : valueOf(text, node));

/** Sets a property of the object at `path`: its value is replaced, or it comes last. */
export const setProperty = (text: string, path: readonly string[], key: string, content: unknown): string => {
  const object = find(scan(text), path);
  if (object?.members === undefined) throw new SyntaxError('not an object');
  const before = object.members.findLast((member) => member.key === key);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = indentIn(text, object);
  const written = JSON.stringify(content, null, indent.unit).replaceAll('\n', `${eol}${indent.own}`);
  if (before !== undefined) return splice(text, before.node.start, before.node.end, written);
  const property = `${JSON.stringify(key)}: ${written}`;
  const last = object.members.at(-1);
  if (last === undefined) {
    const inner = text.slice(object.start + 1, object.end - 1);
    if (inner.trim() === '') return splice(text, object.start + 1, object.end - 1, `${eol}${indent.own}${property}${eol}${indent.outer}`);
    return splice(text, object.end - 1, object.end - 1, `${inner.includes('\n') ? '' : ' '}${property}${eol}`);
  }
  const comma = skip(text, last.node.end);
  const at = lineTail(text, text[comma] === ',' ? comma + 1 : last.node.end);
  const with_property = splice(text, at, at, indent.inline ? ` ${property}` : `${eol}${indent.own}${property}`);
  return text[comma] === ',' ? with_property : splice(with_property, last.node.end, last.node.end, ',');
};

/** Takes a property of the root out, with its comma and its line. */
export const removeProperty = (text: string, key: string): string => {
  const members = scan(text).members ?? [];
  const index = members.findLastIndex((member) => member.key === key);
  const member = members[index];
  if (member === undefined) return text;
  let end = member.node.end;
  const comma = skip(text, end);
  const followed = text[comma] === ',';
  if (followed) end = comma + 1;
  const start = lineHead(text, member.key_start);
  const without = splice(text, start, end, '');
  const before = members[index - 1];
  if (followed || before === undefined) return without;
  const stray = skip(without, before.node.end);
  return without[stray] === ',' ? splice(without, stray, stray + 1, '') : without;
};

export const splice = (text: string, from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to);

/** Back over blanks and the one line break before them. */
const lineHead = (text: string, at: number): number => {
  const head = /(?:\r?\n)?[ \t]*$/.exec(text.slice(Math.max(0, at - 1000), at));
  return at - (head?.[0].length ?? 0);
};

/** Behind the blanks and comments that end this line. */
const lineTail = (text: string, from: number): number => {
  let at = from;
  for (;;) {
    const blank = /^[ \t]*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0;
    if (text.startsWith('//', at + blank)) {
      const newline = text.indexOf('\n', at);
      const end = newline === -1 ? text.length : newline;
      return text[end - 1] === '\r' ? end - 1 : end;
    }
    const close = text.startsWith('/*', at + blank) ? text.indexOf('*/', at + blank + 2) : -1;
    if (close === -1) return at;
    at = close + 2;
  }
};

const indentIn = (text: string, object: Node): { readonly own: string; readonly outer: string; readonly unit: string; readonly inline: boolean } => {
  const outer = /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, object.start))?.[1] ?? '';
  const first = object.members?.[0];
  const own = first === undefined ? undefined : /\n([ \t]*)$/.exec(text.slice(object.start, first.key_start))?.[1];
  const unit = own !== undefined && own.startsWith(outer) && own.length > outer.length ? own.slice(outer.length) : '  ';
  return { own: own ?? outer + unit, outer, unit, inline: first !== undefined && own === undefined };
};

const DEEPEST = 200;

const value = (text: string, at: number, depth: number): Node => {
  if (depth > DEEPEST) throw new SyntaxError('nested too deeply');
  if (text[at] === '{') return object(text, at, depth);
  if (text[at] === '[') return array(text, at, depth);
  if (text[at] === '"') return { start: at, end: stringEnd(text, at) };
  const word = /^(?:true|false|null|-?\d[\d.eE+-]*)/.exec(text.slice(at, at + 400))?.[0];
  if (word === undefined) throw new SyntaxError(`no value at ${at}`);
  return { start: at, end: at + word.length };
};

const object = (text: string, start: number, depth: number): Node => {
  const members: Member[] = [];
  for (let at = skip(text, start + 1); ; ) {
    if (text[at] === '}') return { start, end: at + 1, members };
    if (text[at] !== '"') throw new SyntaxError(`no key at ${at}`);
    const key_end = stringEnd(text, at);
    const colon = skip(text, key_end);
    if (text[colon] !== ':') throw new SyntaxError(`no colon at ${colon}`);
    const node = value(text, skip(text, colon + 1), depth + 1);
    members.push({ key: JSON.parse(text.slice(at, key_end)) as string, key_start: at, node });
    at = separated(text, node.end, '}');
  }
};

const array = (text: string, start: number, depth: number): Node => {
  for (let at = skip(text, start + 1); ; ) {
    if (text[at] === ']') return { start, end: at + 1 };
    at = separated(text, value(text, at, depth + 1).end, ']');
  }
};

/** The next entry, or the closing bracket. */
const separated = (text: string, end: number, close: string): number => {
  const at = skip(text, end);
  if (text[at] === ',') return skip(text, at + 1);
  if (text[at] === close) return at;
  throw new SyntaxError(`no comma at ${at}`);
};

const stringEnd = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError(`a text without end at ${start}`);
};

/** Behind blanks and comments. */
const skip = (text: string, from: number): number => {
  for (let at = from; ; ) {
    if (/\s/.test(text[at] ?? '')) at += 1;
    else if (text.startsWith('//', at)) at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at);
    else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2);
      if (close === -1) throw new SyntaxError(`a comment without end at ${at}`);
      at = close + 2;
    } else return at;
  }
};
