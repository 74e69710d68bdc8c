// Whether the agent calls its work finished, told by its last words and the end of its turn.
import { occurs } from '../../main/pass/patterns.ts';
import type { Numbered } from '../../main/records.ts';

export type Finish = {
  /** The agent says so. */
  readonly declared: boolean;
  /** Observations that show it. */
  readonly shown: readonly number[];
};

/** Undefined before the turn is over, and where the agent asks something, says that it is not through, or was cut off: what it says between two calls is no end. `config`: lists of patterns by name. */
export const finish = (stream: readonly Numbered[], config: Readonly<Record<string, unknown>>): Finish | undefined => {
  let end: Numbered | undefined;
  for (const seen of stream.toReversed()) {
    if (seen.kind === 'done') continue;
    if (seen.kind === 'note') {
      if (CUT_OFF.has(seen.note ?? '')) return undefined;
      if (seen.note !== 'turn-end') continue;
      if (seen.reason !== undefined && CUT_OFF.has(seen.reason)) return undefined;
      end ??= seen;
      continue;
    }
    if (end === undefined || seen.kind === 'prompt') return undefined;
    if (seen.kind !== 'text') return { declared: false, shown: [end.n] };
    const said = standOf(seen.text, config);
    return said === 'unfinished' ? undefined : { declared: said === 'finished', shown: [seen.n, end.n] };
  }
  return undefined;
};

const CUT_OFF: ReadonlySet<string> = new Set(['interrupt', 'api-error', 'refusal', 'error', 'aborted', 'max_tokens']);

/** What words say of the work: `finished` by a clause that nothing in it takes back, `unclear` where they speak neither for it nor against it. */
const standOf = (text: string, config: Readonly<Record<string, unknown>>): 'finished' | 'unfinished' | 'unclear' => {
  const words = text.trimEnd().replaceAll('’', "'");
  const says = (name: string, part: string): boolean => textsOf(config[name]).some((pattern) => occurs(pattern, part));
  if (ASKS.test(words) || says('unfinished_by', words)) return 'unfinished';
  const claims = clausesOf(words).filter((clause) => says('finished_by', clause));
  if (claims.length > 0) return claims.some((clause) => !says('negated_by', clause)) ? 'finished' : 'unfinished';
  return !ENGLISH.test(words) || says('doubtful_by', edgesOf(words)) ? 'unfinished' : 'unclear';
};

/** The lists of doubts are complete enough in one language only: in others work ends by a claim that is known. */
const ENGLISH = /\b(?:the|is|are|was|were|has|have|and|of|to|its?|an?)\b/i;

/** A question mark is the last thing that is said. */
const ASKS = /[?？][^\p{L}\p{N}]*$/u;

const clausesOf = (words: string): readonly string[] => words.split(/(?<=[.!?;,])\s+|(?<=[。！？；，、])|\n+|\s(?:but|aber|mais|pero|mas|ma|maar)\s/);

/** Where work stands is said first or last: the first sentence and the last one. */
const edgesOf = (words: string): string => {
  const sentences = words.split(/(?<=[.!?。！？])\s+|\n+/);
  return `${sentences[0] ?? ''}\n${sentences.at(-1) ?? ''} `;
};

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : []);
