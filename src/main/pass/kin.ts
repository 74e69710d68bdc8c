// Commands that are another spelling of one attempt: the same program on the same things, refused in the same words.
import type { Attempt } from './attempts.ts';

/** The lines of a failure that name the fault, in order; none where no line does. */
export const complaintOf = (text: string): readonly string[] =>
  text.replace(/^\[error\] /, '').split('\n').map((line) => line.trim()).filter((line) => COMPLAINS.test(line));

const COMPLAINS = /\berr[_! ]|error|fail|unable|unauthorized|forbidden|cannot|can't|not found|no such|denied|refused|missing|undefined|unexpected|invalid|exception|panic|timed out/i;

/** Finds for each attempt in turn the name its row goes by: its own id, or that of a failed attempt it is another spelling of. */
export const openKin = () => {
  const names = new Map<string, string>();
  const failed = new Map<string, Kin[]>();
  return {
    keyOf: (attempt: Attempt): string => {
      const known = names.get(attempt.id);
      if (known !== undefined) return known;
      if (attempt.end !== 'failure' || attempt.tool !== 'Bash') return attempt.id;
      const kin = readKin(attempt);
      const others = failed.get(kin.program) ?? [];
      const key = others.findLast((other) => areKin(kin, other))?.name ?? attempt.id;
      names.set(attempt.id, key);
      failed.set(kin.program, [...others, { ...kin, name: key }].slice(-REMEMBERED));
      return key;
    },
  };
};

/** Spellings of one program that are compared: a bound, as each new one is held against each. */
const REMEMBERED = 8;

type Kin = { readonly name: string; readonly program: string; readonly things: ReadonlySet<string>; readonly complaint: readonly string[] };

const readKin = ({ id, shown, dir = '', at }: Attempt): Kin => {
  // What stands before the last command prepares it.
  const words = (shown.split(/ (?:&&|\|\||\||&) |; /).at(-1) ?? '').split(' ').filter((word) => word !== 'sudo');
  const things = words.slice(1).filter((word) => !/^--?[^=]*$/.test(word) && word !== '.');
  return { name: id, program: `${dir} ${words[0] ?? ''}`, things: new Set(things), complaint: [...new Set(complaintOf(at.text.slice(0, 2000)).slice(0, 12).map((line) => line.replace(/[0-9a-f]*\d[0-9a-f]*/gi, '#')))] };
};

const areKin = (a: Kin, b: Kin): boolean => isPartOf(a.complaint, b.complaint) && areRelated(a.things, b.things);

/** The shorter complaint is part of the longer one. */
const isPartOf = (a: readonly string[], b: readonly string[]): boolean => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.length > 0 && short.every((line) => long.includes(line));
};

const MOSTLY = 0.6;

/** One names all that the other names, or most of what they name is shared. */
const areRelated = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => {
  const shared = [...a].filter((thing) => b.has(thing)).length;
  return shared === Math.min(a.size, b.size) || shared >= MOSTLY * (a.size + b.size - shared);
};
