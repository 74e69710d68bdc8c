// The words of a made transcript: prose, program text and program output with paths in it, from one seed.

export type TextSource = {
  /** A number in [0, 1), the next of the seed's row. */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly id: (prefix: string) => string;
  /** `length` characters, give or take a word. */
  readonly prose: (length: number) => string;
  readonly output: (length: number) => string;
  /** An Edit, a Write or a heredoc whose arguments are about `length` characters long. */
  readonly change: (length: number) => ToolCall;
  /** A Read or a short command. */
  readonly question: () => ToolCall;
};

export type ToolCall = { readonly name: string; readonly path: string; readonly input: Readonly<Record<string, unknown>> };

const POOL_WORDS = 120_000;
const MULTIBYTE_SHARE = 0.03;
const MULTIBYTE = ['设定', '翻訳', '경로', 'größe', 'naïve', 'été', '🚀', 'данные', '測試', '👩‍💻', 'λ'];
const SYLLABLES = ['con', 'fi', 'gu', 'ra', 'ti', 'on', 'ser', 'ver', 'pro', 'ject', 'in', 'dex', 'que', 'ry', 'to', 'ken', 're', 'try', 'ca', 'che', 'la', 'yer', 'so', 'cket'];

export const makeText = (seed: number): TextSource => {
  const random = makeRandom(seed);
  const pick = <T>(items: readonly T[], otherwise: T): T => items[Math.floor(random() * items.length)] ?? otherwise;
  const hex = (digits: number): string => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const word = (): string => (random() < MULTIBYTE_SHARE ? pick(MULTIBYTE, 'λ') : Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(SYLLABLES, 'in')).join(''));
  const path = (): string => `src/${word()}/${word()}.${pick(['ts', 'go', 'py', 'yaml'], 'ts')}`;
  // Large texts are cut out of these, so that 200 MB take seconds.
  const proseOf = makePool(random, () => (random() < 0.02 ? `\`${path()}:${Math.floor(random() * 900)}\`` : word()), ' ');
  const codeOf = makePool(random, () => `${' '.repeat(2 * Math.floor(random() * 4))}const ${word()} = ${word()}(${word()}, '${word()}'); // ${word()} ${word()}`, '\n');
  const logOf = makePool(random, () => (random() < 0.03 ? `${path()}:${Math.floor(random() * 900)}:7: error: ${word()} is not ${word()}` : random() < 0.002 ? `SERVICE_TOKEN=${hex(40)}` : `12:0${Math.floor(random() * 10)} ${word()} ${word()} ${word()} ${Math.floor(random() * 1e6)} ms`), '\n');
  return {
    random,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    id: (prefix) => `${prefix}${hex(20)}`,
    prose: proseOf,
    output: logOf,
    change: (length) => {
      const target = `/home/dev/project/${path()}`;
      const shape = random();
      if (shape < 0.55) return { name: 'Edit', path: target, input: { replace_all: false, file_path: target, old_string: codeOf(length / 2), new_string: codeOf(length / 2) } };
      if (shape < 0.85) return { name: 'Write', path: target, input: { file_path: target, content: codeOf(length) } };
      return { name: 'Bash', path: target, input: { command: `cat > ${target} <<'EOF'\n${codeOf(length)}\nEOF`, description: `Write ${word()}` } };
    },
    question: () => {
      const target = `/home/dev/project/${path()}`;
      if (random() < 0.5) return { name: 'Read', path: target, input: { file_path: target } };
      return { name: 'Bash', path: target, input: { command: `npm test -- ${target} ${word()}`, description: `Run ${word()}` } };
    },
  };
};

// mulberry32: small, and the same everywhere.
const makeRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Cuts pieces of any length out of a long row of items, at the items' borders; a longer piece goes round. */
const makePool = (random: () => number, item: () => string, separator: string): ((length: number) => string) => {
  const items: string[] = [];
  const ends: number[] = [];
  let total = 0;
  const count = separator === ' ' ? POOL_WORDS : POOL_WORDS / 8;
  for (let index = 0; index < count; index += 1) {
    const made = item();
    items.push(made);
    total += made.length + separator.length;
    ends.push(total);
  }
  const joined = items.join(separator) + separator;
  /** Index of the item that holds `offset`. */
  const itemAt = (offset: number): number => {
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const endOf = (index: number): number => ends[index] ?? total;
  const startOf = (index: number): number => (index === 0 ? 0 : endOf(index - 1));
  return (length) => {
    const first = itemAt(Math.floor(random() * total));
    const start = startOf(first);
    const end = start + length;
    // At least one item, so that no piece is empty.
    if (end < total) return joined.slice(start, Math.max(startOf(itemAt(end)), endOf(first)));
    const parts = [joined.slice(start)];
    let left = end - total;
    for (; left >= total; left -= total) parts.push(joined);
    parts.push(joined.slice(0, startOf(itemAt(left))));
    return parts.join('');
  };
};
