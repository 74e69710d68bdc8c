// What a benchmark hands back, and how it reads: on a terminal, as JSON lines and in PERFORMANCE.md.

/** One measured thing beside what bounds it. `ratio` is ours / limit; a goal holds for it or for `ours` itself. */
export type Line = {
  readonly what: string;
  readonly unit: 'ms' | 'MB' | '%' | 'writes';
  readonly ours: number;
  readonly limit?: { readonly what: string; readonly value: number };
  readonly goal?: Goal;
  /** What the ratio comes to in a quick run on a quiet machine: what is more than twice that has become slower. */
  readonly usual?: number;
};

export type Goal = { readonly of: 'ratio' | 'ours'; readonly max?: number; readonly min?: number };

/** Figures without a goal, for a reader who wants to choose a setting. */
export type Table = { readonly title: string; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

export type Result = {
  readonly name: string;
  readonly title: string;
  /** How it was measured, in sentences. */
  readonly method: string;
  readonly lines: readonly Line[];
  readonly tables?: readonly Table[];
};

export type Options = { readonly quick: boolean; readonly plugin: string; readonly folder: string; readonly say: (line: string) => void };

export const ratioOf = ({ ours, limit }: Line): number | undefined => (limit === undefined || limit.value === 0 ? undefined : ours / limit.value);

/** Whether a line meets its goal; true without one. */
export const meets = (line: Line): boolean => {
  const { goal } = line;
  if (goal === undefined) return true;
  const value = goal.of === 'ratio' ? (ratioOf(line) ?? 0) : line.ours;
  return value <= (goal.max ?? Infinity) && value >= (goal.min ?? -Infinity);
};

const SLACK = 2;

/** Whether a line has become slower than it used to be, by so much that no other work on the machine explains it; false where nobody knows. */
export const isSlower = (line: Line): boolean => line.usual !== undefined && (ratioOf(line) ?? 0) > line.usual * SLACK;

/** Four columns and the goal, as plain text. */
export const terminal = ({ title, method, lines, tables = [] }: Result): string => {
  const rows = lines.map((line) => cells(line));
  const texts = [`\n${title}`, ...wrapped(method, 110).map((line) => `  ${line}`), '', ...aligned([HEAD, ...rows])];
  for (const table of tables) texts.push('', `  ${table.title}`, ...aligned([table.columns, ...table.rows]));
  return texts.join('\n');
};

export const markdown = ({ title, method, lines, tables = [] }: Result): string => {
  const texts = [`## ${title}`, '', method, '', ...grid([HEAD, ...lines.map((line) => cells(line))])];
  for (const table of tables) texts.push('', `**${table.title}**`, '', ...grid([table.columns, ...table.rows]));
  return texts.join('\n');
};

const HEAD = ['what', 'limit', 'ours', 'ratio', 'goal', ''] as const;

const cells = (line: Line): readonly string[] => {
  const ratio = ratioOf(line);
  return [
    line.what,
    line.limit === undefined ? '' : `${line.limit.what}: ${amount(line.limit.value, line.unit)}`,
    amount(line.ours, line.unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    goalWords(line),
    line.goal === undefined ? '' : meets(line) ? 'met' : 'missed',
  ];
};

const goalWords = ({ goal, unit }: Line): string => {
  if (goal === undefined) return '';
  const words = (bound: number): string => (goal.of === 'ratio' ? `${bound} ×` : amount(bound, unit));
  if (goal.max !== undefined && goal.max === goal.min) return `= ${words(goal.max)}`;
  return [goal.max === undefined ? '' : `≤ ${words(goal.max)}`, goal.min === undefined ? '' : `≥ ${words(goal.min)}`].filter(Boolean).join(', ');
};

export const amount = (value: number, unit: Line['unit']): string =>
  unit === 'writes' ? String(Math.round(value)) : `${value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;

const aligned = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
};

const grid = (rows: readonly (readonly string[])[]): readonly string[] => {
  const [head = [], ...rest] = rows;
  return [head, head.map(() => '---'), ...rest].map((row) => `| ${row.join(' | ')} |`);
};

const wrapped = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};
