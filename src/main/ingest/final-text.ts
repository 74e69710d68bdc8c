// The final answer comes twice, by the Stop signal and by its record, in either order: it is observed once (HAZARDS C5).

/** `rest`: what of the signal's text no record has brought yet. */
type Awaited = { readonly rest: string; readonly turns: number };

export type Finals = {
  /** A signal's text: true when no record has brought it yet, so that it is new. */
  readonly fromSignal: (text: string) => boolean;
  /** A record's text: true when it is new, false when a signal brought it. */
  readonly fromRecord: (text: string) => boolean;
  /** A turn ended in the file: what is awaited for two turns never comes. */
  readonly turnEnded: () => void;
};

/** Compared by their heads: hook and projection cut long texts each in their own way. */
const HEAD_CHARS = 500;
/** Of a record's text: more than its head has, spaces included. */
const READ_CHARS = 4 * HEAD_CHARS;
const RECENT = 20;
const TURNS = 2;

export const createFinals = (): Finals => {
  let awaited: readonly Awaited[] = [];
  // As they came: folding their spaces waits for a signal, since far more texts come than signals.
  let recent: readonly string[] = [];

  const fromSignal = (text: string): boolean => {
    const rest = plain(text);
    if (rest === '') return false;
    // The last block of a message of several stands at the end of the signal's text.
    const known = recent.findIndex((brought) => {
      const head = plain(brought).slice(0, HEAD_CHARS);
      return head === rest.slice(0, HEAD_CHARS) || (head.length < HEAD_CHARS && rest.endsWith(head));
    });
    if (known !== -1) {
      recent = recent.toSpliced(known, 1);
      return false;
    }
    awaited = [...awaited, { rest, turns: TURNS }].slice(-RECENT);
    return true;
  };

  const fromRecord = (text: string): boolean => {
    const start = text.slice(0, READ_CHARS);
    const brought = awaited.length === 0 ? '' : plain(start);
    const head = brought.slice(0, HEAD_CHARS);
    const at = brought === '' ? -1 : awaited.findIndex(({ rest }) => rest.startsWith(head));
    const match = awaited[at];
    if (match === undefined) {
      recent = [...recent, start].slice(-RECENT);
      return true;
    }
    const rest = brought.length > HEAD_CHARS ? '' : match.rest.slice(head.length).trimStart();
    awaited = rest === '' ? awaited.toSpliced(at, 1) : awaited.with(at, { ...match, rest });
    return false;
  };

  const turnEnded = (): void => {
    awaited = awaited.map((one) => ({ ...one, turns: one.turns - 1 })).filter(({ turns }) => turns > 0);
  };

  return { fromSignal, fromRecord, turnEnded };
};

/** Whether a text begins what stands in one of `finals`: a message of several blocks is one final text and several records. */
export const textsWithin = (finals: readonly string[]): ((text: string) => boolean) => {
  const known = finals.map(plain);
  return (text) => {
    const head = known.length === 0 ? '' : plain(text.slice(0, READ_CHARS)).slice(0, HEAD_CHARS);
    return head !== '' && known.some((final) => final.includes(head));
  };
};

/** Spaces folded, trimmed. */
const plain = (text: string): string => text.trim().replace(/\s+/g, ' ');
